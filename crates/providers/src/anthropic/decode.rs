//! The answer of the Messages API, streamed or whole, as a neutral one.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use hearth_contract::provider::{ChunkSink, FinishReason, ProviderError, RequestedCall, Usage};
use hearth_contract::transcript::Reasoning;
use hearth_net::SseEvent;
use serde_json::Value;

use crate::answer::{Answer, Decode, json_of, push_reasoning, push_text};
use crate::arguments;
use crate::errors::{Classifier, ErrorBody};

use super::encode::REDACTED;

/// The most blocks of one answer.
const BLOCKS_MAX: usize = 512;

/// Puts one answer together.
#[derive(Debug)]
pub(crate) struct Decoder<'a> {
    errors: &'a Classifier,
    blocks: BTreeMap<u64, Block>,
    finish: Option<FinishReason>,
    usage: UsageParts,
    model: String,
}

#[derive(Debug)]
enum Block {
    Text(String),
    Thinking {
        text: String,
        signature: String,
    },
    Redacted {
        data: String,
    },
    Call {
        name: String,
        whole: Option<Value>,
        pieces: String,
    },
    /// Of a kind we did not ask for.
    Other,
}

/// Usage comes in parts, each of which may be sent again with a later number.
#[derive(Debug, Default)]
struct UsageParts {
    input: u64,
    cache_read: u64,
    cache_written: u64,
    output: u64,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(errors: &'a Classifier) -> Self {
        Self {
            errors,
            blocks: BTreeMap::new(),
            finish: None,
            usage: UsageParts::default(),
            model: String::new(),
        }
    }

    fn start(
        &mut self,
        index: u64,
        block: Option<&Value>,
        sink: &dyn ChunkSink,
    ) -> Result<(), ProviderError> {
        if self.blocks.len() == BLOCKS_MAX {
            return Err(self.errors.server("the answer has too many blocks"));
        }
        let text = |key: &str| text_at(block, key);
        let block = match text("type").as_str() {
            "text" => Block::Text(text("text")),
            "thinking" => Block::Thinking { text: text("thinking"), signature: text("signature") },
            "redacted_thinking" => Block::Redacted { data: text("data") },
            "tool_use" => {
                // In a stream this is an empty object, which the pieces replace.
                let whole = block.and_then(|block| block.get("input")).cloned();
                Block::Call { name: text("name"), whole, pieces: String::new() }
            }
            _ => Block::Other,
        };
        match &block {
            Block::Text(text) => push_text(sink, text),
            Block::Thinking { text, .. } => push_reasoning(sink, text),
            Block::Redacted { .. } | Block::Call { .. } | Block::Other => {}
        }
        self.blocks.insert(index, block);
        Ok(())
    }

    fn delta(
        &mut self,
        index: u64,
        delta: Option<&Value>,
        sink: &dyn ChunkSink,
    ) -> Result<(), ProviderError> {
        let piece = |key: &str| text_at(delta, key);
        let Some(block) = self.blocks.get_mut(&index) else {
            return Err(self.errors.server("a piece of a block that did not begin"));
        };
        match (piece("type").as_str(), block) {
            ("text_delta", Block::Text(text)) => {
                push_text(sink, &piece("text"));
                text.push_str(&piece("text"));
            }
            ("thinking_delta", Block::Thinking { text, .. }) => {
                push_reasoning(sink, &piece("thinking"));
                text.push_str(&piece("thinking"));
            }
            ("signature_delta", Block::Thinking { signature, .. }) => signature.push_str(&piece("signature")),
            ("input_json_delta", Block::Call { pieces, .. }) => pieces.push_str(&piece("partial_json")),
            _ => {}
        }
        Ok(())
    }

    fn take_model(&mut self, message: Option<&Value>) {
        self.model = text_at(message, "model");
    }

    fn take_stop(&mut self, holder: Option<&Value>) {
        self.finish = match text_at(holder, "stop_reason").as_str() {
            "" => self.finish,
            "max_tokens" | "model_context_window_exceeded" => Some(FinishReason::Length),
            "tool_use" => Some(FinishReason::ToolCalls),
            "refusal" => Some(FinishReason::ContentFilter),
            _ => Some(FinishReason::Stop),
        };
    }
}

impl Decode for Decoder<'_> {
    fn event(&mut self, event: &SseEvent, sink: &dyn ChunkSink) -> Result<ControlFlow<()>, ProviderError> {
        let Some(data) = json_of(event, self.errors)? else { return Ok(ControlFlow::Continue(())) };
        let kind = data.get("type").and_then(Value::as_str).unwrap_or(&event.event);
        let index = data.get("index").and_then(Value::as_u64).unwrap_or_default();
        match kind {
            "message_start" => {
                let message = data.get("message");
                self.take_model(message);
                self.usage.take(message.and_then(|message| message.get("usage")));
            }
            "content_block_start" => self.start(index, data.get("content_block"), sink)?,
            "content_block_delta" => self.delta(index, data.get("delta"), sink)?,
            "message_delta" => {
                self.usage.take(data.get("usage"));
                self.take_stop(data.get("delta"));
            }
            "message_stop" => return Ok(ControlFlow::Break(())),
            "error" => return Err(self.errors.refusal(None, &ErrorBody::of(&data), None)),
            // `ping`, `content_block_stop`, and what will be invented later.
            _ => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    fn whole(&mut self, message: &Value, sink: &dyn ChunkSink) -> Result<(), ProviderError> {
        if message.get("error").is_some_and(|error| !error.is_null()) {
            return Err(self.errors.refusal(None, &ErrorBody::of(message), None));
        }
        self.take_model(Some(message));
        self.usage.take(message.get("usage"));
        let blocks = message.get("content").and_then(Value::as_array);
        for (index, block) in (0..).zip(blocks.into_iter().flatten()) {
            self.start(index, Some(block), sink)?;
        }
        self.take_stop(Some(message));
        Ok(())
    }

    fn finish(self, _sink: &dyn ChunkSink) -> Result<Answer, ProviderError> {
        let Some(finish) = self.finish else {
            return Err(self.errors.network("the answer ended before it was finished"));
        };
        let (mut text, mut reasoning, mut calls) = (String::new(), Vec::new(), Vec::new());
        for block in self.blocks.into_values() {
            match block {
                Block::Text(more) => text.push_str(&more),
                Block::Thinking { text, signature } => {
                    reasoning
                        .push(Reasoning { text, signature: Some(signature).filter(|seal| !seal.is_empty()) });
                }
                Block::Redacted { data } => {
                    let signature = Some(format!("{REDACTED}{data}"));
                    reasoning.push(Reasoning { text: String::new(), signature });
                }
                Block::Call { name, whole, pieces } => {
                    let written =
                        if pieces.is_empty() { whole.unwrap_or_default().to_string() } else { pieces };
                    calls.push(RequestedCall { name, arguments: arguments::parse(&written) });
                }
                Block::Other => {}
            }
        }
        Ok(Answer { text, reasoning, calls, finish, usage: self.usage.sum(), model: self.model })
    }
}

impl UsageParts {
    fn take(&mut self, usage: Option<&Value>) {
        let Some(usage) = usage else { return };
        for (key, part) in [
            ("input_tokens", &mut self.input),
            ("cache_read_input_tokens", &mut self.cache_read),
            ("cache_creation_input_tokens", &mut self.cache_written),
            ("output_tokens", &mut self.output),
        ] {
            if let Some(number) = usage.get(key).and_then(Value::as_u64) {
                *part = number;
            }
        }
    }

    fn sum(&self) -> Usage {
        Usage {
            prompt_tokens: self.input.saturating_add(self.cache_read).saturating_add(self.cache_written),
            cached_tokens: self.cache_read,
            completion_tokens: self.output,
        }
    }
}

fn text_at(holder: Option<&Value>, key: &str) -> String {
    holder.and_then(|holder| holder.get(key)).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
