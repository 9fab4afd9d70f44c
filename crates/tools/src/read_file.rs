//! `read_file`: reads a text file of the workspace, whole or by lines.

use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::rights::{Risk, Role};
use hearth_contract::tool::{EffectClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use serde::Deserialize;
use serde_json::json;

use crate::ToolDeps;
use crate::file_tool::{FILE_BYTES_MAX, FILE_TIMEOUT_MS, in_workspace};
use crate::frame::{TypedTool, framed};
use crate::text::head;
use crate::workspace::read_text;

pub(crate) const NAME: &str = "read_file";

/// Bytes shown at once at most.
const SHOWN_BYTES_MAX: usize = 64 * 1024;

#[derive(Debug)]
struct ReadFile;

#[derive(Deserialize)]
struct Arguments {
    path: String,
    offset_lines: Option<usize>,
    limit_lines: Option<usize>,
}

pub(crate) fn build(_deps: &ToolDeps) -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description: "Reads a text file of the workspace (读取文件). Long files are shown in parts; the last line then \
            says how to go on."
            .into(),
        parameters: json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "The file, relative to the workspace, such as notes/购物清单.md" },
                "offset_lines": {
                    "type": "integer", "minimum": 0,
                    "description": "How many lines to skip; 0 if not given"
                },
                "limit_lines": {
                    "type": "integer", "minimum": 1,
                    "description": "How many lines to show at most; as many as fit if not given"
                }
            },
            "required": ["path"],
            "additionalProperties": false
        }),
        risk: Risk::Read,
        role: Role::Owner,
        effect: EffectClass::Pure,
        timeout_ms: FILE_TIMEOUT_MS,
    };
    framed(spec, ReadFile)
}

#[async_trait]
impl TypedTool for ReadFile {
    type Arguments = Arguments;

    async fn call(&self, context: &ToolContext, arguments: Arguments) -> Result<ToolOutput, ToolError> {
        in_workspace(context, move |workspace| {
            let path = workspace.inside(&arguments.path)?;
            let text = read_text(workspace.file(&path)?, &path, FILE_BYTES_MAX)?;
            Ok(ToolOutput::text(part(&text, arguments.offset_lines.unwrap_or(0), arguments.limit_lines)))
        })
        .await
    }
}

/// The lines asked for, as many as fit, and a last line that says what is missing.
fn part(text: &str, offset: usize, limit: Option<usize>) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    if lines.is_empty() {
        return "[the file is empty]".to_owned();
    }
    if offset >= lines.len() {
        return format!("[the file has only {} lines]", lines.len());
    }
    let wanted = &lines[offset..lines.len().min(offset.saturating_add(limit.unwrap_or(usize::MAX)))];
    let mut bytes = 0;
    let fits = |line: &&&str| {
        bytes += line.len();
        bytes <= SHOWN_BYTES_MAX
    };
    let shown = wanted.iter().take_while(fits).count();
    if shown == 0 {
        let line = wanted[0];
        let start = head(line, SHOWN_BYTES_MAX);
        return format!(
            "{start}\n[line {} of {} is {} bytes long; its beginning is shown. Next: offset_lines={}]",
            offset + 1,
            lines.len(),
            line.len(),
            offset + 1
        );
    }
    let end = offset + shown;
    let content = wanted[..shown].concat();
    if offset == 0 && end == lines.len() {
        return content;
    }
    let next = if end < lines.len() { format!(" Next: offset_lines={end}") } else { String::new() };
    let line_end = if content.ends_with('\n') { "" } else { "\n" };
    format!("{content}{line_end}[lines {}-{end} of {}.{next}]", offset + 1, lines.len())
}

#[cfg(test)]
mod tests;
