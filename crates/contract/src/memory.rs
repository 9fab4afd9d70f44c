//! What is known from earlier.

use std::fmt;

use async_trait::async_trait;

use crate::clock::UnixMs;
use crate::id::{FactId, MessageId, SessionKey};
use crate::message::ChatKind;
use crate::rights::Role;
use crate::store::{Audience, Change, FactRecord, StoreError};

/// From where memory is looked at. A private chat with the owner shares with the owner's other private chats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Viewer {
    /// The dialog.
    pub session: SessionKey,
    /// Private or group.
    pub chat_kind: ChatKind,
    /// What the person who asks may do.
    pub role: Role,
}

impl Viewer {
    /// Whom a fact learnt here may be told.
    pub fn audience(&self) -> Audience {
        match (self.chat_kind, self.role) {
            (ChatKind::Private, Role::Owner) => Audience::Owner,
            (ChatKind::Private | ChatKind::Group, _) => Audience::Chat(self.session.chat.clone()),
        }
    }

    /// Everything that may be shown here.
    pub fn may_see(&self) -> Vec<Audience> {
        let mut audiences = vec![Audience::Public, Audience::Chat(self.session.chat.clone())];
        if self.audience() == Audience::Owner {
            audiences.push(Audience::Owner);
        }
        audiences
    }
}

/// Something to be remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct NewFact {
    /// One statement.
    pub text: String,
    /// A fact with the same key in the same audience is replaced by this one.
    pub key: Option<String>,
    /// 0 to 1.
    pub importance: f64,
    /// Where it was said; whoever looks from there may see it again.
    pub viewer: Viewer,
    /// The messages it came from.
    pub sources: Vec<MessageId>,
    /// When it was said.
    pub at: UnixMs,
}

/// A question to memory.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallQuery {
    /// The words.
    pub text: String,
    /// Who asks: only what they may see is found.
    pub viewer: Viewer,
    /// At most this many.
    pub limit: usize,
    /// Only what was said at or after this time.
    pub since: Option<UnixMs>,
    /// Only what was said before this time.
    pub until: Option<UnixMs>,
}

/// Something to be forgotten.
#[derive(Debug, Clone, PartialEq)]
pub struct ForgetRequest {
    /// Which.
    pub which: ForgetTarget,
    /// Who wants it: only what they may see can be forgotten by them.
    pub viewer: Viewer,
    /// From when it no longer holds.
    pub at: UnixMs,
}

/// How a fact is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForgetTarget {
    /// By its id.
    Id(FactId),
    /// By its key, in the audience of the viewer.
    Key(String),
}

/// What will no longer hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Forgotten {
    /// The fact as it was.
    pub fact: FactRecord,
    /// The changes that forget it, to be committed with the result of the call that wanted it.
    pub changes: Vec<Change>,
}

/// Something remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// The fact.
    pub fact: FactRecord,
    /// How well it fits, 0 to 1. Comparable within one answer only.
    pub score: f64,
}

/// Memory, as the kernel and the tools see it.
#[async_trait]
pub trait Memory: Send + Sync + fmt::Debug {
    /// What fits the question, best first; nothing rather than something that does not fit.
    async fn recall(&self, query: &RecallQuery) -> Result<Vec<Recalled>, StoreError>;

    /// The changes that remember this, to be committed with the result of the call that wanted it.
    async fn remember(&self, fact: NewFact) -> Result<Vec<Change>, StoreError>;

    /// The changes that forget a fact; none if there is no such fact that holds and that the viewer may see.
    async fn forget(&self, request: &ForgetRequest) -> Result<Option<Forgotten>, StoreError>;
}
