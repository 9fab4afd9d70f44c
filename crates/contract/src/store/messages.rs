//! Messages of the ledger.

use std::fmt;

use async_trait::async_trait;

use super::StoreError;
use crate::id::{MessageId, SessionKey, TurnId};
use crate::message::{MessageEnd, MessageRecord};

/// A change of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum MessageChange {
    /// Takes an incoming one. Conflicts (`message`, the first one's id) when (channel, account, chat, platform id) is
    /// already there and the platform id is not empty.
    Accept(MessageRecord),
    /// Stores one that we say.
    Say(MessageRecord),
    /// A turn has taken it up.
    TakeUp {
        /// The message.
        message: MessageId,
        /// The turn.
        turn: TurnId,
    },
    /// It has reached its end. The first end stays.
    End {
        /// The message.
        message: MessageId,
        /// The end.
        end: MessageEnd,
    },
    /// The network gave what we said its own id.
    SetPlatformId {
        /// The message.
        message: MessageId,
        /// The network's id.
        platform_id: String,
    },
}

/// Which messages of a dialog to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessagePage {
    /// The newest.
    Newest,
    /// Those before this one, newest first.
    Before(MessageId),
    /// Those after this one, oldest first.
    After(MessageId),
}

/// Reads messages.
#[async_trait]
pub trait Messages: Send + Sync + fmt::Debug {
    /// One of them.
    async fn get(&self, id: MessageId) -> Result<Option<MessageRecord>, StoreError>;

    /// Those of a dialog, in and out, always returned oldest first; at most `limit`.
    async fn page(
        &self,
        session: &SessionKey,
        page: MessagePage,
        limit: usize,
    ) -> Result<Vec<MessageRecord>, StoreError>;

    /// Incoming ones without an end, oldest first.
    async fn open(&self) -> Result<Vec<MessageRecord>, StoreError>;

    /// Those of a turn: what it took up and what it said, oldest first.
    async fn of_turn(&self, turn: TurnId) -> Result<Vec<MessageRecord>, StoreError>;
}
