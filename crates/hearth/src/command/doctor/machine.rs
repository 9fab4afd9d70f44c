//! What the machine gives: clock, folders, disk, and whether a daemon runs.

use std::path::Path;

use hearth_contract::clock::{Clock, SystemClock};
use hearth_protocol::Status;
use hearth_tools::sandbox::Confinement;

use super::Finding;
use crate::failure::Failure;
use crate::home::{self, Home};
use crate::starts::{SafeMode, Starts};
use crate::words::{Words, words};

/// A clock before this (2025-01-01 UTC) has not been set.
const CLOCK_MIN_MS: i64 = 1_735_689_600_000;

/// Less free space than this is worth a warning, in bytes.
const FREE_BYTES_MIN: u64 = 500 << 20;

pub(super) fn clock() -> Finding {
    let now = SystemClock.now();
    let shown = jiff::Timestamp::from_millisecond(now.0).map(|time| format!("{time:.0}")).unwrap_or_default();
    if now.0 >= CLOCK_MIN_MS {
        return Finding::ok("clock", words!("the clock says {shown}", "系统时间 {shown}"));
    }
    Finding::warn(
        "clock",
        words!("the clock says {shown}, which cannot be", "系统时间是 {shown}，不可能"),
        words!(
            "set the clock (timedatectl set-ntp true); reminders follow it",
            "请校准时间（timedatectl set-ntp true），提醒依赖它"
        ),
    )
}

pub(super) fn home(home: &Home) -> Finding {
    match home.create().and_then(|()| try_writing(home.root())) {
        Ok(()) => {
            let root = home.root().display();
            Finding::ok("home", words!("{root} can be written", "{root} 可写"))
        }
        Err(failure) => Finding::fail("home", failure),
    }
}

pub(super) fn logs(home: &Home) -> Finding {
    match try_writing(&home.logs()) {
        Ok(()) => {
            let logs = home.logs();
            let logs = logs.display();
            Finding::ok("logs", words!("logs go to {logs}", "日志写入 {logs}"))
        }
        Err(Failure { what, hint, .. }) => Finding::warn("logs", what, hint),
    }
}

fn try_writing(folder: &Path) -> Result<(), Failure> {
    let probe = folder.join(format!(".probe.{}", std::process::id()));
    std::fs::write(&probe, b"probe")
        .and_then(|()| std::fs::remove_file(&probe))
        .map_err(|error| Failure::of_file(folder, &error))
}

pub(super) fn disk(home: &Home) -> Finding {
    let space = match rustix::fs::statvfs(home.root()) {
        Ok(space) => space,
        Err(error) => {
            let Failure { what, hint, .. } = Failure::of_file(home.root(), &error.into());
            return Finding::warn("disk", what, hint);
        }
    };
    let free = space.f_bavail.saturating_mul(space.f_frsize);
    let mib = free >> 20;
    if free >= FREE_BYTES_MIN {
        return Finding::ok("disk", words!("{mib} MiB are free", "磁盘剩余 {mib} MiB"));
    }
    Finding::warn(
        "disk",
        words!("only {mib} MiB are free", "磁盘只剩 {mib} MiB"),
        words!(
            "free some space: nothing can be taken in once the disk is full",
            "请腾出空间：磁盘写满后无法再接收消息"
        ),
    )
}

/// Whether a daemon runs, and in what it does not run as it was told to.
pub(super) fn daemon(home: &Home, status: Option<&Status>) -> Vec<Finding> {
    let warned = status.into_iter().flat_map(|status| &status.warnings).map(|warning| {
        let what = Words { en: warning.en.clone(), zh: warning.zh.clone() };
        Finding::warn("daemon", what, Words::default())
    });
    std::iter::once(presence(home)).chain(warned).collect()
}

fn presence(home: &Home) -> Finding {
    match home::holder(home) {
        Some(pid) => {
            Finding::ok("daemon", words!("a daemon runs (process {pid})", "守护进程在运行（进程 {pid}）"))
        }
        None => Finding::ok(
            "daemon",
            words!("no daemon runs; chat and say start one", "没有守护进程；chat 和 say 会启动它"),
        ),
    }
}

/// Whether the daemon dies again and again.
pub(super) fn starts(home: &Home) -> Finding {
    let starts = Starts::of(home);
    let starts = if home::holder(home).is_some() { starts.without_newest() } else { starts };
    match starts.mode(SystemClock.now()) {
        SafeMode::Crashes(deaths) => Finding::warn(
            "starts",
            words!(
                "the daemon died {deaths} times within 10 minutes: it starts in safe mode",
                "守护进程在 10 分钟内异常退出 {deaths} 次：将以安全模式启动"
            ),
            words!(
                "look at logs/hearth.log; a restart or a change of the config ends safe mode",
                "请查看 logs/hearth.log；重启或修改配置后恢复正常"
            ),
        ),
        SafeMode::Off | SafeMode::Asked => {
            Finding::ok("starts", words!("the daemon does not die", "守护进程没有反复异常退出"))
        }
    }
}

pub(super) fn sandbox() -> Finding {
    match hearth_tools::sandbox::available() {
        Confinement::Files => {
            Finding::ok("sandbox", words!("programs are confined to the workspace", "程序被限制在工作目录内"))
        }
        Confinement::ProcessesOnly => Finding::warn(
            "sandbox",
            words!(
                "this kernel has no Landlock: programs can read and write what your user can",
                "内核没有 Landlock：程序能读写当前用户的所有文件",
            ),
            words!(
                "use Linux 5.13 or newer, or set exec = \"deny\" in [rights]",
                "请使用 Linux 5.13 以上，或在 [rights] 中设 exec = \"deny\"",
            ),
        ),
    }
}
