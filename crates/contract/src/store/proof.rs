//! The counts by which Hearth proves that nothing was lost.

use std::collections::BTreeMap;
use std::fmt;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::clock::UnixMs;
use crate::id::{DeliveryId, MessageId, TurnId};

/// Every accepted message by its end. `accepted` is the sum of all the others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// Incoming messages taken in the time asked about.
    pub accepted: u64,
    /// Ends by name.
    pub answered: u64,
    /// Steered into another's turn.
    pub joined: u64,
    /// Recorded, by a rule.
    pub silent: u64,
    /// Too old to answer.
    pub stale: u64,
    /// Stopped.
    pub cancelled: u64,
    /// Failed, and the person was told.
    pub failed_told: u64,
    /// Failed, and the person could not be told.
    pub dead_lettered: u64,
    /// Forgotten on demand.
    pub erased: u64,
    /// Not at their end yet: waiting, or in a running turn.
    pub open: u64,
    /// Neither at an end nor open in any way that can be explained: an unknown end, or taken up by a turn that has
    /// ended. Must be zero.
    pub unexplained: u64,
    /// Deliveries by state.
    pub deliveries: BTreeMap<String, u64>,
    /// Occurrences of schedules: `fired`, and `overdue` for active schedules whose time is past.
    pub occurrences: BTreeMap<String, u64>,
    /// Background tasks by state, and of those that have a result: `shown`, `pending`, and `unexplained` (on the way
    /// to nowhere; must be zero).
    pub tasks: BTreeMap<String, u64>,
}

/// What an id names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// A message.
    Message(MessageId),
    /// A turn.
    Turn(TurnId),
    /// A delivery.
    Delivery(DeliveryId),
}

/// Counts, and finds what an id means.
#[async_trait]
pub trait Prover: Send + Sync + fmt::Debug {
    /// What begins with these hexadecimal digits (at least 4; dashes are ignored); at most `limit`, newest first.
    async fn named(&self, beginning: &str, limit: usize) -> Result<Vec<Named>, StoreError>;

    /// The counts of what was accepted at or after `since`, as of `now`.
    async fn prove(&self, since: UnixMs, now: UnixMs) -> Result<Proof, StoreError>;
}
