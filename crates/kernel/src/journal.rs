//! The steps of a turn, as written and as read back after a crash.
//!
//! A resumed turn walks the same code as a fresh one; where the journal has an outcome it is used, and nothing is asked
//! or run again.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

use hearth_contract::clock::UnixMs;
use hearth_contract::id::{CallId, MessageId, TurnId};
use hearth_contract::message::{MessageRecord, Segment, plain_text};
use hearth_contract::provider::{Completion, FinishReason, RequestedCall, Usage};
use hearth_contract::store::{Change, EffectRecord, EffectState, Step, StepRecord, TurnChange};
use hearth_contract::transcript::{Reasoning, Round, ToolCall, ToolExchange, ToolResult};

/// A model's answer with our ids in it.
#[derive(Debug, Clone)]
pub(crate) struct Response {
    pub(crate) text: String,
    pub(crate) reasoning: Vec<Reasoning>,
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) source: String,
    model: String,
    finish: FinishReason,
    usage: Usage,
}

impl Response {
    /// What a model said in this round; its calls get their ids.
    pub(crate) fn of_model(completion: Completion, turn: TurnId, round: u32) -> Self {
        let with_id = |(index, RequestedCall { name, arguments })| ToolCall {
            id: CallId::at(turn, round, index),
            name,
            arguments,
        };
        Self {
            calls: completion.calls.into_iter().enumerate().map(with_id).collect(),
            text: completion.text,
            reasoning: completion.reasoning,
            source: completion.source,
            model: completion.model,
            finish: completion.finish,
            usage: completion.usage,
        }
    }

    /// What a hook answers in place of a model. It has no source.
    pub(crate) fn of_hook(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            reasoning: Vec::new(),
            calls: Vec::new(),
            source: String::new(),
            model: String::new(),
            finish: FinishReason::Stop,
            usage: Usage::default(),
        }
    }

    /// As the journal keeps it.
    pub(crate) fn step(&self, round: u32) -> Step {
        let Self { text, reasoning, calls, source, model, finish, usage } = self.clone();
        Step::Response { round, text, reasoning, calls, finish, usage, source, model }
    }

    /// As the transcript keeps it, with what came of its calls.
    pub(crate) fn into_round(self, calls: Vec<ToolExchange>) -> Round {
        let Self { text, reasoning, source, .. } = self;
        Round { text, reasoning, source, calls, joined: Vec::new() }
    }
}

/// What hooks have made of a message.
#[derive(Debug, Clone)]
pub(crate) struct Heard {
    pub(crate) segments: Vec<Segment>,
    /// What one of them answers to it.
    pub(crate) answer: Option<String>,
}

/// The journal of one turn.
#[derive(Debug)]
pub(crate) struct Journal {
    turn: TurnId,
    next_number: AtomicU32,
    responses: HashMap<u32, Response>,
    results: HashMap<CallId, ToolResult>,
    joined: HashMap<u32, Vec<MessageId>>,
    heard: HashMap<MessageId, Heard>,
    intents: HashMap<CallId, EffectState>,
    /// What the recorded answers cost.
    pub(crate) usage_before: Usage,
}

impl Journal {
    /// Of a turn that begins.
    pub(crate) fn fresh(turn: TurnId) -> Self {
        Self {
            turn,
            next_number: AtomicU32::new(0),
            responses: HashMap::new(),
            results: HashMap::new(),
            joined: HashMap::new(),
            heard: HashMap::new(),
            intents: HashMap::new(),
            usage_before: Usage::default(),
        }
    }

    /// Of a turn that broke off.
    pub(crate) fn resumed(turn: TurnId, steps: &[StepRecord], effects: &[EffectRecord]) -> Self {
        let mut journal = Self::fresh(turn);
        for StepRecord { number, step, .. } in steps {
            journal.next_number.fetch_max(number + 1, Ordering::Relaxed);
            match step.clone() {
                Step::Response { round, text, reasoning, calls, finish, usage, source, model } => {
                    journal.usage_before += usage;
                    let response = Response { text, reasoning, calls, source, model, finish, usage };
                    journal.responses.insert(round, response);
                }
                Step::ToolResult { call, result, .. } => {
                    journal.results.insert(call, result);
                }
                Step::Heard { message, segments, answer } => {
                    journal.heard.insert(message, Heard { segments, answer });
                }
                Step::Joined { round, messages } => journal.joined.entry(round).or_default().extend(messages),
                Step::Request { .. } | Step::Resumed { .. } | Step::Note { .. } => {}
            }
        }
        journal.intents = effects.iter().map(|effect| (effect.call.clone(), effect.state)).collect();
        journal
    }

    /// The change that adds a step.
    pub(crate) fn step(&self, at: UnixMs, step: Step) -> Change {
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        TurnChange::Append(StepRecord { turn: self.turn, number, at, step }).into()
    }

    /// The answer to this model call, if it was given.
    pub(crate) fn response(&self, round: u32) -> Option<&Response> {
        self.responses.get(&round)
    }

    /// The result of this tool call, if there was one.
    pub(crate) fn result(&self, call: &CallId) -> Option<&ToolResult> {
        self.results.get(call)
    }

    /// What hooks had made of this message, if they had changed or answered it.
    pub(crate) fn heard(&self, message: MessageId) -> Option<&Heard> {
        self.heard.get(&message)
    }

    /// A message as it was read: with what hooks had changed in it.
    pub(crate) fn as_heard(&self, message: &MessageRecord) -> MessageRecord {
        let mut message = message.clone();
        if let Some(heard) = self.heard.get(&message.id) {
            message.segments.clone_from(&heard.segments);
            message.text = plain_text(&message.segments);
        }
        message
    }

    /// Takes out the messages that this model call was the first to see.
    pub(crate) fn take_joined(&mut self, round: u32) -> Vec<MessageId> {
        self.joined.remove(&round).unwrap_or_default()
    }

    /// The messages that this model call was the first to see, by what was recorded.
    pub(crate) fn joined(&self, round: u32) -> &[MessageId] {
        self.joined.get(&round).map_or(&[], Vec::as_slice)
    }

    /// All messages that were steered in.
    pub(crate) fn all_joined(&self) -> impl Iterator<Item = MessageId> + '_ {
        self.joined.values().flatten().copied()
    }

    /// Whether an effect was intended whose outcome never became known.
    pub(crate) fn has_open_intent(&self, call: &CallId) -> bool {
        self.intents.get(call) == Some(&EffectState::Intended)
    }
}
