//! A turn that is going on: what belongs to it, and what hooks and memory see of it.

use hearth_contract::clock::UnixMs;
use hearth_contract::hook::TurnView;
use hearth_contract::id::{SessionKey, TurnId};
use hearth_contract::language::Language;
use hearth_contract::memory::Viewer;
use hearth_contract::message::MessageRecord;
use hearth_contract::provider::Usage;
use hearth_contract::store::{Change, Lease, MessageChange, TurnChange, TurnRecord, TurnState};

use crate::journal::Journal;
use crate::terms::Terms;

/// A turn that is going on.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) id: TurnId,
    pub(crate) session: SessionKey,
    /// The message it answers.
    pub(crate) cause: MessageRecord,
    /// What it took up at its beginning, the cause among them, oldest first.
    pub(crate) inputs: Vec<MessageRecord>,
    /// What joined it since.
    pub(crate) joined: Vec<MessageRecord>,
    pub(crate) fence: i64,
    pub(crate) attempt: u32,
    pub(crate) began_at: UnixMs,
    pub(crate) journal: Journal,
    pub(crate) usage: Usage,
    /// The preferred source and the code of its error, when another one answered.
    pub(crate) fallen_back: Option<FallenBack>,
    /// How many messages left by the tool `output_send`.
    pub(crate) spoken: u32,
    /// What it works with.
    pub(crate) terms: Terms,
}

/// Another source than the preferred one answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FallenBack {
    pub(crate) preferred: String,
    pub(crate) code: &'static str,
    pub(crate) answering: String,
}

impl Turn {
    /// One that begins now.
    pub(crate) fn fresh(
        session: SessionKey,
        cause: MessageRecord,
        inputs: Vec<MessageRecord>,
        terms: Terms,
        now: UnixMs,
    ) -> Self {
        Self::with_id(TurnId::new(), session, cause, inputs, terms, now)
    }

    /// One that begins now and has an id already.
    pub(crate) fn with_id(
        id: TurnId,
        session: SessionKey,
        cause: MessageRecord,
        inputs: Vec<MessageRecord>,
        terms: Terms,
        now: UnixMs,
    ) -> Self {
        Self {
            id,
            session,
            cause,
            inputs,
            joined: Vec::new(),
            fence: 1,
            attempt: 1,
            began_at: now,
            journal: Journal::fresh(id),
            usage: Usage::default(),
            fallen_back: None,
            spoken: 0,
            terms,
        }
    }

    /// The change that begins it.
    pub(crate) fn start(&self, lease_owner: &str) -> Change {
        TurnChange::Start(TurnRecord {
            id: self.id,
            session: self.session.clone(),
            cause: self.cause.id,
            state: TurnState::Running,
            attempt: self.attempt,
            lease: Lease { owner: lease_owner.to_owned(), fence: self.fence },
            started_at: self.began_at,
            ended_at: None,
            usage: self.usage,
            detail: String::new(),
        })
        .into()
    }

    /// The changes that begin it and take up its messages.
    pub(crate) fn start_changes(&self, lease_owner: &str) -> Vec<Change> {
        let taken = self
            .inputs
            .iter()
            .map(|message| MessageChange::TakeUp { message: message.id, turn: self.id }.into());
        std::iter::once(self.start(lease_owner)).chain(taken).collect()
    }

    /// What hooks see of it.
    pub(crate) fn view(&self) -> TurnView {
        TurnView {
            turn: self.id,
            session: self.session.clone(),
            chat_kind: self.cause.chat_kind,
            sender: self.cause.sender.clone(),
        }
    }

    /// From where memory is looked at.
    pub(crate) fn viewer(&self) -> Viewer {
        Viewer {
            session: self.session.clone(),
            chat_kind: self.cause.chat_kind,
            role: self.cause.sender.role,
        }
    }

    pub(crate) fn language(&self) -> Language {
        Language::of(&self.cause.text)
    }
}
