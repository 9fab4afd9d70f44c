//! The answer of chat completions, streamed or whole, as a neutral one.

use std::ops::ControlFlow;

use hearth_contract::provider::{ChunkSink, FinishReason, ProviderError, ProviderErrorCode, Usage};
use hearth_contract::transcript::Reasoning;
use hearth_net::SseEvent;
use serde_json::Value;

use crate::answer::{Answer, Decode, json_of, push_reasoning, push_text};
use crate::calls::CallAssembler;
use crate::errors::{Classifier, ErrorBody};
use crate::think::{Piece, ThinkSplitter};

/// Puts one answer together.
#[derive(Debug)]
pub(crate) struct Decoder<'a> {
    errors: &'a Classifier,
    splitter: ThinkSplitter,
    text: String,
    thoughts: String,
    calls: CallAssembler,
    finish: Option<FinishReason>,
    /// The vendor said that this was all.
    done: bool,
    usage: Usage,
    model: String,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(errors: &'a Classifier) -> Self {
        Self {
            errors,
            splitter: ThinkSplitter::new(),
            text: String::new(),
            thoughts: String::new(),
            calls: CallAssembler::default(),
            finish: None,
            done: false,
            usage: Usage::default(),
            model: String::new(),
        }
    }

    fn chunk(
        &mut self,
        chunk: &Value,
        is_error: bool,
        part: &str,
        sink: &dyn ChunkSink,
    ) -> Result<(), ProviderError> {
        let reports_error = chunk.get("error").is_some_and(|error| !error.is_null());
        if is_error || reports_error {
            return Err(self.errors.refusal(None, &ErrorBody::of(chunk), None));
        }
        if let Some(model) = chunk.get("model").and_then(Value::as_str).filter(|model| !model.is_empty()) {
            model.clone_into(&mut self.model);
        }
        self.take_usage(chunk.get("usage"));
        let Some(choice) = chunk.get("choices").and_then(|choices| choices.get(0)) else { return Ok(()) };
        // Moonshot puts the usage of a stream here.
        self.take_usage(choice.get("usage"));
        if let Some(delta) = choice.get(part) {
            self.delta(delta, sink)?;
        }
        match choice.get("finish_reason").and_then(Value::as_str) {
            None | Some("") => Ok(()),
            Some(reason) => self.take_finish(reason),
        }
    }

    fn delta(&mut self, delta: &Value, sink: &dyn ChunkSink) -> Result<(), ProviderError> {
        // `reasoning_content` is DeepSeek's word, `reasoning` that of OpenRouter, Ollama and vLLM; some send both.
        let thought = ["reasoning_content", "reasoning"].into_iter().find_map(|key| delta.get(key)?.as_str());
        self.take_thought(thought.unwrap_or_default(), sink);
        for key in ["content", "refusal"] {
            let text = text_of(delta.get(key));
            let pieces = self.splitter.push(&text);
            self.take_pieces(pieces, sink);
        }
        let calls = delta.get("tool_calls").and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            self.calls.push(call).map_err(|_| self.errors.server("the answer has too many tool calls"))?;
        }
        Ok(())
    }

    fn take_pieces(&mut self, pieces: Vec<Piece>, sink: &dyn ChunkSink) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => {
                    push_text(sink, &text);
                    self.text.push_str(&text);
                }
                Piece::Thought(text) => self.take_thought(&text, sink),
            }
        }
    }

    fn take_thought(&mut self, thought: &str, sink: &dyn ChunkSink) {
        push_reasoning(sink, thought);
        self.thoughts.push_str(thought);
    }

    fn take_finish(&mut self, reason: &str) -> Result<(), ProviderError> {
        self.finish = Some(match reason.to_ascii_lowercase().as_str() {
            "length" | "max_tokens" | "model_length" => FinishReason::Length,
            "tool_calls" | "function_call" | "tool_use" => FinishReason::ToolCalls,
            "content_filter" | "safety" | "sensitive" | "refusal" => FinishReason::ContentFilter,
            // DeepSeek broke off because it is too busy.
            "insufficient_system_resource" => {
                return Err(self
                    .errors
                    .retry(ProviderErrorCode::Overloaded, "the vendor broke off: too busy"));
            }
            "error" | "network_error" => return Err(self.errors.server("the vendor broke off")),
            _ => FinishReason::Stop,
        });
        Ok(())
    }

    fn take_usage(&mut self, usage: Option<&Value>) {
        let Some(usage) = usage.filter(|usage| usage.is_object()) else { return };
        let number = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
        self.usage = Usage {
            prompt_tokens: number("/prompt_tokens").unwrap_or_default(),
            cached_tokens: number("/prompt_tokens_details/cached_tokens")
                .or_else(|| number("/prompt_cache_hit_tokens"))
                .or_else(|| number("/cached_tokens"))
                .unwrap_or_default(),
            completion_tokens: number("/completion_tokens").unwrap_or_default(),
        };
    }
}

impl Decode for Decoder<'_> {
    fn event(&mut self, event: &SseEvent, sink: &dyn ChunkSink) -> Result<ControlFlow<()>, ProviderError> {
        if event.data.trim() == "[DONE]" {
            self.done = true;
            return Ok(ControlFlow::Break(()));
        }
        if let Some(chunk) = json_of(event, self.errors)? {
            self.chunk(&chunk, event.event == "error", "delta", sink)?;
        }
        Ok(ControlFlow::Continue(()))
    }

    fn whole(&mut self, answer: &Value, sink: &dyn ChunkSink) -> Result<(), ProviderError> {
        self.chunk(answer, false, "message", sink)
    }

    fn finish(mut self, sink: &dyn ChunkSink) -> Result<Answer, ProviderError> {
        let rest = self.splitter.finish();
        self.take_pieces(rest, sink);
        let nothing = self.text.trim().is_empty() && self.calls.is_empty();
        let finish = match self.finish {
            Some(finish) => finish,
            None if self.done && !nothing => FinishReason::Stop,
            None => return Err(self.errors.network("the answer ended before it was finished")),
        };
        let thoughts = Reasoning { text: self.thoughts, signature: None };
        Ok(Answer {
            text: self.text,
            reasoning: if thoughts.text.is_empty() { Vec::new() } else { vec![thoughts] },
            calls: self.calls.finish(),
            finish,
            usage: self.usage,
            model: self.model,
        })
    }
}

/// A text, or the texts of a list of parts.
fn text_of(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests;
