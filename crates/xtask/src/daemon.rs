//! The real binary as a child process.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, Command};

/// How long a start may take.
const READY_WITHIN: Duration = Duration::from_secs(30);

/// A running `hearth serve`.
#[derive(Debug)]
pub(crate) struct Daemon {
    child: Child,
    pub(crate) address: String,
    /// From the launch to the line that says it answers.
    pub(crate) ready_after: Duration,
}

/// Builds the binary with a profile and returns its path.
pub(crate) async fn build(profile: &str) -> anyhow::Result<PathBuf> {
    let status =
        Command::new("cargo").args(["build", "--package", "hearth", "--profile", profile]).status().await?;
    if !status.success() {
        bail!("the binary does not build");
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(std::path::absolute(target.join(folder).join("hearth"))?)
}

/// A command of the binary on a home, with nothing of our own environment that could change it.
pub(crate) fn command(binary: &Path, home: &Path) -> Command {
    let mut command = Command::new(binary);
    command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", home).arg("--home").arg(home);
    command.kill_on_drop(true);
    command
}

impl Daemon {
    /// Starts it on an address and waits until it answers.
    pub(crate) async fn start(
        binary: &Path,
        home: &Path,
        listen: &str,
        fault: Option<&str>,
    ) -> anyhow::Result<Self> {
        let mut command = command(binary, home);
        command.args(["serve", "--listen", listen]).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(fault) = fault {
            command.env("HEARTH_COMMIT_FAULT", fault);
        }
        let began = Instant::now();
        let mut child = command.spawn().context("the binary does not start")?;
        let stdout = child.stdout.take().context("no output")?;
        let mut line = String::new();
        let mut lines = BufReader::new(stdout);
        tokio::time::timeout(READY_WITHIN, lines.read_line(&mut line))
            .await
            .context("it does not get ready")??;
        let ready_after = began.elapsed();
        let Some(address) = line.trim().strip_prefix("ready http://") else {
            let mut said = String::new();
            if let Some(mut stderr) = child.stderr.take() {
                tokio::time::timeout(Duration::from_secs(5), stderr.read_to_string(&mut said)).await.ok();
            }
            bail!("it did not get ready: {line}{said}");
        };
        Ok(Self { child, address: address.to_owned(), ready_after })
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id().unwrap_or_default()
    }

    /// Kills it where it stands.
    pub(crate) async fn kill(mut self) -> anyhow::Result<()> {
        self.child.kill().await?;
        Ok(())
    }

    /// Whether it has died by itself.
    pub(crate) fn is_dead(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// Asks it to stop, and waits until it has.
    pub(crate) async fn stop(mut self) -> anyhow::Result<()> {
        let status = Command::new("kill").args(["-TERM", &self.pid().to_string()]).status().await?;
        anyhow::ensure!(status.success(), "it could not be asked to stop");
        let ended = tokio::time::timeout(Duration::from_secs(20), self.child.wait())
            .await
            .context("it does not stop")??;
        anyhow::ensure!(ended.success(), "it stopped with {ended}");
        Ok(())
    }
}
