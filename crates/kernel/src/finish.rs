//! How a turn ends: what is said passes the guards, becomes durable together with the end of the turn, and leaves.

use std::sync::Arc;

use hearth_contract::channel::ReplyMode;
use hearth_contract::event::EventKind;
use hearth_contract::hook::OutputVerdict;
use hearth_contract::inbox::Ended;
use hearth_contract::message::{MessageEnd, MessageRecord, Segment};
use hearth_contract::store::{
    Change, DialogChange, MessageChange, Step, StoreError, TaskChange, TurnChange, TurnState,
};
use hearth_contract::transcript::{ToolExchange, TurnTranscript};

use crate::control::TurnControl;
use crate::journal::Response;
use crate::kernel::Inner;
use crate::outbox::{Closing, Departure, Parcel};
use crate::pipeline::Watch;
use crate::session::Session;
use crate::texts;
use crate::turn::{Answer, Turn};

/// The answer passes the guards, becomes durable together with the turn's end, and leaves.
pub(crate) async fn finish(
    kernel: &Arc<Inner>,
    session: &Session,
    turn: &Turn,
    answer: Answer,
    transcript: &mut TurnTranscript,
) -> Result<(), StoreError> {
    let (mut text, watch) = match answer {
        Answer::Said(text) => (text, Watch::All),
        Answer::Canned(text) => {
            let response = Response::of_hook(&text);
            let round = u32::try_from(transcript.rounds.len()).unwrap_or(u32::MAX);
            kernel.stores.ledger.record(vec![turn.journal.step(kernel.clock.now(), response.step(round))]);
            transcript.rounds.push(response.into_round(Vec::new()));
            (text, Watch::GuardsOnly)
        }
    };
    let reply_mode = kernel.outbox.channel(&turn.session.chat).map(|channel| channel.info().reply);
    if reply_mode == Some(ReplyMode::Explicit) {
        return if turn.spoken > 0 {
            end(kernel, turn, MessageEnd::Answered, TurnState::Done, String::new()).await
        } else {
            silent(kernel, turn, "explicit_reply").await
        };
    }
    if text.trim().is_empty() {
        if turn.spoken > 0 {
            return end(kernel, turn, MessageEnd::Answered, TurnState::Done, String::new()).await;
        }
        match last_call(transcript) {
            Some(call) => text = texts::no_conclusion(turn.language(), transcript.rounds.len(), call),
            None => return failed(kernel, turn, "empty_answer", "the model said nothing".into()).await,
        }
    }
    if let Some(notice) = session.fallback_notice(turn) {
        text = format!("{notice}\n\n{text}");
    }
    let mut segments = vec![Segment::text(text)];
    match kernel.pipeline.before_output(&turn.view(), &mut segments, watch).await {
        OutputVerdict::Allow => {}
        OutputVerdict::Respond(text) => segments = vec![Segment::text(text)],
        OutputVerdict::Skip { reason } => return silent(kernel, turn, &reason).await,
    }
    say_and_end(kernel, turn, segments, TurnState::Done, String::new(), MessageEnd::Answered).await
}

/// The last tool call of a turn.
fn last_call(transcript: &TurnTranscript) -> Option<&ToolExchange> {
    transcript.rounds.iter().rev().find_map(|round| round.calls.last())
}

async fn silent(kernel: &Arc<Inner>, turn: &Turn, rule: &str) -> Result<(), StoreError> {
    end(kernel, turn, MessageEnd::Silent { rule: rule.into() }, TurnState::Done, rule.into()).await
}

/// The person is told that there is no answer, and why.
pub(crate) async fn failed(
    kernel: &Arc<Inner>,
    turn: &Turn,
    code: &'static str,
    reason: String,
) -> Result<(), StoreError> {
    let note = turn.journal.step(kernel.clock.now(), Step::Note { text: format!("{code}: {reason}") });
    kernel.stores.ledger.record(vec![note]);
    let segments = vec![Segment::text(texts::no_answer(turn.language(), code))];
    let end = MessageEnd::FailedTold { code: code.into() };
    say_and_end(kernel, turn, segments, TurnState::Failed, code.into(), end).await
}

/// Whoever stopped the turn knows it, so nothing is said.
pub(crate) async fn stopped(kernel: &Arc<Inner>, turn: &Turn, by: String) -> Result<(), StoreError> {
    end(kernel, turn, MessageEnd::Cancelled { by: by.clone() }, TurnState::Cancelled, by).await
}

/// One transaction: what is said, the intent to send it, and the end of the turn. Then it is sent.
async fn say_and_end(
    kernel: &Arc<Inner>,
    turn: &Turn,
    segments: Vec<Segment>,
    state: TurnState,
    detail: String,
    end: MessageEnd,
) -> Result<(), StoreError> {
    let (message, delivery) = kernel.new_message(&turn.cause, segments, Some((turn.id, turn.spoken)));
    let mut changes = vec![MessageChange::Say(message.clone()).into(), delivery_put(&delivery)];
    changes.push(DialogChange::Touch { session: turn.session.clone(), at: message.sent_at }.into());
    changes.extend(turn_end(kernel, turn, state, detail));
    kernel.stores.ledger.commit(changes).await?;
    tell_end(kernel, turn, state);
    let closing = closing(turn, &end, &message.text);
    let guard = kernel.activity.begin();
    let view = Some(turn.view());
    kernel.outbox.send(Parcel { delivery, message, departure: Departure::Ready, closing, view, guard });
    Ok(())
}

/// The turn ends and nothing more is said.
pub(crate) async fn end(
    kernel: &Arc<Inner>,
    turn: &Turn,
    end: MessageEnd,
    state: TurnState,
    detail: String,
) -> Result<(), StoreError> {
    let closing = closing(turn, &end, "");
    let mut changes: Vec<Change> = closing
        .iter()
        .map(|one| MessageChange::End { message: one.message, end: one.ended.end.clone() }.into())
        .collect();
    changes.extend(turn_end(kernel, turn, state, detail));
    kernel.stores.ledger.commit(changes).await?;
    tell_end(kernel, turn, state);
    kernel.outbox.announce(&turn.session, closing);
    Ok(())
}

/// A message of the turn was refused to its network, so the turn never was. Those that are safe go on in the next one.
pub(crate) async fn take_back(kernel: &Arc<Inner>, turn: Turn, control: &TurnControl, error: &StoreError) {
    tracing::warn!(turn = %turn.id, %error, "a turn is taken back: its message could not be stored");
    kernel.stores.ledger.record(turn_end(kernel, &turn, TurnState::Failed, "not_taken".into()).into());
    tell_end(kernel, &turn, TurnState::Failed);
    for message in turn.inputs.into_iter().chain(turn.joined).filter(|message| message.end.is_none()) {
        match kernel.ends.safe(message.id).await {
            Ok(()) => control.steer(message),
            Err(_) => kernel.ends.forget(message.id),
        }
    }
}

/// The ledger refuses. The messages stay open in it and are taken up at the next start; who waits is told now.
pub(crate) fn give_up(kernel: &Arc<Inner>, session: &Session, turn: Turn, error: &StoreError) {
    tracing::error!(turn = %turn.id, %error, "a turn could not be ended");
    kernel.events.emit(
        Some(&turn.session),
        EventKind::Notice { code: "store".into(), text: texts::no_answer(turn.language(), "store") },
    );
    let end = MessageEnd::FailedTold { code: "store".into() };
    for Closing { message, mut ended } in closing(&turn, &end, "") {
        ended.reply = texts::no_answer(turn.language(), "store");
        kernel.ends.announce(message, &ended);
    }
    session.forget();
}

fn delivery_put(delivery: &hearth_contract::store::DeliveryRecord) -> Change {
    hearth_contract::store::DeliveryChange::Put(delivery.clone()).into()
}

/// The end of a turn, and with it what became of the results of background tasks that it held: the model has seen them
/// exactly if the turn ended well.
pub(crate) fn turn_end(kernel: &Inner, turn: &Turn, state: TurnState, detail: String) -> [Change; 2] {
    let (at, id) = (kernel.clock.now(), turn.id);
    let end = TurnChange::End { turn: id, fence: turn.fence, state, at, usage: turn.usage, detail };
    let results = match state {
        TurnState::Done => TaskChange::Show { turn: id, at },
        TurnState::Running | TurnState::Failed | TurnState::Cancelled => TaskChange::Release { turn: id, at },
    };
    [end.into(), results.into()]
}

/// Tells watchers, and the queue when results may be pending again.
pub(crate) fn tell_end(kernel: &Inner, turn: &Turn, state: TurnState) {
    if state != TurnState::Done {
        kernel.task_queue.wake();
    }
    let duration = kernel.clock.now().since(turn.began_at);
    let duration_ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let ended = EventKind::TurnEnded { turn: turn.id, state, usage: turn.usage, duration_ms };
    kernel.events.emit(Some(&turn.session), ended);
}

/// How the messages of a turn end when the turn does: the cause as given, the others joined it.
fn closing(turn: &Turn, end: &MessageEnd, reply: &str) -> Vec<Closing> {
    let one = |message: &MessageRecord| {
        let is_cause = message.id == turn.cause.id;
        let joined = matches!(end, MessageEnd::Answered | MessageEnd::FailedTold { .. }) && !is_cause;
        let end = if joined { MessageEnd::Joined { turn: turn.id } } else { end.clone() };
        let ended = Ended { end, turn: Some(turn.id), reply: reply.to_owned(), usage: turn.usage };
        Closing { message: message.id, ended }
    };
    turn.inputs.iter().chain(&turn.joined).filter(|message| message.end.is_none()).map(one).collect()
}
