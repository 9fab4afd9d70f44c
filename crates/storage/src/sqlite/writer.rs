//! The door of the writer: a bounded queue in front of the one thread that writes.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use async_trait::async_trait;
use hearth_contract::store::{Change, Durable, Ledger, StoreError, Urgency};
use tokio::sync::{Semaphore, oneshot};

/// The most transactions that wait for the writer; beyond it the calling tasks wait for their place.
pub(super) const TRANSACTIONS_MAX: usize = 1024;
/// The most transactions that become one group.
const GROUP_MAX: usize = 512;
/// The most recorded transactions that are kept while the database cannot be written. With more, nothing else is
/// taken until they are written.
pub(super) const RECORDS_KEPT_MAX: usize = 4096;

/// A transaction on its way to the writer.
pub(super) enum Command {
    /// Somebody waits for its order.
    Apply { changes: Vec<Change>, urgency: Urgency, reply: oneshot::Sender<Result<Durable, StoreError>> },
    /// Nobody waits for it.
    Record { changes: Vec<Change> },
    /// Something a test does to the connection.
    #[cfg(test)]
    Run(Box<dyn FnOnce(&rusqlite::Connection) + Send>),
}

/// What the writer has done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriterCounters {
    /// Groups that were committed.
    pub groups: u64,
    /// Of these, committed with a sync of the disk.
    pub groups_synced: u64,
    /// Syncs of the write-ahead log outside of a commit.
    pub log_syncs: u64,
    /// Transactions in all groups.
    pub transactions: u64,
    /// Recorded transactions that wait because the database cannot be written.
    pub records_kept: u64,
}

/// The counters, as the writer's thread counts.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) groups: AtomicU64,
    pub(super) groups_synced: AtomicU64,
    pub(super) log_syncs: AtomicU64,
    pub(super) transactions: AtomicU64,
    pub(super) records_kept: AtomicUsize,
    /// Transactions that were taken and are neither written nor refused.
    pub(super) unfinished: AtomicUsize,
}

/// What the door and the thread share.
pub(super) struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    pub(super) tally: Tally,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Command>,
    closing: bool,
}

/// What the thread does next.
pub(super) enum Next {
    /// Write these.
    Group(Vec<Command>),
    /// The deadline has passed.
    Deadline,
    /// There will be nothing more.
    End,
}

impl Shared {
    pub(super) fn new() -> Self {
        Self { state: Mutex::default(), wake: Condvar::new(), tally: Tally::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, command: Command) -> Result<(), StoreError> {
        let mut state = self.lock();
        if state.closing {
            return Err(stopped());
        }
        state.queue.push_back(command);
        self.tally.unfinished.fetch_add(1, Ordering::Relaxed);
        drop(state);
        self.wake.notify_one();
        Ok(())
    }

    /// Lets the thread end when it has written what is queued.
    pub(super) fn close(&self) {
        self.lock().closing = true;
        self.wake.notify_one();
    }

    /// Waits for something to write, at the latest until `deadline`; for ever if there is none.
    pub(super) fn next(&self, deadline: Option<Instant>) -> Next {
        let mut state = self.lock();
        loop {
            if !state.queue.is_empty() {
                let length = state.queue.len().min(GROUP_MAX);
                return Next::Group(state.queue.drain(..length).collect());
            }
            if state.closing {
                return Next::End;
            }
            state = match deadline {
                None => self.wake.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Next::Deadline;
                    }
                    self.wake.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

/// The ledger port: hands transactions to the thread.
pub(crate) struct Writer {
    shared: Arc<Shared>,
    places: Semaphore,
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("counters", &self.counters()).finish_non_exhaustive()
    }
}

impl Writer {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, places: Semaphore::new(TRANSACTIONS_MAX) }
    }

    pub(crate) fn counters(&self) -> WriterCounters {
        let tally = &self.shared.tally;
        WriterCounters {
            groups: tally.groups.load(Ordering::Relaxed),
            groups_synced: tally.groups_synced.load(Ordering::Relaxed),
            log_syncs: tally.log_syncs.load(Ordering::Relaxed),
            transactions: tally.transactions.load(Ordering::Relaxed),
            records_kept: u64::try_from(tally.records_kept.load(Ordering::Relaxed)).unwrap_or(u64::MAX),
        }
    }

    pub(crate) fn begin_to_close(&self) {
        self.shared.close();
    }

    #[cfg(test)]
    pub(super) fn queued(&self) -> usize {
        self.shared.lock().queue.len()
    }

    #[cfg(test)]
    pub(super) fn unfinished(&self) -> usize {
        self.shared.tally.unfinished.load(Ordering::Relaxed)
    }

    #[cfg(test)]
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&rusqlite::Connection) -> T + Send + 'static,
    ) -> T {
        let (reply, answer) = oneshot::channel();
        let work = move |connection: &rusqlite::Connection| drop(reply.send(work(connection)));
        self.shared.push(Command::Run(Box::new(work))).unwrap();
        answer.await.unwrap()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.shared.close();
    }
}

#[async_trait]
impl Ledger for Writer {
    async fn apply(&self, changes: Vec<Change>, urgency: Urgency) -> Result<Durable, StoreError> {
        let _place = self.places.acquire().await.map_err(|_| stopped())?;
        if self.shared.tally.unfinished.load(Ordering::Relaxed) > RECORDS_KEPT_MAX + TRANSACTIONS_MAX {
            let reason = "too much that could not be written is waiting in memory".into();
            return Err(StoreError::Unavailable { reason });
        }
        let (reply, answer) = oneshot::channel();
        self.shared.push(Command::Apply { changes, urgency, reply })?;
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }

    fn record(&self, changes: Vec<Change>) {
        if let Err(error) = self.shared.push(Command::Record { changes }) {
            tracing::error!(%error, "a record came after the ledger was closed");
        }
    }
}

fn stopped() -> StoreError {
    StoreError::Unavailable { reason: "the ledger is closed".into() }
}
