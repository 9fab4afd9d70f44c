//! `hearth schedule …`: what Hearth will do later.

use clap::Subcommand;
use hearth_contract::language::Language;
use hearth_protocol::{Call, Repeats, Schedule};

use super::Context;
use crate::ask::{ask, read};
use crate::failure::{Exit, Failure, Outcome};
use crate::output::{self, Format, Table};
use crate::time;
use crate::words::words;

/// What to do with schedules.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// List what is due, the soonest first
    List {
        /// Only of this chat (channel:chat)
        #[arg(long)]
        chat: Option<String>,
    },
    /// Show the next 10 times of all schedules, or of one
    Next {
        /// Its id; the end or the beginning of it is enough
        id: Option<String>,
    },
    /// Cancel a schedule
    Cancel {
        /// Its id; the end or the beginning of it is enough
        id: String,
    },
}

pub(super) async fn run(action: Action, context: &Context) -> Outcome {
    match action {
        Action::List { chat } => list(context, chat).await,
        Action::Next { id } => next(context, id).await,
        Action::Cancel { id } => cancel(context, &id).await,
    }
}

async fn list(context: &Context, chat: Option<String>) -> Outcome {
    let value = ask(context, Call::ScheduleList { chat }).await?;
    if context.format == Format::Json {
        output::json(&value)?;
        return Ok(Exit::Done);
    }
    let headings = context
        .language
        .pick(["ID", "DUE", "REPEATS", "SESSION", "WHAT"], ["编号", "到期", "重复", "会话", "内容"]);
    let mut table = Table::new(&headings);
    for schedule in read::<Vec<Schedule>>(&value)? {
        table.row([
            short_id(&schedule),
            due(&schedule),
            repeats(&schedule, context.language),
            schedule.session,
            output::shortened(&schedule.text, 60),
        ]);
    }
    table.print(context.language.pick("nothing is scheduled", "没有安排"))?;
    Ok(Exit::Done)
}

async fn next(context: &Context, wanted: Option<String>) -> Outcome {
    let id = match wanted {
        Some(wanted) => Some(find(context, &wanted).await?),
        None => None,
    };
    let value = ask(context, Call::ScheduleNext { id, limit: None }).await?;
    if context.format == Format::Json {
        output::json(&value)?;
        return Ok(Exit::Done);
    }
    let headings = context.language.pick(["DUE", "ID", "WHAT"], ["到期", "编号", "内容"]);
    let mut table = Table::new(&headings);
    for schedule in read::<Vec<Schedule>>(&value)? {
        table.row([due(&schedule), short_id(&schedule), output::shortened(&schedule.text, 60)]);
    }
    table.print(context.language.pick("nothing is scheduled", "没有安排"))?;
    Ok(Exit::Done)
}

/// Ids made at the same time begin alike; their ends differ.
fn short_id(schedule: &Schedule) -> String {
    schedule.id[schedule.id.len().saturating_sub(8)..].to_owned()
}

/// When it is due, by the clock of its own zone if it has one.
fn due(schedule: &Schedule) -> String {
    match &schedule.repeats {
        Some(Repeats::Cron { zone, .. }) => time::shown_in(schedule.due_at_ms, zone),
        Some(Repeats::Every { .. }) | None => time::shown(schedule.due_at_ms),
    }
}

fn repeats(schedule: &Schedule, language: Language) -> String {
    match &schedule.repeats {
        None => language.pick("once", "一次").to_owned(),
        Some(Repeats::Every { every_ms }) => {
            let period = time::span(every_ms / 1000);
            language.pick(format!("every {period}"), format!("每 {period}"))
        }
        Some(Repeats::Cron { expression, .. }) => format!("cron {expression}"),
    }
}

async fn cancel(context: &Context, wanted: &str) -> Outcome {
    let id = find(context, wanted).await?;
    let value = ask(context, Call::ScheduleCancel { id: id.clone() }).await?;
    match context.format {
        Format::Json => output::json(&value)?,
        Format::Text => {
            output::line(&context.language.pick(format!("cancelled {id}"), format!("已取消 {id}")))?
        }
    }
    Ok(Exit::Done)
}

/// The one schedule whose id begins or ends so.
async fn find(context: &Context, wanted: &str) -> Result<String, Failure> {
    let all: Vec<Schedule> = read(&ask(context, Call::ScheduleList { chat: None }).await?)?;
    let wanted = wanted.to_lowercase();
    let fits = |schedule: &&Schedule| schedule.id.starts_with(&wanted) || schedule.id.ends_with(&wanted);
    let mut found = all.iter().filter(fits);
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one.id.clone()),
        (None, _) => Err(Failure::new(
            words!("there is no active schedule \"{wanted}\"", "没有生效的安排 \"{wanted}\""),
            words!("hearth schedule list shows them", "用 hearth schedule list 查看"),
        )),
        (Some(_), Some(_)) => Err(Failure::new(
            words!("several schedules fit \"{wanted}\"", "有多个安排符合 \"{wanted}\""),
            words!("write more of the id", "请写出更长的编号"),
        )),
    }
}
