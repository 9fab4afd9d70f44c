//! Finds and ends programs by a mark in their environment.
//!
//! Every program a tool starts carries two variables, which its children inherit: the home it belongs to and the call
//! that started it. So children that have left the process group of their call are found as well, and so are those of
//! a Hearth that was killed.

use std::collections::BTreeSet;
use std::os::fd::OwnedFd;

use rustix::process::{Pid, PidfdFlags, Signal};

/// The variable that holds the id of the home.
pub(crate) const HOME_VARIABLE: &str = "HEARTH_CHILD_OF";
/// The variable that holds the id of the call.
pub(crate) const CALL_VARIABLE: &str = "HEARTH_CALL";

/// How often the list of processes is gone through: a process may fork while it is read.
const PASSES_MAX: usize = 8;

/// Ends the programs that a Hearth of this home has left behind when it was killed. To be called at start, once the
/// home is locked, so that nobody else's are meant. How many there were.
pub fn reap_orphans(home_id: &str) -> usize {
    kill_marked(HOME_VARIABLE, home_id)
}

/// Kills every process with this variable in its environment. How many there were.
pub(crate) fn kill_marked(variable: &str, value: &str) -> usize {
    let mark = format!("{variable}={value}");
    let mut killed = BTreeSet::new();
    for _ in 0..PASSES_MAX {
        let mut found_more = false;
        for (pid, process) in marked(mark.as_bytes()) {
            // One that is killed is still seen until it is gone; it forks no more.
            if rustix::process::pidfd_send_signal(&process, Signal::KILL).is_ok() {
                found_more |= killed.insert(pid.as_raw_nonzero());
            }
        }
        if !found_more {
            break;
        }
    }
    killed.len()
}

/// The processes whose environment holds this mark, with handles; not our own.
fn marked(mark: &[u8]) -> Vec<(Pid, OwnedFd)> {
    let own = rustix::process::getpid();
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(Result::ok).filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let others = pids.filter_map(Pid::from_raw).filter(|pid| *pid != own);
    others
        .filter_map(|pid| {
            // The handle comes first: what is read after it is of the process it means, or of none.
            let process = rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok()?;
            let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
            let is_marked = environment.split(|byte| *byte == 0).any(|variable| variable == mark);
            is_marked.then_some((pid, process))
        })
        .collect()
}
