//! Servers that speak OpenAI's chat completions: OpenAI, DeepSeek, Qwen, Kimi, Ollama, llama.cpp, LiteLLM and many more.

mod decode;
mod dialect;
mod encode;
mod validate;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use hearth_contract::provider::{
    CapabilityCard, ChunkSink, Completion, CompletionRequest, Provider, ProviderError, SourceInfo,
};
use hearth_net::{HttpError, StreamReply};
use http::header::AUTHORIZATION;
use schemars::{JsonSchema, schema_for};
use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::answer::{self, Silence};
use crate::entry::{BuildError, Deps, ProviderEntry, SourceSection};
use crate::errors::ErrorBody;
use crate::probe;
use crate::wire::{CommonConfig, Wire, plain_base_url};

use decode::Decoder;
use dialect::{Dialect, Thinking};
use encode::Spelling;

/// How often one question is put again because the server refused a field that we can do without.
const FIELD_REFUSALS_MAX: usize = 2;

/// The kind `openai`.
pub(crate) const ENTRY: ProviderEntry =
    ProviderEntry { kind: "openai", build, schema: || schema_for!(OpenAiConfig) };

/// A source that speaks OpenAI's chat completions.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OpenAiConfig {
    /// Where it is. Default `https://api.openai.com/v1`. An address without a path gets `/v1`, save DeepSeek's.
    #[serde(default = "openai_url")]
    base_url: String,
    #[serde(flatten)]
    common: CommonConfig,
    /// Whether the model thinks first: `auto` (as the vendor does it by default; DeepSeek: off), `on` or `off`.
    #[serde(default)]
    thinking: Thinking,
    /// How hard it thinks, where the vendor has a word for it (`low`, `medium`, `high`).
    #[serde(default)]
    reasoning_effort: Option<String>,
    /// Whether thoughts of tool calls are sent back: `auto` (where vendors want it), `on` or `off`.
    #[serde(default)]
    echo_reasoning: Thinking,
}

fn openai_url() -> String {
    "https://api.openai.com/v1".to_owned()
}

fn build(section: SourceSection, deps: &Deps) -> Result<Arc<dyn Provider>, BuildError> {
    let config: OpenAiConfig = section.parse()?;
    let mut base_url = plain_base_url(&section.name, &config.base_url, "/chat/completions")?;
    let dialect = Dialect::of(&base_url);
    let has_path = base_url.splitn(4, '/').nth(3).is_some();
    if !has_path && dialect != Dialect::DeepSeek {
        base_url.push_str("/v1");
    }
    let wire = Wire::new("openai", &section.name, &config.common, (AUTHORIZATION, "Bearer "), deps)?;
    let learned = Learned {
        no_usage_option: AtomicBool::new(false),
        completion_tokens_field: AtomicBool::new(dialect == Dialect::OpenAi),
    };
    Ok(Arc::new(OpenAi { base_url, dialect, config, wire, learned }))
}

/// One configured source.
#[derive(Debug)]
struct OpenAi {
    base_url: String,
    dialect: Dialect,
    config: OpenAiConfig,
    wire: Wire,
    learned: Learned,
}

/// What the server has taught us since we started.
#[derive(Debug)]
struct Learned {
    /// It refuses `stream_options`.
    no_usage_option: AtomicBool,
    /// It wants `max_completion_tokens` instead of `max_tokens`.
    completion_tokens_field: AtomicBool,
}

impl Learned {
    /// Learns from a refusal; true when the question is worth putting again.
    fn take_refusal(&self, error: &HttpError) -> bool {
        let HttpError::Status(error) = error else { return false };
        if !matches!(error.status.as_u16(), 400 | 422) {
            return false;
        }
        let body = ErrorBody::parse(&error.body);
        let message = body.message();
        if message.contains("stream_options") || message.contains("include_usage") {
            return !self.no_usage_option.swap(true, Ordering::Relaxed);
        }
        if message.contains("max_completion_tokens") {
            return !self.completion_tokens_field.swap(true, Ordering::Relaxed);
        }
        false
    }
}

impl OpenAi {
    fn body(&self, request: &CompletionRequest) -> Result<Value, ProviderError> {
        let spelling = Spelling {
            source: &self.wire.info.name,
            model: &self.wire.info.model,
            output_tokens_max: request.output_tokens_max.min(self.wire.info.output_tokens_max),
            usage_option: !self.learned.no_usage_option.load(Ordering::Relaxed),
            completion_tokens_field: self.learned.completion_tokens_field.load(Ordering::Relaxed),
            echo: self.dialect.echo(self.config.echo_reasoning, &self.wire.info.model),
        };
        let mut body = encode::encode(request, &spelling);
        self.dialect.set_thinking(&mut body, self.config.thinking);
        if let Some(effort) = &self.config.reasoning_effort {
            body.insert("reasoning_effort".to_owned(), effort.clone().into());
        }
        self.wire.body(body, validate::validate)
    }

    async fn ask(
        &self,
        request: &CompletionRequest,
        cancel: &CancellationToken,
    ) -> Result<StreamReply, ProviderError> {
        let url = format!("{}/chat/completions", self.base_url);
        let mut refusals = 0;
        loop {
            let body = self.body(request)?;
            match self.wire.post(&url, &body, cancel).await {
                Ok(reply) => return Ok(reply),
                Err(error) if refusals < FIELD_REFUSALS_MAX && self.learned.take_refusal(&error) => {
                    refusals += 1
                }
                Err(error) => return Err(self.wire.error(&error)),
            }
        }
    }
}

#[async_trait]
impl Provider for OpenAi {
    fn info(&self) -> &SourceInfo {
        &self.wire.info
    }

    async fn complete(
        &self,
        request: &CompletionRequest,
        sink: &dyn ChunkSink,
        cancel: &CancellationToken,
    ) -> Result<Completion, ProviderError> {
        let reply = self.ask(request, cancel).await?;
        let silence = if request.current.rounds.is_empty() { Silence::IsAnError } else { Silence::IsFine };
        answer::read(&self.wire, reply, Decoder::new(&self.wire.errors), silence, sink).await
    }

    async fn probe(&self, cancel: &CancellationToken) -> Result<CapabilityCard, ProviderError> {
        let models = self.wire.models(&format!("{}/models", self.base_url), cancel).await?;
        probe::probe(self, self.wire.clock(), models, cancel).await
    }
}
