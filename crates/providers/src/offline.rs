//! The offline model: a set of rules that stands in for a model. It needs no network and no key, understands Chinese
//! and English, drives the real loop by calling the real tools, and says so when it cannot do something.
//!
//! One request walks through `engine`: `split` cuts every input into tasks, `skills` understands each as a job, and
//! each job is played forward over the results of this turn's calls until it wants another call or has its answer.

mod categories;
mod clause;
mod dialogue;
mod engine;
mod facts;
mod feasts;
mod matching;
mod moments;
mod number;
mod pattern;
mod people;
mod perspective;
mod question;
mod quotes;
mod skills;
mod speak;
mod spelling;
mod split;
mod sums;
mod text;
mod when;
mod world;
mod zones;

use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::provider::{
    CapabilityCard, Chunk, ChunkSink, Completion, CompletionRequest, FinishReason, Provider, ProviderError,
    SourceInfo, Usage,
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::{BuildError, Deps, ProviderEntry, SourceSection};
use engine::Move;

/// The kind in the registry.
pub(crate) const ENTRY: ProviderEntry =
    ProviderEntry { kind: KIND, build, schema: || schemars::schema_for!(Config) };

const KIND: &str = "offline";
const MODEL: &str = "hearth-offline-1";
/// It reads everything, so the window only keeps the kernel from trimming needlessly.
const WINDOW_TOKENS: u32 = 32_768;
const OUTPUT_TOKENS_MAX: u32 = 4_096;
/// Characters of a piece of a streamed answer.
const PIECE_CHARS: usize = 24;

/// Its config section has no keys.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Config {}

fn build(section: SourceSection, _deps: &Deps) -> Result<Arc<dyn Provider>, BuildError> {
    let Config {} = section.parse()?;
    Ok(offline(&section.name))
}

/// The offline model as a source of this name. Needs nothing from outside.
pub fn offline(name: &str) -> Arc<dyn Provider> {
    Arc::new(Offline {
        info: SourceInfo {
            name: name.to_owned(),
            kind: KIND,
            model: MODEL.to_owned(),
            window_tokens: WINDOW_TOKENS,
            output_tokens_max: OUTPUT_TOKENS_MAX,
        },
    })
}

#[derive(Debug)]
struct Offline {
    info: SourceInfo,
}

#[async_trait]
impl Provider for Offline {
    fn info(&self) -> &SourceInfo {
        &self.info
    }

    async fn complete(
        &self,
        request: &CompletionRequest,
        sink: &dyn ChunkSink,
        cancel: &CancellationToken,
    ) -> Result<Completion, ProviderError> {
        if cancel.is_cancelled() {
            return Err(ProviderError::Cancelled);
        }
        let (text, calls, finish) = match engine::next(request) {
            Move::Say(text) => (text, Vec::new(), FinishReason::Stop),
            Move::Call(calls) => (String::new(), calls, FinishReason::ToolCalls),
        };
        for piece in pieces(&text) {
            if cancel.is_cancelled() {
                return Err(ProviderError::Cancelled);
            }
            sink.push(Chunk::Text(piece));
        }
        Ok(Completion {
            text,
            reasoning: Vec::new(),
            calls,
            finish,
            usage: Usage::default(),
            source: self.info.name.clone(),
            model: self.info.model.clone(),
        })
    }

    async fn probe(&self, _cancel: &CancellationToken) -> Result<CapabilityCard, ProviderError> {
        Ok(CapabilityCard {
            source: self.info.name.clone(),
            model: self.info.model.clone(),
            streaming: true,
            tools: true,
            reasoning: false,
            usage: false,
            models: vec![self.info.model.clone()],
            first_chunk_ms: 0,
        })
    }
}

/// The answer in pieces, as a model would stream it.
fn pieces(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(PIECE_CHARS).map(|piece| piece.iter().collect()).collect()
}

#[cfg(test)]
mod tests;
