//! `hearth schedule …`: what Hearth will do later.

use clap::{ArgGroup, Args, Subcommand};
use hearth_contract::language::Language;
use hearth_protocol::{Call, Due, Repeats, Schedule, ScheduleAdd};

use super::{Context, DEFAULT_CHAT};
use crate::ask::{ask, read};
use crate::failure::{Exit, Failure, Outcome};
use crate::output::{self, Format, Table};
use crate::time::{self, Span};
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
    /// Do something later: once, after each period, or by the calendar
    Add(Box<AddArguments>),
    /// Do now what a schedule is for; its next time stays
    Run {
        /// Its id; the end or the beginning of it is enough
        id: String,
    },
    /// Remove a schedule: it does not fire any more
    #[command(alias = "cancel")]
    Remove {
        /// Its id; the end or the beginning of it is enough
        id: String,
    },
}

/// What is to be done, and when.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("due").required(true).args(["every", "cron", "at"])))]
pub(crate) struct AddArguments {
    /// After each such period, such as 30m, 2h or 1d
    #[arg(long, value_name = "PERIOD")]
    every: Option<Span>,
    /// Minute, hour, day, month, weekday, such as "0 8 * * mon-fri"
    #[arg(long, value_name = "EXPRESSION")]
    cron: Option<String>,
    /// Once, at this time, such as "2027-01-31 08:00"
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// The zone whose clock is meant, such as Asia/Shanghai [default: the local one]
    #[arg(long, conflicts_with = "every")]
    zone: Option<String>,
    /// The session, as channel:chat or channel:chat:dialog [default: cli:me]
    #[arg(long)]
    session: Option<String>,
    /// What is to be done or said then
    #[arg(required = true, value_name = "TEXT")]
    text: Vec<String>,
}

pub(super) async fn run(action: Action, context: &Context) -> Outcome {
    match action {
        Action::List { chat } => list(context, chat).await,
        Action::Next { id } => next(context, id).await,
        Action::Add(arguments) => add(context, *arguments).await,
        Action::Run { id } => run_now(context, &id).await,
        Action::Remove { id } => remove(context, &id).await,
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
            due_of(&schedule),
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
        table.row([due_of(&schedule), short_id(&schedule), output::shortened(&schedule.text, 60)]);
    }
    table.print(context.language.pick("nothing is scheduled", "没有安排"))?;
    Ok(Exit::Done)
}

async fn add(context: &Context, arguments: AddArguments) -> Outcome {
    let AddArguments { every, cron, at, zone, session, text } = arguments;
    let due = match (every, cron, at) {
        (Some(every), _, _) => Due::Every { every_ms: every.ms() },
        (None, Some(expression), _) => Due::Cron { expression, zone },
        (None, None, at) => Due::At { at_ms: time::at_ms(&at.unwrap_or_default(), zone.as_deref())? },
    };
    let session = session.unwrap_or_else(|| DEFAULT_CHAT.to_owned());
    let wanted = ScheduleAdd { session, text: text.join(" "), due };
    let value = ask(context, Call::ScheduleAdd(wanted)).await?;
    if context.format == Format::Json {
        output::json(&value)?;
        return Ok(Exit::Done);
    }
    let made: Schedule = read(&value)?;
    let (id, due) = (short_id(&made), due_of(&made));
    output::line(
        &context.language.pick(format!("scheduled {id}: first at {due}"), format!("已安排 {id}：首次 {due}")),
    )?;
    Ok(Exit::Done)
}

/// Ids made at the same time begin alike; their ends differ.
fn short_id(schedule: &Schedule) -> String {
    schedule.id[schedule.id.len().saturating_sub(8)..].to_owned()
}

/// When it is due, by the clock of its own zone if it has one.
fn due_of(schedule: &Schedule) -> String {
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

async fn run_now(context: &Context, wanted: &str) -> Outcome {
    let id = find(context, wanted).await?;
    let value = ask(context, Call::ScheduleRun { id: id.clone() }).await?;
    match context.format {
        Format::Json => output::json(&value)?,
        Format::Text => {
            output::line(&context.language.pick(format!("{id} runs now"), format!("{id} 正在执行")))?
        }
    }
    Ok(Exit::Done)
}

async fn remove(context: &Context, wanted: &str) -> Outcome {
    let id = find(context, wanted).await?;
    let value = ask(context, Call::ScheduleCancel { id: id.clone() }).await?;
    match context.format {
        Format::Json => output::json(&value)?,
        Format::Text => {
            output::line(&context.language.pick(format!("removed {id}"), format!("已移除 {id}")))?
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
