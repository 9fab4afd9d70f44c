//! Opening connections: the one place with pragmas.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

/// How long a lock of another process is waited for before it counts as trouble.
const LOCK_WAIT: Duration = Duration::from_secs(30);
/// Pages the writer keeps in memory, in KiB.
const WRITER_CACHE_KIB: i64 = 2048;
/// Pages a reader keeps in memory, in KiB.
const READER_CACHE_KIB: i64 = 1024;
/// The statements a connection keeps prepared; more than there are.
const STATEMENTS_MAX: usize = 96;
/// The write-ahead log is cut to this length when it starts anew, in bytes.
const LOG_KEPT_BYTES: i64 = 16 * 1024 * 1024;

fn prepare(connection: &Connection, cache_kib: i64) -> rusqlite::Result<()> {
    connection.busy_timeout(LOCK_WAIT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    connection.pragma_update(None, "cache_size", -cache_kib)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    connection.pragma_update(None, "mmap_size", 0)
}

/// A connection that writes; makes the file if it is not there. Journals in whichever way the file says.
pub(super) fn plain(database: &Path) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(database, flags)?;
    prepare(&connection, WRITER_CACHE_KIB)?;
    Ok(connection)
}

/// The connection of the writer: with a write-ahead log, which the writer itself moves into the database.
pub(super) fn writer(database: &Path) -> rusqlite::Result<Connection> {
    let connection = plain(database)?;
    connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0))?;
    connection.pragma_update(None, "journal_size_limit", LOG_KEPT_BYTES)?;
    Ok(connection)
}

/// A connection that can only read, and makes nothing.
pub(super) fn reader(database: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(database, flags)?;
    prepare(&connection, READER_CACHE_KIB)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}
