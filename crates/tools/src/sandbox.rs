//! The sandbox that programs run in, entered by our own binary before it becomes the program.
//!
//! `hearth __sandbox … -- sh -c …` ties itself to its parent's life, sets limits, gives up every file but the system's
//! programs, the workspace and a private folder for temporary files (Landlock), gives up what reaches past files
//! (seccomp: sockets, mounts, debugging, kernel modules), and then becomes the program.
//!
//! What is not held: Landlock does not govern `chmod`, `chown` and times of files outside, so a program may change
//! those of files that its user owns, without reading or writing them. Without Landlock in the kernel files are not
//! held at all ([`available`] tells); the rest is.

mod files;
mod syscalls;

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use rustix::process::{Pid, Resource, Rlimit, Signal};
use rustix::thread::{CapabilitySet, CapabilitySets};

use crate::NetworkAccess;

/// The first argument by which our binary knows that it is to enter the sandbox.
pub const SUBCOMMAND: &str = "__sandbox";

/// The exit status when the sandbox cannot be entered, and when the program cannot be started; as shells have them.
const STATUS_NOT_ENTERED: i32 = 126;
const STATUS_NOT_STARTED: i32 = 127;

/// The largest file a program may write, in bytes.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024 * 1024;
/// Files a program may hold open.
const OPEN_FILES_MAX: u64 = 4096;
/// Processes and threads that the programs of a user may add to those that run.
const PROCESSES_MORE_MAX: u64 = 1024;

/// What the kernel of this machine can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confinement {
    /// Files are confined to the workspace.
    Files,
    /// Landlock is missing: programs can read and write what the user can.
    ProcessesOnly,
}

/// What the kernel of this machine can hold. The caller tells the owner once.
pub fn available() -> Confinement {
    if files::can_be_held() { Confinement::Files } else { Confinement::ProcessesOnly }
}

/// How a program is started in the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Where it works.
    pub(crate) workspace: PathBuf,
    /// Hearth's home, of which nothing else is seen.
    pub(crate) home: PathBuf,
    /// Its folder for temporary files.
    pub(crate) temporary: PathBuf,
    /// The process with whose end it ends.
    pub(crate) parent: Pid,
    /// Whether it may use the network.
    pub(crate) network: NetworkAccess,
    /// The program and its arguments.
    pub(crate) program: Vec<OsString>,
}

impl Plan {
    /// As arguments of our binary.
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec![
            SUBCOMMAND.into(),
            "--workspace".into(),
            self.workspace.clone().into(),
            "--home".into(),
            self.home.clone().into(),
            "--temporary".into(),
            self.temporary.clone().into(),
            "--parent".into(),
            self.parent.as_raw_nonzero().to_string().into(),
        ];
        if self.network == NetworkAccess::Granted {
            arguments.push("--network".into());
        }
        arguments.push("--".into());
        arguments.extend(self.program.iter().cloned());
        arguments
    }

    /// From what follows [`SUBCOMMAND`].
    fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        let mut arguments = arguments.into_iter();
        let (mut workspace, mut home, mut temporary, mut parent) = (None, None, None, None);
        let mut network = NetworkAccess::Refused;
        while let Some(name) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{} needs a value", name.display()));
            match name.to_str() {
                Some("--workspace") => workspace = Some(PathBuf::from(value()?)),
                Some("--home") => home = Some(PathBuf::from(value()?)),
                Some("--temporary") => temporary = Some(PathBuf::from(value()?)),
                Some("--parent") => {
                    parent = value()?.to_str().and_then(|text| text.parse().ok()).and_then(Pid::from_raw)
                }
                Some("--network") => network = NetworkAccess::Granted,
                Some("--") => break,
                _ => return Err(format!("unknown argument {}", name.display())),
            }
        }
        let missing = |name: &str| format!("{name} is missing");
        let program: Vec<OsString> = arguments.collect();
        if program.is_empty() {
            return Err(missing("the program"));
        }
        Ok(Self {
            workspace: workspace.ok_or_else(|| missing("--workspace"))?,
            home: home.ok_or_else(|| missing("--home"))?,
            temporary: temporary.ok_or_else(|| missing("--temporary"))?,
            parent: parent.ok_or_else(|| missing("--parent"))?,
            network,
            program,
        })
    }
}

/// Enters the sandbox and becomes the program. Takes what follows [`SUBCOMMAND`] on the command line. To be called
/// first thing in `main`, before there is any other thread. Returns never: a failure is told on stderr and ends the
/// process with status 126 or 127.
pub fn enter_and_exec(arguments: impl IntoIterator<Item = OsString>) -> ! {
    let entered = Plan::parse(arguments).and_then(|plan| enter(&plan).map(|()| plan));
    let (status, reason) = match entered {
        Ok(plan) => (STATUS_NOT_STARTED, become_program(&plan.program)),
        Err(reason) => (STATUS_NOT_ENTERED, reason),
    };
    let _ = writeln!(std::io::stderr(), "hearth sandbox: {reason}");
    std::process::exit(status)
}

/// Gives up everything the program is not to have.
fn enter(plan: &Plan) -> Result<(), String> {
    let failed = |what: &'static str| move |error: rustix::io::Errno| format!("{what}: {error}");
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(failed("parent"))?;
    if rustix::process::getppid() != Some(plan.parent) {
        return Err("the process that wanted this has ended".to_owned());
    }
    set_limits().map_err(failed("limits"))?;
    files::hold(plan)?;
    drop_powers().map_err(failed("powers"))?;
    syscalls::hold(plan.network)
}

/// Where Hearth runs as root, its programs keep only root's way with the permissions of files; above all they lose the
/// right to look into other processes, which is not Landlock's to refuse. They cannot come back: gaining powers by
/// starting a program is off (`no_new_privs`, set with Landlock and with seccomp).
fn drop_powers() -> rustix::io::Result<()> {
    let kept =
        CapabilitySet::CHOWN | CapabilitySet::DAC_OVERRIDE | CapabilitySet::FOWNER | CapabilitySet::FSETID;
    let had = rustix::thread::capabilities(None)?;
    let left = CapabilitySets {
        effective: had.effective & kept,
        permitted: had.permitted & kept,
        inheritable: CapabilitySet::empty(),
    };
    rustix::thread::set_capabilities(None, left)
}

fn set_limits() -> rustix::io::Result<()> {
    let limit = |resource, most: u64| {
        let had = rustix::process::getrlimit(resource);
        // A limit that is lower already stays.
        let most = had.maximum.map_or(most, |had| had.min(most));
        rustix::process::setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })
    };
    limit(Resource::Core, 0)?;
    limit(Resource::Fsize, FILE_BYTES_MAX)?;
    limit(Resource::Nofile, OPEN_FILES_MAX)?;
    // The limit counts all processes of the user, so it is set above those that run.
    limit(Resource::Nproc, running_threads().saturating_add(PROCESSES_MORE_MAX))
}

/// The threads of the whole machine, by the fourth field of `/proc/loadavg` (proc(5)).
fn running_threads() -> u64 {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let field = load.split(' ').nth(3).and_then(|field| field.split('/').nth(1));
    field.and_then(|number| number.parse().ok()).unwrap_or(8192)
}

fn become_program(program: &[OsString]) -> String {
    let name = program.first().map(OsString::as_os_str).unwrap_or(OsStr::new("sh"));
    let error = Command::new(name).args(program.iter().skip(1)).exec();
    format!("{} cannot be started: {error}", name.display())
}

#[cfg(test)]
mod tests;
