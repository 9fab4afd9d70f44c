//! What a program may ask of the kernel beyond files, by seccomp (seccomp(2)).
//!
//! Files are Landlock's business; this closes the ways past it. Unix sockets are closed always: behind some of them
//! sits a server with more rights than the program (Hearth's own, a container engine's), and Landlock does not look at
//! them before its ninth version.

use std::collections::BTreeMap;

use seccompiler::{
    SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

use crate::NetworkAccess;

/// Refused whatever their arguments are: they change the machine, look into other processes, reach files without their
/// paths, or open sockets behind the back of this filter (`io_uring`).
const REFUSED: &[i64] = &[
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_finit_module,
    libc::SYS_fsmount,
    libc::SYS_init_module,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_mount,
    libc::SYS_move_mount,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
];

/// Kinds of sockets a program may make when the network is granted; the third is how it asks for addresses and routes.
const NETWORK_SOCKETS: &[i32] = &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// Gives them up, for this process and all it starts. Needs `no_new_privs`, which Landlock has set; seccomp sets it too.
pub(super) fn hold(network: NetworkAccess) -> Result<(), String> {
    try_hold(network).map_err(|error| format!("system calls cannot be confined: {error}"))
}

fn try_hold(network: NetworkAccess) -> Result<(), Box<dyn std::error::Error>> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    rules.insert(libc::SYS_socket, refused_sockets(network)?);
    let refuse = SeccompAction::Errno(libc::EPERM as u32);
    let machine = TargetArch::try_from(std::env::consts::ARCH)?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, machine)?;
    let program: seccompiler::BpfProgram = filter.try_into()?;
    Ok(seccompiler::apply_filter(&program)?)
}

/// Which sockets are refused; no rule means all.
fn refused_sockets(network: NetworkAccess) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    match network {
        NetworkAccess::Refused => Ok(Vec::new()),
        NetworkAccess::Granted => {
            let is_not = |kind: &i32| {
                SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, u64::from(*kind as u32))
            };
            let others = NETWORK_SOCKETS.iter().map(is_not).collect::<Result<Vec<_>, _>>()?;
            Ok(vec![SeccompRule::new(others)?])
        }
    }
}
