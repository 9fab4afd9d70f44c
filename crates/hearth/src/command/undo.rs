//! `hearth undo [CALL]`: puts back what a tool call changed in the workspace, or lists such calls.

use clap::Args;
use hearth_contract::language::Language;
use hearth_protocol::{Call, Changes};

use super::Context;
use crate::ask::{ask, language, read};
use crate::failure::{Exit, Outcome};
use crate::output::{self, Format, Table};
use crate::time;

/// How wide what was changed is shown, in characters.
const PATHS_WIDTH: usize = 60;

/// What to put back.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The call's id; the beginning of it is enough [if none: lists the latest changes]
    call: Option<String>,
    /// List at most this many
    #[arg(long, default_value_t = 20)]
    limit: usize,
}

pub(super) async fn run(arguments: Arguments, context: &Context) -> Outcome {
    match arguments.call {
        Some(call) => undo(context, call).await,
        None => list(context, arguments.limit).await,
    }
}

async fn undo(context: &Context, call: String) -> Outcome {
    let value = ask(context, Call::ChangeUndo { call, language: language(context) }).await?;
    if context.format == Format::Json {
        output::json(&value)?;
        return Ok(Exit::Done);
    }
    let done: Changes = read(&value)?;
    for path in &done.paths {
        let change = change(&path.change, context.language);
        output::line(&format!("{change} {}", path.path))?;
    }
    let call = done.call;
    output::line(&context.language.pick(
        format!("{} paths put back; hearth undo {call} takes this back", done.paths_total),
        format!("已恢复 {} 个路径；hearth undo {call} 可取消这次恢复", done.paths_total),
    ))?;
    Ok(Exit::Done)
}

async fn list(context: &Context, limit: usize) -> Outcome {
    let value = ask(context, Call::ChangeList { limit: Some(limit) }).await?;
    if context.format == Format::Json {
        output::json(&value)?;
        return Ok(Exit::Done);
    }
    let headings = context
        .language
        .pick(["CALL", "WHEN", "TOOL", "SESSION", "CHANGED"], ["调用", "时间", "工具", "会话", "改动"]);
    let mut table = Table::new(&headings);
    for call in read::<Vec<Changes>>(&value)? {
        let changed = changed(&call, context.language);
        table.row([call.call, time::shown(call.at_ms), call.tool, call.session, changed]);
    }
    table.print(context.language.pick("no tool has changed anything", "工具没有改动过任何文件"))?;
    Ok(Exit::Done)
}

/// What a call changed, in a cell.
fn changed(call: &Changes, language: Language) -> String {
    let paths = match call.state.as_str() {
        "open" => language.pick("under way", "进行中").to_owned(),
        "too_much" => language.pick("too much to be kept", "内容太多，没有保留").to_owned(),
        _ => {
            let path = |path: &hearth_protocol::ChangedPath| {
                format!("{} {}", change(&path.change, language), path.path)
            };
            call.paths.iter().map(path).collect::<Vec<_>>().join(", ")
        }
    };
    let paths = output::shortened(&paths, PATHS_WIDTH);
    match &call.undone_by {
        Some(by) => language.pick(format!("{paths} (undone by {by})"), format!("{paths}（已被 {by} 撤销）")),
        None => paths,
    }
}

fn change(name: &str, language: Language) -> &str {
    match name {
        "made" => language.pick("made", "新建"),
        "changed" => language.pick("changed", "修改"),
        "removed" => language.pick("removed", "删除"),
        other => other,
    }
}
