//! `write_file`: writes a text file of the workspace.
//!
//! Its effect is probeable, which is the class that is right for all its modes: adding to a file twice is not like
//! adding once, and creating it a second time fails. Every write replaces the file as a whole and puts the id of its
//! call on it, so a probe after a crash sees exactly whether this call was the last to write it. On a file system
//! that keeps no such marks the probe compares the content.

use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::rights::{Risk, Role};
use hearth_contract::tool::{EffectClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use serde::Deserialize;
use serde_json::json;

use crate::ToolDeps;
use crate::arguments::invalid;
use crate::file_tool::{FILE_BYTES_MAX, FILE_TIMEOUT_MS, change_workspace, in_workspace};
use crate::frame::{TypedTool, framed};
use crate::workspace::{Existing, InsidePath, Workspace, read_text};

pub(crate) const NAME: &str = "write_file";

#[derive(Debug)]
struct WriteFile;

#[derive(Deserialize)]
struct Arguments {
    path: String,
    content: String,
    #[serde(default)]
    mode: WriteMode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WriteMode {
    #[default]
    Create,
    Overwrite,
    Append,
}

pub(crate) fn build(_deps: &ToolDeps) -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description: "Writes a text file of the workspace (写文件); folders on the way are made. To change a part of a \
            file use edit_file."
            .into(),
        parameters: json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "The file, relative to the workspace, such as notes/购物清单.md" },
                "content": { "type": "string", "description": "The text to write, exactly" },
                "mode": {
                    "type": "string", "enum": ["create", "overwrite", "append"],
                    "description": "create (if not given): the file must not exist; overwrite: replace its content; append: add to its end"
                }
            },
            "required": ["path", "content"],
            "additionalProperties": false
        }),
        risk: Risk::Write,
        role: Role::Owner,
        effect: EffectClass::Probeable,
        timeout_ms: FILE_TIMEOUT_MS,
    };
    framed(spec, WriteFile)
}

#[async_trait]
impl TypedTool for WriteFile {
    type Arguments = Arguments;

    async fn call(&self, context: &ToolContext, arguments: Arguments) -> Result<ToolOutput, ToolError> {
        let mark = context.call.as_str().to_owned();
        change_workspace(context, move |workspace| write(workspace, &arguments, &mark)).await
    }

    async fn probe(&self, context: &ToolContext, arguments: Arguments) -> Result<Option<String>, ToolError> {
        let mark = context.call.as_str().to_owned();
        in_workspace(context, move |workspace| {
            let path = workspace.inside(&arguments.path)?;
            let written = match workspace.has_mark(&path, &mark) {
                Some(marked) => marked,
                None => has_content(workspace, &path, &arguments),
            };
            Ok(written.then(|| told(&path, &arguments)))
        })
        .await
    }
}

fn write(workspace: &Workspace, arguments: &Arguments, mark: &str) -> Result<ToolOutput, ToolError> {
    let path = workspace.inside(&arguments.path)?;
    let existing = match arguments.mode {
        WriteMode::Create => Existing::Refuse,
        WriteMode::Overwrite | WriteMode::Append => Existing::Replace,
    };
    let content = match arguments.mode {
        WriteMode::Create | WriteMode::Overwrite => arguments.content.clone(),
        WriteMode::Append => before(workspace, &path)? + &arguments.content,
    };
    if content.len() as u64 > FILE_BYTES_MAX {
        return Err(invalid(format!("the file would be larger than {FILE_BYTES_MAX} bytes")));
    }
    workspace.write(&path, content.as_bytes(), existing, mark)?;
    Ok(ToolOutput::text(told(&path, arguments)))
}

/// What the file holds before something is added to it; nothing if it is not there.
fn before(workspace: &Workspace, path: &InsidePath) -> Result<String, ToolError> {
    match workspace.file_if_there(path)? {
        Some(file) => read_text(file, path, FILE_BYTES_MAX),
        None => Ok(String::new()),
    }
}

/// For file systems without marks: whether the file looks as it would after the call.
fn has_content(workspace: &Workspace, path: &InsidePath, arguments: &Arguments) -> bool {
    match before(workspace, path) {
        Ok(content) => match arguments.mode {
            WriteMode::Create | WriteMode::Overwrite => content == arguments.content,
            WriteMode::Append => content.ends_with(&arguments.content),
        },
        Err(error) => {
            tracing::debug!(%error, "a written file cannot be looked at");
            false
        }
    }
}

fn told(path: &InsidePath, arguments: &Arguments) -> String {
    let verb = match arguments.mode {
        WriteMode::Create | WriteMode::Overwrite => "wrote",
        WriteMode::Append => "added",
    };
    format!("{verb} {} bytes to {}", arguments.content.len(), path.show())
}
