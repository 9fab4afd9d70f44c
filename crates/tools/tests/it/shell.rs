//! Commands of the shell, and their end.

use std::os::fd::OwnedFd;

use hearth_contract::tool::ToolError;
use hearth_tools::reap_orphans;
use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, PidfdFlags};
use serde_json::json;

use crate::fixture::Fixture;

/// A command whose children ignore SIGTERM; one of them leaves the process group. It writes their numbers into
/// `pids` and then a line into the pipe `ready`.
const STUBBORN: &str = "trap '' TERM; echo said before; sleep 1000 & echo $! > pids; echo $$ >> pids; \
    setsid sh -c 'trap \"\" TERM; echo $$ >> pids; echo ready > ready; sleep 1000; sleep 1000' & \
    wait; wait; sleep 1000";

fn make_pipe(fixture: &Fixture) {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let path = fixture.workspace().join("ready");
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
}

/// Waits until the command is ready, and takes handles of its processes.
async fn processes(fixture: &Fixture) -> Vec<OwnedFd> {
    let path = fixture.workspace().join("ready");
    let ready = tokio::task::spawn_blocking(move || std::fs::read_to_string(path).unwrap()).await.unwrap();
    assert_eq!(ready, "ready\n");
    let pids = std::fs::read_to_string(fixture.workspace().join("pids")).unwrap();
    let handle = |line: &str| {
        let pid = Pid::from_raw(line.parse().unwrap()).unwrap();
        rustix::process::pidfd_open(pid, PidfdFlags::empty()).unwrap()
    };
    let handles: Vec<_> = pids.lines().map(handle).collect();
    assert_eq!(handles.len(), 3, "{pids}");
    handles
}

/// Returns when all of them have ended: the handle of a process becomes readable then (pidfd_open(2)).
async fn all_gone(processes: Vec<OwnedFd>) {
    let wait = move || {
        for process in processes {
            rustix::event::poll(&mut [PollFd::new(&process, PollFlags::IN)], None).unwrap();
        }
    };
    tokio::task::spawn_blocking(wait).await.unwrap();
}

#[tokio::test]
async fn a_command_says_what_it_printed_and_how_it_ended() {
    let fixture = Fixture::new();
    for (command, expected) in [
        ("echo 乌龙茶", "乌龙茶"),
        ("true", "[done, without output]"),
        ("echo a; echo b >&2; exit 3", "a\n[stderr]\nb\n[exit status 3]"),
        ("kill -9 $$", "[killed by signal 9]"),
        ("cat", "[done, without output]"),
        ("echo $HOME | sed \"s#$PWD#workspace#\"", "workspace"),
        ("echo $TERM $LANG ${USER-none}", "dumb C.UTF-8 none"),
        ("sleep 1000 & echo started", "started"),
        ("no_such_program_here 2>/dev/null", "[exit status 127]"),
    ] {
        assert_eq!(fixture.text("run_shell", json!({ "command": command })).await, expected, "{command}");
    }
    for command in ["", "  ", "a\0b"] {
        assert!(fixture.error("run_shell", json!({ "command": command })).await.contains("`command`"));
    }
}

#[tokio::test]
async fn a_flood_is_bounded() {
    let fixture = Fixture::new();
    let text = fixture.text("run_shell", json!({"command": "yes 茶 | head -c 5000000; echo the end"})).await;
    assert!(text.len() < 20_000 && text.contains("bytes cut") && text.ends_with("the end"), "{}", text.len());
    assert!(!text.contains('\u{fffd}'));
}

#[tokio::test]
async fn a_command_that_takes_too_long_is_killed_with_all_its_children() {
    let fixture = Fixture::new();
    make_pipe(&fixture);
    let call = fixture.call("run_shell", json!({"command": STUBBORN, "timeout_ms": 5000}));
    let drive = async {
        let processes = processes(&fixture).await;
        // Its time is over; it is asked to end, does not, and its grace is over.
        fixture.clock.advance_to_next().await;
        fixture.clock.advance_to_next().await;
        processes
    };
    let (result, processes) = tokio::join!(call, drive);
    let Err(ToolError::TimedOut { after_ms: 5000, partial }) = result else { panic!("{result:?}") };
    assert!(partial.contains("said before"), "{partial}");
    all_gone(processes).await;
}

#[tokio::test]
async fn a_turn_that_is_stopped_ends_its_command() {
    let fixture = Fixture::new();
    make_pipe(&fixture);
    let call = fixture.call("run_shell", json!({ "command": STUBBORN }));
    tokio::pin!(call);
    let processes = tokio::select! {
        result = &mut call => panic!("{result:?}"),
        processes = processes(&fixture) => processes,
    };
    fixture.context.cancel.cancel();
    let turning = async {
        loop {
            fixture.clock.advance_to_next().await;
        }
    };
    let result = tokio::select! {
        result = call => result,
        () = turning => unreachable!("the clock is turned for ever"),
    };
    assert!(matches!(result, Err(ToolError::Cancelled)), "{result:?}");
    all_gone(processes).await;
}

#[tokio::test]
async fn a_call_that_is_dropped_ends_its_command() {
    let fixture = Fixture::new();
    make_pipe(&fixture);
    let processes = tokio::select! {
        result = fixture.call("run_shell", json!({ "command": STUBBORN })) => panic!("{result:?}"),
        processes = processes(&fixture) => processes,
    };
    all_gone(processes).await;
}

#[tokio::test]
async fn what_a_killed_hearth_left_behind_is_found_and_ended() {
    let start = |home_id: &str| {
        let mut command = std::process::Command::new("sleep");
        command.arg("1000").env("HEARTH_CHILD_OF", home_id).spawn().unwrap()
    };
    let (mut orphan, mut other) = (start("home-of-this-test"), start("home-of-this-test-2"));
    // Until it has become `sleep`, a child shows the environment of the test.
    for child in [&orphan, &other] {
        let environment = format!("/proc/{}/environ", child.id());
        while !std::fs::read_to_string(&environment).unwrap().contains("HEARTH_CHILD_OF=home-of-this-test") {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(reap_orphans("home-of-this-test"), 1);
    assert!(!orphan.wait().unwrap().success());
    assert_eq!(other.try_wait().unwrap(), None);
    assert_eq!(reap_orphans("home-of-this-test"), 0);
    other.kill().unwrap();
    other.wait().unwrap();
}
