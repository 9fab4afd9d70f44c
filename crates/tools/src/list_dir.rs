//! `list_dir`: what is in a folder of the workspace.

use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::rights::{Risk, Role};
use hearth_contract::tool::{EffectClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use rustix::fs::{AtFlags, Dir, FileType};
use serde::Deserialize;
use serde_json::json;

use crate::ToolDeps;
use crate::file_tool::{FILE_TIMEOUT_MS, in_workspace};
use crate::frame::{TypedTool, framed};
use crate::workspace::{Workspace, trouble};

pub(crate) const NAME: &str = "list_dir";

/// Entries of a folder that are read at most.
const ENTRIES_READ_MAX: usize = 100_000;
/// Entries shown at most.
const ENTRIES_SHOWN_MAX: usize = 500;

#[derive(Debug)]
struct ListDir;

#[derive(Deserialize)]
struct Arguments {
    path: Option<String>,
}

pub(crate) fn build(_deps: &ToolDeps) -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description: "Lists the files and folders in a folder of the workspace (列出文件). Folders end in /; sizes are in \
            bytes."
            .into(),
        parameters: json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "The folder, relative to the workspace; the workspace itself if not given" }
            },
            "additionalProperties": false
        }),
        risk: Risk::Read,
        role: Role::Owner,
        effect: EffectClass::Pure,
        timeout_ms: FILE_TIMEOUT_MS,
    };
    framed(spec, ListDir)
}

#[async_trait]
impl TypedTool for ListDir {
    type Arguments = Arguments;

    async fn call(&self, context: &ToolContext, arguments: Arguments) -> Result<ToolOutput, ToolError> {
        let path = arguments.path.unwrap_or_default();
        in_workspace(context, move |workspace| Ok(ToolOutput::text(list(workspace, &path)?))).await
    }
}

fn list(workspace: &Workspace, path: &str) -> Result<String, ToolError> {
    let path = workspace.inside(path)?;
    let folder = workspace.folder(&path)?;
    let mut entries = Vec::new();
    let trouble = |errno| trouble(&path, errno);
    for entry in Dir::read_from(&folder).map_err(trouble)?.take(ENTRIES_READ_MAX) {
        let name = entry.map_err(trouble)?.file_name().to_owned();
        if name.to_bytes() != b"." && name.to_bytes() != b".." {
            entries.push(name);
        }
    }
    if entries.is_empty() {
        return Ok(format!("[{} is empty]", path.show()));
    }
    entries.sort();
    let mut lines = Vec::new();
    for name in entries.iter().take(ENTRIES_SHOWN_MAX) {
        let shown = name.to_string_lossy();
        // What vanished meanwhile is no longer there.
        let Ok(stat) = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
        lines.push(match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => format!("{shown}/"),
            FileType::RegularFile => format!("{shown} ({} bytes)", stat.st_size),
            FileType::Symlink => format!("{shown} (symbolic link)"),
            _ => format!("{shown} (special file)"),
        });
    }
    if entries.len() > ENTRIES_SHOWN_MAX {
        lines.push(format!(
            "[{} more entries are not shown; search_files finds by name]",
            entries.len() - ENTRIES_SHOWN_MAX
        ));
    }
    Ok(lines.join("\n"))
}
