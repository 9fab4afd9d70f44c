//! How long the write-ahead log is, and when it is moved into the database.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::hooks::Wal;

/// From this length on the log is moved into the database once the writer has been quiet for a while, in pages.
const PAGES_WHEN_QUIET: i32 = 1000;
/// From this length on it is moved at once, in pages.
const PAGES_MAX: i32 = 8000;
/// What the hook has not set.
const NOTHING_WRITTEN: i32 = -1;

pub(super) struct LogLength {
    /// Set by the hook of a commit that wrote to the log: the pages in the log by then.
    hook: Arc<AtomicI32>,
    /// Pages in the log.
    pages: i32,
    /// Of these, moved into the database.
    moved: i32,
    /// How long the writer must have been quiet.
    quiet: Duration,
    /// When the log is to be moved, unless more is written before.
    pub(super) move_at: Option<Instant>,
}

impl LogLength {
    /// Watches the commits of a connection. A hook of our own takes the place of the automatic checkpoint, which would
    /// make a commit wait for it.
    pub(super) fn watch(connection: &mut Connection, quiet: Duration) -> rusqlite::Result<Self> {
        let hook = Arc::new(AtomicI32::new(NOTHING_WRITTEN));
        let pages = Arc::clone(&hook);
        connection.wal_hook(Some(move |_: &mut Wal, count| {
            pages.store(count, Ordering::Relaxed);
            Ok(())
        }))?;
        Ok(Self { hook, pages: 0, moved: 0, quiet, move_at: None })
    }

    pub(super) fn before_commit(&self) {
        self.hook.store(NOTHING_WRITTEN, Ordering::Relaxed);
    }

    /// Notes how long the log is, and when it is to be moved. Returns whether the commit wrote to it.
    pub(super) fn after_commit(&mut self) -> bool {
        let pages = self.hook.load(Ordering::Relaxed);
        if pages == NOTHING_WRITTEN {
            return false;
        }
        if pages < self.pages {
            // It began anew, because all of it had been moved.
            self.moved = 0;
        }
        self.pages = pages;
        self.move_at = match pages - self.moved {
            PAGES_MAX.. => Some(Instant::now()),
            PAGES_WHEN_QUIET.. => Some(Instant::now() + self.quiet),
            _ => None,
        };
        true
    }

    /// Moves the log, as far as no reader needs it.
    pub(super) fn move_into_database(&mut self, connection: &Connection) {
        self.move_at = None;
        self.moved = self.pages;
        let moved = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        if let Err(error) = moved {
            tracing::warn!(%error, "the write-ahead log could not be moved into the database");
        }
    }
}
