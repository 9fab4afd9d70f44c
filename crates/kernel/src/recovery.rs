//! Takes up what broke off: turns from their last step, messages nobody has answered, sendings nobody knows the end of.
//! Every recovery is bounded (by attempts), aged (by `stale_after_s`) and visible (in the ledger).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use hearth_contract::id::{MessageId, TurnId};
use hearth_contract::inbox::Ended;
use hearth_contract::message::{Direction, MessageEnd, MessageRecord, Origin};
use hearth_contract::store::{
    Change, DeliveryRecord, DeliveryState, Lease, MessageChange, Step, StepRecord, StoreError, TurnChange,
    TurnHistory, TurnRecord, TurnState,
};

use crate::finish;
use crate::journal::Journal;
use crate::kernel::Inner;
use crate::outbox::{Closing, Departure, Parcel};
use crate::session::Mail;
use crate::turn::Turn;

/// Looks through the ledger once, before anything new is heard.
pub(crate) async fn recover(kernel: &Arc<Inner>) -> Result<(), StoreError> {
    kernel.dialogs.load().await?;
    let running = kernel.stores.turns.running().await?;
    let unfinished = kernel.stores.deliveries.unfinished().await?;
    let open = kernel.stores.messages.open().await?;
    let running_ids: HashSet<TurnId> = running.iter().map(|history| history.turn.id).collect();
    let mut closing: HashMap<TurnId, Vec<MessageRecord>> = HashMap::new();
    let mut waiting = Vec::new();
    for message in open {
        match message.turn {
            Some(turn) if running_ids.contains(&turn) => drop(kernel.ends.open(message.id)),
            Some(turn) => closing.entry(turn).or_default().push(message),
            None => waiting.push(message),
        }
    }
    send_unfinished(kernel, unfinished, closing).await?;
    for history in running {
        tracing::info!(turn = %history.turn.id, "a turn that broke off is taken up again");
        let mailbox = kernel.sessions.mailbox(kernel, &history.turn.session);
        // silent-ok: a session that was just made takes mail.
        let _ = mailbox.sender.send(Mail::Resume(Box::new(history))).await;
    }
    for message in waiting {
        take_up_message(kernel, message).await;
    }
    Ok(())
}

/// A message that no turn has taken up: it is answered now, unless it is too old by now.
async fn take_up_message(kernel: &Arc<Inner>, message: MessageRecord) {
    drop(kernel.ends.open(message.id));
    let age = kernel.clock.now().since(message.sent_at);
    if message.origin == Origin::User && age > kernel.config.agent.stale_after() {
        let end = MessageEnd::Stale;
        kernel
            .stores
            .ledger
            .record(vec![MessageChange::End { message: message.id, end: end.clone() }.into()]);
        let ended = ended(end, None);
        kernel.outbox.announce(&message.session, vec![Closing { message: message.id, ended }]);
        return;
    }
    let mailbox = kernel.sessions.mailbox(kernel, &message.session);
    // silent-ok: a session that was just made takes mail.
    let _ = mailbox.sender.send(Mail::Message(Box::new(message), kernel.mail.begin())).await;
}

/// Deliveries that were on their way go on; the messages of an ended turn end with its last one.
async fn send_unfinished(
    kernel: &Arc<Inner>,
    unfinished: Vec<(DeliveryRecord, MessageRecord)>,
    mut closing: HashMap<TurnId, Vec<MessageRecord>>,
) -> Result<(), StoreError> {
    let mut last_of_turn: HashMap<TurnId, hearth_contract::id::DeliveryId> = HashMap::new();
    for (delivery, _) in &unfinished {
        if let Some(turn) = delivery.turn {
            last_of_turn.insert(turn, delivery.id);
        }
    }
    for (delivery, message) in unfinished {
        let is_last = |turn: &TurnId| last_of_turn.get(turn) == Some(&delivery.id);
        let ending = delivery.turn.filter(is_last).and_then(|turn| Some((turn, closing.remove(&turn)?)));
        let closing = match ending {
            Some((turn, messages)) => closings(kernel, turn, messages, &message.text).await?,
            None => Vec::new(),
        };
        let departure = match delivery.state {
            DeliveryState::Sending => Departure::BrokenOff,
            _ => Departure::Stored,
        };
        let guard = kernel.activity.begin();
        kernel.outbox.send(Parcel { delivery, message, departure, closing, view: None, guard });
    }
    for (turn, messages) in closing {
        let closing = closings(kernel, turn, messages, "").await?;
        let change =
            |one: &Closing| MessageChange::End { message: one.message, end: one.ended.end.clone() }.into();
        kernel.stores.ledger.record(closing.iter().map(change).collect());
    }
    Ok(())
}

/// How the messages of a turn end that has ended.
async fn closings(
    kernel: &Inner,
    turn: TurnId,
    messages: Vec<MessageRecord>,
    reply: &str,
) -> Result<Vec<Closing>, StoreError> {
    let Some(history) = kernel.stores.turns.get(turn).await? else { return Ok(Vec::new()) };
    let one = |message: MessageRecord| {
        drop(kernel.ends.open(message.id));
        let end = end_of(&history.turn, message.id);
        Closing { message: message.id, ended: Ended { reply: reply.to_owned(), ..ended(end, Some(turn)) } }
    };
    Ok(messages.into_iter().map(one).collect())
}

fn end_of(turn: &TurnRecord, message: MessageId) -> MessageEnd {
    match turn.state {
        TurnState::Cancelled => MessageEnd::Cancelled { by: turn.detail.clone() },
        _ if message != turn.cause => MessageEnd::Joined { turn: turn.id },
        TurnState::Failed => MessageEnd::FailedTold { code: turn.detail.clone() },
        TurnState::Running | TurnState::Done => MessageEnd::Answered,
    }
}

fn ended(end: MessageEnd, turn: Option<TurnId>) -> Ended {
    Ended { end, turn, reply: String::new(), usage: hearth_contract::provider::Usage::default() }
}

/// Takes over a turn that broke off, unless it is too old or has broken off too often. None when it has ended by that.
pub(crate) async fn resume_turn(kernel: &Arc<Inner>, history: TurnHistory) -> Option<Turn> {
    match take_over(kernel, history).await {
        Ok(turn) => turn,
        Err(error) => {
            tracing::error!(%error, "a turn that broke off could not be taken up again");
            None
        }
    }
}

async fn take_over(kernel: &Arc<Inner>, history: TurnHistory) -> Result<Option<Turn>, StoreError> {
    let TurnHistory { turn: record, messages, steps } = history;
    let now = kernel.clock.now();
    let effects = kernel.stores.effects.of_turn(record.id).await?;
    let journal = Journal::resumed(record.id, &steps, &effects);
    let lease = Lease { owner: kernel.lease_owner.clone(), fence: record.lease.fence + 1 };
    let fence = lease.fence;
    let change: Change = TurnChange::TakeOver { turn: record.id, lease }.into();
    kernel.stores.ledger.commit(vec![change]).await?;
    let steered: HashSet<MessageId> = journal.all_joined().collect();
    let spoken = messages.iter().filter(|message| message.direction == Direction::Out).count();
    let heard = messages.into_iter().filter(|message| message.direction == Direction::In);
    let (joined, inputs): (Vec<_>, Vec<_>) = heard.partition(|message| steered.contains(&message.id));
    let Some(cause) = inputs.iter().find(|message| message.id == record.cause).cloned() else {
        tracing::warn!(turn = %record.id, "a turn is taken back: its message was never stored");
        let (turn, state, detail, usage) =
            (record.id, TurnState::Failed, "not_taken".into(), journal.usage_before);
        let end = TurnChange::End { turn, fence, state, at: now, usage, detail };
        kernel.stores.ledger.commit(vec![end.into()]).await?;
        return Ok(None);
    };
    let fruitless = attempts_without_progress(&steps);
    let last_sign = steps.last().map_or(record.started_at, |step| step.at);
    let turn = Turn {
        id: record.id,
        session: record.session,
        cause,
        inputs,
        joined,
        fence,
        attempt: record.attempt + 1,
        began_at: now,
        usage: journal.usage_before,
        journal,
        fallen_back: None,
        spoken: u32::try_from(spoken).unwrap_or(u32::MAX),
    };
    if turn.cause.origin == Origin::User && now.since(last_sign) > kernel.config.agent.stale_after() {
        finish::end(kernel, &turn, MessageEnd::Stale, TurnState::Cancelled, "stale".into()).await?;
        return Ok(None);
    }
    if fruitless >= kernel.config.agent.turn_attempts_max {
        finish::failed(kernel, &turn, "crashed", "it broke off too often".into()).await?;
        return Ok(None);
    }
    kernel.stores.ledger.record(vec![turn.journal.step(now, Step::Resumed { attempt: turn.attempt })]);
    Ok(Some(turn))
}

/// How often a turn was begun since it last came a step further.
fn attempts_without_progress(steps: &[StepRecord]) -> u32 {
    let is_progress =
        |step: &Step| matches!(step, Step::Response { .. } | Step::ToolResult { .. } | Step::Joined { .. });
    let fruitless = steps.iter().rev().take_while(|record| !is_progress(&record.step));
    let resumed = fruitless.filter(|record| matches!(record.step, Step::Resumed { .. })).count();
    u32::try_from(resumed).unwrap_or(u32::MAX).saturating_add(1)
}
