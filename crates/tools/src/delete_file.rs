//! `delete_file`: removes a file or an empty folder of the workspace. It can be undone.

use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::rights::{Risk, Role};
use hearth_contract::tool::{EffectClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use rustix::io::Errno;
use serde::Deserialize;
use serde_json::json;

use crate::ToolDeps;
use crate::file_tool::{FILE_TIMEOUT_MS, change_workspace, in_workspace};
use crate::frame::{TypedTool, framed};
use crate::workspace::{InsidePath, Removed, trouble};

pub(crate) const NAME: &str = "delete_file";

#[derive(Debug)]
struct DeleteFile;

#[derive(Deserialize)]
struct Arguments {
    path: String,
}

pub(crate) fn build(_deps: &ToolDeps) -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description:
            "Removes a file or an empty folder of the workspace (删除文件). It can be undone by the owner."
                .into(),
        parameters: json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "The file, relative to the workspace, such as notes/购物清单.md" }
            },
            "required": ["path"],
            "additionalProperties": false
        }),
        risk: Risk::Write,
        role: Role::Owner,
        effect: EffectClass::Probeable,
        timeout_ms: FILE_TIMEOUT_MS,
    };
    framed(spec, DeleteFile)
}

#[async_trait]
impl TypedTool for DeleteFile {
    type Arguments = Arguments;

    async fn call(&self, context: &ToolContext, arguments: Arguments) -> Result<ToolOutput, ToolError> {
        change_workspace(context, move |workspace| {
            let path = workspace.inside(&arguments.path)?;
            match workspace.remove(&path)? {
                Removed::Now => Ok(ToolOutput::text(told(&path))),
                Removed::Before => Err(trouble(&path, Errno::NOENT)),
            }
        })
        .await
    }

    /// What is gone was removed by this call or needs no removing.
    async fn probe(&self, context: &ToolContext, arguments: Arguments) -> Result<Option<String>, ToolError> {
        in_workspace(context, move |workspace| {
            let path = workspace.inside(&arguments.path)?;
            Ok((!workspace.is_there(&path)?).then(|| told(&path)))
        })
        .await
    }
}

fn told(path: &InsidePath) -> String {
    format!("removed {}", path.show())
}
