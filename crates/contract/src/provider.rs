//! Models behind a wire.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::tool::ToolSpec;
use crate::transcript::{Reasoning, ToolArguments, TurnTranscript};

/// What a model is asked.
#[derive(Debug, Clone)]
pub struct CompletionRequest {
    /// The stable part of the prompt: persona, rules. Changes rarely, so that the vendor's prefix cache hits.
    pub system: Arc<str>,
    /// Earlier turns, oldest first, whole.
    pub history: Vec<Arc<TurnTranscript>>,
    /// What belongs to this turn only (memory, time); encoders put it right before the turn's first input.
    pub context: Vec<ContextBlock>,
    /// The turn that is going on.
    pub current: TurnTranscript,
    /// What the model may call. Empty: it must answer in words.
    pub tools: Arc<[ToolSpec]>,
    /// The most it may write.
    pub output_tokens_max: u32,
}

/// A named piece of this turn's context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextBlock {
    /// The name of the section (`memory`, `now`).
    pub name: String,
    /// Its text.
    pub text: String,
}

/// What a model said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Completion {
    /// The words.
    pub text: String,
    /// The visible thoughts.
    pub reasoning: Vec<Reasoning>,
    /// What it wants to call.
    pub calls: Vec<RequestedCall>,
    /// Why it stopped.
    pub finish: FinishReason,
    /// What it cost.
    pub usage: Usage,
    /// The configured source that answered.
    pub source: String,
    /// The model's name, as the vendor reports it.
    pub model: String,
}

/// A call as a model asks for it, before the kernel gives it an id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestedCall {
    /// The tool's name.
    pub name: String,
    /// The arguments.
    pub arguments: ToolArguments,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// It had said what it wanted.
    Stop,
    /// It wants tools to be run.
    ToolCalls,
    /// It reached its output limit.
    Length,
    /// The vendor's filter cut it.
    ContentFilter,
}

/// Tokens, as billed; zero where the vendor does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read, the cached ones included.
    pub prompt_tokens: u64,
    /// Of these, read from the vendor's cache.
    pub cached_tokens: u64,
    /// Tokens written, thoughts included.
    pub completion_tokens: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.prompt_tokens += other.prompt_tokens;
        self.cached_tokens += other.cached_tokens;
        self.completion_tokens += other.completion_tokens;
    }
}

/// A piece of an answer while it is being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk {
    /// More words.
    Text(String),
    /// More of a thought.
    Reasoning(String),
    /// What was streamed so far is void: the call is made again.
    Restart,
}

/// Takes the pieces of an answer. Must not block.
pub trait ChunkSink: Send + Sync {
    /// One more piece.
    fn push(&self, chunk: Chunk);
}

/// What is known of a configured source without asking it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceInfo {
    /// Its name in the config.
    pub name: String,
    /// Its kind (`openai`, `anthropic`, `offline`).
    pub kind: &'static str,
    /// The model it is asked for.
    pub model: String,
    /// The model's window in tokens, prompt and answer together.
    pub window_tokens: u32,
    /// The most tokens it is asked to write.
    pub output_tokens_max: u32,
}

/// A model that can be asked. One call is one attempt: repeating and failing over is the kernel's.
#[async_trait]
pub trait Provider: Send + Sync + fmt::Debug {
    /// What is known of it.
    fn info(&self) -> &SourceInfo;

    /// Asks once. Pieces go to `sink` as they come; the whole is returned. Ends soon after `cancel`.
    async fn complete(
        &self,
        request: &CompletionRequest,
        sink: &dyn ChunkSink,
        cancel: &CancellationToken,
    ) -> Result<Completion, ProviderError>;

    /// Finds out what the model really can do, by asking it. One small question a capability.
    async fn probe(&self, cancel: &CancellationToken) -> Result<CapabilityCard, ProviderError>;
}

/// What a probe found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapabilityCard {
    /// The source.
    pub source: String,
    /// The model's name as the vendor reports it.
    pub model: String,
    /// Answers arrive in pieces.
    pub streaming: bool,
    /// It calls tools natively.
    pub tools: bool,
    /// It shows its thoughts.
    pub reasoning: bool,
    /// It reports what it billed.
    pub usage: bool,
    /// Models the endpoint lists; empty when it has no list.
    pub models: Vec<String>,
    /// Milliseconds to the first piece of the first answer.
    pub first_chunk_ms: u64,
}

/// A failed attempt. A variant is what the caller does next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// Try the same source again, not before `retry_after_ms` where the vendor said so; then the next source.
    #[error("{code}: {reason}")]
    Retry {
        /// What kind of trouble it is.
        code: ProviderErrorCode,
        /// How long the vendor wants us to wait.
        retry_after_ms: Option<u64>,
        /// For the log.
        reason: String,
    },
    /// Do not ask this source again for this; go to the next one.
    #[error("{code}: {reason}")]
    NextSource {
        /// What kind of trouble it is.
        code: ProviderErrorCode,
        /// For the log.
        reason: String,
    },
    /// The prompt is too long: shorten it and ask again.
    #[error("context_too_long: {reason}")]
    ContextTooLong {
        /// For the log.
        reason: String,
    },
    /// We stopped it ourselves.
    #[error("cancelled")]
    Cancelled,
}

impl ProviderError {
    /// The stable code, for people and metrics.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Retry { code, .. } | Self::NextSource { code, .. } => code.name(),
            Self::ContextTooLong { .. } => "context_too_long",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What kind of trouble a vendor reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderErrorCode {
    /// The key is wrong or missing.
    Auth,
    /// The account has no money.
    Balance,
    /// Too many requests.
    RateLimit,
    /// The vendor is too busy.
    Overloaded,
    /// The vendor's filter refused.
    ContentFilter,
    /// The request is not one the vendor takes.
    Invalid,
    /// The vendor broke, or its answer made no sense.
    Server,
    /// The vendor could not be reached, or broke off.
    Network,
}

impl ProviderErrorCode {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::Balance => "balance",
            Self::RateLimit => "rate_limit",
            Self::Overloaded => "overloaded",
            Self::ContentFilter => "content_filter",
            Self::Invalid => "invalid",
            Self::Server => "server",
            Self::Network => "network",
        }
    }
}

impl fmt::Display for ProviderErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
