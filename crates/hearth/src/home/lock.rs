//! One daemon a home: a lock that the operating system lets go of when its holder dies, however it dies.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::Duration;

use super::Home;
use crate::failure::Failure;
use crate::words::words;

/// How often the lock is tried for, and the pause between.
const LOCK_TRIES_MAX: u32 = 5;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Held for as long as this process may write to the home.
#[derive(Debug)]
pub(crate) struct HomeLock {
    /// The lock is the open file's; it ends with it.
    _file: File,
}

fn path(home: &Home) -> PathBuf {
    home.root().join("hearth.lock")
}

impl HomeLock {
    /// Takes the lock, or names the process that has it.
    pub(crate) fn acquire(home: &Home) -> Result<Self, Failure> {
        let path = path(home);
        let failure = |error: &std::io::Error| Failure::of_file(&path, error);
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .mode(0o600)
            .open(&path)
            .map_err(|error| failure(&error))?;
        match try_lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(home, &mut file)),
            Err(TryLockError::Error(error)) => return Err(failure(&error)),
        }
        file.set_len(0)
            .and_then(|()| write!(file, "{}", std::process::id()))
            .map_err(|error| failure(&error))?;
        Ok(Self { _file: file })
    }
}

/// Tries for a moment: [`holder`] of another process has the lock, shared, for some microseconds.
fn try_lock(file: &File) -> Result<(), TryLockError> {
    for _ in 0..LOCK_TRIES_MAX {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            settled => return settled,
        }
    }
    Err(TryLockError::WouldBlock)
}

/// The process that has the lock of this home, if one has it. Zero if it has not said which it is.
pub(crate) fn holder(home: &Home) -> Option<u32> {
    let mut file = File::open(path(home)).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some(read_pid(&mut file)),
        Ok(()) | Err(TryLockError::Error(_)) => None,
    }
}

fn read_pid(file: &mut File) -> u32 {
    let mut text = String::new();
    match file.read_to_string(&mut text) {
        Ok(_) => text.trim().parse().unwrap_or(0),
        Err(_) => 0,
    }
}

fn in_use(home: &Home, file: &mut File) -> Failure {
    let root = home.root().display();
    let pid = read_pid(file);
    Failure::new(
        words!(
            "{root} is in use by another Hearth (process {pid})",
            "{root} 正被另一个 Hearth 使用（进程 {pid}）"
        ),
        words!(
            "talk to that one (hearth chat), stop it (kill {pid}), or choose another folder with --home",
            "请直接使用它（hearth chat），或停止它（kill {pid}），或用 --home 换一个目录",
        ),
    )
}
