//! What a model has seen and said, free of any vendor's shape.
//!
//! A tool call and its result are one value here, so no history can hold half a pair, and cutting works on whole
//! turns. Encoders (in the providers) turn this into each vendor's rules.

use serde::{Deserialize, Serialize};

use crate::clock::UnixMs;
use crate::id::{CallId, TurnId};

/// One turn as a model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnTranscript {
    /// Which turn.
    pub turn: TurnId,
    /// What started it: one input, or several that waited together.
    pub inputs: Vec<UserInput>,
    /// The model calls so far. The last one of an ended turn has no tool calls; a failed turn may have none at all.
    pub rounds: Vec<Round>,
}

/// Something said to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserInput {
    /// The text as the model reads it (in a group with the name before it).
    pub text: String,
    /// When it was said.
    pub at: UnixMs,
}

/// One model call, what it asked to do, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// What the model said before or beside its calls; the answer when there are none.
    pub text: String,
    /// What it thought, where the vendor shows it.
    pub reasoning: Vec<Reasoning>,
    /// Which configured source said it; reasoning is only ever echoed to the same one.
    pub source: String,
    /// Its tool calls, each with its result.
    pub calls: Vec<ToolExchange>,
    /// What people added while it worked; shown after the results.
    pub joined: Vec<UserInput>,
}

/// A piece of visible thought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reasoning {
    /// The thought; empty when it is redacted.
    pub text: String,
    /// The vendor's seal, to be echoed unchanged (Anthropic `signature`, or `data` of a redacted block).
    pub signature: Option<String>,
}

/// A call the model asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Ours, not the vendor's.
    pub id: CallId,
    /// The tool's name.
    pub name: String,
    /// The arguments.
    pub arguments: ToolArguments,
}

/// The arguments of a call as the model wrote them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum ToolArguments {
    /// A JSON object.
    Object(serde_json::Map<String, serde_json::Value>),
    /// Something else; the model is told.
    Malformed(String),
}

/// A call with its result: never one without the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolExchange {
    /// What was asked for.
    pub call: ToolCall,
    /// What came of it.
    pub result: ToolResult,
}

/// What a call brought, as the model is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// Whether it worked.
    pub status: ToolStatus,
    /// The text for the model.
    pub text: String,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    /// It worked.
    Done,
    /// It did not; the text says why.
    Failed,
    /// It was not allowed; the text says why.
    Denied,
    /// It was begun and nobody knows whether it happened.
    Unknown,
    /// The turn was stopped or broke off before it ended.
    Interrupted,
}

impl ToolStatus {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Denied => "denied",
            Self::Unknown => "unknown",
            Self::Interrupted => "interrupted",
        }
    }
}
