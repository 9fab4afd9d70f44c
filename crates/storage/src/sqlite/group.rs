//! The thread that writes: what has queued up becomes one group, a group is one commit, and a promise is kept when
//! its commit is as safe as the durability setting says.

use std::collections::VecDeque;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use hearth_contract::store::{Change, Durable, StoreError, Urgency};
use rusqlite::{Connection, ErrorCode};
use tokio::sync::oneshot;

use super::codec::execute;
use super::log_length::LogLength;
use super::trouble::{Trouble, unavailable};
use super::writer::{Command, Next, Shared};
use super::{deliveries, dialogs, effects, facts, messages, schedules, settings, tasks, turns, usage};
use crate::config::Durability;
use crate::options::{CommitFault, FaultKind};

type Keep = oneshot::Sender<Result<(), StoreError>>;

/// What the thread is started with.
pub(super) struct Setup {
    pub(super) connection: Connection,
    pub(super) log: PathBuf,
    pub(super) durability: Durability,
    pub(super) fault: Option<CommitFault>,
    /// How long something may stay unsynced, and how often writing is tried again.
    pub(super) interval: Duration,
}

/// A transaction that was executed in the open group.
struct Executed {
    changes: Vec<Change>,
    /// None for one that nobody waits for.
    keep: Option<Keep>,
}

/// The thread's state.
pub(super) struct Group {
    setup: Setup,
    shared: Arc<Shared>,
    /// Recorded transactions that could not be written yet, in order.
    kept: VecDeque<Vec<Change>>,
    retry_at: Option<Instant>,
    /// Promises of what is committed and not yet safe.
    unsafe_promises: Vec<Keep>,
    /// When the log must be synced; none if it is.
    sync_at: Option<Instant>,
    synchronous: Synchronous,
    commits_tried: u64,
    log: LogLength,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Synchronous {
    Full,
    Normal,
}

impl Group {
    pub(super) fn new(mut setup: Setup, shared: Arc<Shared>) -> rusqlite::Result<Self> {
        setup.connection.pragma_update(None, "synchronous", "normal")?;
        let log = LogLength::watch(&mut setup.connection, setup.interval)?;
        Ok(Self {
            setup,
            shared,
            kept: VecDeque::new(),
            retry_at: None,
            unsafe_promises: Vec::new(),
            sync_at: None,
            synchronous: Synchronous::Normal,
            commits_tried: 0,
            log,
        })
    }

    /// Writes until the queue is closed and empty. The answer says what could not be written.
    pub(super) fn run(mut self) -> Result<(), StoreError> {
        loop {
            let deadline = [self.sync_at, self.retry_at, self.log.move_at].into_iter().flatten().min();
            match self.shared.next(deadline) {
                Next::Group(commands) => self.write(commands),
                Next::Deadline => {}
                Next::End => break,
            }
            let now = Instant::now();
            if self.retry_at.is_some_and(|at| at <= now) {
                self.write(Vec::new());
            }
            if self.sync_at.is_some_and(|at| at <= now) {
                self.sync_log();
            }
            if self.log.move_at.is_some_and(|at| at <= now) {
                self.log.move_into_database(&self.setup.connection);
            }
        }
        self.finish()
    }

    fn finish(mut self) -> Result<(), StoreError> {
        if !self.kept.is_empty() {
            self.write(Vec::new());
        }
        if self.sync_at.is_some() {
            self.sync_log();
        }
        let moved = self.setup.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        let closed = self.setup.connection.close().map_err(|(_, error)| error);
        if !self.kept.is_empty() {
            let count = self.kept.len();
            tracing::error!(count, "records could not be written before the end");
            return Err(StoreError::Unavailable { reason: format!("{count} records could not be written") });
        }
        moved.and(closed).map_err(|error| unavailable(&error))
    }

    /// Writes one group: first what was kept, then `commands`.
    fn write(&mut self, commands: Vec<Command>) {
        self.retry_at = None;
        let taken = commands.len() + self.kept.len();
        let urgent =
            commands.iter().any(|command| matches!(command, Command::Apply { urgency: Urgency::Now, .. }));
        let mut failure = self.begin(urgent).err();
        let mut executed = Vec::with_capacity(commands.len() + self.kept.len());
        for changes in std::mem::take(&mut self.kept) {
            failure = self.record(changes, failure, &mut executed);
        }
        for command in commands {
            match command {
                Command::Record { changes } => failure = self.record(changes, failure, &mut executed),
                Command::Apply { changes, reply, .. } => {
                    failure = self.apply(changes, reply, failure, &mut executed);
                }
                #[cfg(test)]
                Command::Run(work) => work(&self.setup.connection),
            }
        }
        let result = match failure {
            Some(error) => Err(error),
            None => self.commit(executed.is_empty()),
        };
        match result {
            Ok(wrote) => self.committed(executed, urgent, wrote),
            Err(error) => self.failed(executed, &error),
        }
        let tally = &self.shared.tally;
        tally.records_kept.store(self.kept.len(), Ordering::Relaxed);
        tally.unfinished.fetch_sub(taken - self.kept.len(), Ordering::Relaxed);
    }

    fn begin(&mut self, urgent: bool) -> rusqlite::Result<()> {
        let wanted = match (self.setup.durability, urgent) {
            (Durability::Power, true) => Synchronous::Full,
            (Durability::Power, false) | (Durability::Process, _) => Synchronous::Normal,
        };
        if wanted != self.synchronous {
            let value = match wanted {
                Synchronous::Full => "full",
                Synchronous::Normal => "normal",
            };
            self.setup.connection.pragma_update(None, "synchronous", value)?;
            self.synchronous = wanted;
        }
        execute(&self.setup.connection, "BEGIN IMMEDIATE", []).map(|_| ())
    }

    /// Executes one that nobody waits for. Returns why the whole group has failed, if it has.
    fn record(
        &mut self,
        changes: Vec<Change>,
        failure: Option<rusqlite::Error>,
        executed: &mut Vec<Executed>,
    ) -> Option<rusqlite::Error> {
        let result = match failure {
            Some(error) => Err(Trouble::Broken(error)),
            None => self.execute(&changes),
        };
        match result {
            Ok(()) => executed.push(Executed { changes, keep: None }),
            Err(Trouble::Broken(error)) if ends_the_group(&error) => {
                executed.push(Executed { changes, keep: None });
                return Some(error);
            }
            Err(trouble) => {
                let error = trouble.into_store_error();
                tracing::error!(%error, ?changes, "a record was refused by the ledger and is dropped");
            }
        }
        None
    }

    /// Executes one whose caller waits. Returns why the whole group has failed, if it has.
    fn apply(
        &mut self,
        changes: Vec<Change>,
        reply: oneshot::Sender<Result<Durable, StoreError>>,
        failure: Option<rusqlite::Error>,
        executed: &mut Vec<Executed>,
    ) -> Option<rusqlite::Error> {
        let result = match failure {
            Some(error) => Err(Trouble::Broken(error)),
            None => self.execute(&changes),
        };
        // A caller that no longer listens is no reason to stop: what is executed stays in the group.
        match result {
            Ok(()) => {
                let (keep, promise) = Durable::promise();
                let _ = reply.send(Ok(promise));
                executed.push(Executed { changes, keep: Some(keep) });
            }
            Err(Trouble::Broken(error)) if ends_the_group(&error) => {
                let _ = reply.send(Err(unavailable(&error)));
                return Some(error);
            }
            Err(trouble) => {
                let _ = reply.send(Err(trouble.into_store_error()));
            }
        }
        None
    }

    /// All of it or nothing.
    fn execute(&self, changes: &[Change]) -> Result<(), Trouble> {
        let connection = &self.setup.connection;
        execute(connection, "SAVEPOINT one", [])?;
        let result = changes.iter().try_for_each(|change| apply_change(connection, change));
        // A full disk can make SQLite give up the whole transaction by itself; there is no savepoint then.
        if !connection.is_autocommit() {
            if result.is_err() {
                execute(connection, "ROLLBACK TO one", [])?;
            }
            execute(connection, "RELEASE one", [])?;
        }
        result
    }

    /// Commits the open group. Returns whether the log has grown by it.
    fn commit(&mut self, is_empty: bool) -> rusqlite::Result<bool> {
        if is_empty {
            return execute(&self.setup.connection, "ROLLBACK", []).map(|_| false);
        }
        self.commits_tried += 1;
        let fault =
            self.setup.fault.filter(|fault| fault.number == self.commits_tried).map(|fault| fault.kind);
        match fault {
            Some(FaultKind::AbortBefore) => std::process::abort(),
            Some(FaultKind::Fail) => {
                let full = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL);
                return Err(rusqlite::Error::SqliteFailure(full, None));
            }
            Some(FaultKind::AbortAfter) | None => {}
        }
        self.log.before_commit();
        execute(&self.setup.connection, "COMMIT", [])?;
        if fault == Some(FaultKind::AbortAfter) {
            std::process::abort();
        }
        Ok(self.log.after_commit())
    }

    fn committed(&mut self, executed: Vec<Executed>, urgent: bool, wrote: bool) {
        let tally = &self.shared.tally;
        if !executed.is_empty() {
            tally.groups.fetch_add(1, Ordering::Relaxed);
            let count = u64::try_from(executed.len()).unwrap_or(u64::MAX);
            tally.transactions.fetch_add(count, Ordering::Relaxed);
        }
        let promises = executed.into_iter().filter_map(|one| one.keep);
        match self.setup.durability {
            Durability::Process => promises.for_each(|keep| drop(keep.send(Ok(())))),
            Durability::Power => self.unsafe_promises.extend(promises),
        }
        if wrote && self.synchronous == Synchronous::Full {
            tally.groups_synced.fetch_add(1, Ordering::Relaxed);
            self.all_safe();
            return;
        }
        if wrote && self.sync_at.is_none() {
            self.sync_at = Some(Instant::now() + self.setup.interval);
        }
        match (self.sync_at, self.setup.durability) {
            // Nothing is unsynced, so what wrote nothing is safe too.
            (None, _) => self.all_safe(),
            // A commit that changed no page syncs nothing, but whoever waits for it waits for all before it.
            (Some(_), Durability::Power) if urgent => self.sync_log(),
            (Some(_), _) => {}
        }
    }

    fn failed(&mut self, executed: Vec<Executed>, error: &rusqlite::Error) {
        if !self.setup.connection.is_autocommit()
            && let Err(error) = execute(&self.setup.connection, "ROLLBACK", [])
        {
            tracing::error!(%error, "a failed group could not be rolled back");
        }
        let told = unavailable(error);
        tracing::error!(%error, transactions = executed.len(), "a group could not be written");
        for one in executed {
            let somebody_knows = one.keep.is_some_and(|keep| keep.send(Err(told.clone())).is_ok());
            if !somebody_knows {
                // It is kept, as what is recorded is: it was taken, and nobody will send it again.
                self.kept.push_back(one.changes);
            }
        }
        if !self.kept.is_empty() {
            self.retry_at = Some(Instant::now() + self.setup.interval);
        }
    }

    fn all_safe(&mut self) {
        self.sync_at = None;
        for keep in self.unsafe_promises.drain(..) {
            // Whoever does not wait for the promise does not need it kept.
            let _ = keep.send(Ok(()));
        }
    }

    /// Makes all commits safe. The log is no file that SQLite locks, so that opening and closing it here loses no lock.
    fn sync_log(&mut self) {
        match File::open(&self.setup.log).and_then(|log| log.sync_data()) {
            Ok(()) => {
                self.shared.tally.log_syncs.fetch_add(1, Ordering::Relaxed);
                self.all_safe();
            }
            Err(error) => {
                tracing::error!(%error, "the write-ahead log could not be synced");
                let told = StoreError::Unavailable { reason: "the disk reports an error".into() };
                for keep in self.unsafe_promises.drain(..) {
                    let _ = keep.send(Err(told.clone()));
                }
                self.sync_at = Some(Instant::now() + self.setup.interval);
            }
        }
    }
}

/// Whether the error is about the database rather than about one transaction.
fn ends_the_group(error: &rusqlite::Error) -> bool {
    use ErrorCode::{ConstraintViolation, TooBig, TypeMismatch, Unknown};
    match error.sqlite_error_code() {
        Some(ConstraintViolation | TypeMismatch | TooBig | Unknown) | None => false,
        Some(_) => true,
    }
}

fn apply_change(connection: &Connection, change: &Change) -> Result<(), Trouble> {
    match change {
        Change::Message(change) => messages::apply(connection, change),
        Change::Turn(change) => turns::apply(connection, change),
        Change::Effect(change) => effects::apply(connection, change),
        Change::Delivery(change) => deliveries::apply(connection, change),
        Change::Dialog(change) => dialogs::apply(connection, change),
        Change::Schedule(change) => schedules::apply(connection, change),
        Change::Task(change) => tasks::apply(connection, change),
        Change::Setting(change) => settings::apply(connection, change),
        Change::Usage(change) => usage::apply(connection, change),
        Change::Fact(change) => facts::apply(connection, change),
    }
}
