//! Effects: tool calls that change the world.

use std::fmt;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::clock::UnixMs;
use crate::id::{CallId, TurnId};
use crate::tool::EffectClass;

/// What is known of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectState {
    /// It was about to happen.
    Intended,
    /// It happened.
    Done,
    /// It did not.
    Failed,
    /// Nobody can tell.
    Unknown,
}

/// An effect as the ledger keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EffectRecord {
    /// The call, which is also the idempotency key.
    pub call: CallId,
    /// The turn.
    pub turn: TurnId,
    /// The tool.
    pub tool: String,
    /// The class it declared.
    pub class: EffectClass,
    /// The arguments as JSON.
    pub arguments: String,
    /// What is known.
    pub state: EffectState,
    /// When it was intended.
    pub intended_at: UnixMs,
    /// When its outcome became known.
    pub settled_at: Option<UnixMs>,
}

/// A change of an effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EffectChange {
    /// Writes the intent. If the call has one already, nothing changes.
    Intend(EffectRecord),
    /// Writes the outcome.
    Settle {
        /// The call.
        call: CallId,
        /// The outcome.
        state: EffectState,
        /// When.
        at: UnixMs,
    },
}

/// Reads effects.
#[async_trait]
pub trait Effects: Send + Sync + fmt::Debug {
    /// Those of a turn, oldest first.
    async fn of_turn(&self, turn: TurnId) -> Result<Vec<EffectRecord>, StoreError>;

    /// The newest ones whose outcome is unknown; at most `limit`.
    async fn unknown(&self, limit: usize) -> Result<Vec<EffectRecord>, StoreError>;
}
