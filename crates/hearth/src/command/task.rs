//! `hearth task …`: work that Hearth does in the background.

use clap::Subcommand;
use hearth_contract::language::Language;
use hearth_protocol::{Call, Task};

use super::Context;
use crate::ask::{ask, read};
use crate::failure::{Exit, Failure, Outcome};
use crate::output::{self, Format, Table};
use crate::time;
use crate::words::words;

/// How many tasks are looked through for an id.
const LOOKED_THROUGH: usize = 500;

/// What to do with background tasks.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// List background tasks, the newest first
    List {
        /// Only of this chat (channel:chat)
        #[arg(long)]
        chat: Option<String>,
        /// At most this many
        #[arg(long, default_value_t = 20)]
        limit: usize,
    },
    /// Cancel a background task
    Cancel {
        /// Its id; the end or the beginning of it is enough
        id: String,
    },
}

pub(super) async fn run(action: Action, context: &Context) -> Outcome {
    match action {
        Action::List { chat, limit } => list(context, chat, limit).await,
        Action::Cancel { id } => cancel(context, &id).await,
    }
}

async fn list(context: &Context, chat: Option<String>, limit: usize) -> Outcome {
    let value = ask(context, Call::TaskList { chat, limit: Some(limit) }).await?;
    if context.format == Format::Json {
        output::json(&value)?;
        return Ok(Exit::Done);
    }
    let headings = context.language.pick(
        ["ID", "STATE", "MADE", "SESSION", "KIND", "WHAT"],
        ["编号", "状态", "创建", "会话", "类型", "内容"],
    );
    let mut table = Table::new(&headings);
    for task in read::<Vec<Task>>(&value)? {
        // Ids made at the same time begin alike; their ends differ.
        let id = task.id[task.id.len().saturating_sub(8)..].to_owned();
        let state = state(&task, context.language);
        let made = time::shown(task.created_at_ms);
        table.row([id, state, made, task.session, task.kind, output::shortened(&task.title, 50)]);
    }
    table.print(context.language.pick("there are no background tasks", "没有后台任务"))?;
    Ok(Exit::Done)
}

/// Where a task is, and of one with a result whether the model has seen it.
fn state(task: &Task, language: Language) -> String {
    let state = match task.state.as_str() {
        "queued" => language.pick("queued", "等待中"),
        "running" => language.pick("running", "进行中"),
        "done" => language.pick("done", "完成"),
        "failed" => language.pick("failed", "失败"),
        "cancelled" => language.pick("cancelled", "已取消"),
        other => other,
    };
    match task.notice.as_str() {
        "pending" => format!("{state}{}", language.pick(" (to be told)", "（待告知）")),
        _ => state.to_owned(),
    }
}

async fn cancel(context: &Context, wanted: &str) -> Outcome {
    let id = find(context, wanted).await?;
    let value = ask(context, Call::TaskCancel { id: id.clone() }).await?;
    match context.format {
        Format::Json => output::json(&value)?,
        Format::Text => {
            output::line(&context.language.pick(format!("cancelled {id}"), format!("已取消 {id}")))?
        }
    }
    Ok(Exit::Done)
}

/// The one task that has not ended and whose id begins or ends so.
async fn find(context: &Context, wanted: &str) -> Result<String, Failure> {
    let list = Call::TaskList { chat: None, limit: Some(LOOKED_THROUGH) };
    let all: Vec<Task> = read(&ask(context, list).await?)?;
    let wanted = wanted.to_lowercase();
    let fits = |task: &&Task| {
        let open = matches!(task.state.as_str(), "queued" | "running");
        open && (task.id.starts_with(&wanted) || task.id.ends_with(&wanted))
    };
    let mut found = all.iter().filter(fits);
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one.id.clone()),
        (None, _) => Err(Failure::new(
            words!("no task \"{wanted}\" waits or runs", "没有等待或进行中的任务 \"{wanted}\""),
            words!("hearth task list shows them", "用 hearth task list 查看"),
        )),
        (Some(_), Some(_)) => Err(Failure::new(
            words!("several tasks fit \"{wanted}\"", "有多个任务符合 \"{wanted}\""),
            words!("write more of the id", "请写出更长的编号"),
        )),
    }
}
