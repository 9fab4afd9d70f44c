//! The schema: numbered steps, each run once, and the version in `PRAGMA user_version`.
//!
//! An existing database is migrated on a copy. The old file stays beside it until the new one has served.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode};

use super::{connect, files, trouble};
use crate::error::OpenError;

#[cfg(test)]
mod tests;

/// Marks a database as Hearth's (`PRAGMA application_id`): the letters `Hrth`.
const APPLICATION_ID: i64 = 0x4872_7468;

/// The steps, the first from an empty database. One is never changed once it was released; a new one is added.
pub(super) const MIGRATIONS: &[&str] =
    &[include_str!("migrations/0001_ledger.sql"), include_str!("migrations/0002_tasks.sql")];

/// What a file turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// An empty database.
    Empty,
    /// Hearth's, of this version.
    Version(i64),
    /// Somebody else's.
    Foreign,
}

/// The version these steps lead to.
pub(super) fn newest(migrations: &[&str]) -> i64 {
    i64::try_from(migrations.len()).unwrap_or(i64::MAX)
}

/// Brings the database to the newest version, making it if it is not there.
pub(super) fn prepare(database: &Path, migrations: &[&str]) -> Result<(), OpenError> {
    let copy = files::copy_of(database);
    if !exists(database)? && exists(&copy)? {
        return Err(OpenError::Interrupted { path: database.to_owned(), left: copy });
    }
    if !exists(database)? {
        return make(database, migrations);
    }
    if is_blank(database).map_err(|error| io_trouble(database, &error))? {
        // A new one gets its name only when it is whole, so this one has lost what it held.
        return Err(OpenError::Damaged { path: database.to_owned(), reason: "it is empty".into() });
    }
    let connection = connect::plain(database).map_err(|error| sql_trouble(database, &error))?;
    match look(&connection).map_err(|error| sql_trouble(database, &error))? {
        Found::Foreign => Err(OpenError::Foreign { path: database.to_owned() }),
        Found::Version(found) if found > newest(migrations) => Err(newer(database, found, migrations)),
        Found::Version(found) if found == newest(migrations) => Ok(()),
        Found::Version(found) => {
            tracing::info!(from = found, to = newest(migrations), "the database is brought to a new version");
            migrate_copy(connection, database, found, migrations)
        }
        Found::Empty => run(&connection, 0, migrations).map_err(|error| sql_trouble(database, &error)),
    }
}

/// Whether a file holds nothing at all.
fn is_blank(file: &Path) -> std::io::Result<bool> {
    Ok(std::fs::metadata(file)?.len() == 0)
}

/// Makes a new database under another name, without a sync on the way, and gives it its name when it is whole and
/// safe: the first start waits for few syncs, and a crash leaves no half database.
fn make(database: &Path, migrations: &[&str]) -> Result<(), OpenError> {
    let making = files::beside(database, ".making");
    let on_disk = |error: std::io::Error| io_trouble(database, &error);
    files::remove(&making)
        .and_then(|()| files::remove_orphaned_log(&making))
        .and_then(|()| files::remove_orphaned_log(database))
        .and_then(|()| files::make_private(&making))
        .map_err(on_disk)?;
    (|| {
        let connection = connect::plain(&making)?;
        connection.pragma_update(None, "synchronous", "off")?;
        connection.pragma_update_and_check(None, "journal_mode", "memory", |row| row.get::<_, String>(0))?;
        run(&connection, 0, migrations)?;
        connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0))?;
        connection.close().map_err(|(_, error)| error)
    })()
    .map_err(|error| sql_trouble(database, &error))?;
    files::sync_file(&making)
        .and_then(|()| std::fs::rename(&making, database))
        .and_then(|()| files::sync_folder_of(database))
        .map_err(on_disk)
}

/// Checks that a database can be read as it is.
pub(super) fn check_version(
    connection: &Connection,
    database: &Path,
    migrations: &[&str],
) -> Result<i64, OpenError> {
    match look(connection).map_err(|error| sql_trouble(database, &error))? {
        Found::Foreign | Found::Empty => Err(OpenError::Foreign { path: database.to_owned() }),
        Found::Version(found) if found > newest(migrations) => Err(newer(database, found, migrations)),
        Found::Version(found) => Ok(found),
    }
}

/// The name under which the file of version `found` is kept after a migration.
fn kept_name(database: &Path, found: i64) -> PathBuf {
    files::beside(database, &format!(".before-v{}", found + 1))
}

/// Removes what earlier migrations kept, once the new file has served.
pub(super) fn remove_kept(database: &Path, migrations: &[&str]) {
    for found in 1..newest(migrations) {
        let kept = kept_name(database, found);
        if let Err(error) = files::remove(&kept) {
            tracing::warn!(%error, path = %kept.display(), "an old database could not be removed");
        }
    }
}

fn look(connection: &Connection) -> rusqlite::Result<Found> {
    let number =
        |pragma: &str| connection.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get::<_, i64>(0));
    let (version, application) = (number("user_version")?, number("application_id")?);
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(match (application, version, tables) {
        (APPLICATION_ID, 1.., _) => Found::Version(version),
        (_, 0, 0) => Found::Empty,
        _ => Found::Foreign,
    })
}

/// Runs the steps after version `from`, each in a transaction of its own.
fn run(connection: &Connection, from: i64, migrations: &[&str]) -> rusqlite::Result<()> {
    let mut version = 0;
    for step in migrations {
        version += 1;
        if version > from {
            let marks = format!("PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {version};");
            let transaction = connection.unchecked_transaction()?;
            transaction.execute_batch(step)?;
            transaction.execute_batch(&marks)?;
            transaction.commit()?;
        }
    }
    Ok(())
}

fn migrate_copy(
    connection: Connection,
    database: &Path,
    from: i64,
    migrations: &[&str],
) -> Result<(), OpenError> {
    // Leaving the log needs the file for ourselves and moves all of the log into it: a plain copy is whole then.
    connection
        .pragma_update_and_check(None, "journal_mode", "delete", |row| row.get::<_, String>(0))
        .and_then(|_| connection.close().map_err(|(_, error)| error))
        .map_err(|error| sql_trouble(database, &error))?;
    let copy = files::copy_of(database);
    files::remove(&copy)
        .and_then(|()| std::fs::copy(database, &copy).map(|_| ()))
        .map_err(|error| io_trouble(&copy, &error))?;
    let migrated = (|| {
        let connection = connect::plain(&copy)?;
        run(&connection, from, migrations)?;
        connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0))
    })()
    .map_err(|error| sql_trouble(database, &error))?;
    if migrated != "ok" {
        return Err(OpenError::Damaged { path: database.to_owned(), reason: migrated });
    }
    files::sync_file(&copy)
        .and_then(|()| files::keep_as(database, &kept_name(database, from)))
        .and_then(|()| std::fs::rename(&copy, database))
        .and_then(|()| files::sync_folder_of(database))
        .map_err(|error| io_trouble(database, &error))
}

fn exists(path: &Path) -> Result<bool, OpenError> {
    path.try_exists().map_err(|error| io_trouble(path, &error))
}

fn newer(database: &Path, found: i64, migrations: &[&str]) -> OpenError {
    OpenError::Newer { path: database.to_owned(), found, known: newest(migrations) }
}

/// An error of the file system, as the person is told.
pub(super) fn io_trouble(path: &Path, error: &std::io::Error) -> OpenError {
    OpenError::Unavailable { path: path.to_owned(), reason: error.to_string() }
}

/// An error of SQLite, as the person is told.
pub(super) fn sql_trouble(path: &Path, error: &rusqlite::Error) -> OpenError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            OpenError::Damaged { path: path.to_owned(), reason: error.to_string() }
        }
        Some(_) | None => OpenError::Unavailable { path: path.to_owned(), reason: trouble::reason(error) },
    }
}
