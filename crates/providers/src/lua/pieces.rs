//! An answer put together from the pieces a script makes of it.

use hearth_contract::provider::{ChunkSink, FinishReason, ProviderError, Usage};
use hearth_contract::transcript::Reasoning;
use serde::Deserialize;
use serde_json::Value;

use crate::answer::{Answer, push_reasoning, push_text};
use crate::calls::CallAssembler;
use crate::errors::Classifier;
use crate::think::{Piece, ThinkSplitter};

use super::ScriptRefusal;

/// The most pieces of thought with a seal of their own in one answer.
const SEALED_THOUGHTS_MAX: usize = 256;

/// One piece, as a script gives it back. Each field may be left out.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ScriptPiece {
    text: String,
    reasoning: String,
    /// The vendor's seal; ends the thought it belongs to.
    signature: Option<String>,
    calls: Vec<Value>,
    finish: Option<FinishReason>,
    usage: Option<ScriptUsage>,
    model: String,
    done: bool,
    error: Option<ScriptRefusal>,
}

/// Tokens, where the vendor says.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ScriptUsage {
    prompt_tokens: u64,
    cached_tokens: u64,
    completion_tokens: u64,
}

/// The answer so far.
#[derive(Debug)]
pub(crate) struct Pieces {
    errors: Classifier,
    splitter: ThinkSplitter,
    text: String,
    thought: String,
    sealed: Vec<Reasoning>,
    calls: CallAssembler,
    finish: Option<FinishReason>,
    done: bool,
    usage: Usage,
    model: String,
}

impl Pieces {
    pub(crate) fn new(errors: Classifier) -> Self {
        Self {
            errors,
            splitter: ThinkSplitter::new(),
            text: String::new(),
            thought: String::new(),
            sealed: Vec::new(),
            calls: CallAssembler::default(),
            finish: None,
            done: false,
            usage: Usage::default(),
            model: String::new(),
        }
    }

    /// Takes one piece; gives the vendor's refusal when the piece is one. The error says what is wrong with the piece.
    pub(crate) fn take(
        &mut self,
        piece: Value,
        sink: &dyn ChunkSink,
    ) -> Result<Option<ScriptRefusal>, String> {
        let piece: ScriptPiece =
            serde_json::from_value(piece).map_err(|error| format!("a piece of the answer: {error}"))?;
        if piece.error.is_some() {
            return Ok(piece.error);
        }
        self.think(&piece.reasoning, sink);
        if let Some(signature) = piece.signature {
            if self.sealed.len() == SEALED_THOUGHTS_MAX {
                return Err("the answer has too many thoughts".to_owned());
            }
            let text = std::mem::take(&mut self.thought);
            self.sealed.push(Reasoning { text, signature: Some(signature) });
        }
        let split = self.splitter.push(&piece.text);
        self.say(split, sink);
        for call in &piece.calls {
            self.calls.push(call).map_err(|_| "the answer has too many tool calls".to_owned())?;
        }
        self.finish = piece.finish.or(self.finish);
        if let Some(usage) = piece.usage {
            self.usage = Usage {
                prompt_tokens: usage.prompt_tokens,
                cached_tokens: usage.cached_tokens,
                completion_tokens: usage.completion_tokens,
            };
        }
        if !piece.model.is_empty() {
            self.model = piece.model;
        }
        self.done |= piece.done;
        Ok(None)
    }

    /// The answer came at once, so that nothing of it can be missing.
    pub(crate) fn end(&mut self) {
        self.done = true;
    }

    /// Whether the vendor said that this was all.
    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    /// What was put together. A stream that ends without a word of its end was cut.
    pub(crate) fn finish(mut self, sink: &dyn ChunkSink) -> Result<Answer, ProviderError> {
        let rest = self.splitter.finish();
        self.say(rest, sink);
        let finish = match self.finish {
            Some(finish) => finish,
            None if self.done => FinishReason::Stop,
            None => return Err(self.errors.network("the answer ended before it was finished")),
        };
        let mut reasoning = self.sealed;
        if !self.thought.is_empty() {
            reasoning.push(Reasoning { text: self.thought, signature: None });
        }
        Ok(Answer {
            text: self.text,
            reasoning,
            calls: self.calls.finish(),
            finish,
            usage: self.usage,
            model: self.model,
        })
    }

    fn think(&mut self, thought: &str, sink: &dyn ChunkSink) {
        push_reasoning(sink, thought);
        self.thought.push_str(thought);
    }

    fn say(&mut self, pieces: Vec<Piece>, sink: &dyn ChunkSink) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => {
                    push_text(sink, &text);
                    self.text.push_str(&text);
                }
                Piece::Thought(text) => self.think(&text, sink),
            }
        }
    }
}
