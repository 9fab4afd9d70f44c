//! The ledger in one SQLite file. A kind of record is one file here; `writer` and `group` write, `readers` read.

mod codec;
mod connect;
mod deliveries;
mod dialogs;
mod effects;
mod facts;
mod files;
mod group;
mod log_length;
mod messages;
mod proof;
mod readers;
mod schedules;
mod schema;
mod settings;
mod tasks;
mod trouble;
mod turns;
mod upkeep;
mod usage;
mod writer;

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use hearth_contract::store::{Change, Durable, Ledger, StoreError, Stores, Urgency};
use tokio::sync::oneshot;

use self::group::{Group, Setup};
use self::readers::Readers;
use self::schema::{MIGRATIONS, check_version, io_trouble, newest, sql_trouble};
use self::writer::{Shared, Writer};
use crate::config::Durability;
use crate::error::{OpenError, UpkeepError};
use crate::options::OpenOptions;

pub(crate) use self::files::DATABASE_FILE;
pub use self::upkeep::Checked;
pub(crate) use self::upkeep::{backup_file, check, restore};
pub use self::writer::WriterCounters;

/// An open database.
#[derive(Debug)]
pub(crate) struct Database {
    path: PathBuf,
    readers: Arc<Readers>,
    writer: Arc<Writer>,
    ended: Mutex<Option<oneshot::Receiver<Result<(), StoreError>>>>,
}

impl Database {
    /// Opens the database, making or migrating it first.
    pub(crate) fn open(
        path: PathBuf,
        durability: Durability,
        options: &OpenOptions,
    ) -> Result<Self, OpenError> {
        schema::prepare(&path, MIGRATIONS)?;
        let connection = connect::writer(&path).map_err(|error| sql_trouble(&path, &error))?;
        check_version(&connection, &path, MIGRATIONS)?;
        if durability == Durability::Power {
            // The check has made the log; its name must be safe before anything in it is called so.
            files::sync_folder_of(&path).map_err(|error| io_trouble(&path, &error))?;
        }
        let shared = Arc::new(Shared::new());
        let setup = Setup {
            connection,
            log: files::log_of(&path),
            durability,
            fault: options.commit_fault,
            interval: options.interval,
        };
        let group = Group::new(setup, Arc::clone(&shared)).map_err(|error| sql_trouble(&path, &error))?;
        let (end, ended) = oneshot::channel();
        std::thread::Builder::new()
            .name("ledger".into())
            .spawn(move || {
                // Nobody listens when the store was dropped rather than closed.
                let _ = end.send(group.run());
            })
            .map_err(|error| io_trouble(&path, &error))?;
        let readers = Arc::new(Readers::new(path.clone()));
        let writer = Arc::new(Writer::new(shared));
        Ok(Self { path, readers, writer, ended: Mutex::new(Some(ended)) })
    }

    /// The ports.
    pub(crate) fn stores(&self) -> Stores {
        stores(Arc::clone(&self.writer) as Arc<dyn Ledger>, &self.readers)
    }

    pub(crate) fn counters(&self) -> WriterCounters {
        self.writer.counters()
    }

    /// Copies what is committed now to a new file.
    pub(crate) async fn backup(&self, to: PathBuf) -> Result<(), UpkeepError> {
        let result =
            self.readers.with_connection(move |connection| Ok(upkeep::backup(connection, &to))).await;
        result.unwrap_or_else(|error| Err(self.unreadable(error).into()))
    }

    /// Checks every page.
    pub(crate) async fn check(&self) -> Result<Checked, OpenError> {
        let path = self.path.clone();
        let checked =
            move |connection: &mut rusqlite::Connection| Ok(upkeep::check_connection(connection, &path));
        self.readers.with_connection(checked).await.unwrap_or_else(|error| Err(self.unreadable(error)))
    }

    fn unreadable(&self, error: StoreError) -> OpenError {
        OpenError::Unavailable { path: self.path.clone(), reason: error.to_string() }
    }

    /// Writes and syncs all that is queued, and closes the file.
    pub(crate) async fn close(&self) -> Result<(), StoreError> {
        self.readers.close().await;
        self.writer.begin_to_close();
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(ended) = ended {
            let stopped = || StoreError::Unavailable { reason: "the writer broke off".into() };
            ended.await.unwrap_or_else(|_| Err(stopped()))?;
            schema::remove_kept(&self.path, MIGRATIONS);
        }
        Ok(())
    }
}

/// Opens an existing database for reading only: nothing is made and nothing is migrated.
pub(crate) fn open_read_only(path: PathBuf) -> Result<Stores, OpenError> {
    if !path.try_exists().map_err(|error| io_trouble(&path, &error))? {
        return Err(OpenError::Missing { path });
    }
    let connection = connect::reader(&path).map_err(|error| sql_trouble(&path, &error))?;
    let found = check_version(&connection, &path, MIGRATIONS)?;
    drop(connection);
    if found < newest(MIGRATIONS) {
        return Err(OpenError::Older { path, found, known: newest(MIGRATIONS) });
    }
    Ok(stores(Arc::new(ClosedLedger), &Arc::new(Readers::new(path))))
}

fn stores(ledger: Arc<dyn Ledger>, readers: &Arc<Readers>) -> Stores {
    Stores {
        ledger,
        messages: Arc::clone(readers) as _,
        turns: Arc::clone(readers) as _,
        effects: Arc::clone(readers) as _,
        deliveries: Arc::clone(readers) as _,
        dialogs: Arc::clone(readers) as _,
        schedules: Arc::clone(readers) as _,
        tasks: Arc::clone(readers) as _,
        settings: Arc::clone(readers) as _,
        usage: Arc::clone(readers) as _,
        facts: Arc::clone(readers) as _,
        prover: Arc::clone(readers) as _,
    }
}

/// The ledger of a store that was opened for reading.
#[derive(Debug)]
struct ClosedLedger;

#[async_trait]
impl Ledger for ClosedLedger {
    async fn apply(&self, _changes: Vec<Change>, _urgency: Urgency) -> Result<Durable, StoreError> {
        Err(StoreError::Unavailable { reason: "the database was opened for reading only".into() })
    }

    fn record(&self, changes: Vec<Change>) {
        tracing::error!(?changes, "a record came to a database that was opened for reading only");
    }
}
