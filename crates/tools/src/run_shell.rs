//! `run_shell`: runs a command in the workspace, in a sandbox.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hearth_contract::clock::Clock;
use hearth_contract::rights::{Risk, Role};
use hearth_contract::tool::{EffectClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use serde::Deserialize;
use serde_json::json;

use crate::arguments::invalid;
use crate::frame::{TypedTool, framed};
use crate::shell::Running;
use crate::{ShellSettings, ToolDeps};

pub(crate) const NAME: &str = "run_shell";

/// How long a command may take unless the model says otherwise, and at most.
const TIMEOUT_DEFAULT_MS: u64 = 60_000;
const TIMEOUT_MAX_MS: u64 = 600_000;
/// How long ending a command may take beyond its own time.
const ENDING_MS: u64 = 10_000;
/// Bytes of a command at most; Linux takes 128 KiB in one argument (execve(2)).
const COMMAND_BYTES_MAX: usize = 100_000;
/// Shells by preference.
const SHELLS: &[&str] = &["/bin/bash", "/usr/bin/bash", "/bin/sh"];

#[derive(Debug)]
struct RunShell {
    settings: ShellSettings,
    clock: Arc<dyn Clock>,
}

#[derive(Deserialize)]
struct Arguments {
    command: String,
    timeout_ms: Option<u64>,
}

pub(crate) fn build(deps: &ToolDeps) -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description: "Runs a shell command in the workspace (执行命令) and shows what it prints. It sees only the \
            workspace and the system's programs, has no terminal, no input and no network unless that was granted; \
            programs left in the background end with the command."
            .into(),
        parameters: json!({
            "type": "object",
            "properties": {
                "command": { "type": "string", "description": "The command, such as: ls -l | head" },
                "timeout_ms": {
                    "type": "integer", "minimum": 1, "maximum": TIMEOUT_MAX_MS,
                    "description": "It is killed after this many milliseconds; 60000 if not given, at most 600000"
                }
            },
            "required": ["command"],
            "additionalProperties": false
        }),
        risk: Risk::Exec,
        role: Role::Owner,
        effect: EffectClass::Irreversible,
        timeout_ms: TIMEOUT_MAX_MS + ENDING_MS,
    };
    framed(spec, RunShell { settings: deps.shell.clone(), clock: deps.clock.clone() })
}

/// Why waiting for a command ended.
enum Ending {
    Exited,
    TimedOut,
    Cancelled,
}

#[async_trait]
impl TypedTool for RunShell {
    type Arguments = Arguments;

    async fn call(&self, context: &ToolContext, arguments: Arguments) -> Result<ToolOutput, ToolError> {
        if arguments.command.trim().is_empty() || arguments.command.contains('\0') {
            return Err(invalid("`command` is empty or holds a zero character: it must be a shell command"));
        }
        if arguments.command.len() > COMMAND_BYTES_MAX {
            return Err(invalid(format!(
                "`command` is longer than {COMMAND_BYTES_MAX} bytes: write a script with write_file and run that"
            )));
        }
        let limit_ms = arguments.timeout_ms.unwrap_or(TIMEOUT_DEFAULT_MS);
        let failed = |error: std::io::Error| ToolError::Failed {
            reason: format!("the command could not be run: {error}"),
        };
        let temporary = tempfile::Builder::new().prefix("hearth-").tempdir().map_err(failed)?;
        let shell = SHELLS.iter().find(|shell| std::path::Path::new(shell).exists()).unwrap_or(&"sh");
        let mut running =
            Running::start(&self.settings, context, shell, &arguments.command, temporary.path())
                .map_err(failed)?;
        let ending = tokio::select! {
            biased;
            () = context.cancel.cancelled() => Ending::Cancelled,
            ended = running.ended() => ended.map(|_| Ending::Exited).map_err(failed)?,
            () = self.clock.sleep(Duration::from_millis(limit_ms)) => Ending::TimedOut,
        };
        match ending {
            Ending::Exited => {
                let remains = running.close(&*self.clock).await.map_err(failed)?;
                Ok(ToolOutput::text(remains.report()))
            }
            Ending::TimedOut => {
                let remains = running.stop(&*self.clock).await.map_err(failed)?;
                let said = remains.words();
                let partial = if said.is_empty() { said } else { format!("; until then it said:\n{said}") };
                Err(ToolError::TimedOut { after_ms: limit_ms, partial })
            }
            Ending::Cancelled => {
                running.stop(&*self.clock).await.map_err(failed)?;
                Err(ToolError::Cancelled)
            }
        }
    }
}
