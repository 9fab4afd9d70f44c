//! What can go wrong outside of the ports: at opening and in upkeep. Each says what happened and what to do.

use std::path::PathBuf;

/// The store could not be opened. A variant is what the person does next.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The config names a backend that this Hearth does not have.
    #[error("storage.url `{url}` is not known; write \"sqlite\"")]
    UnknownBackend {
        /// What the config says.
        url: String,
    },
    /// A newer Hearth has written it.
    #[error(
        "{path} is of version {found}, this Hearth knows up to {known}; use a newer Hearth, or restore an older backup"
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest this Hearth knows.
        known: i64,
    },
    /// An older Hearth has written it, and it was opened only for reading.
    #[error(
        "{path} is of version {found}, this Hearth needs {known}; start `hearth serve` once, which brings it up"
    )]
    Older {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The one this Hearth needs.
        known: i64,
    },
    /// It can no longer be read.
    #[error(
        "{path} is damaged ({reason}); it was left as it is: restore a backup with `hearth restore FILE`"
    )]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// It is a database of something else.
    #[error("{path} is not a database of Hearth; move it away, or choose another home")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// There is none, and none was to be made.
    #[error("{path} does not exist; start `hearth serve` or `hearth chat` once, which makes it")]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// A restore broke off between two renames.
    #[error(
        "{path} is missing while {left} is there: a restore was interrupted; run `hearth restore FILE` again"
    )]
    Interrupted {
        /// The database.
        path: PathBuf,
        /// What the restore left.
        left: PathBuf,
    },
    /// The disk, or the rights on it, stand in the way.
    #[error("{path} cannot be opened: {reason}; check the disk and the rights of the folder")]
    Unavailable {
        /// The database.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// A backup, a check or a restore did not work. Nothing was damaged.
#[derive(Debug, thiserror::Error)]
pub enum UpkeepError {
    /// The target is there already.
    #[error("{path} exists already; choose another name, nothing was overwritten")]
    Exists {
        /// The target.
        path: PathBuf,
    },
    /// The file cannot be used.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The disk, or the rights on it, stand in the way.
    #[error("{path} cannot be written: {reason}; check the disk and the rights of the folder")]
    Unavailable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}
