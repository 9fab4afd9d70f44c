//! Backups, checks and restores.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use super::schema::{self, MIGRATIONS, sql_trouble};
use super::{connect, files, trouble};
use crate::error::{OpenError, UpkeepError};

/// How often a restore looks for a free name for the database it moves away.
const REPLACED_NAMES_MAX: u32 = 10_000;
/// All pages in one step.
const ALL_PAGES: std::ffi::c_int = -1;

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The version of the schema.
    pub version: i64,
    /// How many messages it holds.
    pub messages: u64,
}

/// Checks a database or a backup, page by page; changes nothing.
pub(crate) fn check(database: &Path) -> Result<Checked, OpenError> {
    if !database.try_exists().map_err(|error| schema::io_trouble(database, &error))? {
        return Err(OpenError::Missing { path: database.to_owned() });
    }
    let connection = connect::reader(database).map_err(|error| sql_trouble(database, &error))?;
    check_connection(&connection, database)
}

/// Checks what a connection sees.
pub(super) fn check_connection(connection: &Connection, database: &Path) -> Result<Checked, OpenError> {
    let version = schema::check_version(connection, database, MIGRATIONS)?;
    let text = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, String>(0));
    let found = text("PRAGMA integrity_check(1)").map_err(|error| sql_trouble(database, &error))?;
    if found != "ok" {
        return Err(OpenError::Damaged { path: database.to_owned(), reason: found });
    }
    let messages: i64 = connection
        .query_row("SELECT count(*) FROM messages", [], |row| row.get(0))
        .map_err(|error| sql_trouble(database, &error))?;
    Ok(Checked { version, messages: u64::try_from(messages).unwrap_or(0) })
}

/// Copies what `from` sees now to `to`, and makes it safe. Writers go on meanwhile.
fn copy(from: &Connection, to: &Path) -> Result<(), UpkeepError> {
    let unwritten = |reason: String| UpkeepError::Unavailable { path: to.to_owned(), reason };
    files::remove(to).and_then(|()| files::make_private(to)).map_err(|error| unwritten(error.to_string()))?;
    let copied = (|| {
        let mut target = connect::plain(to)?;
        let step = Backup::new(from, &mut target)?.step(ALL_PAGES)?;
        // The copy is in the mode of its source; without a log it is one file that can be carried away.
        target.pragma_update_and_check(None, "journal_mode", "delete", |row| row.get::<_, String>(0))?;
        target.close().map_err(|(_, error)| error)?;
        Ok(step)
    })()
    .map_err(|error: rusqlite::Error| unwritten(trouble::reason(&error)))?;
    if !matches!(copied, StepResult::Done) {
        return Err(unwritten("the database was locked meanwhile".into()));
    }
    files::sync_file(to).map_err(|error| unwritten(error.to_string()))
}

/// Copies to a file beside `to` and gives it its name when it is whole. Never overwrites.
pub(super) fn backup(from: &Connection, to: &Path) -> Result<(), UpkeepError> {
    let unwritten =
        |error: std::io::Error| UpkeepError::Unavailable { path: to.to_owned(), reason: error.to_string() };
    if to.try_exists().map_err(unwritten)? {
        return Err(UpkeepError::Exists { path: to.to_owned() });
    }
    let part = files::beside(to, ".part");
    let copied = copy(from, &part);
    if copied.is_err() {
        // The error that is reported is the first one.
        let _ = files::remove(&part);
        return copied;
    }
    std::fs::rename(&part, to).and_then(|()| files::sync_folder_of(to)).map_err(unwritten)
}

/// The same from a file, beside whoever has it open.
pub(crate) fn backup_file(database: &Path, to: &Path) -> Result<(), UpkeepError> {
    if !database.try_exists().map_err(|error| schema::io_trouble(database, &error))? {
        return Err(OpenError::Missing { path: database.to_owned() }.into());
    }
    let connection = connect::reader(database).map_err(|error| sql_trouble(database, &error))?;
    schema::check_version(&connection, database, MIGRATIONS)?;
    backup(&connection, to)
}

/// Puts a checked backup in the place of `database`, which nobody may have open. Returns where the old one is now.
pub(crate) fn restore(backup: &Path, database: &Path) -> Result<Option<PathBuf>, UpkeepError> {
    check(backup)?;
    let from = connect::reader(backup).map_err(|error| sql_trouble(backup, &error))?;
    let new = files::copy_of(database);
    copy(&from, &new)?;
    drop(from);
    check(&new)?;
    let unwritten = |error: std::io::Error| UpkeepError::Unavailable {
        path: database.to_owned(),
        reason: error.to_string(),
    };
    let replaced = move_away(database).map_err(unwritten)?;
    std::fs::rename(&new, database).and_then(|()| files::sync_folder_of(database)).map_err(unwritten)?;
    Ok(replaced)
}

/// Gives the database and what belongs to it another name. None if there is no database.
fn move_away(database: &Path) -> std::io::Result<Option<PathBuf>> {
    if !database.try_exists()? {
        files::remove_orphaned_log(database)?;
        return Ok(None);
    }
    for number in 1..=REPLACED_NAMES_MAX {
        let away = files::beside(database, &format!(".replaced-{number}"));
        if away.try_exists()? {
            continue;
        }
        // The log goes first: a database without its log is older, a log beside another database would be wrong.
        let log = files::log_of(database);
        if log.try_exists()? {
            std::fs::rename(&log, files::log_of(&away))?;
        }
        files::remove(&files::beside(database, "-shm"))?;
        std::fs::rename(database, &away)?;
        return Ok(Some(away));
    }
    Err(std::io::Error::other("there are too many replaced databases"))
}
