//! Schedules and their occurrences.

use std::fmt;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::clock::UnixMs;
use crate::id::{ChatKey, MessageId, ScheduleId, SessionKey};
use crate::message::{ChatKind, Sender};

/// When a schedule is due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ScheduleKind {
    /// Once.
    At {
        /// Then.
        due_at: UnixMs,
    },
    /// Again and again, by time that has passed: no zone and no change of the clocks touches it.
    Every {
        /// From one occurrence to the next.
        every_ms: u64,
        /// The occurrences are this moment plus whole periods; this moment itself is none.
        from: UnixMs,
    },
    /// By the calendar and the clock on the wall of a zone.
    Cron {
        /// Minute, hour, day of the month, month, day of the week.
        expression: String,
        /// The IANA name of the zone, such as `Asia/Shanghai`. The schedule keeps it wherever Hearth moves.
        zone: String,
    },
}

/// Whether a schedule still does something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScheduleState {
    /// It will fire.
    Active,
    /// It has fired for the last time.
    Done,
    /// It was cancelled.
    Cancelled,
}

/// A schedule as the ledger keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleRecord {
    /// Its id.
    pub id: ScheduleId,
    /// The dialog in which it fires.
    pub session: SessionKey,
    /// Private or group.
    pub chat_kind: ChatKind,
    /// Our account on the network.
    pub account: String,
    /// Who wanted it: it fires with their rights.
    pub sender: Sender,
    /// When it is due.
    pub kind: ScheduleKind,
    /// What is to be done then, in the words of who wanted it.
    pub text: String,
    /// The message that led to it; an id of no message if a client made it without one.
    pub cause: MessageId,
    /// When it was made.
    pub created_at: UnixMs,
    /// Whether it still does something.
    pub state: ScheduleState,
    /// When it is due next; none when it is over.
    pub next_due_at: Option<UnixMs>,
}

/// A change of a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScheduleChange {
    /// Makes one or replaces it.
    Put(Box<ScheduleRecord>),
    /// It became due and is on the bus as `message`, in the same transaction. Conflicts (`occurrence`) when this
    /// occurrence was claimed before or the schedule is not active.
    Fire {
        /// The schedule.
        schedule: ScheduleId,
        /// Which occurrence.
        due_at: UnixMs,
        /// The message that it became.
        message: MessageId,
        /// When it is due next; none ends the schedule.
        next_due_at: Option<UnixMs>,
    },
    /// Somebody no longer wants it.
    Cancel {
        /// The schedule.
        schedule: ScheduleId,
    },
}

/// Reads schedules.
#[async_trait]
pub trait Schedules: Send + Sync + fmt::Debug {
    /// One of them.
    async fn get(&self, id: ScheduleId) -> Result<Option<ScheduleRecord>, StoreError>;

    /// Active ones by their next time, the soonest first; at most `limit`.
    async fn next(&self, limit: usize) -> Result<Vec<ScheduleRecord>, StoreError>;

    /// Active ones of a chat (of all chats if none), the soonest first.
    async fn active(&self, chat: Option<&ChatKey>) -> Result<Vec<ScheduleRecord>, StoreError>;
}
