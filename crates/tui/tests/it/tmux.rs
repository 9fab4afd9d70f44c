//! A terminal to drive: a tmux server of its own.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;

/// After so long without what a test waits for, it never comes.
const NEVER: Duration = Duration::from_secs(60);

/// A terminal with a shell in it. Dropping it ends both.
pub(crate) struct Tmux {
    folder: tempfile::TempDir,
    /// All that is written to the terminal: a sign that the screen may have changed.
    output: pipe::Receiver,
}

impl Tmux {
    pub(crate) fn new(width: u16, height: u16) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("output");
        let made = Command::new("mkfifo").arg(&fifo).status().unwrap();
        assert!(made.success());
        let output = pipe::OpenOptions::new().read_write(true).open_receiver(&fifo).unwrap();
        let tmux = Self { folder, output };
        let (width, height) = (width.to_string(), height.to_string());
        tmux.run(&["new-session", "-d", "-x", &width, "-y", &height, "PS1='ready$ ' exec sh"]);
        tmux.run(&["pipe-pane", "-O", &format!("cat > '{}'", fifo.display())]);
        tmux
    }

    /// Runs a tmux command and returns what it prints.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let output = Command::new("tmux")
            .args(["-u", "-f", "/dev/null", "-S"])
            .arg(self.folder.path().join("tmux"))
            .args(arguments)
            .env("LC_ALL", "C.UTF-8")
            .env_remove("TMUX")
            .output()
            .expect("tmux is missing; run `scripts/setup.sh test`, which installs it");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Types text as it is.
    pub(crate) fn type_text(&self, text: &str) {
        self.run(&["send-keys", "-l", text]);
    }

    /// Presses a key by its tmux name (`Enter`, `C-c`).
    pub(crate) fn press(&self, key: &str) {
        self.run(&["send-keys", key]);
    }

    /// Types a command into the shell.
    pub(crate) fn command(&self, line: &str) {
        self.type_text(line);
        self.press("Enter");
    }

    pub(crate) fn screen(&self) -> String {
        self.run(&["capture-pane", "-p"])
    }

    pub(crate) fn value(&self, format: &str) -> String {
        self.run(&["display-message", "-p", format]).trim().to_owned()
    }

    /// Waits until the screen is as wanted, and returns it.
    pub(crate) async fn wait_for(&mut self, wanted: impl Fn(&str) -> bool, what: &str) -> String {
        self.wait_until(|tmux| wanted(&tmux.screen()), what).await;
        self.screen()
    }

    /// Waits until the screen shows this.
    pub(crate) async fn wait_for_text(&mut self, text: &str) -> String {
        self.wait_for(|screen| screen.contains(text), text).await
    }

    /// Waits until the terminal is in the wanted state; it is looked at again whenever something is written to it.
    pub(crate) async fn wait_until(&mut self, wanted: impl Fn(&Self) -> bool, what: &str) {
        while !wanted(self) {
            let mut bytes = vec![0; 64 * 1024];
            let read = tokio::time::timeout(NEVER, self.output.read(&mut bytes)).await;
            if read.is_err() && !wanted(self) {
                panic!("{what:?} never came; the screen is:\n{}", self.screen());
            }
        }
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let socket = self.folder.path().join("tmux");
        // The server may have ended with its only session.
        let _ = Command::new("tmux").arg("-S").arg(socket).arg("kill-server").env_remove("TMUX").output();
    }
}
