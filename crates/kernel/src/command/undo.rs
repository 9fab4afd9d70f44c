//! `/undo`: what tools changed last in the workspace; `/undo CALL` puts back what a call changed.

use futures::FutureExt;
use hearth_contract::changes::{CallChanges, ChangesState, PathChange, UndoError};
use hearth_contract::inbox::ControlError;
use hearth_contract::language::Language;
use hearth_contract::rights::Role;

use super::{Command, Reply};
use crate::prompt;

/// How many calls are listed.
const LISTED: usize = 10;
/// How many paths of a call are named.
const PATHS_NAMED: usize = 5;

pub(super) const COMMAND: Command = Command {
    names: &["undo", "撤销"],
    arguments: ("[call]", "[调用编号]"),
    help: ("list what tools changed, or put it back", "查看工具的改动，或恢复原状"),
    role: Role::Owner,
    role_in_group: Role::Owner,
    run: |order| {
        async move {
            let (changes, language) = (&order.kernel.changes, order.language);
            if order.arguments.is_empty() {
                let listed = changes.list(LISTED).await.map_err(told)?;
                let line = |call: &CallChanges| {
                    let at = prompt::now_text(call.at, &order.kernel.zone);
                    format!("{} {} {}: {}", call.call, at, call.tool, in_words(call, language))
                };
                let lines: Vec<String> = listed.iter().map(line).collect();
                return Ok(Reply::of(match lines.is_empty() {
                    true => {
                        language.pick("No tool has changed anything.", "工具没有改动过任何文件。").to_owned()
                    }
                    false => lines.join("\n"),
                }));
            }
            let by = &order.message.sender.id;
            let done = changes.undo(order.arguments, by, language).await.map_err(told)?;
            let (call, paths) = (&done.call, in_words(&done, language));
            Ok(Reply::of(language.pick(
                format!("Put back: {paths}\n/undo {call} takes this back."),
                format!("已恢复：{paths}\n/撤销 {call} 可取消这次恢复。"),
            )))
        }
        .boxed()
    },
};

fn in_words(call: &CallChanges, language: Language) -> String {
    match call.state {
        ChangesState::Open => return language.pick("under way", "进行中").to_owned(),
        ChangesState::TooMuch => {
            return language.pick("too much to be kept", "内容太多，没有保留").to_owned();
        }
        ChangesState::Settled => {}
    }
    let path = |path: &hearth_contract::changes::ChangedPath| {
        let change = match path.change {
            PathChange::Made => language.pick("made", "新建"),
            PathChange::Changed => language.pick("changed", "修改"),
            PathChange::Removed => language.pick("removed", "删除"),
        };
        format!("{change} {}", path.path)
    };
    let mut words: Vec<String> = call.paths.iter().take(PATHS_NAMED).map(path).collect();
    if call.paths_total > PATHS_NAMED {
        words.push(format!("… ({})", call.paths_total));
    }
    if let Some(by) = &call.undone_by {
        words.push(language.pick(format!("undone by {by}"), format!("已被 {by} 撤销")));
    }
    words.join(language.pick(", ", "，"))
}

fn told(error: UndoError) -> ControlError {
    match error {
        UndoError::NotFound { what, hint } => ControlError::NotFound { what: format!("{what}\n{hint}") },
        UndoError::Refused { what, hint } => ControlError::Refused { reason: format!("{what}\n{hint}") },
        UndoError::Unavailable { what } => ControlError::Refused { reason: what },
    }
}
