//! A turn, from an input to its end. All branching of a turn is in this file; what it calls does one thing and returns.

mod state;

use std::sync::Arc;
use std::time::Duration;

use hearth_contract::event::EventKind;
use hearth_contract::hook::{Flow, TurnView};
use hearth_contract::id::MessageId;
use hearth_contract::memory::{RecallQuery, Recalled};
use hearth_contract::message::{MessageRecord, plain_text};
use hearth_contract::provider::{Chunk, ChunkSink, Completion, CompletionRequest};
use hearth_contract::store::{Change, MessageChange, Step, StoreError, UsageChange, UsageRecord};
use hearth_contract::transcript::TurnTranscript;

use crate::control::TurnControl;
use crate::finish::{failed, finish, give_up, stopped, take_back};
use crate::journal::Response;
use crate::kernel::Inner;
use crate::models::{Answered, CallPlace, ModelsError};
use crate::session::Session;
use crate::toolbox::Called;
use crate::{prompt, tokens, toolbox};

pub(crate) use state::{FallenBack, Turn};

/// How a turn came to its answer.
pub(crate) enum Answer {
    /// The model's words.
    Said(String),
    /// A hook's words: only guards look at them.
    Canned(String),
}

/// A turn without an answer.
#[derive(Debug)]
pub(crate) enum TurnError {
    /// Somebody stopped it.
    Stopped { by: String },
    /// It cannot be answered; the person is told the code in words.
    Failed { code: &'static str, reason: String },
    /// The ledger failed: the person can be told nothing that would last.
    Store(StoreError),
    /// A message of it could not be stored, and its network was told so: nothing may be done for it.
    NotTaken(StoreError),
}

impl From<StoreError> for TurnError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Runs a turn to its end. What it says is handed to the outbox; the transcript joins the session's window.
pub(crate) async fn run_turn(kernel: &Arc<Inner>, session: &Session, mut turn: Turn, control: &TurnControl) {
    let started = EventKind::TurnStarted { turn: turn.id, cause: turn.cause.id, attempt: turn.attempt };
    kernel.events.emit(Some(&turn.session), started);
    let mut transcript = TurnTranscript { turn: turn.id, inputs: Vec::new(), rounds: Vec::new() };
    let mut result = converse(kernel, session, &mut turn, control, &mut transcript).await;
    if let Err(error) = taken(kernel, &turn).await {
        result = Err(error);
    }
    let ended = match result {
        Ok(answer) => finish(kernel, session, &turn, answer, &mut transcript).await,
        Err(TurnError::Stopped { by }) => stopped(kernel, &turn, by).await,
        Err(TurnError::Failed { code, reason }) => failed(kernel, &turn, code, reason).await,
        Err(TurnError::Store(error)) => Err(error),
        Err(TurnError::NotTaken(error)) => return take_back(kernel, turn, control, &error).await,
    };
    match ended {
        Ok(()) => session.remember(transcript),
        Err(error) => give_up(kernel, session, turn, &error),
    }
}

/// Whether all messages of a turn are safe; waits where that is not known yet.
async fn taken(kernel: &Inner, turn: &Turn) -> Result<(), TurnError> {
    for message in turn.inputs.iter().chain(&turn.joined) {
        kernel.ends.safe(message.id).await.map_err(TurnError::NotTaken)?;
    }
    Ok(())
}

/// The talk between model and tools, until the model has answered.
pub(crate) async fn converse(
    kernel: &Arc<Inner>,
    session: &Session,
    turn: &mut Turn,
    control: &TurnControl,
    transcript: &mut TurnTranscript,
) -> Result<Answer, TurnError> {
    let view = turn.view();
    let mut inputs = std::mem::take(&mut turn.inputs);
    let answer = hear(kernel, turn, &mut inputs, 0).await;
    turn.cause = inputs.iter().find(|message| message.id == turn.cause.id).unwrap_or(&turn.cause).clone();
    transcript.inputs = inputs.iter().map(prompt::user_input).collect();
    turn.inputs = inputs;
    if let Some(text) = answer {
        return Ok(Answer::Canned(text));
    }
    let recalled = recall(kernel, turn).await;
    let mut request = assemble(kernel, session, turn, &recalled);
    if let Flow::Respond(text) = kernel.pipeline.pre_action(&view, &turn.cause.text, &mut request).await {
        return Ok(Answer::Canned(text));
    }
    let result = talk(kernel, session, turn, control, &mut request, &recalled).await;
    *transcript = request.current;
    result
}

/// Lets hooks see what was said before anybody reads it; after a crash it says again what they had made of it then. The
/// first answer that one gives to a message that waits for an answer is returned.
async fn hear(kernel: &Inner, turn: &Turn, messages: &mut [MessageRecord], round: u32) -> Option<String> {
    let view = turn.view();
    let mut first_answer = None;
    for message in messages {
        let answer = if let Some(heard) = turn.journal.heard(message.id) {
            message.segments.clone_from(&heard.segments);
            heard.answer.clone()
        } else if turn.journal.response(round).is_some() {
            // It was read as it came.
            None
        } else {
            hear_now(kernel, turn, &view, message).await
        };
        message.text = plain_text(&message.segments);
        first_answer = first_answer.or(answer);
    }
    first_answer
}

/// Lets hooks see one message, and records what they make of it.
async fn hear_now(
    kernel: &Inner,
    turn: &Turn,
    view: &TurnView,
    message: &mut MessageRecord,
) -> Option<String> {
    let before = message.segments.clone();
    let flow = kernel.pipeline.on_input(view, &mut message.segments).await;
    let answer = match (flow, &message.end) {
        (Flow::Respond(text), None) => Some(text),
        _ => None,
    };
    if answer.is_some() || message.segments != before {
        let (segments, answer) = (message.segments.clone(), answer.clone());
        let step = Step::Heard { message: message.id, segments, answer };
        kernel.stores.ledger.record(vec![turn.journal.step(kernel.clock.now(), step)]);
    }
    answer
}

/// Round after round: the model is asked, its tools are run, until it has answered.
async fn talk(
    kernel: &Arc<Inner>,
    session: &Session,
    turn: &mut Turn,
    control: &TurnControl,
    request: &mut CompletionRequest,
    recalled: &[Recalled],
) -> Result<Answer, TurnError> {
    let mut round = 0;
    loop {
        make_room(kernel, turn, control).await;
        if let Some(text) = join(kernel, turn, control, request, round).await {
            return Ok(Answer::Canned(text));
        }
        if must_answer(kernel, turn, round) {
            request.tools = Arc::from([]);
        }
        note_request(kernel, turn, request, recalled, round);
        let response = match ask(kernel, session, turn, control, request, round).await? {
            Asked::Response(response) => response,
            Asked::Respond(text) => return Ok(Answer::Canned(text)),
            Asked::Interrupted => continue,
        };
        let answers = response.calls.is_empty() || request.tools.is_empty();
        let called = match answers {
            true => Called::default(),
            false => {
                taken(kernel, turn).await?;
                toolbox::call_all(kernel, turn, control, request, round, &response.calls).await?
            }
        };
        let text = response.text.clone();
        request.current.rounds.push(response.into_round(called.exchanges));
        if let Some(by) = control.stopped_by() {
            return Err(TurnError::Stopped { by });
        }
        if let Some(text) = called.respond {
            return Ok(Answer::Canned(text));
        }
        if answers {
            return Ok(Answer::Said(text));
        }
        round += 1;
    }
}

/// A gap between two steps: a turn that is to make room for an interrupt stands still here. That time is not its own.
pub(crate) async fn make_room(kernel: &Inner, turn: &mut Turn, control: &TurnControl) {
    turn.began_at = turn.began_at.plus(control.gap(kernel.clock.as_ref()).await);
}

/// Facts that fit what was said. Memory that cannot be read is no reason not to answer.
async fn recall(kernel: &Inner, turn: &Turn) -> Vec<Recalled> {
    if turn.terms.recall_max == 0 {
        return Vec::new();
    }
    let query = RecallQuery {
        text: turn.cause.text.clone(),
        viewer: turn.viewer(),
        limit: turn.terms.recall_max,
        since: None,
        until: None,
    };
    kernel.memory.recall(&query).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "memory could not be read");
        Vec::new()
    })
}

fn assemble(kernel: &Inner, session: &Session, turn: &Turn, recalled: &[Recalled]) -> CompletionRequest {
    prompt::assemble(
        turn,
        prompt::Surroundings {
            history: session.history(turn, kernel.history_room_tokens()),
            recalled,
            zone: &kernel.zone,
            now: kernel.clock.now(),
            late_after: kernel.limits.late_after,
            output_tokens_max: kernel.output_tokens_max(),
        },
    )
}

/// Takes in what was said meanwhile: after a crash exactly what had joined before this model call then. Returned is
/// what a hook answers to it.
async fn join(
    kernel: &Inner,
    turn: &mut Turn,
    control: &TurnControl,
    request: &mut CompletionRequest,
    round: u32,
) -> Option<String> {
    let recorded = turn.journal.take_joined(round);
    let mut joining: Vec<MessageRecord> =
        turn.joined.iter().filter(|message| recorded.contains(&message.id)).cloned().collect();
    // What is said when the model may only answer could not be acted on: the next turn takes it up.
    if turn.journal.response(round).is_none() && !must_answer(kernel, turn, round) {
        let new = control.take_joining();
        if !new.is_empty() {
            let messages: Vec<MessageId> = new.iter().map(|message| message.id).collect();
            let mut changes: Vec<Change> = messages
                .iter()
                .map(|id| MessageChange::TakeUp { message: *id, turn: turn.id }.into())
                .collect();
            changes.push(turn.journal.step(kernel.clock.now(), Step::Joined { round, messages }));
            kernel.stores.ledger.record(changes);
            turn.joined.extend(new.iter().cloned());
            joining.extend(new);
        }
    }
    let answer = hear(kernel, turn, &mut joining, round).await;
    let inputs = joining.iter().map(prompt::user_input);
    match request.current.rounds.last_mut() {
        Some(last) => last.joined.extend(inputs),
        None => request.current.inputs.extend(inputs),
    }
    answer
}

/// Whether the model has used up what it may and must answer now, without tools.
fn must_answer(kernel: &Inner, turn: &Turn, round: u32) -> bool {
    let terms = &turn.terms;
    let rounds_used_up = terms.rounds_max > 0 && round >= terms.rounds_max;
    let used = turn.usage.prompt_tokens + turn.usage.completion_tokens;
    let age = kernel.clock.now().since(turn.began_at);
    rounds_used_up || used >= terms.tokens_max || age >= terms.time_max
}

fn note_request(kernel: &Inner, turn: &Turn, request: &CompletionRequest, recalled: &[Recalled], round: u32) {
    if turn.journal.response(round).is_some() {
        return;
    }
    let history: u64 = request.history.iter().map(|turn| tokens::of_turn(turn)).sum();
    let step = Step::Request {
        round,
        prompt_tokens: history + tokens::of_request(request),
        history_turns: u32::try_from(request.history.len()).unwrap_or(u32::MAX),
        recalled: recalled.iter().map(|one| one.fact.id).collect(),
        tools: u32::try_from(request.tools.len()).unwrap_or(u32::MAX),
    };
    kernel.stores.ledger.record(vec![turn.journal.step(kernel.clock.now(), step)]);
}

/// What came of asking a model.
enum Asked {
    Response(Response),
    /// A hook answers instead.
    Respond(String),
    /// Something was said that must be heard first.
    Interrupted,
}

/// Asks for one answer, or takes the one that was given before a crash.
async fn ask(
    kernel: &Arc<Inner>,
    session: &Session,
    turn: &mut Turn,
    control: &TurnControl,
    request: &mut CompletionRequest,
    round: u32,
) -> Result<Asked, TurnError> {
    if let Some(response) = turn.journal.response(round) {
        return Ok(Asked::Response(response.clone()));
    }
    let sink = kernel.draft_sink(&turn.session, turn.id);
    let mut shortened = 0;
    let answered = loop {
        let cancel = control.begin_call();
        let place = CallPlace { session: &turn.session, turn: turn.id, round };
        let time_left = kernel.call_time_left(turn);
        let asking = kernel.models.complete(&place, request, &sink, &cancel);
        let result = hearth_contract::clock::timeout(kernel.clock.as_ref(), time_left, asking).await;
        match result
            .unwrap_or_else(|_| Err(ModelsError::NoAnswer { code: "turn_time", reason: "too slow".into() }))
        {
            Ok(answered) => break answered,
            Err(ModelsError::Cancelled) => {
                return match control.stopped_by() {
                    Some(by) => Err(TurnError::Stopped { by }),
                    None => {
                        // What was streamed answers less than what was said by now.
                        sink.push(Chunk::Restart);
                        Ok(Asked::Interrupted)
                    }
                };
            }
            Err(ModelsError::ContextTooLong { reason }) => {
                shortened += 1;
                if shortened > kernel.limits.shorten_attempts_max || !session.shorten(&mut request.history) {
                    return Err(TurnError::Failed { code: "context_too_long", reason });
                }
                let text =
                    format!("the prompt was too long; {} earlier turns are left", request.history.len());
                kernel.stores.ledger.record(vec![turn.journal.step(kernel.clock.now(), Step::Note { text })]);
            }
            Err(ModelsError::NoAnswer { code, reason }) => return Err(TurnError::Failed { code, reason }),
        }
    };
    take_answer(kernel, turn, request, round, answered).await
}

/// Lets hooks see what the model answered, and records it before anything is done with it.
async fn take_answer(
    kernel: &Inner,
    turn: &mut Turn,
    request: &mut CompletionRequest,
    round: u32,
    answered: Answered,
) -> Result<Asked, TurnError> {
    let mut completion = answered.completion;
    turn.usage += completion.usage;
    turn.fallen_back = answered.fallen_back.map(|(preferred, code)| FallenBack {
        preferred,
        code,
        answering: completion.source.clone(),
    });
    let mut changes: Vec<Change> = Vec::new();
    for text in answered.notes {
        changes.push(turn.journal.step(kernel.clock.now(), Step::Note { text }));
    }
    changes.push(usage_change(kernel, turn, &completion));
    let view = turn.view();
    let flow = kernel.pipeline.post_action(&view, round, &mut completion, &mut request.context).await;
    if let Flow::Respond(text) = flow {
        kernel.stores.ledger.record(changes);
        return Ok(Asked::Respond(text));
    }
    if request.tools.is_empty() {
        // It must answer in words, so a call it makes all the same is not one.
        completion.calls.clear();
    }
    let response = Response::of_model(completion, turn.id, round);
    changes.push(turn.journal.step(kernel.clock.now(), response.step(round)));
    kernel.stores.ledger.record(changes);
    Ok(Asked::Response(response))
}

fn usage_change(kernel: &Inner, turn: &Turn, completion: &Completion) -> Change {
    UsageChange::Add(UsageRecord {
        at: kernel.clock.now(),
        turn: turn.id,
        session: turn.cause.session.clone(),
        user: turn.cause.sender.id.clone(),
        purpose: turn.terms.purpose.into(),
        source: completion.source.clone(),
        model: completion.model.clone(),
        usage: completion.usage,
    })
    .into()
}

/// A model call may outlast the turn's time by this much, so that the last answer can be given.
pub(crate) const LAST_ANSWER_TIME: Duration = Duration::from_secs(60);
