//! Slash commands: one file each, and one line in [`ALL`]. They act at once, also while a turn runs.

mod archive;
mod delete;
mod help;
mod list;
mod new;
mod rename;
mod stop;
mod switch;
mod timer;
mod undo;
mod usage;
mod why;

use std::sync::Arc;

use futures::future::BoxFuture;
use hearth_contract::inbox::{ControlError, Ended};
use hearth_contract::language::Language;
use hearth_contract::message::{ChatKind, MessageEnd, MessageRecord, Origin, Segment};
use hearth_contract::provider::Usage;
use hearth_contract::rights::Role;
use hearth_contract::store::{Change, DeliveryChange, MessageChange};

use crate::heard::UnderWay;
use crate::kernel::Inner;
use crate::outbox::{Closing, Departure, Parcel};

/// Every command. To add one: a file, its `mod`, and a line here.
const ALL: &[Command] = &[
    new::COMMAND,
    list::COMMAND,
    switch::COMMAND,
    rename::COMMAND,
    archive::COMMAND,
    delete::COMMAND,
    stop::COMMAND,
    timer::COMMAND,
    undo::COMMAND,
    why::COMMAND,
    usage::COMMAND,
    help::COMMAND,
];

/// Something a person can order with a line.
pub(crate) struct Command {
    /// Its names, the English one first.
    names: &'static [&'static str],
    /// What follows the name, in English and Chinese; empty if nothing does.
    arguments: (&'static str, &'static str),
    /// What it does, in English and Chinese.
    help: (&'static str, &'static str),
    /// The least role in a private chat.
    role: Role,
    /// The least role in a group.
    role_in_group: Role,
    run: for<'a> fn(Order<'a>) -> BoxFuture<'a, Result<Reply, ControlError>>,
}

/// A command as it was ordered.
pub(crate) struct Order<'a> {
    kernel: &'a Arc<Inner>,
    message: &'a MessageRecord,
    /// What followed the name.
    arguments: &'a str,
    /// The turns under way in the session.
    under_way: &'a UnderWay,
    language: Language,
}

/// What a command answers, in the dialog in which it was given.
pub(crate) struct Reply(String);

impl Reply {
    fn of(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// A line that begins like a command.
pub(crate) struct Line {
    name: String,
    arguments: String,
}

/// Reads a message as a command: a prefix, then a word of letters.
pub(crate) fn parse(prefixes: &[String], message: &MessageRecord) -> Option<Line> {
    if message.origin != Origin::User {
        return None;
    }
    let text = message.text.trim();
    let after = |prefix: &String| match text.strip_prefix(prefix.as_str()) {
        // A Chinese keyboard writes the slash in its full width.
        None if prefix == "/" => text.strip_prefix('／'),
        rest => rest,
    };
    let rest = prefixes.iter().find_map(after)?.trim_start();
    let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let is_name = !name.is_empty() && name.chars().all(char::is_alphabetic);
    is_name.then(|| Line { name: name.to_lowercase(), arguments: arguments.trim().to_owned() })
}

/// Runs a command and answers it. What it does, its answer and the message's end become safe together.
pub(crate) async fn run(kernel: &Arc<Inner>, message: &MessageRecord, line: Line, under_way: &UnderWay) {
    if let Err(error) = kernel.ends.safe(message.id).await {
        tracing::warn!(%error, "a command is not run: it could not be stored, and its network was told so");
        return kernel.ends.forget(message.id);
    }
    let language = Language::of(&message.text);
    let order = Order { kernel, message, arguments: &line.arguments, under_way, language };
    let command = ALL.iter().find(|command| command.names.contains(&line.name.as_str()));
    let reply = match command {
        None => Ok(Reply::of(language.pick(
            format!("There is no command `{}`. /help lists them.", line.name),
            format!("没有「{}」这个命令。/help 列出全部命令。", line.name),
        ))),
        Some(command) if message.sender.role < command.least_role(message.chat_kind) => {
            Ok(Reply::of(language.pick("That command is not for you.", "您无权使用这个命令。")))
        }
        Some(command) => (command.run)(order).await,
    };
    let reply = reply.unwrap_or_else(|error| {
        Reply(match error {
            ControlError::Store(error) => {
                language.pick(format!("It did not work: {error}"), format!("没有成功：{error}"))
            }
            other => other.to_string(),
        })
    });
    answer(kernel, message, reply).await;
}

impl Command {
    fn least_role(&self, chat: ChatKind) -> Role {
        match chat {
            ChatKind::Private => self.role,
            ChatKind::Group => self.role_in_group,
        }
    }
}

async fn answer(kernel: &Arc<Inner>, message: &MessageRecord, reply: Reply) {
    let (said, delivery) = kernel.new_message(message, vec![Segment::text(reply.0)], None);
    let end = MessageEnd::Answered;
    let changes: Vec<Change> = vec![
        MessageChange::Say(said.clone()).into(),
        DeliveryChange::Put(delivery.clone()).into(),
        MessageChange::End { message: message.id, end: end.clone() }.into(),
    ];
    let ended = Ended { end, turn: None, reply: said.text.clone(), usage: Usage::default() };
    let closing = vec![Closing { message: message.id, ended }];
    match kernel.stores.ledger.commit(changes).await {
        Ok(()) => {
            let guard = kernel.activity.begin();
            let departure = Departure::Ready;
            kernel.outbox.send(Parcel { delivery, message: said, departure, closing, view: None, guard });
        }
        Err(error) => {
            // It stays open in the ledger, and is run again at the next start.
            tracing::error!(%error, "a command could not be answered");
            kernel.ends.forget(message.id);
        }
    }
}
