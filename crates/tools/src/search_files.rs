//! `search_files`: finds text, and names, in the files of the workspace.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::rights::{Risk, Role};
use hearth_contract::tool::{EffectClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use regex::{Regex, RegexBuilder};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use serde::Deserialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::ToolDeps;
use crate::arguments::invalid;
use crate::file_tool::{FILE_TIMEOUT_MS, in_workspace};
use crate::frame::{TypedTool, framed};
use crate::text::head;
use crate::workspace::Workspace;

pub(crate) const NAME: &str = "search_files";

/// Characters of a query at most.
const QUERY_CHARS_MAX: usize = 1_000;
/// Bytes a regular expression may become when it is compiled.
const REGEX_BYTES_MAX: usize = 1024 * 1024;
/// Larger files are passed over.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Files looked at in one search.
const FILES_MAX: usize = 20_000;
/// How deep folders are followed.
const DEPTH_MAX: usize = 32;
/// Hits shown.
const HITS_MAX: usize = 200;
/// Bytes of a line that are shown.
const LINE_BYTES_MAX: usize = 240;
/// Folders that hold what programs made, not people.
const FOLDERS_PASSED_OVER: &[&str] = &[".git", "node_modules", "target", "__pycache__", ".venv"];

#[derive(Debug)]
struct SearchFiles;

#[derive(Deserialize)]
struct Arguments {
    query: String,
    path: Option<String>,
    regex: Option<bool>,
}

pub(crate) fn build(_deps: &ToolDeps) -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description: "Finds text in the files of the workspace and in their names (搜索文件). Shows path:line: text for \
            each hit. Upper and lower case are the same unless regex is true."
            .into(),
        parameters: json!({
            "type": "object",
            "properties": {
                "query": { "type": "string", "description": "The text to find, or a regular expression when regex is true" },
                "path": { "type": "string", "description": "Search only in this folder, relative to the workspace" },
                "regex": { "type": "boolean", "description": "Whether query is a regular expression (Rust syntax); false if not given" }
            },
            "required": ["query"],
            "additionalProperties": false
        }),
        risk: Risk::Read,
        role: Role::Owner,
        effect: EffectClass::Pure,
        timeout_ms: FILE_TIMEOUT_MS,
    };
    framed(spec, SearchFiles)
}

#[async_trait]
impl TypedTool for SearchFiles {
    type Arguments = Arguments;

    async fn call(&self, context: &ToolContext, arguments: Arguments) -> Result<ToolOutput, ToolError> {
        let pattern = pattern(&arguments)?;
        let path = arguments.path.unwrap_or_default();
        // The guard ends the walk also when the kernel gives the call up.
        let cancel = context.cancel.child_token();
        let _stop_when_dropped = cancel.clone().drop_guard();
        in_workspace(context, move |workspace| search(workspace, &path, pattern, cancel)).await
    }
}

fn pattern(arguments: &Arguments) -> Result<Regex, ToolError> {
    if arguments.query.is_empty() {
        return Err(invalid("`query` is empty: it must be the text to find"));
    }
    if arguments.query.chars().count() > QUERY_CHARS_MAX {
        return Err(invalid(format!("`query` is longer than {QUERY_CHARS_MAX} characters")));
    }
    let is_regex = arguments.regex.unwrap_or(false);
    let source = if is_regex { arguments.query.clone() } else { regex::escape(&arguments.query) };
    RegexBuilder::new(&source)
        .case_insensitive(!is_regex)
        .size_limit(REGEX_BYTES_MAX)
        .build()
        .map_err(|error| invalid(format!("`query` is no regular expression: {error}")))
}

fn search(
    workspace: &Workspace,
    path: &str,
    pattern: Regex,
    cancel: CancellationToken,
) -> Result<ToolOutput, ToolError> {
    let start = workspace.inside(path)?;
    let folder = workspace.folder(&start)?;
    let mut walk = Walk { pattern, cancel, hits: Vec::new(), files: 0, passed_over: 0, cut: false };
    let prefix = if start.show() == "." { PathBuf::new() } else { PathBuf::from(start.show()) };
    walk.folder(folder, &prefix, 0)?;
    Ok(ToolOutput::text(walk.report()))
}

/// A search under way.
struct Walk {
    pattern: Regex,
    cancel: CancellationToken,
    hits: Vec<String>,
    files: usize,
    passed_over: usize,
    cut: bool,
}

impl Walk {
    /// Looks through one folder. What cannot be read is passed over; links are not followed.
    fn folder(&mut self, folder: OwnedFd, path: &std::path::Path, depth: usize) -> Result<(), ToolError> {
        let Ok(entries) = Dir::read_from(&folder) else { return Ok(()) };
        let mut names: Vec<_> =
            entries.filter_map(Result::ok).map(|entry| entry.file_name().to_owned()).collect();
        names.sort();
        for name in names {
            if self.cancel.is_cancelled() {
                return Err(ToolError::Cancelled);
            }
            if self.hits.len() >= HITS_MAX || self.files >= FILES_MAX {
                self.cut = true;
                return Ok(());
            }
            let shown = name.to_string_lossy().into_owned();
            let Ok(stat) = rustix::fs::statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let open = || rustix::fs::openat(&folder, &name, flags, Mode::empty()).ok();
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => {
                    let ours = shown == "." || shown == "..";
                    if ours || FOLDERS_PASSED_OVER.contains(&shown.as_str()) || depth >= DEPTH_MAX {
                        continue;
                    }
                    if let Some(inner) = open() {
                        self.folder(inner, &path.join(&shown), depth + 1)?;
                    }
                }
                FileType::RegularFile => {
                    self.files += 1;
                    let path = path.join(&shown).display().to_string();
                    if self.pattern.is_match(&shown) {
                        self.hits.push(format!("{path} (name)"));
                    }
                    match open() {
                        Some(file) if stat.st_size as u64 <= FILE_BYTES_MAX => {
                            self.file(File::from(file), &path)
                        }
                        _ => self.passed_over += 1,
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn file(&mut self, file: File, path: &str) {
        let mut bytes = Vec::new();
        if file.take(FILE_BYTES_MAX).read_to_end(&mut bytes).is_err() || bytes.contains(&0) {
            self.passed_over += 1;
            return;
        }
        let text = String::from_utf8_lossy(&bytes);
        for (number, line) in text.lines().enumerate() {
            if self.pattern.is_match(line) {
                self.hits.push(format!("{path}:{}: {}", number + 1, head(line.trim(), LINE_BYTES_MAX)));
                if self.hits.len() >= HITS_MAX {
                    self.cut = true;
                    return;
                }
            }
        }
    }

    fn report(self) -> String {
        let mut lines = self.hits;
        if lines.is_empty() {
            lines.push(format!("[nothing found in {} files]", self.files));
        }
        if self.cut {
            lines.push("[there may be more; narrow the search by path or query]".to_owned());
        }
        if self.passed_over > 0 {
            lines.push(format!("[{} binary, large or unreadable files were passed over]", self.passed_over));
        }
        lines.join("\n")
    }
}
