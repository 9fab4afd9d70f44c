//! Deliveries: everything said, on its way out.

use std::fmt;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::clock::UnixMs;
use crate::id::{ChatKey, DeliveryId, MessageId, TurnId};
use crate::message::MessageRecord;

/// Where a delivery is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// It is to be sent.
    Prepared,
    /// A sending is under way; it may arrive.
    Sending,
    /// The network took it.
    Sent,
    /// Another one stands in its place.
    Replaced,
    /// Nobody can tell whether it arrived, and it is not sent again.
    Unknown,
    /// It will not be sent; the detail says why.
    Dead,
}

impl DeliveryState {
    /// The stable name, as `prove` counts it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prepared => "prepared",
            Self::Sending => "sending",
            Self::Sent => "sent",
            Self::Replaced => "replaced",
            Self::Unknown => "unknown",
            Self::Dead => "dead",
        }
    }

    /// Whether nothing more happens to it.
    pub fn is_end(self) -> bool {
        matches!(self, Self::Sent | Self::Replaced | Self::Unknown | Self::Dead)
    }
}

/// A delivery as the ledger keeps it. Its content is its message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryRecord {
    /// Its id, which the network is told where it can be.
    pub id: DeliveryId,
    /// What is said.
    pub message: MessageId,
    /// The turn that says it.
    pub turn: Option<TurnId>,
    /// Its number in the turn, from 0.
    pub number: u32,
    /// Where to.
    pub chat: ChatKey,
    /// Where it is.
    pub state: DeliveryState,
    /// How often it was tried.
    pub attempts: u32,
    /// An attempt may have arrived before the last one.
    pub may_be_duplicate: bool,
    /// When it was made.
    pub created_at: UnixMs,
    /// Empty, or why it is where it is.
    pub detail: String,
}

/// A change of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryChange {
    /// Makes one, in whichever state it has.
    Put(DeliveryRecord),
    /// Moves one that is not at its end; one at its end stays there.
    Move {
        /// It.
        delivery: DeliveryId,
        /// Its new state.
        state: DeliveryState,
        /// How often it was tried by now.
        attempts: u32,
        /// An attempt may have arrived before the last one.
        may_be_duplicate: bool,
        /// Empty, or why.
        detail: String,
    },
}

/// Reads deliveries.
#[async_trait]
pub trait Deliveries: Send + Sync + fmt::Debug {
    /// Those not at their end, oldest first, with what they say.
    async fn unfinished(&self) -> Result<Vec<(DeliveryRecord, MessageRecord)>, StoreError>;

    /// Those of a turn, in order.
    async fn of_turn(&self, turn: TurnId) -> Result<Vec<DeliveryRecord>, StoreError>;

    /// That of a message, if it has one.
    async fn of_message(&self, message: MessageId) -> Result<Option<DeliveryRecord>, StoreError>;
}
