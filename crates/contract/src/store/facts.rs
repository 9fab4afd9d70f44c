//! Facts of memory.

use std::fmt;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::clock::UnixMs;
use crate::id::{ChatKey, FactId, MessageId};

/// Who may be told something.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", content = "chat", rename_all = "snake_case")]
pub enum Audience {
    /// The owner, in private chats.
    Owner,
    /// Whoever is in this chat.
    Chat(ChatKey),
    /// Everybody.
    Public,
}

impl fmt::Display for Audience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Owner => f.write_str("owner"),
            Self::Chat(chat) => write!(f, "chat:{chat}"),
            Self::Public => f.write_str("public"),
        }
    }
}

/// A fact as the ledger keeps it: one statement, and where it came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactRecord {
    /// Its id.
    pub id: FactId,
    /// The statement.
    pub text: String,
    /// The key under which a newer one replaces it.
    pub key: Option<String>,
    /// 0 to 1.
    pub importance: f64,
    /// Who may be told.
    pub audience: Audience,
    /// The messages it came from.
    pub sources: Vec<MessageId>,
    /// From when it holds.
    pub valid_from: UnixMs,
    /// Until when it held; none while it holds.
    pub valid_to: Option<UnixMs>,
    /// The fact that took its place.
    pub replaced_by: Option<FactId>,
}

/// A change of a fact.
#[derive(Debug, Clone, PartialEq)]
pub enum FactChange {
    /// Adds one, with the words under which it is found (separated by blanks, made by the memory crate).
    Put {
        /// The fact.
        fact: FactRecord,
        /// The index words of its text.
        words: String,
    },
    /// It was said again: these messages are added to its sources, each at most once.
    Cite {
        /// The fact.
        fact: FactId,
        /// Where it was said again.
        sources: Vec<MessageId>,
    },
    /// It no longer holds.
    Close {
        /// The fact.
        fact: FactId,
        /// From when.
        at: UnixMs,
        /// By which other one.
        replaced_by: Option<FactId>,
    },
}

/// A search for facts.
#[derive(Debug, Clone, PartialEq)]
pub struct FactQuery {
    /// Any of these words, made by the memory crate.
    pub words: Vec<String>,
    /// Only what these may be told.
    pub audiences: Vec<Audience>,
    /// Only what began to hold at or after this time.
    pub since: Option<UnixMs>,
    /// Only what began to hold before this time.
    pub until: Option<UnixMs>,
    /// At most this many.
    pub limit: usize,
}

/// A found fact.
#[derive(Debug, Clone, PartialEq)]
pub struct FactHit {
    /// The fact.
    pub fact: FactRecord,
    /// BM25; higher is better. Zero for a substring match.
    pub score: f64,
}

/// Reads facts. All but [`Facts::get`] find only those that hold now.
#[async_trait]
pub trait Facts: Send + Sync + fmt::Debug {
    /// One of them, whether it still holds or not.
    async fn get(&self, id: FactId) -> Result<Option<FactRecord>, StoreError>;

    /// By words, best first.
    async fn search(&self, query: &FactQuery) -> Result<Vec<FactHit>, StoreError>;

    /// By a piece of their text, newest first; `query.words` is ignored. With an empty piece: the newest of all.
    async fn containing(&self, piece: &str, query: &FactQuery) -> Result<Vec<FactHit>, StoreError>;

    /// By key, within one audience.
    async fn by_key(&self, audience: &Audience, key: &str) -> Result<Option<FactRecord>, StoreError>;
}
