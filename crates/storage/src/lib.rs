//! The ledger's backends. The only place with SQL.
//!
//! [`open`] gives the ports and a [`Handle`] for upkeep. A backend is a folder (`sqlite/`) with one file a kind of
//! record; another backend has the same file names.

mod config;
mod error;
mod options;
mod sqlite;

use std::path::{Path, PathBuf};

use hearth_contract::store::{StoreError, Stores};

pub use config::{Durability, StorageConfig};
pub use error::{OpenError, UpkeepError};
pub use options::{CommitFault, FaultError, FaultKind, OpenOptions};
pub use sqlite::{Checked, WriterCounters};

/// A store that is open.
#[derive(Debug)]
pub struct Opened {
    /// The ports.
    pub stores: Stores,
    /// Its upkeep.
    pub handle: Handle,
}

/// The upkeep of an open store.
#[derive(Debug)]
pub struct Handle {
    database: sqlite::Database,
}

impl Handle {
    /// Copies what is committed now to the new file `to`, which becomes one whole, synced file. Writing goes on
    /// meanwhile. Refuses to overwrite.
    pub async fn backup(&self, to: &Path) -> Result<(), UpkeepError> {
        self.database.backup(to.to_owned()).await
    }

    /// Checks every page of the database.
    pub async fn check(&self) -> Result<Checked, OpenError> {
        self.database.check().await
    }

    /// What the writer has done so far.
    pub fn counters(&self) -> WriterCounters {
        self.database.counters()
    }

    /// Writes and syncs all that is queued, keeps all promises, and closes the files. What is asked later is refused.
    /// The old file that a migration has kept is removed. The error tells what could not be written.
    pub async fn close(&self) -> Result<(), StoreError> {
        self.database.close().await
    }
}

/// Opens the store of a home, making or migrating it first. Blocks for as long as that takes.
pub fn open(config: &StorageConfig, home: &Path) -> Result<Opened, OpenError> {
    open_with(config, home, &OpenOptions::default())
}

/// The same with options, for tests of crashes.
pub fn open_with(config: &StorageConfig, home: &Path, options: &OpenOptions) -> Result<Opened, OpenError> {
    let path = database_of(config, home)?;
    let database = sqlite::Database::open(path, config.durability, options)?;
    Ok(Opened { stores: database.stores(), handle: Handle { database } })
}

/// Opens the store of a home for reading only, beside a running Hearth or without one. Makes and migrates nothing;
/// its ledger refuses everything.
pub fn open_read_only(config: &StorageConfig, home: &Path) -> Result<Stores, OpenError> {
    sqlite::open_read_only(database_of(config, home)?)
}

/// Copies the database of a home to the new file `to`, beside a running Hearth or without one. Blocks. Refuses to
/// overwrite.
pub fn backup(config: &StorageConfig, home: &Path, to: &Path) -> Result<(), UpkeepError> {
    sqlite::backup_file(&database_of(config, home)?, to)
}

/// Checks a database file or a backup page by page, and changes nothing. Blocks.
pub fn check(database: &Path) -> Result<Checked, OpenError> {
    sqlite::check(database)
}

/// Checks the backup `from` and puts a copy of it in the place of the home's database, which nobody may have open.
/// The old database is kept; its new name is returned. Blocks.
pub fn restore(config: &StorageConfig, from: &Path, home: &Path) -> Result<Option<PathBuf>, UpkeepError> {
    sqlite::restore(from, &database_of(config, home)?)
}

/// The database file of a home.
pub fn database_of(config: &StorageConfig, home: &Path) -> Result<PathBuf, OpenError> {
    match config.url.as_str() {
        "sqlite" => Ok(home.join(sqlite::DATABASE_FILE)),
        url => Err(OpenError::UnknownBackend { url: url.to_owned() }),
    }
}
