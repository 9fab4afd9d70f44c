//! Saying something to Hearth and waiting for what becomes of it. The same for every door.

use std::sync::Arc;

use hearth_contract::id::{ChatKey, MessageId};
use hearth_contract::inbox::{Accepted, Acknowledge, Ended};
use hearth_contract::message::{
    Arrival, ChatKind, Direction, Inbound, MessageEnd, MessageRecord, Origin, Segment, Sender,
};
use hearth_contract::provider::Usage;
use hearth_contract::rights::Role;
use hearth_protocol::Problem;

use crate::hub::CHANNEL;
use crate::limits::{CLIENT_ID_BYTES_MAX, NAME_BYTES_MAX};
use crate::problem::{Failure, invalid, of_store, problem, stopping};
use crate::routes::App;

/// The chat of callers that name none.
pub(crate) const DEFAULT_SESSION: &str = "cli:api:default";

/// Something that a client wants to say.
#[derive(Debug)]
pub(crate) struct Say {
    /// Where.
    pub(crate) chat: ChatKey,
    /// In which dialog; the current one if none.
    pub(crate) dialog: Option<String>,
    /// The client's id of it.
    pub(crate) id: Option<String>,
    /// Who speaks; the chat's own name if none.
    pub(crate) person: Option<String>,
    /// What.
    pub(crate) segments: Vec<Segment>,
    /// How it meets a running turn.
    pub(crate) arrival: Arrival,
}

/// Hands it to the kernel.
pub(crate) async fn say(app: &App, say: Say, acknowledge: Acknowledge) -> Result<Accepted, Failure> {
    check(&say)?;
    let person = say.person.unwrap_or_else(|| say.chat.chat.clone());
    let inbound = Inbound {
        chat: say.chat,
        chat_kind: ChatKind::Private,
        account: String::new(),
        dialog: say.dialog,
        platform_id: say.id,
        // Whoever has the token is the owner.
        sender: Sender { id: person.clone(), name: person, role: Role::Owner },
        segments: say.segments,
        addressed: true,
        sent_at: app.calls.clock.now(),
        origin: Origin::User,
        arrival: say.arrival,
    };
    Ok(app.inbox.accept(inbound, acknowledge).await?)
}

fn check(say: &Say) -> Result<(), Problem> {
    if say.chat.channel != CHANNEL {
        let text = format!("`{}` is a chat of another network, and only its people speak there", say.chat);
        return Err(invalid(text, "Use a session of your own, such as `cli:me:default`"));
    }
    let blank = |segment: &Segment| matches!(segment, Segment::Text { text } if text.trim().is_empty());
    if say.segments.iter().all(blank) {
        return Err(invalid("there is nothing in the message", "Write something in `text`"));
    }
    if say.id.as_ref().is_some_and(|id| id.is_empty() || id.len() > CLIENT_ID_BYTES_MAX) {
        let text = format!("the message's id is empty or longer than {CLIENT_ID_BYTES_MAX} bytes");
        return Err(invalid(text, "Use a UUID"));
    }
    let dialog = say.dialog.as_deref().unwrap_or_default();
    for name in [say.chat.chat.as_str(), dialog, say.person.as_deref().unwrap_or_default()] {
        if name.len() > NAME_BYTES_MAX || name.chars().any(char::is_control) {
            let text = format!("a name is longer than {NAME_BYTES_MAX} bytes or has control characters");
            return Err(invalid(text, "Use a shorter name of the session or the user"));
        }
    }
    Ok(())
}

/// Waits for the end of a message. When nobody in this process will tell it any more, the ledger is asked.
pub(crate) async fn wait_for_end(app: &Arc<App>, accepted: Accepted) -> Result<Ended, Problem> {
    match accepted.ended.await {
        Ok(ended) => Ok(ended),
        Err(_) => end_in_ledger(app, accepted.message).await,
    }
}

async fn end_in_ledger(app: &Arc<App>, message: MessageId) -> Result<Ended, Problem> {
    let record = app.calls.stores.messages.get(message).await.map_err(|error| of_store(&error))?;
    let Some(MessageRecord { end: Some(end), turn, .. }) = record else { return Err(stopping()) };
    let turn = match &end {
        MessageEnd::Joined { turn } => Some(*turn),
        _ => turn,
    };
    let mut reply = String::new();
    let mut usage = Usage::default();
    if let Some(turn) = turn {
        let history = app.calls.stores.turns.get(turn).await.map_err(|error| of_store(&error))?;
        if let Some(history) = history {
            usage = history.turn.usage;
            let said: Vec<_> =
                history.messages.iter().filter(|said| said.direction == Direction::Out).collect();
            reply = said.iter().map(|said| said.text.as_str()).collect::<Vec<_>>().join("\n\n");
        }
    }
    Ok(Ended { end, turn, reply, usage })
}

/// The problem in an end; none where the message got what it was sent for.
pub(crate) fn problem_of_end(ended: &Ended) -> Option<Problem> {
    let told = if ended.reply.is_empty() { "" } else { "The reply says more" };
    Some(match &ended.end {
        MessageEnd::Answered | MessageEnd::Joined { .. } | MessageEnd::Silent { .. } => return None,
        MessageEnd::FailedTold { code } => {
            problem("failed", format!("it could not be answered: {code}"), told)
        }
        MessageEnd::DeadLettered { reason } => problem(
            "failed",
            format!("it could not be answered: {reason}"),
            "`hearth why` shows the whole chain",
        ),
        MessageEnd::Cancelled { by } => {
            problem("cancelled", format!("its turn was stopped by {by}"), "Send it again")
        }
        MessageEnd::Stale => problem("stale", "it was too old to be answered", "Send it again"),
        MessageEnd::Erased => problem("erased", "it was forgotten on demand", ""),
    })
}
