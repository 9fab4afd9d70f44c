//! Files and folders beside the database: names, syncs, moves that survive a power cut.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The name of the database in the home folder.
pub(crate) const DATABASE_FILE: &str = "hearth.db";

/// A file of the same folder whose name is the database's and `suffix`.
pub(super) fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The write-ahead log.
pub(super) fn log_of(database: &Path) -> PathBuf {
    beside(database, "-wal")
}

/// The copy on which a migration or a restore works.
pub(super) fn copy_of(database: &Path) -> PathBuf {
    beside(database, ".new")
}

/// Makes an empty file that only its owner can read, if there is none; SQLite gives its other files the same rights.
pub(super) fn make_private(database: &Path) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(database) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other.map(|_| ()),
    }
}

/// Removes a file; one that is not there is fine.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Removes a log whose database is gone. SQLite would take it for the log of whatever gets the name next.
pub(super) fn remove_orphaned_log(database: &Path) -> io::Result<()> {
    remove(&log_of(database))?;
    remove(&beside(database, "-shm"))
}

/// Makes the content of a file safe.
pub(super) fn sync_file(path: &Path) -> io::Result<()> {
    File::options().read(true).write(true).open(path)?.sync_all()
}

/// Makes the names in the folder of `path` safe.
pub(super) fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    File::open(folder)?.sync_all()
}

/// Gives the file a second name, or copies it where the file system has no second names.
pub(super) fn keep_as(from: &Path, to: &Path) -> io::Result<()> {
    remove(to)?;
    if std::fs::hard_link(from, to).is_ok() {
        return Ok(());
    }
    std::fs::copy(from, to)?;
    sync_file(to)
}
