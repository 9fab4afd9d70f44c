//! A running command: its processes, what they say, and their end.

mod capture;

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use hearth_contract::clock::{Clock, timeout};
use hearth_contract::tool::ToolContext;
use rustix::process::{Pid, Signal};
use tokio::process::{Child, ChildStderr, ChildStdout, Command};

use crate::ShellSettings;
use crate::orphans::{CALL_VARIABLE, HOME_VARIABLE, kill_marked};
use crate::sandbox::Plan;
use capture::{Capture, pump};

/// How long processes have to end by themselves before they are killed.
const GRACE: Duration = Duration::from_secs(2);
/// How long the rest of what was said is waited for after all processes are killed.
const DRAIN: Duration = Duration::from_secs(1);

/// A command under way. Dropping it kills all its processes.
pub(crate) struct Running {
    child: Child,
    output: Outputs,
    group: Group,
}

/// Both outputs and what came through them.
struct Outputs {
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    said: Capture,
    said_on_stderr: Capture,
}

/// What a command that has ended leaves.
pub(crate) struct Remains {
    /// How it ended.
    pub(crate) status: ExitStatus,
    /// What it wrote.
    pub(crate) said: Capture,
    /// What it wrote to stderr.
    pub(crate) said_on_stderr: Capture,
}

impl Running {
    /// Starts a command of the shell, in the sandbox, in a process group of its own.
    pub(crate) fn start(
        settings: &ShellSettings,
        context: &ToolContext,
        shell: &str,
        command: &str,
        temporary: &Path,
    ) -> io::Result<Self> {
        let plan = Plan {
            workspace: context.workspace.clone(),
            home: settings.home.clone(),
            temporary: temporary.to_owned(),
            parent: rustix::process::getpid(),
            network: settings.network,
            program: [shell, "-c", command].map(Into::into).to_vec(),
        };
        let mut child = Command::new(&settings.launcher)
            .args(plan.arguments())
            .env_clear()
            .env("PATH", &settings.path)
            .env("HOME", &context.workspace)
            .env("PWD", &context.workspace)
            .env("TMPDIR", temporary)
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            .env(HOME_VARIABLE, &settings.home_id)
            .env(CALL_VARIABLE, context.call.as_str())
            .current_dir(&context.workspace)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let leader = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let group = Group { leader, call: context.call.as_str().to_owned() };
        let output = Outputs {
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            said: Capture::default(),
            said_on_stderr: Capture::default(),
        };
        Ok(Self { child, output, group })
    }

    /// Waits until the shell has ended, taking what it and its children say. May be dropped and called again.
    pub(crate) async fn ended(&mut self) -> io::Result<ExitStatus> {
        let pumps = self.output.pump();
        tokio::pin!(pumps);
        let mut closed = false;
        loop {
            tokio::select! {
                status = self.child.wait() => return status,
                () = &mut pumps, if !closed => closed = true,
            }
        }
    }

    /// Asks all processes to end, and kills those that do not.
    pub(crate) async fn stop(mut self, clock: &dyn Clock) -> io::Result<Remains> {
        self.group.signal(Signal::TERM);
        // Whether they obeyed or not: what is left is killed next.
        let _ = timeout(clock, GRACE, self.ended()).await;
        self.close(clock).await
    }

    /// Kills what is left of the processes and takes what they have said.
    pub(crate) async fn close(mut self, clock: &dyn Clock) -> io::Result<Remains> {
        self.group.kill();
        let status = self.child.wait().await?;
        // A process that shed its mark may hold the pipes open; what it says is not waited for.
        let _ = timeout(clock, DRAIN, self.output.pump()).await;
        let said = std::mem::take(&mut self.output.said);
        let said_on_stderr = std::mem::take(&mut self.output.said_on_stderr);
        Ok(Remains { status, said, said_on_stderr })
    }
}

impl Outputs {
    /// Takes what comes until both are closed. May be dropped and called again.
    async fn pump(&mut self) {
        tokio::join!(
            pump(&mut self.stdout, &mut self.said),
            pump(&mut self.stderr, &mut self.said_on_stderr)
        );
    }
}

/// The processes of a command: a process group, and whoever left it but carries its mark.
struct Group {
    leader: Option<Pid>,
    call: String,
}

impl Group {
    fn signal(&self, signal: Signal) {
        if let Some(leader) = self.leader {
            // An error means that nobody is left.
            let _ = rustix::process::kill_process_group(leader, signal);
        }
    }

    fn kill(&mut self) {
        self.signal(Signal::KILL);
        // The number of a group that has ended may be given to another.
        self.leader = None;
        kill_marked(CALL_VARIABLE, &self.call);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.leader.is_some() {
            self.kill();
        }
    }
}

impl Remains {
    /// What was said and how it ended, for the model.
    pub(crate) fn report(&self) -> String {
        let mut report = self.words();
        if let Some(signal) = self.status.signal() {
            report.push_str(&format!("[killed by signal {signal}]"));
        } else if let Some(code) = self.status.code().filter(|code| *code != 0) {
            report.push_str(&format!("[exit status {code}]"));
        } else if report.is_empty() {
            report.push_str("[done, without output]");
        }
        report.trim_end_matches('\n').to_owned()
    }

    /// What was said; empty, or ends in a line end.
    pub(crate) fn words(&self) -> String {
        let mut words = self.said.text();
        end_line(&mut words);
        let errors = self.said_on_stderr.text();
        if !errors.is_empty() {
            words.push_str("[stderr]\n");
            words.push_str(&errors);
            end_line(&mut words);
        }
        words
    }
}

fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}
