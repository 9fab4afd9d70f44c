//! `hearth say`: one message, and the answer on standard output.

use std::io::{IsTerminal, Read};

use clap::Args;
use hearth_contract::id::SessionKey;
use hearth_protocol::{Call, Dialog, ServerFrame};
use hearth_tui::{Link, Outcome as Said, Patience};
use serde_json::json;

use super::{Context, DEFAULT_CHAT};
use crate::ask::{ask, chat_of, read};
use crate::daemon;
use crate::failure::{Exit, Failure, Outcome};
use crate::output::{self, Format};
use crate::words::{Words, words};

/// After so many failed attempts in a row the daemon is given up. Each but the first waits longer, at most five
/// seconds.
const ATTEMPTS_MAX: u32 = 8;

/// Among so many dialogs of the chat the named one is looked for.
const DIALOGS_LOOKED_AT_MAX: usize = 100;

/// Ends of a message after which nobody can say that it was served.
const ENDS_FAILED: &[&str] = &["failed_told", "dead_lettered", "cancelled", "stale"];

/// What to say, and where.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The message; `-` reads it from standard input
    #[arg(required = true, value_name = "TEXT")]
    text: Vec<String>,
    /// The session, as channel:chat or channel:chat:dialog [default: cli:me]
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Begin a new dialog
    #[arg(long)]
    new: bool,
}

pub(super) async fn run(arguments: &Arguments, context: &Context) -> Outcome {
    let text = text_of(arguments)?;
    let named = arguments.session.as_deref().unwrap_or(DEFAULT_CHAT);
    let chat = chat_of(named)?;
    daemon::ensure(context).await?;
    refuse_unknown(named, &chat, context).await?;
    let session = if arguments.new { new_dialog(context, chat).await? } else { named.to_owned() };
    let mut link =
        Link::new(&context.home.socket(), Some(daemon::starter(context)), Patience::Attempts(ATTEMPTS_MAX));
    let shows_work = context.format == Format::Text && std::io::stderr().is_terminal();
    let said = hearth_tui::say(&mut link, &session, &text, |frame| {
        if shows_work {
            show_work(frame, context);
        }
    })
    .await
    .map_err(|error| of_error(&error))?;
    print(&said, context)?;
    Ok(if ENDS_FAILED.contains(&said.end.as_str()) { Exit::Failed } else { Exit::Done })
}

fn text_of(arguments: &Arguments) -> Result<String, Failure> {
    let mut text = arguments.text.join(" ");
    if text == "-" {
        text.clear();
        std::io::stdin()
            .read_to_string(&mut text)
            .map_err(|error| Failure::of_file(std::path::Path::new("stdin"), &error))?;
    }
    let text = text.trim();
    if text.is_empty() {
        return Err(Failure::misuse(
            words!("there is nothing to say", "没有要说的内容"),
            words!(
                "hearth say TEXT, or echo TEXT | hearth say -",
                "hearth say 内容，或 echo 内容 | hearth say -"
            ),
        ));
    }
    Ok(text.to_owned())
}

/// A dialog that is named must be there: a slip of the keyboard would begin another one unseen.
async fn refuse_unknown(named: &str, chat: &str, context: &Context) -> Result<(), Failure> {
    let is_named = named != chat && named != format!("{chat}:{}", SessionKey::DEFAULT_DIALOG);
    if !is_named {
        return Ok(());
    }
    let call = Call::SessionList { chat: Some(chat.to_owned()), limit: Some(DIALOGS_LOOKED_AT_MAX) };
    let dialogs: Vec<Dialog> = read(&ask(context, call).await?)?;
    // Of a chat with more dialogs than are looked at, nobody can say that it is not there.
    if dialogs.len() >= DIALOGS_LOOKED_AT_MAX || dialogs.iter().any(|dialog| dialog.session == named) {
        return Ok(());
    }
    Err(Failure::new(
        words!("there is no dialog {named}", "没有对话 {named}"),
        words!(
            "hearth session list shows them; hearth say --new --session {chat} begins one",
            "hearth session list 列出对话；hearth say --new --session {chat} 开始新对话"
        ),
    ))
}

async fn new_dialog(context: &Context, chat: String) -> Result<String, Failure> {
    let value = ask(context, Call::SessionNew { chat, title: String::new() }).await?;
    Ok(read::<Dialog>(&value)?.session)
}

fn show_work(frame: &ServerFrame, context: &Context) {
    if let ServerFrame::ToolStarted { tool, arguments, .. } = frame {
        let arguments = output::shortened(arguments, 60);
        output::note(&words!("… {tool} {arguments}", "… {tool} {arguments}"), context.language);
    }
}

fn print(said: &Said, context: &Context) -> Result<(), Failure> {
    match context.format {
        Format::Json => output::json(&json!({
            "message": said.message,
            "session": said.session,
            "turn": said.turn,
            "end": said.end,
            "reply": said.reply,
        })),
        Format::Text if said.reply.is_empty() => {
            let end = &said.end;
            output::note(&words!("no answer ({end})", "没有回答（{end}）"), context.language);
            Ok(())
        }
        Format::Text => output::line(&said.reply),
    }
}

/// An error of the client library: its first line says what happened, the second what to do.
pub(super) fn of_error(error: &anyhow::Error) -> Failure {
    let text = format!("{error:#}");
    let mut lines = text.splitn(2, '\n');
    let what = lines.next().unwrap_or_default().to_owned();
    let hint = match lines.next() {
        Some(hint) => Words::same(hint.replace('\n', " ")),
        None => words!("hearth doctor says what is wrong", "运行 hearth doctor 查看原因"),
    };
    Failure::new(Words::same(what), hint)
}
