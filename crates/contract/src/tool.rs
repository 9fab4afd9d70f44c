//! What the model may call.

use std::fmt;
use std::path::PathBuf;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::id::{CallId, MessageId, SessionKey, TurnId};
use crate::message::ChatKind;
use crate::rights::{Risk, Role};
use crate::store::Change;

/// How a tool describes itself, to the model and to the kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// `[a-z0-9_]`, at most 64 characters.
    pub name: String,
    /// For the model: what it does and when to use it.
    pub description: String,
    /// JSON schema (draft 2020-12) of the arguments: an object.
    pub parameters: serde_json::Value,
    /// What it can do to the world.
    pub risk: Risk,
    /// The least role of a person for whom it may be called.
    pub role: Role,
    /// What a crash in the middle of a call means.
    pub effect: EffectClass,
    /// The longest a call may take; then it is killed.
    pub timeout_ms: u64,
}

/// What to do with a call that was begun and whose outcome is not known, because Hearth died in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// It changes nothing: run it again.
    Pure,
    /// It changes only the ledger, by [`ToolOutput::changes`], which are committed together with its result: it
    /// happened exactly if its result is there. Run it again.
    Ledger,
    /// Running it twice with the same call id is like running it once: run it again.
    Idempotent,
    /// The tool can find out whether it happened ([`Tool::probe`]).
    Probeable,
    /// Nobody can tell: do not run it again; the model and the owner are told.
    Irreversible,
}

impl EffectClass {
    /// Whether an intent must be durable before the call starts.
    pub fn needs_intent(self) -> bool {
        match self {
            Self::Pure | Self::Ledger => false,
            Self::Idempotent | Self::Probeable | Self::Irreversible => true,
        }
    }
}

/// Where and for whom a call runs.
#[derive(Debug, Clone)]
pub struct ToolContext {
    /// The call; the idempotency key of its effect.
    pub call: CallId,
    /// The turn it belongs to.
    pub turn: TurnId,
    /// The dialog it belongs to.
    pub session: SessionKey,
    /// Private or group.
    pub chat_kind: ChatKind,
    /// The message the turn answers.
    pub cause: MessageId,
    /// Who asked, and what they may do.
    pub caller: String,
    /// The role of the caller.
    pub role: Role,
    /// The folder tools work in. File tools never leave it.
    pub workspace: PathBuf,
    /// Cancelled when the turn is stopped; the call and its children end then.
    pub cancel: CancellationToken,
}

/// What a call brought.
#[derive(Debug, Clone, Default)]
pub struct ToolOutput {
    /// For the model.
    pub text: String,
    /// What it changes in the ledger, committed with the result. Only of [`EffectClass::Ledger`].
    pub changes: Vec<Change>,
}

impl ToolOutput {
    /// A call that only has something to say.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), changes: Vec::new() }
    }
}

/// A call that did not work. Never ends a turn: the model is told, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// The arguments are not what the schema asks for.
    #[error("invalid arguments: {reason}")]
    InvalidArguments {
        /// What is wrong with which one.
        reason: String,
    },
    /// It may not be done.
    #[error("not allowed: {reason}")]
    Denied {
        /// Why.
        reason: String,
    },
    /// It was tried and failed.
    #[error("{reason}")]
    Failed {
        /// What happened and what could be done.
        reason: String,
    },
    /// It took too long and was killed.
    #[error("stopped after {after_ms} ms: it took too long{partial}")]
    TimedOut {
        /// The limit, in milliseconds.
        after_ms: u64,
        /// Empty, or what it had said until then.
        partial: String,
    },
    /// The turn was stopped.
    #[error("stopped")]
    Cancelled,
}

/// Something the model may call.
#[async_trait]
pub trait Tool: Send + Sync + fmt::Debug {
    /// What it is.
    fn spec(&self) -> &ToolSpec;

    /// Does it. The arguments are an object but otherwise unchecked. The kernel bounds the time and cancels
    /// `context.cancel`; a tool with children kills them when either happens.
    async fn call(
        &self,
        context: &ToolContext,
        arguments: serde_json::Map<String, serde_json::Value>,
    ) -> Result<ToolOutput, ToolError>;

    /// For [`EffectClass::Probeable`]: the way to find out whether a call happened.
    fn probe(&self) -> Option<&dyn EffectProbe> {
        None
    }
}

/// Finds out whether a call whose outcome is unknown has happened.
#[async_trait]
pub trait EffectProbe: Send + Sync {
    /// The text for the model if it happened, none if it did not.
    async fn probe(
        &self,
        context: &ToolContext,
        arguments: &serde_json::Map<String, serde_json::Value>,
    ) -> Result<Option<String>, ToolError>;
}
