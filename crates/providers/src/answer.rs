//! Reading an answer: what is the same for every kind behind HTTP.

use std::ops::ControlFlow;

use hearth_contract::provider::{
    Chunk, ChunkSink, Completion, FinishReason, ProviderError, ProviderErrorCode, RequestedCall, SourceInfo,
    Usage,
};
use hearth_contract::transcript::Reasoning;
use hearth_net::{SseEvent, StreamReply};
use serde_json::Value;

use crate::errors::Classifier;
use crate::wire::Wire;

/// Puts one answer together, as its vendor cuts it.
pub(crate) trait Decode {
    /// Takes one event; breaks when the answer is over.
    fn event(&mut self, event: &SseEvent, sink: &dyn ChunkSink) -> Result<ControlFlow<()>, ProviderError>;

    /// Takes an answer that came at once, a JSON object.
    fn whole(&mut self, answer: &Value, sink: &dyn ChunkSink) -> Result<(), ProviderError>;

    /// What was put together. An answer that was cut is an error, whatever the end of the stream looked like.
    fn finish(self, sink: &dyn ChunkSink) -> Result<Answer, ProviderError>;
}

/// An answer as the vendor gave it.
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) reasoning: Vec<Reasoning>,
    pub(crate) calls: Vec<RequestedCall>,
    pub(crate) finish: FinishReason,
    pub(crate) usage: Usage,
    /// Empty when the vendor did not say.
    pub(crate) model: String,
}

/// Whether an answer may say nothing at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Silence {
    /// The model has acted in this turn, so that saying nothing more is an answer.
    IsFine,
    IsAnError,
}

/// Reads an answer to its end.
pub(crate) async fn read(
    wire: &Wire,
    reply: StreamReply,
    mut decoder: impl Decode + Send,
    silence: Silence,
    sink: &dyn ChunkSink,
) -> Result<Completion, ProviderError> {
    match reply {
        StreamReply::Whole(reply) => whole(&mut decoder, &reply.body, &wire.errors, sink)?,
        StreamReply::Events(mut events) => {
            while let Some(event) = events.next().await.map_err(|error| wire.error(&error))? {
                if decoder.event(&event, sink)?.is_break() {
                    events.close().await;
                    break;
                }
            }
        }
    }
    complete(decoder.finish(sink)?, &wire.info, &wire.errors, silence)
}

fn whole(
    decoder: &mut impl Decode,
    body: &[u8],
    errors: &Classifier,
    sink: &dyn ChunkSink,
) -> Result<(), ProviderError> {
    match serde_json::from_slice::<Value>(body) {
        Ok(answer) if answer.is_object() => decoder.whole(&answer, sink),
        _ => Err(errors.server("the answer is not a JSON object")),
    }
}

/// An answer as everybody else takes it. One that says nothing is an error, unless it may be silent.
pub(crate) fn complete(
    answer: Answer,
    info: &SourceInfo,
    errors: &Classifier,
    silence: Silence,
) -> Result<Completion, ProviderError> {
    let Answer { text, reasoning, calls, finish, usage, model } = answer;
    if text.trim().is_empty() && calls.is_empty() {
        match finish {
            FinishReason::ContentFilter => {
                return Err(errors.next(ProviderErrorCode::ContentFilter, "the vendor's filter refused"));
            }
            FinishReason::Length => {}
            _ if silence == Silence::IsAnError => return Err(errors.server("the answer is empty")),
            _ => {}
        }
    }
    let finish = match finish {
        FinishReason::Stop if !calls.is_empty() => FinishReason::ToolCalls,
        FinishReason::ToolCalls if calls.is_empty() => FinishReason::Stop,
        other => other,
    };
    let model = if model.is_empty() { info.model.clone() } else { model };
    Ok(Completion { text, reasoning, calls, finish, usage, source: info.name.clone(), model })
}

/// The JSON of an event; none when it says nothing.
pub(crate) fn json_of(event: &SseEvent, errors: &Classifier) -> Result<Option<Value>, ProviderError> {
    match serde_json::from_str(event.data.trim()) {
        Ok(value) => Ok(Some(value)),
        // The connection ended inside the event: what is missing is told at the end.
        Err(_) if !event.complete || event.data.trim().is_empty() => Ok(None),
        Err(error) => Err(errors.server(&format!("a piece of the answer is not JSON: {error}"))),
    }
}

/// Shows a piece of the answer's words; without any, nothing.
pub(crate) fn push_text(sink: &dyn ChunkSink, text: &str) {
    if !text.is_empty() {
        sink.push(Chunk::Text(text.to_owned()));
    }
}

/// As [`push_text`], for thoughts.
pub(crate) fn push_reasoning(sink: &dyn ChunkSink, text: &str) {
    if !text.is_empty() {
        sink.push(Chunk::Reasoning(text.to_owned()));
    }
}

#[cfg(test)]
pub(crate) mod tests;
