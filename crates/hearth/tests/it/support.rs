//! A home folder of its own, and the binary run in it.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rustix::process::{Pid, Signal};
use tempfile::TempDir;

/// A home folder that is removed at the end.
pub(crate) struct TestHome {
    folder: TempDir,
}

/// What a run of the binary came to.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The exit code.
    pub(crate) code: i32,
    /// Its standard output.
    pub(crate) out: String,
    /// Its standard error.
    pub(crate) err: String,
}

impl TestHome {
    /// An empty one.
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    /// The home folder; it is made by the first command that needs it.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Writes a file of the home.
    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.path()).expect("the home can be made");
        std::fs::write(self.path().join(name), text).expect("the file can be written");
    }

    /// The binary with nothing in its environment but the home and what is said here.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HEARTH_HOME", self.path())
            .args(arguments)
            .stdin(Stdio::null());
        command
    }

    /// Runs the binary to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().expect("the binary runs"))
    }

    /// A home in which only the built-in model answers, whatever runs on this machine, at a free port.
    pub(crate) fn offline() -> Self {
        let home = Self::new();
        home.write("config.toml", "[purposes]\nchat = [\"offline\"]\n[gateway]\nlisten = \"127.0.0.1:0\"\n");
        home
    }

    /// The process that has the home.
    pub(crate) fn daemon(&self) -> Option<Pid> {
        let mut file = std::fs::File::open(self.path().join("hearth.lock")).ok()?;
        file.try_lock_shared().is_err().then_some(())?;
        let mut pid = String::new();
        file.read_to_string(&mut pid).ok()?;
        Pid::from_raw(pid.trim().parse().ok()?)
    }

    /// Kills the daemon at once, and returns when it is gone.
    pub(crate) fn kill_daemon(&self) {
        let pid = self.daemon().expect("a daemon runs");
        rustix::process::kill_process(pid, Signal::KILL).expect("it can be killed");
        let lock = std::fs::File::open(self.path().join("hearth.lock")).expect("the lock is there");
        lock.lock().expect("the lock is let go of");
    }

    /// Runs the binary as a person with a Chinese locale does.
    pub(crate) fn run_zh(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).env("LANG", "zh_CN.UTF-8").output().expect("the binary runs"))
    }
}

impl Drop for TestHome {
    fn drop(&mut self) {
        if self.daemon().is_some() {
            self.kill_daemon();
        }
    }
}

impl Ran {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).expect("standard output is UTF-8"),
            err: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
        }
    }

    /// The JSON it printed.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Fails unless it failed with this code, one line what, and one line what to do.
    pub(crate) fn assert_failed(&self, code: i32, what: &str, hint: &str) {
        let lines: Vec<&str> = self.err.lines().collect();
        assert_eq!((self.code, lines.len()), (code, 2), "{self:?}");
        assert!(lines[0].starts_with("error: ") && lines[0].contains(what), "wanted {what}: {self:?}");
        assert!(lines[1].starts_with("hint: ") && lines[1].contains(hint), "wanted {hint}: {self:?}");
    }
}

fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_hearth"))
}
