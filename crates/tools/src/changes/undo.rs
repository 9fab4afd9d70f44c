//! Putting back what a call changed.

use std::collections::{BTreeMap, BTreeSet};

use hearth_contract::changes::UndoError;
use hearth_contract::language::Language;
use hearth_contract::tool::ToolError;

use super::record::{Changed, Record, State};
use super::snapshot::{Content, Entry};
use super::store::Store;
use crate::workspace::{Existing, InsidePath, Workspace};

/// How many paths a refusal names.
const PATHS_NAMED_MAX: usize = 5;

/// The record that is meant: by its whole id, or by the beginning of it, with or without `call_`.
pub(super) fn find(records: Vec<Record>, text: &str, language: Language) -> Result<Record, UndoError> {
    let text = text.trim();
    let begins = |record: &&Record| {
        let short = record.call.strip_prefix("call_").unwrap_or(&record.call);
        !text.is_empty() && (record.call.starts_with(text) || short.starts_with(text))
    };
    let hint = || {
        let hint = language
            .pick("`hearth undo` or /undo lists the latest", "用 `hearth undo` 或 /撤销 查看最近的改动");
        hint.to_owned()
    };
    // A call that was made again after a crash may have two records: the newest counts.
    if let Some(record) = records.iter().rev().find(|record| record.call == text) {
        return Ok(record.clone());
    }
    let mut found = records.iter().filter(begins);
    match (found.next(), found.next()) {
        (Some(record), None) => Ok(record.clone()),
        (Some(_), Some(_)) => Err(UndoError::NotFound {
            what: language
                .pick(format!("several calls begin with `{text}`"), format!("有多个调用以 `{text}` 开头")),
            hint: language.pick("write more of the id", "请多写几位编号").to_owned(),
        }),
        (None, _) => Err(UndoError::NotFound {
            what: language.pick(
                format!("there is no record of a change by the call `{text}`"),
                format!("没有调用 `{text}` 的改动记录"),
            ),
            hint: hint(),
        }),
    }
}

/// What is to be put back; an error if the record cannot say.
pub(super) fn changes_of(record: &Record, language: Language) -> Result<&[Changed], UndoError> {
    let (what, hint) = match &record.state {
        State::Settled { changes } => return Ok(changes),
        State::Open { .. } => (
            language.pick("that call is still under way", "该调用仍在进行"),
            language.pick("wait until it has ended, or /stop it", "请等它结束，或用 /停止"),
        ),
        State::TooMuch => (
            language.pick(
                "nothing was kept before that call: the workspace was too large or had names that are no UTF-8",
                "该调用之前没有保留任何内容：工作区太大，或文件名不是 UTF-8",
            ),
            language.pick("put it back by hand", "请手动恢复"),
        ),
    };
    Err(refused(what, hint))
}

fn refused(what: impl Into<String>, hint: impl Into<String>) -> UndoError {
    UndoError::Refused { what: what.into(), hint: hint.into() }
}

/// Refuses if a path is not as the call left it, or if what was there before is not kept.
pub(super) fn check(
    record: &Record,
    changes: &[Changed],
    now: &BTreeMap<String, Entry>,
    workspace: &Workspace,
    store: &Store,
    language: Language,
) -> Result<(), UndoError> {
    let mut conflicts: Vec<String> = changes
        .iter()
        .filter(|changed| now.get(&changed.path) != changed.after.as_ref())
        .map(|changed| changed.path.clone())
        .collect();
    conflicts.extend(added_since(changes, workspace)?);
    if !conflicts.is_empty() {
        let named = named(&conflicts);
        return Err(match &record.undone_by {
            Some(by) => refused(
                language
                    .pick(format!("that call was undone already, by {by}"), format!("该调用已被 {by} 撤销")),
                language
                    .pick(format!("`hearth undo {by}` brings it back"), format!("`hearth undo {by}` 可恢复")),
            ),
            None => refused(
                language.pick(
                    format!("changed since that call: {named}"),
                    format!("该调用之后又有改动：{named}"),
                ),
                language.pick(
                    "nothing was put back; undo the later changes first, or do it by hand",
                    "没有恢复任何内容；请先撤销之后的改动，或手动处理",
                ),
            ),
        });
    }
    let is_gone = |changed: &&Changed| match changed.before.as_ref().and_then(Entry::content) {
        Some(Content::Kept { sha256 }) => store.content(sha256).is_none(),
        _ => changed.is_lost(),
    };
    let lost: Vec<String> = changes.iter().filter(is_gone).map(|changed| changed.path.clone()).collect();
    if lost.is_empty() {
        return Ok(());
    }
    let named = named(&lost);
    Err(refused(
        language.pick(
            format!("what was there before was too large to be kept: {named}"),
            format!("原来的内容太大，没有保留：{named}"),
        ),
        language.pick("nothing was put back; do it by hand", "没有恢复任何内容；请手动处理"),
    ))
}

/// What lies in folders that the call has made and would have to go with them.
fn added_since(changes: &[Changed], workspace: &Workspace) -> Result<Vec<String>, UndoError> {
    let known: BTreeSet<&str> = changes.iter().map(|changed| changed.path.as_str()).collect();
    let mut added = Vec::new();
    for changed in changes.iter().filter(|changed| is_folder(&changed.after) && !is_folder(&changed.before)) {
        let path = inside(workspace, &changed.path)?;
        // One that is gone is a conflict of its own.
        let names = workspace.names(&path).unwrap_or_default();
        let paths = names.into_iter().map(|name| format!("{}/{name}", changed.path));
        added.extend(paths.filter(|path| !known.contains(path.as_str())));
    }
    Ok(added)
}

fn is_folder(entry: &Option<Entry>) -> bool {
    matches!(entry, Some(Entry::Folder { .. }))
}

fn named(paths: &[String]) -> String {
    let mut named = paths.iter().take(PATHS_NAMED_MAX).cloned().collect::<Vec<_>>().join(", ");
    if paths.len() > PATHS_NAMED_MAX {
        named.push_str(&format!(", … ({})", paths.len()));
    }
    named
}

fn inside(workspace: &Workspace, path: &str) -> Result<InsidePath, UndoError> {
    // With the dot, a name that begins with a tilde is only a name.
    workspace.inside(&format!("./{path}")).map_err(unavailable)
}

pub(super) fn unavailable(error: ToolError) -> UndoError {
    UndoError::Unavailable { what: error.to_string() }
}

/// Puts back what was there. What is in a folder goes before it, and comes after it.
pub(super) fn put_back(
    changes: &[Changed],
    workspace: &Workspace,
    store: &Store,
    mark: &str,
) -> Result<(), UndoError> {
    for changed in changes.iter().rev().filter(|changed| has_to_go(changed)) {
        workspace.remove(&inside(workspace, &changed.path)?).map_err(unavailable)?;
    }
    for changed in changes {
        let path = inside(workspace, &changed.path)?;
        let stays = changed.after.is_some() && !has_to_go(changed);
        let done = match &changed.before {
            None => Ok(()),
            Some(Entry::Folder { .. }) if stays => Ok(()),
            Some(Entry::Folder { .. }) => workspace.make_folder(&path),
            Some(Entry::Link { target }) => workspace.link(&path, target),
            Some(Entry::File { mode, content }) => {
                let is_same = changed.after.as_ref().and_then(Entry::content) == Some(content);
                let written = match content.name().and_then(|name| store.content(name)) {
                    Some(bytes) if !(stays && is_same) => {
                        workspace.write(&path, &bytes, Existing::Replace, mark)
                    }
                    _ => Ok(()),
                };
                written.and_then(|()| workspace.set_mode(&path, *mode))
            }
        };
        done.map_err(unavailable)?;
    }
    // Last and from within, because a folder may forbid what had to be done in it.
    for changed in changes.iter().rev() {
        if let Some(Entry::Folder { mode }) = &changed.before {
            workspace.set_mode(&inside(workspace, &changed.path)?, *mode).map_err(unavailable)?;
        }
    }
    Ok(())
}

/// Whether what is there now has to be removed; a file is replaced and a folder kept.
fn has_to_go(changed: &Changed) -> bool {
    match (&changed.before, &changed.after) {
        (_, None) => false,
        (Some(Entry::File { .. }), Some(Entry::File { .. })) => false,
        (Some(Entry::Folder { .. }), Some(Entry::Folder { .. })) => false,
        (_, Some(_)) => true,
    }
}
