//! The ledger: stored rows are the truth, every queue, list and retry is a view of them.
//!
//! Writing is one port for all records, because a transition often touches several and must be one transaction:
//! [`Ledger`] takes a list of [`Change`]s. Reading is a small port a record. A kind of record is one file here and one
//! file in each backend.

mod deliveries;
mod dialogs;
mod effects;
mod facts;
mod messages;
mod proof;
mod schedules;
mod settings;
mod tasks;
mod turns;
mod usage;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::oneshot;

pub use deliveries::{Deliveries, DeliveryChange, DeliveryRecord, DeliveryState};
pub use dialogs::{DialogChange, DialogRecord, DialogState, Dialogs};
pub use effects::{EffectChange, EffectRecord, EffectState, Effects};
pub use facts::{Audience, FactChange, FactHit, FactQuery, FactRecord, Facts};
pub use messages::{MessageChange, MessagePage, Messages};
pub use proof::{Named, Proof, Prover};
pub use schedules::{ScheduleChange, ScheduleKind, ScheduleRecord, ScheduleState, Schedules};
pub use settings::{SettingChange, SettingRecord, Settings};
pub use tasks::{BackgroundTasks, TaskChange, TaskNotice, TaskRecord, TaskState};
pub use turns::{Lease, Step, StepRecord, TurnChange, TurnHistory, TurnRecord, TurnState, Turns};
pub use usage::{UsageChange, UsageReads, UsageRecord, UsageTotal};

/// One change of one record. Several make one transaction.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Of a message.
    Message(MessageChange),
    /// Of a turn or its steps.
    Turn(TurnChange),
    /// Of an effect.
    Effect(EffectChange),
    /// Of a delivery.
    Delivery(DeliveryChange),
    /// Of a dialog.
    Dialog(DialogChange),
    /// Of a schedule.
    Schedule(ScheduleChange),
    /// Of a background task.
    Task(TaskChange),
    /// Of a run-time setting.
    Setting(SettingChange),
    /// Of the usage account.
    Usage(UsageChange),
    /// Of memory.
    Fact(FactChange),
}

macro_rules! into_change {
    ($($variant:ident($inner:ty)),* $(,)?) => {
        $(impl From<$inner> for Change {
            fn from(change: $inner) -> Self {
                Self::$variant(change)
            }
        })*
    };
}

into_change!(
    Message(MessageChange),
    Turn(TurnChange),
    Effect(EffectChange),
    Delivery(DeliveryChange),
    Dialog(DialogChange),
    Schedule(ScheduleChange),
    Task(TaskChange),
    Setting(SettingChange),
    Usage(UsageChange),
    Fact(FactChange),
);

/// The ledger could not do it. A variant is what the caller does next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Somebody was there first; nothing of the transaction happened. `existing` names what is there.
    #[error("{what} is already there: {existing}")]
    Conflict {
        /// Which rule was hit: `message`, `lease`, `occurrence`, `task`.
        what: &'static str,
        /// The id of what is there.
        existing: String,
    },
    /// The disk is full or read-only, or the database is broken: tell the person, try later.
    #[error("the ledger cannot be written: {reason}")]
    Unavailable {
        /// For people: what is wrong.
        reason: String,
    },
}

/// When a transaction must be safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// As soon as can be: somebody waits for it before the world may see something.
    Now,
    /// With the next urgent one, at the latest after a second.
    Later,
}

/// The promise that a transaction becomes safe.
#[derive(Debug)]
pub struct Durable(oneshot::Receiver<Result<(), StoreError>>);

impl Durable {
    /// A promise and the means to keep it.
    pub fn promise() -> (oneshot::Sender<Result<(), StoreError>>, Self) {
        let (keep, promise) = oneshot::channel();
        (keep, Self(promise))
    }

    /// Returns when the transaction is as safe as the durability setting says.
    pub async fn wait(self) -> Result<(), StoreError> {
        self.0
            .await
            .unwrap_or_else(|_| Err(StoreError::Unavailable { reason: "the writer has stopped".into() }))
    }
}

/// The one writer. Transactions take effect in the order of the calls; what has queued up is committed as one group.
#[async_trait]
pub trait Ledger: Send + Sync + fmt::Debug {
    /// Applies one transaction: all of it or nothing. Returns once its order and its conflicts are settled; the
    /// promise tells when it is safe. A transaction that is safe makes all earlier ones safe.
    async fn apply(&self, changes: Vec<Change>, urgency: Urgency) -> Result<Durable, StoreError>;

    /// Queues a transaction that nobody waits for. While the ledger cannot be written it is kept and goes before the
    /// next [`Ledger::apply`]; it is lost only with the process.
    fn record(&self, changes: Vec<Change>);
}

impl dyn Ledger {
    /// Applies one transaction and waits until it is safe.
    pub async fn commit(&self, changes: Vec<Change>) -> Result<(), StoreError> {
        self.apply(changes, Urgency::Now).await?.wait().await
    }
}

/// Everything a backend offers: the writer, and a reader a record. Readers see what is committed, which an applied
/// transaction becomes within moments.
#[derive(Debug, Clone)]
pub struct Stores {
    /// The writer.
    pub ledger: Arc<dyn Ledger>,
    /// Messages.
    pub messages: Arc<dyn Messages>,
    /// Turns and their steps.
    pub turns: Arc<dyn Turns>,
    /// Effects of tools.
    pub effects: Arc<dyn Effects>,
    /// Deliveries.
    pub deliveries: Arc<dyn Deliveries>,
    /// Dialogs.
    pub dialogs: Arc<dyn Dialogs>,
    /// Schedules.
    pub schedules: Arc<dyn Schedules>,
    /// Background tasks.
    pub tasks: Arc<dyn BackgroundTasks>,
    /// Run-time settings.
    pub settings: Arc<dyn Settings>,
    /// The usage account.
    pub usage: Arc<dyn UsageReads>,
    /// Facts of memory.
    pub facts: Arc<dyn Facts>,
    /// The counts of `prove`.
    pub prover: Arc<dyn Prover>,
}
