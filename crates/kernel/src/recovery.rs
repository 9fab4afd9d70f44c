//! Takes up what broke off: turns from their last step, messages nobody has answered, sendings nobody knows the end of.
//! Every recovery is bounded (by attempts), aged (by `stale_after_s`) and visible (in the ledger).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use hearth_contract::clock::UnixMs;
use hearth_contract::event::EventKind;
use hearth_contract::id::{MessageId, TurnId};
use hearth_contract::inbox::Ended;
use hearth_contract::message::{Direction, MessageEnd, MessageRecord, Origin};
use hearth_contract::store::{
    Change, DeliveryRecord, DeliveryState, Lease, MessageChange, Step, StepRecord, StoreError, TaskChange,
    TurnChange, TurnHistory, TurnRecord, TurnState,
};

use crate::heard::{Mail, urgency};
use crate::journal::Journal;
use crate::kernel::Inner;
use crate::outbox::{Closing, Departure, Parcel};
use crate::terms::Terms;
use crate::turn::Turn;
use crate::{child, finish, texts};

/// Looks through the ledger once, before anything new is heard.
pub(crate) async fn recover(kernel: &Arc<Inner>) -> Result<(), StoreError> {
    kernel.dialogs.load().await?;
    let running = kernel.stores.turns.running().await?;
    // Turns of sub-agents belong to their tasks, which take them up again.
    let (of_children, mut running): (Vec<_>, Vec<_>) =
        running.into_iter().partition(|history| child::is_of_child(&history.turn.session));
    child::end_orphans(kernel, of_children).await?;
    // The most urgent goes on first: the others of its session had made room for it.
    running.sort_by_key(|history| std::cmp::Reverse(urgency(history)));
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

/// Takes over a turn that broke off, unless it is too old or has broken off too often. None when it has ended by that,
/// or cannot be had.
pub(crate) async fn resume_turn(kernel: &Arc<Inner>, history: TurnHistory) -> Option<Turn> {
    let (id, session) = (history.turn.id, history.turn.session.clone());
    // The ledger does half of it in one try and the rest in the next at the worst, so it is read anew for each.
    let take_over = || async {
        match kernel.stores.turns.get(id).await? {
            Some(history) if history.turn.state == TurnState::Running => take_over(kernel, history).await,
            Some(_) | None => Ok(None),
        }
    };
    match insist(kernel, take_over).await {
        Ok(turn) => turn,
        Err(error) => {
            tracing::error!(turn = %id, %error, "a turn that broke off could not be taken up again");
            let text = texts::not_taken_up(&error);
            kernel.events.emit(Some(&session), EventKind::Notice { code: "store".into(), text });
            None
        }
    }
}

/// Does something with the ledger, again while it cannot be used, as often as is bounded.
pub(crate) async fn insist<T, F: Future<Output = Result<T, StoreError>>>(
    kernel: &Inner,
    work: impl Fn() -> F,
) -> Result<T, StoreError> {
    let mut wait = kernel.limits.ledger_backoff;
    for _ in 1..kernel.limits.ledger_attempts_max {
        match work().await {
            Err(StoreError::Unavailable { reason }) => {
                tracing::warn!(reason, "the ledger cannot be used; trying again");
                kernel.clock.sleep(wait).await;
                wait = wait.saturating_mul(2);
            }
            done => return done,
        }
    }
    work().await
}

/// A turn that is had again: what is known of it, and the fencing number under which it is held.
pub(crate) struct Reopened {
    pub(crate) journal: Journal,
    pub(crate) fence: i64,
    /// How often it was begun since it last came a step further.
    pub(crate) fruitless: u32,
    /// When it last did something.
    pub(crate) last_sign: UnixMs,
}

/// Takes a turn from whoever had it.
pub(crate) async fn reopen(
    kernel: &Inner,
    record: &TurnRecord,
    steps: &[StepRecord],
) -> Result<Reopened, StoreError> {
    let effects = kernel.stores.effects.of_turn(record.id).await?;
    let journal = Journal::resumed(record.id, steps, &effects);
    let lease = Lease { owner: kernel.lease_owner.clone(), fence: record.lease.fence + 1 };
    let fence = lease.fence;
    let change: Change = TurnChange::TakeOver { turn: record.id, lease }.into();
    kernel.stores.ledger.commit(vec![change]).await?;
    let last_sign = steps.last().map_or(record.started_at, |step| step.at);
    Ok(Reopened { journal, fence, fruitless: attempts_without_progress(steps), last_sign })
}

async fn take_over(kernel: &Arc<Inner>, history: TurnHistory) -> Result<Option<Turn>, StoreError> {
    let TurnHistory { turn: record, messages, steps } = history;
    let now = kernel.clock.now();
    let Reopened { journal, fence, fruitless, last_sign } = reopen(kernel, &record, &steps).await?;
    let steered: HashSet<MessageId> = journal.all_joined().collect();
    let spoken = messages.iter().filter(|message| message.direction == Direction::Out).count();
    let heard = messages.into_iter().filter(|message| message.direction == Direction::In);
    let (joined, inputs): (Vec<_>, Vec<_>) = heard.partition(|message| steered.contains(&message.id));
    let Some(cause) = inputs.iter().find(|message| message.id == record.cause).cloned() else {
        tracing::warn!(turn = %record.id, "a turn is taken back: its message was never stored");
        let (turn, state, detail, usage) =
            (record.id, TurnState::Failed, "not_taken".into(), journal.usage_before);
        let end = TurnChange::End { turn, fence, state, at: now, usage, detail };
        let release = TaskChange::Release { turn, at: now };
        kernel.stores.ledger.commit(vec![end.into(), release.into()]).await?;
        return Ok(None);
    };
    let terms = Terms::of_person(kernel, cause.sender.role);
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
        terms,
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
