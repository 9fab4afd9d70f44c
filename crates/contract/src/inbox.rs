//! The ways from outside into the kernel: saying something, and asking it to do something.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use crate::clock::UnixMs;
use crate::id::{ChatKey, MessageId, ScheduleId, SessionKey, TaskId, TurnId};
use crate::language::Language;
use crate::message::{Inbound, MessageEnd, Sender};
use crate::provider::SourceInfo;
use crate::store::{DialogRecord, ScheduleRecord, StoreError};

/// When the caller wants to be told that a message is safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acknowledge {
    /// Returns when the message is durable: the caller acknowledges it to its network then.
    WhenDurable,
    /// Returns when it is taken in order; what the world sees of it later waits for its own durability. For callers
    /// that answer only when the turn has ended.
    WhenTaken,
}

/// An accepted message.
#[derive(Debug)]
pub struct Accepted {
    /// Its id; of a second arrival, the first one's.
    pub message: MessageId,
    /// The dialog it went to.
    pub session: SessionKey,
    /// Whether it had arrived before.
    pub duplicate: bool,
    /// Told once, when it has reached its end. Closed without a word if Hearth stops before. Dropping it is fine.
    pub ended: oneshot::Receiver<Ended>,
}

/// How a message ended, for whoever waits.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// The end.
    pub end: MessageEnd,
    /// The turn, if it came to one.
    pub turn: Option<TurnId>,
    /// What was said in return, as text; empty if nothing was.
    pub reply: String,
    /// What the turn cost.
    pub usage: crate::provider::Usage,
}

/// A message was not taken. A variant is what the network is told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AcceptError {
    /// Too much is waiting: try later.
    #[error("too many messages are waiting; try again in {retry_after_ms} ms")]
    Full {
        /// When to try again.
        retry_after_ms: u64,
    },
    /// It can never be taken.
    #[error("{reason}")]
    Invalid {
        /// Why.
        reason: String,
    },
    /// It could not be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Hearth is stopping.
    #[error("stopping")]
    Stopping,
}

/// Where everything that wakes the agent goes.
#[async_trait]
pub trait Inbox: Send + Sync {
    /// Takes one message.
    async fn accept(&self, inbound: Inbound, acknowledge: Acknowledge) -> Result<Accepted, AcceptError>;
}

/// Something done to the dialogs of a chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum DialogOp {
    /// Makes one and goes to it.
    Create {
        /// Its title; empty for none yet.
        title: String,
    },
    /// Goes to one.
    Switch {
        /// Which.
        dialog: String,
    },
    /// Gives one a title.
    Rename {
        /// Which.
        dialog: String,
        /// The title.
        title: String,
    },
    /// Hides one; it is read-only until it is restored.
    Archive {
        /// Which.
        dialog: String,
    },
    /// Deletes one; it can be restored for 30 days.
    Delete {
        /// Which.
        dialog: String,
    },
    /// Brings an archived or deleted one back.
    Restore {
        /// Which.
        dialog: String,
    },
}

/// A schedule that one of our own clients wants, in a private chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSchedule {
    /// The dialog in which it fires.
    pub session: SessionKey,
    /// Who wants it: it fires with their rights.
    pub sender: Sender,
    /// What is to be done then.
    pub text: String,
    /// When.
    pub due: NewDue,
}

/// When a new schedule is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewDue {
    /// Once.
    At(UnixMs),
    /// After each such period, in milliseconds.
    Every(u64),
    /// By the calendar and the clock on the wall of a zone.
    Cron {
        /// Minute, hour, day of the month, month, day of the week.
        expression: String,
        /// The IANA name of the zone; the zone in which Hearth tells time if none.
        zone: Option<String>,
    },
}

/// Something asked of the kernel went wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ControlError {
    /// There is no such thing.
    #[error("{what}")]
    NotFound {
        /// What was looked for, in words.
        what: String,
    },
    /// What was asked makes no sense.
    #[error("{what}")]
    Invalid {
        /// What is wrong.
        what: String,
        /// What to write instead.
        hint: String,
    },
    /// It cannot be done now.
    #[error("{reason}")]
    Refused {
        /// Why, and what to do.
        reason: String,
    },
    /// The ledger could not be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A link of the chain from a message to its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExplanationLine {
    /// When.
    pub at: UnixMs,
    /// Stable: `accepted`, `trigger`, `turn`, `recall`, `prompt`, `model`, `tool`, `note`, `delivery`, `end`.
    pub kind: String,
    /// In words.
    pub text: String,
}

/// How busy the kernel is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Load {
    /// Turns that run.
    pub turns_running: usize,
    /// Accepted messages that wait for a turn.
    pub messages_waiting: usize,
}

/// Commands on sessions, from our own clients.
#[async_trait]
pub trait Control: Send + Sync {
    /// Changes the dialogs of a chat; the dialog concerned is returned.
    async fn dialog(&self, chat: &ChatKey, op: DialogOp) -> Result<DialogRecord, ControlError>;

    /// Stops the turn that runs in a session. Whether one ran.
    async fn stop(&self, session: &SessionKey, by: &str) -> bool;

    /// Cancels a schedule.
    async fn cancel_schedule(&self, schedule: ScheduleId) -> Result<(), ControlError>;

    /// Makes a schedule. The request is checked; what is wrong with it is [`ControlError::Invalid`].
    async fn add_schedule(&self, request: NewSchedule) -> Result<ScheduleRecord, ControlError>;

    /// Does now what an active schedule is for, beside its plan: its next time stays.
    async fn run_schedule(&self, schedule: ScheduleId) -> Result<(), ControlError>;

    /// The next occurrences of one active schedule, or of all of them, the soonest first; at most `limit`.
    async fn upcoming(
        &self,
        schedule: Option<ScheduleId>,
        limit: usize,
    ) -> Result<Vec<(ScheduleRecord, UnixMs)>, ControlError>;

    /// Cancels a background task that has not ended.
    async fn cancel_task(&self, task: TaskId, by: &str) -> Result<(), ControlError>;

    /// Why a message was answered as it was, or not: by the id of a message, turn or delivery.
    async fn why(&self, id: &str, language: Language) -> Result<Vec<ExplanationLine>, ControlError>;

    /// How busy the kernel is.
    fn load(&self) -> Load;

    /// The sources of models in the order they are asked, and the code of the last error of each (empty if none).
    fn sources(&self) -> Vec<(SourceInfo, String)>;
}
