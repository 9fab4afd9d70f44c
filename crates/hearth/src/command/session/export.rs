//! `hearth session export`: all messages of a dialog, as Markdown or as one JSON object a line.

use clap::{Args, ValueEnum};
use hearth_contract::language::Language;
use hearth_protocol::{Call, Message};

use super::Context;
use crate::ask::{ask, read};
use crate::failure::{Exit, Failure, Outcome};
use crate::output::{self, Format};
use crate::time;

/// Messages read at once.
const PAGE_MESSAGES: usize = 500;

/// What to write.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The dialog, as channel:chat:dialog, or channel:chat for the current one
    session: String,
    /// How to write it [default: md; jsonl with --json]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Written>,
}

/// How messages are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Written {
    /// Markdown, for reading
    Md,
    /// One JSON object a line, for programs
    Jsonl,
}

pub(super) async fn run(arguments: &Arguments, context: &Context) -> Outcome {
    let written = arguments.format.unwrap_or(match context.format {
        Format::Json => Written::Jsonl,
        Format::Text => Written::Md,
    });
    // Pages are read backwards, since only the end of a dialog is known, and written forwards.
    let mut pages = Vec::new();
    let mut before: Option<String> = None;
    loop {
        let page = page(context, &arguments.session, before).await?;
        let Some(first) = page.first() else { break };
        before = Some(first.id.clone());
        let is_last = page.len() < PAGE_MESSAGES;
        pages.push(page);
        if is_last {
            break;
        }
    }
    if written == Written::Md {
        output::line(&format!("# {}\n", arguments.session))?;
    }
    for message in pages.iter().rev().flatten() {
        print(message, written, context.language)?;
    }
    Ok(Exit::Done)
}

async fn page(context: &Context, session: &str, before: Option<String>) -> Result<Vec<Message>, Failure> {
    let call = Call::SessionMessages {
        session: session.to_owned(),
        before,
        after: None,
        limit: Some(PAGE_MESSAGES),
    };
    read(&ask(context, call).await?)
}

fn print(message: &Message, written: Written, language: Language) -> Result<(), Failure> {
    match written {
        Written::Jsonl => output::json(message),
        Written::Md => output::line(&format!(
            "**{}** · {}\n\n{}\n",
            super::speaker(message, language),
            time::shown(message.at_ms),
            message.text.trim_end()
        )),
    }
}
