//! Anthropic's Messages API.

mod decode;
mod encode;
mod validate;

use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::provider::{
    CapabilityCard, ChunkSink, Completion, CompletionRequest, Provider, ProviderError, SourceInfo,
};
use http::{HeaderName, HeaderValue};
use schemars::{JsonSchema, schema_for};
use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::answer::{self, Silence};
use crate::entry::{BuildError, Deps, ProviderEntry, SourceSection};
use crate::probe;
use crate::wire::{CommonConfig, Wire, plain_base_url};

use decode::Decoder;
use encode::{Spelling, Thinking};

/// The version of the protocol we speak.
const API_VERSION: HeaderValue = HeaderValue::from_static("2023-06-01");
/// The least budget for thinking that the vendor takes, in tokens.
const THINKING_TOKENS_MIN: u32 = 1_024;

/// The kind `anthropic`.
pub(crate) const ENTRY: ProviderEntry =
    ProviderEntry { kind: "anthropic", build, schema: || schema_for!(AnthropicConfig) };

/// A source that speaks Anthropic's Messages API.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AnthropicConfig {
    /// Where it is. Default `https://api.anthropic.com`.
    #[serde(default = "anthropic_url")]
    base_url: String,
    #[serde(flatten)]
    common: CommonConfig,
    /// Whether the model thinks first: `off`, `adaptive` (it decides) or `budget`. Default `off`.
    #[serde(default)]
    thinking: ThinkingMode,
    /// With `budget`: the most tokens of thought, beside those of the answer. At least 1024, default 4096.
    #[serde(default = "thinking_tokens")]
    thinking_budget_tokens: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ThinkingMode {
    #[default]
    Off,
    Adaptive,
    Budget,
}

fn anthropic_url() -> String {
    "https://api.anthropic.com".to_owned()
}

fn thinking_tokens() -> u32 {
    4_096
}

fn build(section: SourceSection, deps: &Deps) -> Result<Arc<dyn Provider>, BuildError> {
    let config: AnthropicConfig = section.parse()?;
    let base_url = plain_base_url(&section.name, &config.base_url, "/messages")?;
    let base_url = base_url.strip_suffix("/v1").unwrap_or(&base_url).to_owned();
    let thinking = match config.thinking {
        ThinkingMode::Off => Thinking::Off,
        ThinkingMode::Adaptive => Thinking::Adaptive,
        ThinkingMode::Budget if config.thinking_budget_tokens < THINKING_TOKENS_MIN => {
            let reason = format!("`thinking_budget_tokens` must be at least {THINKING_TOKENS_MIN}");
            return Err(BuildError { source_name: section.name, reason });
        }
        ThinkingMode::Budget => Thinking::Budget(config.thinking_budget_tokens),
    };
    let key_header = (HeaderName::from_static("x-api-key"), "");
    let mut wire = Wire::new("anthropic", &section.name, &config.common, key_header, deps)?;
    wire.default_header(HeaderName::from_static("anthropic-version"), API_VERSION);
    Ok(Arc::new(Anthropic { base_url, thinking, wire }))
}

/// One configured source.
#[derive(Debug)]
struct Anthropic {
    base_url: String,
    thinking: Thinking,
    wire: Wire,
}

impl Anthropic {
    fn body(&self, request: &CompletionRequest) -> Result<Value, ProviderError> {
        let spelling = Spelling {
            source: &self.wire.info.name,
            model: &self.wire.info.model,
            output_tokens_max: request.output_tokens_max.min(self.wire.info.output_tokens_max),
            thinking: self.thinking,
        };
        self.wire.body(encode::encode(request, &spelling), validate::validate)
    }
}

#[async_trait]
impl Provider for Anthropic {
    fn info(&self) -> &SourceInfo {
        &self.wire.info
    }

    async fn complete(
        &self,
        request: &CompletionRequest,
        sink: &dyn ChunkSink,
        cancel: &CancellationToken,
    ) -> Result<Completion, ProviderError> {
        let body = self.body(request)?;
        let url = format!("{}/v1/messages", self.base_url);
        let reply = self.wire.post(&url, &body, cancel).await.map_err(|error| self.wire.error(&error))?;
        let silence = if request.current.rounds.is_empty() { Silence::IsAnError } else { Silence::IsFine };
        answer::read(&self.wire, reply, Decoder::new(&self.wire.errors), silence, sink).await
    }

    async fn probe(&self, cancel: &CancellationToken) -> Result<CapabilityCard, ProviderError> {
        let models = self.wire.models(&format!("{}/v1/models", self.base_url), cancel).await?;
        probe::probe(self, self.wire.clock(), models, cancel).await
    }
}
