//! Background tasks: work that outlives the turn that wanted it, and whose result is not lost.
//!
//! What came of a task has been shown to the model, or is pending; never neither. It is shown when a turn that held it
//! ended well: as a message on the bus, or claimed by a tool.

use std::fmt;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::{Lease, StoreError};
use crate::clock::UnixMs;
use crate::id::{CallId, ChatKey, MessageId, SessionKey, TaskId, TurnId};
use crate::message::{Arrival, ChatKind, Sender};

/// Where a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// It waits for a worker.
    Queued,
    /// It is worked on.
    Running,
    /// It ended, and has a result.
    Done,
    /// It ended, and the result says why there is no better one.
    Failed,
    /// Somebody no longer wanted it.
    Cancelled,
}

impl TaskState {
    /// The stable name, as `prove` counts it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether nothing more is done for it.
    pub fn is_end(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }
}

/// Whether the model has been shown what came of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskNotice {
    /// There is nothing to show: it has not ended, or who cancelled it knows.
    Nothing,
    /// It has ended, and nothing has been done about it.
    Pending,
    /// It is on the bus as this message.
    Announced {
        /// The message.
        message: MessageId,
    },
    /// It is for this turn, one of whose tools waits for it or has returned it.
    Claimed {
        /// The turn.
        turn: TurnId,
    },
    /// It was shown in this turn.
    Shown {
        /// The turn.
        turn: TurnId,
    },
}

/// A background task as the ledger keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRecord {
    /// Its id.
    pub id: TaskId,
    /// The name of its kind ([`crate::background::TaskKind`]).
    pub kind: String,
    /// The dialog that is told of its end.
    pub session: SessionKey,
    /// Private or group.
    pub chat_kind: ChatKind,
    /// Our account on the network.
    pub account: String,
    /// Who wanted it: it runs with their rights.
    pub sender: Sender,
    /// The message that led to it.
    pub cause: MessageId,
    /// The tool call that made it. A call makes one task at the most.
    pub call: Option<CallId>,
    /// What it is about, in a line.
    pub title: String,
    /// What its kind needs to know, in that kind's own form.
    pub payload: String,
    /// Where it is.
    pub state: TaskState,
    /// How often it was begun.
    pub attempts: u32,
    /// Who works on it; the fencing number is 0 before anybody does.
    pub lease: Lease,
    /// What a vendor calls the job it does for us; empty if there is none.
    pub handle: String,
    /// What came of it; of a cancelled one, who cancelled it.
    pub result: String,
    /// How its end meets a turn that is running.
    pub arrival: Arrival,
    /// Whether the model has been shown that.
    pub notice: TaskNotice,
    /// How often a turn that held the result ended without having shown it.
    pub notice_failures: u32,
    /// When it was made.
    pub created_at: UnixMs,
    /// When it ended.
    pub ended_at: Option<UnixMs>,
    /// When the notice last changed.
    pub notice_at: UnixMs,
}

/// A change of a background task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskChange {
    /// Makes one. Conflicts (`task`, the first one's id) when its call has made one already.
    Put(Box<TaskRecord>),
    /// Somebody begins to work on it: attempts rise by one. Conflicts (`lease`) when it has ended, or the stored
    /// fencing number is not one less.
    Start {
        /// The task.
        task: TaskId,
        /// The worker.
        lease: Lease,
    },
    /// A vendor has taken the job, and calls it so. Nothing changes when the worker has lost the task.
    SetHandle {
        /// The task.
        task: TaskId,
        /// The fencing number of the worker.
        fence: i64,
        /// The vendor's name for the job.
        handle: String,
    },
    /// It has ended, and its result is pending, unless it was claimed before. Conflicts (`lease`) when it is not running under this fencing number.
    Finish {
        /// The task.
        task: TaskId,
        /// The fencing number of the worker.
        fence: i64,
        /// [`TaskState::Done`] or [`TaskState::Failed`].
        state: TaskState,
        /// What came of it.
        result: String,
        /// How that meets a turn that is running.
        arrival: Arrival,
        /// When.
        at: UnixMs,
    },
    /// Nobody wants it any more. Conflicts (`task`) when it has ended.
    Cancel {
        /// The task.
        task: TaskId,
        /// Who says so.
        by: String,
        /// When.
        at: UnixMs,
    },
    /// A pending result goes on the bus as `message`, in the same transaction. Conflicts (`task`) when it is not
    /// pending.
    Announce {
        /// The task.
        task: TaskId,
        /// The message that it became.
        message: MessageId,
        /// When.
        at: UnixMs,
    },
    /// A tool of `turn` takes a pending result. Conflicts (`task`) when it is neither pending nor that turn's already.
    Claim {
        /// The task.
        task: TaskId,
        /// The turn.
        turn: TurnId,
        /// When.
        at: UnixMs,
    },
    /// The tool that waited no longer does: the result is nobody's, unless the turn does not have it anyway.
    LetGo {
        /// The task.
        task: TaskId,
        /// The turn.
        turn: TurnId,
        /// When.
        at: UnixMs,
    },
    /// A turn has ended well: the results it held (claimed, or taken up as a message) have been shown.
    Show {
        /// The turn.
        turn: TurnId,
        /// When.
        at: UnixMs,
    },
    /// A turn has ended otherwise: the results it held are pending again. What has not ended is nobody's from now on,
    /// as with [`TaskChange::Show`].
    Release {
        /// The turn.
        turn: TurnId,
        /// When.
        at: UnixMs,
    },
}

/// Reads background tasks.
#[async_trait]
pub trait BackgroundTasks: Send + Sync + fmt::Debug {
    /// One of them.
    async fn get(&self, id: TaskId) -> Result<Option<TaskRecord>, StoreError>;

    /// The one that a tool call has made.
    async fn of_call(&self, call: &CallId) -> Result<Option<TaskRecord>, StoreError>;

    /// Those that have not ended, oldest first.
    async fn open(&self) -> Result<Vec<TaskRecord>, StoreError>;

    /// Those whose result is pending, oldest first.
    async fn pending(&self) -> Result<Vec<TaskRecord>, StoreError>;

    /// Those of a chat (of all chats if none), newest first; at most `limit`.
    async fn list(&self, chat: Option<&ChatKey>, limit: usize) -> Result<Vec<TaskRecord>, StoreError>;
}
