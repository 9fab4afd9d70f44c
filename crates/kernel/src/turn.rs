//! A turn, from an input to its end. All branching of a turn is in this file; what it calls does one thing and returns.

use std::sync::Arc;
use std::time::Duration;

use hearth_contract::channel::{LiveReply, ReplyMode};
use hearth_contract::clock::UnixMs;
use hearth_contract::event::EventKind;
use hearth_contract::hook::{Flow, OutputVerdict, TurnView};
use hearth_contract::id::{MessageId, SessionKey, TurnId};
use hearth_contract::inbox::Ended;
use hearth_contract::language::Language;
use hearth_contract::memory::{RecallQuery, Recalled, Viewer};
use hearth_contract::message::{MessageEnd, MessageRecord, Segment, plain_text};
use hearth_contract::provider::{Chunk, ChunkSink, CompletionRequest, Usage};
use hearth_contract::store::{
    Change, DialogChange, Lease, MessageChange, Step, StoreError, TurnChange, TurnRecord, TurnState,
    UsageChange, UsageRecord,
};
use hearth_contract::transcript::{Round, ToolCall, TurnTranscript};

use crate::control::TurnControl;
use crate::journal::{Journal, Response};
use crate::kernel::Inner;
use crate::models::{CallPlace, ModelsError};
use crate::outbox::{Closing, Departure, Parcel};
use crate::pipeline::Watch;
use crate::session::Session;
use crate::toolbox::Called;
use crate::{prompt, texts, tokens, toolbox};

/// A turn that is going on.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) id: TurnId,
    pub(crate) session: SessionKey,
    /// The message it answers.
    pub(crate) cause: MessageRecord,
    /// What it took up at its beginning, the cause among them, oldest first.
    pub(crate) inputs: Vec<MessageRecord>,
    /// What joined it since.
    pub(crate) joined: Vec<MessageRecord>,
    pub(crate) fence: i64,
    pub(crate) attempt: u32,
    pub(crate) began_at: UnixMs,
    pub(crate) journal: Journal,
    pub(crate) usage: Usage,
    /// The preferred source and the code of its error, when another one answered.
    pub(crate) fallen_back: Option<FallenBack>,
    /// How many messages left by the tool `output_send`.
    pub(crate) spoken: u32,
}

/// Another source than the preferred one answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FallenBack {
    pub(crate) preferred: String,
    pub(crate) code: &'static str,
    pub(crate) answering: String,
}

impl Turn {
    /// One that begins now.
    pub(crate) fn fresh(
        session: SessionKey,
        cause: MessageRecord,
        inputs: Vec<MessageRecord>,
        now: UnixMs,
    ) -> Self {
        let id = TurnId::new();
        Self {
            id,
            session,
            cause,
            inputs,
            joined: Vec::new(),
            fence: 1,
            attempt: 1,
            began_at: now,
            journal: Journal::fresh(id),
            usage: Usage::default(),
            fallen_back: None,
            spoken: 0,
        }
    }

    /// The changes that begin it.
    pub(crate) fn start_changes(&self, lease_owner: &str) -> Vec<Change> {
        let start = TurnChange::Start(TurnRecord {
            id: self.id,
            session: self.session.clone(),
            cause: self.cause.id,
            state: TurnState::Running,
            attempt: self.attempt,
            lease: Lease { owner: lease_owner.to_owned(), fence: self.fence },
            started_at: self.began_at,
            ended_at: None,
            usage: self.usage,
            detail: String::new(),
        });
        let taken = self
            .inputs
            .iter()
            .map(|message| MessageChange::TakeUp { message: message.id, turn: self.id }.into());
        std::iter::once(start.into()).chain(taken).collect()
    }

    /// What hooks see of it.
    pub(crate) fn view(&self) -> TurnView {
        TurnView {
            turn: self.id,
            session: self.session.clone(),
            chat_kind: self.cause.chat_kind,
            sender: self.cause.sender.clone(),
        }
    }

    /// From where memory is looked at.
    pub(crate) fn viewer(&self) -> Viewer {
        Viewer {
            session: self.session.clone(),
            chat_kind: self.cause.chat_kind,
            role: self.cause.sender.role,
        }
    }

    pub(crate) fn language(&self) -> Language {
        Language::of(&self.cause.text)
    }
}

/// How a turn came to its answer.
enum Answer {
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
}

impl From<StoreError> for TurnError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Runs a turn to its end. What it says is handed to the outbox; the transcript joins the session's window.
pub(crate) async fn run_turn(
    kernel: &Arc<Inner>,
    session: &mut Session,
    mut turn: Turn,
    control: &TurnControl,
) {
    let started = EventKind::TurnStarted { turn: turn.id, cause: turn.cause.id, attempt: turn.attempt };
    kernel.events.emit(Some(&turn.session), started);
    let mut transcript = TurnTranscript { turn: turn.id, inputs: Vec::new(), rounds: Vec::new() };
    let result = converse(kernel, session, &mut turn, control, &mut transcript).await;
    let ended = match result {
        Ok(answer) => finish(kernel, session, &turn, answer, &mut transcript).await,
        Err(TurnError::Stopped { by }) => stopped(kernel, &turn, by).await,
        Err(TurnError::Failed { code, reason }) => failed(kernel, &turn, code, reason).await,
        Err(TurnError::Store(error)) => Err(error),
    };
    match ended {
        Ok(()) => session.window.push(transcript),
        Err(error) => give_up(kernel, session, turn, &error),
    }
}

/// The talk between model and tools, until the model has answered.
async fn converse(
    kernel: &Arc<Inner>,
    session: &mut Session,
    turn: &mut Turn,
    control: &TurnControl,
    transcript: &mut TurnTranscript,
) -> Result<Answer, TurnError> {
    let view = turn.view();
    if let Some(last) = turn.inputs.last_mut() {
        let flow = kernel.pipeline.on_input(&view, &mut last.segments).await;
        last.text = plain_text(&last.segments);
        transcript.inputs = turn.inputs.iter().map(prompt::user_input).collect();
        if let Flow::Respond(text) = flow {
            return Ok(Answer::Canned(text));
        }
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

/// Round after round: the model is asked, its tools are run, until it has answered.
async fn talk(
    kernel: &Arc<Inner>,
    session: &mut Session,
    turn: &mut Turn,
    control: &TurnControl,
    request: &mut CompletionRequest,
    recalled: &[Recalled],
) -> Result<Answer, TurnError> {
    let mut round = 0;
    loop {
        join(kernel, turn, control, request, round);
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
            false => toolbox::call_all(kernel, turn, control, request, round, &response.calls).await?,
        };
        let text = response.text.clone();
        request.current.rounds.push(as_round(response, called.exchanges));
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

/// Facts that fit what was said. Memory that cannot be read is no reason not to answer.
async fn recall(kernel: &Inner, turn: &Turn) -> Vec<Recalled> {
    let query = RecallQuery {
        text: turn.cause.text.clone(),
        viewer: turn.viewer(),
        limit: kernel.limits.recall_max,
        since: None,
        until: None,
    };
    kernel.memory.recall(&query).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "memory could not be read");
        Vec::new()
    })
}

fn assemble(kernel: &Inner, session: &mut Session, turn: &Turn, recalled: &[Recalled]) -> CompletionRequest {
    let room = kernel.history_room_tokens();
    session.window.fit(room);
    prompt::assemble(
        turn,
        prompt::Surroundings {
            system: kernel.system.clone(),
            window: &session.window,
            recalled,
            tools: kernel.tools.offered(turn.cause.sender.role),
            zone: &kernel.zone,
            now: kernel.clock.now(),
            late_after: kernel.limits.late_after,
            output_tokens_max: kernel.output_tokens_max(),
        },
    )
}

/// Takes in what was said meanwhile: after a crash exactly what had joined before this model call then.
fn join(kernel: &Inner, turn: &mut Turn, control: &TurnControl, request: &mut CompletionRequest, round: u32) {
    let recorded = turn.journal.take_joined(round);
    let mut joining: Vec<MessageRecord> =
        turn.joined.iter().filter(|message| recorded.contains(&message.id)).cloned().collect();
    if turn.journal.response(round).is_none() {
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
    let inputs = joining.iter().map(prompt::user_input);
    match request.current.rounds.last_mut() {
        Some(last) => last.joined.extend(inputs),
        None => request.current.inputs.extend(inputs),
    }
}

/// Whether the model has used up what it may and must answer now, without tools.
fn must_answer(kernel: &Inner, turn: &Turn, round: u32) -> bool {
    let agent = &kernel.config.agent;
    let rounds_used_up = agent.tool_rounds_max > 0 && round >= agent.tool_rounds_max;
    let used = turn.usage.prompt_tokens + turn.usage.completion_tokens;
    let age = kernel.clock.now().since(turn.began_at);
    rounds_used_up || used >= agent.turn_tokens_max || age >= agent.turn_time_max()
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
    session: &mut Session,
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
        let time_left = kernel.call_time_left(turn.began_at);
        let asking = kernel.models.complete(&place, request, &sink, &cancel);
        let result = hearth_contract::clock::timeout(kernel.clock.as_ref(), time_left, asking).await;
        match result
            .unwrap_or_else(|_| Err(ModelsError::NoAnswer { code: "turn_time", reason: "too slow".into() }))
        {
            Ok(answered) => break answered,
            Err(ModelsError::Cancelled) => {
                return match control.stopped_by() {
                    Some(by) => Err(TurnError::Stopped { by }),
                    None => Ok(Asked::Interrupted),
                };
            }
            Err(ModelsError::ContextTooLong { reason }) => {
                shortened += 1;
                if shortened > kernel.limits.shorten_attempts_max || !session.window.shorten() {
                    return Err(TurnError::Failed { code: "context_too_long", reason });
                }
                request.history = session.window.history();
            }
            Err(ModelsError::NoAnswer { code, reason }) => return Err(TurnError::Failed { code, reason }),
        }
    };
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
    let response = Response {
        calls: with_ids(turn.id, round, &completion),
        text: completion.text,
        reasoning: completion.reasoning,
        source: completion.source,
    };
    let step = Step::Response {
        round,
        text: response.text.clone(),
        reasoning: response.reasoning.clone(),
        calls: response.calls.clone(),
        finish: completion.finish,
        usage: completion.usage,
        source: response.source.clone(),
        model: completion.model,
    };
    changes.push(turn.journal.step(kernel.clock.now(), step));
    kernel.stores.ledger.record(changes);
    Ok(Asked::Response(response))
}

fn with_ids(turn: TurnId, round: u32, completion: &hearth_contract::provider::Completion) -> Vec<ToolCall> {
    let with_id = |(index, call): (usize, &hearth_contract::provider::RequestedCall)| ToolCall {
        id: hearth_contract::id::CallId::at(turn, round, index),
        name: call.name.clone(),
        arguments: call.arguments.clone(),
    };
    completion.calls.iter().enumerate().map(with_id).collect()
}

fn as_round(response: Response, calls: Vec<hearth_contract::transcript::ToolExchange>) -> Round {
    let Response { text, reasoning, source, .. } = response;
    Round { text, reasoning, source, calls, joined: Vec::new() }
}

fn usage_change(kernel: &Inner, turn: &Turn, completion: &hearth_contract::provider::Completion) -> Change {
    UsageChange::Add(UsageRecord {
        at: kernel.clock.now(),
        turn: turn.id,
        session: turn.session.clone(),
        user: turn.cause.sender.id.clone(),
        purpose: "chat".into(),
        source: completion.source.clone(),
        model: completion.model.clone(),
        usage: completion.usage,
    })
    .into()
}

/// The answer passes the guards, becomes durable together with the turn's end, and leaves.
async fn finish(
    kernel: &Arc<Inner>,
    session: &mut Session,
    turn: &Turn,
    answer: Answer,
    transcript: &mut TurnTranscript,
) -> Result<(), StoreError> {
    let (mut text, watch) = match answer {
        Answer::Said(text) => (text, Watch::All),
        Answer::Canned(text) => {
            transcript.rounds.push(Round {
                text: text.clone(),
                reasoning: Vec::new(),
                source: String::new(),
                calls: Vec::new(),
                joined: Vec::new(),
            });
            (text, Watch::GuardsOnly)
        }
    };
    let reply_mode = kernel.outbox.channel(&turn.session.chat).map(|channel| channel.info().reply);
    if reply_mode == Some(ReplyMode::Explicit) {
        return if turn.spoken > 0 {
            end(kernel, turn, MessageEnd::Answered, TurnState::Done, String::new()).await
        } else {
            silent(kernel, turn, "reply is explicit and the model sent nothing").await
        };
    }
    if text.trim().is_empty() {
        return match turn.spoken > 0 {
            true => end(kernel, turn, MessageEnd::Answered, TurnState::Done, String::new()).await,
            false => failed(kernel, turn, "empty_answer", "the model said nothing".into()).await,
        };
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
async fn stopped(kernel: &Arc<Inner>, turn: &Turn, by: String) -> Result<(), StoreError> {
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
    changes.push(turn_end(kernel, turn, state, detail));
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
    changes.push(turn_end(kernel, turn, state, detail));
    kernel.stores.ledger.commit(changes).await?;
    tell_end(kernel, turn, state);
    kernel.outbox.announce(&turn.session, closing);
    Ok(())
}

/// The ledger refuses. The messages stay open in it and are taken up at the next start; who waits is told now.
fn give_up(kernel: &Arc<Inner>, session: &mut Session, turn: Turn, error: &StoreError) {
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
    session.is_stale = true;
}

fn delivery_put(delivery: &hearth_contract::store::DeliveryRecord) -> Change {
    hearth_contract::store::DeliveryChange::Put(delivery.clone()).into()
}

fn turn_end(kernel: &Inner, turn: &Turn, state: TurnState, detail: String) -> Change {
    let at = kernel.clock.now();
    TurnChange::End { turn: turn.id, fence: turn.fence, state, at, usage: turn.usage, detail }.into()
}

fn tell_end(kernel: &Inner, turn: &Turn, state: TurnState) {
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

/// Shows a draft where the network can, unless a guard must see the whole first.
pub(crate) struct DraftSink {
    pub(crate) channel: Option<Arc<dyn hearth_contract::channel::Channel>>,
    pub(crate) session: SessionKey,
    pub(crate) turn: TurnId,
}

impl ChunkSink for DraftSink {
    fn push(&self, chunk: Chunk) {
        let live: Option<&dyn LiveReply> = self.channel.as_ref().and_then(|channel| channel.live());
        if let Some(live) = live {
            live.push(&self.session, self.turn, chunk);
        }
    }
}

/// A model call may outlast the turn's time by this much, so that the last answer can be given.
pub(crate) const LAST_ANSWER_TIME: Duration = Duration::from_secs(60);
