//! What can go wrong in a statement, and what is done about it.

use hearth_contract::store::StoreError;
use rusqlite::ErrorCode;

/// Why a transaction did not happen.
#[derive(Debug)]
pub(super) enum Trouble {
    /// A rule of the ledger was hit: only this transaction is undone.
    Conflict {
        /// Which rule.
        what: &'static str,
        /// What is there already.
        existing: String,
    },
    /// The database could not do it.
    Broken(rusqlite::Error),
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Self {
        Self::Broken(error)
    }
}

impl Trouble {
    /// As the caller of the port is told.
    pub(super) fn into_store_error(self) -> StoreError {
        match self {
            Self::Conflict { what, existing } => StoreError::Conflict { what, existing },
            Self::Broken(error) => unavailable(&error),
        }
    }
}

/// A conflict of `what` when `error` is a broken rule of uniqueness, the error itself otherwise.
pub(super) fn conflict_or(error: rusqlite::Error, what: &'static str, existing: impl ToString) -> Trouble {
    if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) {
        Trouble::Conflict { what, existing: existing.to_string() }
    } else {
        Trouble::Broken(error)
    }
}

/// As the caller of a port is told.
pub(super) fn unavailable(error: &rusqlite::Error) -> StoreError {
    StoreError::Unavailable { reason: reason(error) }
}

/// What is wrong, for people.
pub(crate) fn reason(error: &rusqlite::Error) -> String {
    let known = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => "the disk is full",
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => "the database is read-only",
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => "the database file is damaged",
        Some(ErrorCode::SystemIoFailure) => "the disk reports an error",
        Some(ErrorCode::CannotOpen) => "the database file cannot be opened",
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
            "another program keeps the database locked"
        }
        Some(ErrorCode::OutOfMemory) => "there is not enough memory",
        Some(_) | None => return error.to_string(),
    };
    known.to_owned()
}
