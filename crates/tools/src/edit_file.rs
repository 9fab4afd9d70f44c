//! `edit_file`: replaces a piece of a text file of the workspace.
//!
//! Its effect is probeable, for the same reasons and in the same way as that of `write_file`.

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
use crate::workspace::{Existing, Workspace, failed, read_text};

pub(crate) const NAME: &str = "edit_file";

#[derive(Debug)]
struct EditFile;

#[derive(Deserialize)]
struct Arguments {
    path: String,
    old: String,
    new: String,
    all: Option<bool>,
}

pub(crate) fn build(_deps: &ToolDeps) -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description: "Replaces a piece of a text file of the workspace by another (修改文件). Read the file first: the \
            old piece must be written exactly as it is there, with its spaces and line ends."
            .into(),
        parameters: json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "The file, relative to the workspace" },
                "old": { "type": "string", "description": "The piece to replace; it must occur exactly once unless all is true" },
                "new": { "type": "string", "description": "What stands there afterwards; may be empty" },
                "all": { "type": "boolean", "description": "Replace every occurrence; false if not given" }
            },
            "required": ["path", "old", "new"],
            "additionalProperties": false
        }),
        risk: Risk::Write,
        role: Role::Owner,
        effect: EffectClass::Probeable,
        timeout_ms: FILE_TIMEOUT_MS,
    };
    framed(spec, EditFile)
}

#[async_trait]
impl TypedTool for EditFile {
    type Arguments = Arguments;

    async fn call(&self, context: &ToolContext, arguments: Arguments) -> Result<ToolOutput, ToolError> {
        let mark = context.call.as_str().to_owned();
        change_workspace(context, move |workspace| edit(workspace, &arguments, &mark)).await
    }

    async fn probe(&self, context: &ToolContext, arguments: Arguments) -> Result<Option<String>, ToolError> {
        let mark = context.call.as_str().to_owned();
        in_workspace(context, move |workspace| {
            let path = workspace.inside(&arguments.path)?;
            let edited = match workspace.has_mark(&path, &mark) {
                Some(marked) => marked,
                // Without marks: the old piece is gone and the new one is there.
                None => read_text(workspace.file(&path)?, &path, FILE_BYTES_MAX)
                    .is_ok_and(|text| !text.contains(&arguments.old) && text.contains(&arguments.new)),
            };
            Ok(edited.then(|| format!("edited {}", path.show())))
        })
        .await
    }
}

fn edit(workspace: &Workspace, arguments: &Arguments, mark: &str) -> Result<ToolOutput, ToolError> {
    let path = workspace.inside(&arguments.path)?;
    let text = read_text(workspace.file(&path)?, &path, FILE_BYTES_MAX)?;
    let (edited, count) = replaced(&text, arguments)?;
    if edited.len() as u64 > FILE_BYTES_MAX {
        return Err(invalid(format!("the file would be larger than {FILE_BYTES_MAX} bytes")));
    }
    workspace.write(&path, edited.as_bytes(), Existing::Replace, mark)?;
    let places = if count == 1 { "1 place".to_owned() } else { format!("{count} places") };
    Ok(ToolOutput::text(format!("edited {} in {places}", path.show())))
}

/// The text after the edit, and how often the old piece was replaced.
fn replaced(text: &str, arguments: &Arguments) -> Result<(String, usize), ToolError> {
    let Arguments { old, new, all, .. } = arguments;
    if old.is_empty() {
        return Err(invalid("`old` is empty: it must be the piece to replace; write_file can add to a file"));
    }
    if old == new {
        return Err(invalid("`old` and `new` are the same: nothing would change"));
    }
    let count = text.matches(old.as_str()).count();
    match (count, all.unwrap_or(false)) {
        (0, _) => {
            let ends = if text.contains("\r\n") && !old.contains('\r') && old.contains('\n') {
                "; its lines end in \\r\\n"
            } else {
                ""
            };
            Err(failed(format!(
                "`old` does not occur in the file{ends}; read the file and copy the piece exactly"
            )))
        }
        (1, _) | (_, true) => Ok((text.replace(old.as_str(), new), count)),
        (_, false) => Err(failed(format!(
            "`old` occurs {count} times; give more of the text around it so that it is unique, or set all to true"
        ))),
    }
}

#[cfg(test)]
mod tests;
