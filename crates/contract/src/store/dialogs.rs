//! Dialogs: threads of talk in a chat.

use std::fmt;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::clock::UnixMs;
use crate::id::{ChatKey, SessionKey};

/// What may be done with a dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DialogState {
    /// Talk goes on.
    Active,
    /// Hidden and read-only; can be restored.
    Archived,
    /// Deleted; can be restored for 30 days.
    Deleted,
}

/// A dialog as the ledger keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DialogRecord {
    /// Its session.
    pub session: SessionKey,
    /// Its title; empty while it has none.
    pub title: String,
    /// What may be done with it.
    pub state: DialogState,
    /// When it was made.
    pub created_at: UnixMs,
    /// When something was last said in it.
    pub active_at: UnixMs,
}

/// A change of a dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DialogChange {
    /// Makes one or replaces it.
    Put(DialogRecord),
    /// Something was said: makes the dialog if it is not there, and notes the time.
    Touch {
        /// It.
        session: SessionKey,
        /// When.
        at: UnixMs,
    },
    /// Gives it a title, if it has none.
    Name {
        /// It.
        session: SessionKey,
        /// The title.
        title: String,
    },
    /// From now on the chat's messages go to this dialog.
    SetCurrent {
        /// The dialog.
        session: SessionKey,
    },
}

/// Reads dialogs.
#[async_trait]
pub trait Dialogs: Send + Sync + fmt::Debug {
    /// One of them.
    async fn get(&self, session: &SessionKey) -> Result<Option<DialogRecord>, StoreError>;

    /// The dialog that a chat's messages go to, if one was ever chosen.
    async fn current(&self, chat: &ChatKey) -> Result<Option<SessionKey>, StoreError>;

    /// Those of a chat (of all chats if none), the last active first; at most `limit`.
    async fn list(&self, chat: Option<&ChatKey>, limit: usize) -> Result<Vec<DialogRecord>, StoreError>;
}
