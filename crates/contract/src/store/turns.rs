//! Turns and their steps.

use std::fmt;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::clock::UnixMs;
use crate::id::{CallId, FactId, MessageId, SessionKey, TurnId};
use crate::message::{MessageRecord, Segment};
use crate::provider::{FinishReason, Usage};
use crate::transcript::{Reasoning, ToolCall, ToolResult};

/// Where a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnState {
    /// It is worked on.
    Running,
    /// It ended by itself.
    Done,
    /// It broke off.
    Failed,
    /// It was stopped.
    Cancelled,
}

impl TurnState {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Who works on a turn. A worker whose fencing number is not the stored one has lost it and may write nothing more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// The running Hearth (its start time and process id).
    pub owner: String,
    /// Rises by one whenever the turn is taken over.
    pub fence: i64,
}

/// A turn as the ledger keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnRecord {
    /// Its id.
    pub id: TurnId,
    /// The dialog.
    pub session: SessionKey,
    /// The message that started it (whose origin says whether a person, a schedule, … woke the agent).
    pub cause: MessageId,
    /// Where it is.
    pub state: TurnState,
    /// How often it was begun: 1, and one more for each take-over after a crash.
    pub attempt: u32,
    /// Who works on it.
    pub lease: Lease,
    /// When it was begun.
    pub started_at: UnixMs,
    /// When it ended.
    pub ended_at: Option<UnixMs>,
    /// What it cost.
    pub usage: Usage,
    /// Empty, or why it failed or who stopped it.
    pub detail: String,
}

/// A change of a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnChange {
    /// Begins one.
    Start(TurnRecord),
    /// Takes over one whose worker died: attempt and fence rise by one. Conflicts (`lease`) unless the stored fence is
    /// one less than `lease.fence`.
    TakeOver {
        /// The turn.
        turn: TurnId,
        /// The new worker.
        lease: Lease,
    },
    /// Adds a step.
    Append(StepRecord),
    /// Ends one. Conflicts (`lease`) when the stored fence is another or the turn is no longer running.
    End {
        /// The turn.
        turn: TurnId,
        /// The fencing number of who ends it.
        fence: i64,
        /// How it ended.
        state: TurnState,
        /// When.
        at: UnixMs,
        /// What it cost.
        usage: Usage,
        /// Empty, or why.
        detail: String,
    },
}

/// A journaled part of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    /// The turn.
    pub turn: TurnId,
    /// Its place in the turn, from 0.
    pub number: u32,
    /// When.
    pub at: UnixMs,
    /// What.
    pub step: Step,
}

/// What a step says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Step {
    /// A model is about to be asked.
    Request {
        /// The number of the model call, from 0.
        round: u32,
        /// How large the prompt is, estimated.
        prompt_tokens: u64,
        /// How many earlier turns it holds.
        history_turns: u32,
        /// Which facts were recalled for it.
        recalled: Vec<FactId>,
        /// How many tools are on offer.
        tools: u32,
    },
    /// A model has answered; the call is never made again.
    Response {
        /// The number of the model call.
        round: u32,
        /// Its words.
        text: String,
        /// Its visible thoughts.
        reasoning: Vec<Reasoning>,
        /// Its calls, with our ids.
        calls: Vec<ToolCall>,
        /// Why it stopped.
        finish: FinishReason,
        /// What it cost.
        usage: Usage,
        /// The configured source.
        source: String,
        /// The model.
        model: String,
    },
    /// A tool has answered; the call is never made again.
    ToolResult {
        /// The number of the model call that wanted it.
        round: u32,
        /// The call.
        call: CallId,
        /// The result as the model is told.
        result: ToolResult,
    },
    /// Hooks have changed a message, or answered it, before anybody read it.
    Heard {
        /// The message.
        message: MessageId,
        /// What it says since.
        segments: Vec<Segment>,
        /// What a hook answers to it.
        answer: Option<String>,
    },
    /// Messages were steered in.
    Joined {
        /// The number of the model call that sees them first.
        round: u32,
        /// They.
        messages: Vec<MessageId>,
    },
    /// The turn broke off and is taken up again.
    Resumed {
        /// How often it has been begun by now.
        attempt: u32,
    },
    /// Something worth telling in `why`: a retry, a fail-over, a hook's edit.
    Note {
        /// In words.
        text: String,
    },
}

impl Step {
    /// The stable name of the kind, as stored.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Request { .. } => "request",
            Self::Response { .. } => "response",
            Self::ToolResult { .. } => "tool_result",
            Self::Heard { .. } => "heard",
            Self::Joined { .. } => "joined",
            Self::Resumed { .. } => "resumed",
            Self::Note { .. } => "note",
        }
    }
}

/// A turn with all that belongs to it.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnHistory {
    /// The turn.
    pub turn: TurnRecord,
    /// The messages it took up and those it said, oldest first.
    pub messages: Vec<MessageRecord>,
    /// Its steps in order.
    pub steps: Vec<StepRecord>,
}

/// Reads turns.
#[async_trait]
pub trait Turns: Send + Sync + fmt::Debug {
    /// One of them, whole.
    async fn get(&self, id: TurnId) -> Result<Option<TurnHistory>, StoreError>;

    /// Ended turns of a dialog that began before `before` (all if none), newest first; at most `limit`.
    async fn ended(
        &self,
        session: &SessionKey,
        before: Option<TurnId>,
        limit: usize,
    ) -> Result<Vec<TurnHistory>, StoreError>;

    /// Turns that are running, by the ledger.
    async fn running(&self) -> Result<Vec<TurnHistory>, StoreError>;
}
