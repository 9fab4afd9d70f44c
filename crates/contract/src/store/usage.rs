//! What models cost.

use std::fmt;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::clock::UnixMs;
use crate::id::{SessionKey, TurnId};
use crate::provider::Usage;

/// One model call in the account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageRecord {
    /// When.
    pub at: UnixMs,
    /// The turn.
    pub turn: TurnId,
    /// The dialog.
    pub session: SessionKey,
    /// Who asked.
    pub user: String,
    /// What for (`chat`).
    pub purpose: String,
    /// The configured source.
    pub source: String,
    /// The model.
    pub model: String,
    /// What it cost.
    pub usage: Usage,
}

/// A change of the account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UsageChange {
    /// Adds a call.
    Add(UsageRecord),
}

/// A sum over calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageTotal {
    /// The day in UTC, `YYYY-MM-DD`.
    pub day: String,
    /// The source.
    pub source: String,
    /// The model.
    pub model: String,
    /// How many calls.
    pub calls: u64,
    /// What they cost.
    pub usage: Usage,
}

/// Reads the account.
#[async_trait]
pub trait UsageReads: Send + Sync + fmt::Debug {
    /// Sums by day, source and model of what was used at or after `since`, oldest day first; of one session, if given.
    async fn totals(
        &self,
        since: UnixMs,
        session: Option<&SessionKey>,
    ) -> Result<Vec<UsageTotal>, StoreError>;
}
