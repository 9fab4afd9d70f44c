//! `hearth session …`: dialogs.

mod export;

use clap::Subcommand;
use hearth_contract::language::Language;
use hearth_protocol::{Call, Dialog, Message};

use super::{Context, DEFAULT_CHAT};
use crate::ask::{ask, read};
use crate::failure::{Exit, Failure, Outcome};
use crate::output::{self, Format, Table};
use crate::time;

/// What to do with dialogs.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// List dialogs, the last active first
    List {
        /// Only of this chat (channel:chat)
        #[arg(long)]
        chat: Option<String>,
        /// At most this many
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// Show the newest messages of a dialog
    Show {
        /// The dialog, as channel:chat:dialog, or channel:chat for the current one [default: cli:me]
        session: Option<String>,
        /// At most this many
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// Make a dialog the current one of its chat
    Switch {
        /// The dialog, as channel:chat:dialog
        session: String,
    },
    /// Give a dialog a title
    Rename {
        /// The dialog, as channel:chat:dialog
        session: String,
        /// The title
        title: String,
    },
    /// Hide a dialog
    Archive {
        /// The dialog, as channel:chat:dialog
        session: String,
    },
    /// Delete a dialog; it can be restored for 30 days
    Delete {
        /// The dialog, as channel:chat:dialog
        session: String,
    },
    /// Bring a dialog back from the archive or from deletion
    Restore {
        /// The dialog, as channel:chat:dialog
        session: String,
    },
    /// Write all messages of a dialog to standard output
    Export(export::Arguments),
}

pub(super) async fn run(action: Action, context: &Context) -> Outcome {
    match action {
        Action::List { chat, limit } => list(context, chat, limit).await,
        Action::Show { session, limit } => show(context, session, limit).await,
        Action::Switch { session } => change(context, Call::SessionSwitch { session }).await,
        Action::Rename { session, title } => change(context, Call::SessionRename { session, title }).await,
        Action::Archive { session } => change(context, Call::SessionArchive { session }).await,
        Action::Delete { session } => change(context, Call::SessionDelete { session }).await,
        Action::Restore { session } => change(context, Call::SessionRestore { session }).await,
        Action::Export(arguments) => export::run(&arguments, context).await,
    }
}

async fn list(context: &Context, chat: Option<String>, limit: usize) -> Outcome {
    let value = ask(context, Call::SessionList { chat, limit: Some(limit) }).await?;
    match context.format {
        Format::Json => output::json(&value)?,
        Format::Text => print_dialogs(&read::<Vec<Dialog>>(&value)?, context)?,
    }
    Ok(Exit::Done)
}

async fn change(context: &Context, call: Call) -> Outcome {
    let value = ask(context, call).await?;
    match context.format {
        Format::Json => output::json(&value)?,
        Format::Text => print_dialogs(&[read::<Dialog>(&value)?], context)?,
    }
    Ok(Exit::Done)
}

fn print_dialogs(dialogs: &[Dialog], context: &Context) -> Result<(), Failure> {
    let headings = context
        .language
        .pick(["", "SESSION", "TITLE", "STATE", "LAST ACTIVE"], ["", "会话", "标题", "状态", "最近活动"]);
    let mut table = Table::new(&headings);
    for dialog in dialogs {
        let state = match dialog.state.as_str() {
            "active" => context.language.pick("active", "活动"),
            "archived" => context.language.pick("archived", "已归档"),
            "deleted" => context.language.pick("deleted", "已删除"),
            other => other,
        };
        table.row([
            if dialog.current { "*" } else { "" }.to_owned(),
            dialog.session.clone(),
            output::shortened(&dialog.title, 40),
            state.to_owned(),
            time::shown(dialog.active_at_ms),
        ]);
    }
    table.print(context.language.pick("there are no dialogs yet", "还没有对话"))
}

/// Who said a message: what a timer says was said by nobody in that moment.
pub(super) fn speaker(message: &Message, language: Language) -> String {
    match message.origin.as_str() {
        "schedule" => language.pick("timer", "定时器").to_owned(),
        "task" => language.pick("task", "后台任务").to_owned(),
        _ => message.sender.clone(),
    }
}

async fn show(context: &Context, session: Option<String>, limit: usize) -> Outcome {
    let session = session.unwrap_or_else(|| DEFAULT_CHAT.to_owned());
    let call = Call::SessionMessages { session, before: None, after: None, limit: Some(limit) };
    let value = ask(context, call).await?;
    if context.format == Format::Json {
        output::json(&value)?;
        return Ok(Exit::Done);
    }
    let messages = read::<Vec<Message>>(&value)?;
    if messages.is_empty() {
        output::line(context.language.pick("nothing was said yet", "还没有消息"))?;
    }
    for message in messages {
        let who = speaker(&message, context.language);
        output::line(&format!("{}  {who}  [{}]", time::shown(message.at_ms), message.id))?;
        output::line(&format!("  {}", message.text.replace('\n', "\n  ")))?;
    }
    Ok(Exit::Done)
}
