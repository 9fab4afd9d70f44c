//! What an OpenAI client is answered.

use hearth_contract::clock::UnixMs;
use hearth_contract::inbox::Ended;
use hearth_contract::provider::Usage;
use schemars::JsonSchema;
use serde::Serialize;

use super::MODEL;

/// A chat completion.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Completion {
    /// `chatcmpl-` and the message's id.
    id: String,
    /// `chat.completion`.
    object: &'static str,
    /// In seconds since 1970 UTC.
    created: i64,
    /// `hearth`.
    model: &'static str,
    /// One.
    choices: Vec<Choice>,
    /// What it cost.
    usage: Tokens,
}

/// An answer.
#[derive(Debug, Serialize, JsonSchema)]
struct Choice {
    index: u32,
    message: AnswerMessage,
    logprobs: Option<()>,
    finish_reason: &'static str,
}

/// What is said.
#[derive(Debug, Serialize, JsonSchema)]
struct AnswerMessage {
    role: &'static str,
    content: String,
    refusal: Option<()>,
}

/// Tokens, as billed: the sum over all model calls of the turn.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Tokens {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
    prompt_tokens_details: CachedTokens,
}

/// Of the tokens read.
#[derive(Debug, Serialize, JsonSchema)]
struct CachedTokens {
    cached_tokens: u64,
}

impl From<Usage> for Tokens {
    fn from(usage: Usage) -> Self {
        Self {
            prompt_tokens: usage.prompt_tokens,
            completion_tokens: usage.completion_tokens,
            total_tokens: usage.prompt_tokens + usage.completion_tokens,
            prompt_tokens_details: CachedTokens { cached_tokens: usage.cached_tokens },
        }
    }
}

impl Completion {
    pub(super) fn of(message: &str, now: UnixMs, ended: &Ended) -> Self {
        Self {
            id: completion_id(message),
            object: "chat.completion",
            created: now.0 / 1000,
            model: MODEL,
            choices: vec![Choice {
                index: 0,
                message: AnswerMessage { role: "assistant", content: ended.reply.clone(), refusal: None },
                logprobs: None,
                finish_reason: "stop",
            }],
            usage: ended.usage.into(),
        }
    }
}

/// The id of the answer to a message.
pub(super) fn completion_id(message: &str) -> String {
    format!("chatcmpl-{message}")
}

/// A piece of a streamed chat completion.
#[derive(Debug, Serialize)]
pub(super) struct Piece<'a> {
    pub(super) id: &'a str,
    pub(super) object: &'static str,
    pub(super) created: i64,
    pub(super) model: &'static str,
    pub(super) choices: Vec<PieceChoice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) usage: Option<Option<Tokens>>,
}

/// What is new in an answer.
#[derive(Debug, Serialize)]
pub(super) struct PieceChoice {
    pub(super) index: u32,
    pub(super) delta: Delta,
    pub(super) logprobs: Option<()>,
    pub(super) finish_reason: Option<&'static str>,
}

/// What is new in what is said.
#[derive(Debug, Default, Serialize)]
pub(super) struct Delta {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_content: Option<String>,
}

/// The models there are.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ModelList {
    /// `list`.
    object: &'static str,
    /// They.
    data: Vec<Model>,
}

impl ModelList {
    pub(super) fn of(data: Vec<Model>) -> Self {
        Self { object: "list", data }
    }
}

/// A model.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Model {
    /// `hearth`.
    id: &'static str,
    /// `model`.
    object: &'static str,
    /// In seconds since 1970 UTC.
    created: i64,
    /// `hearth`.
    owned_by: &'static str,
}

impl Model {
    pub(super) fn new(started_at: UnixMs) -> Self {
        Self { id: MODEL, object: "model", created: started_at.0 / 1000, owned_by: "hearth" }
    }
}
