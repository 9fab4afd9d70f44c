//! What tools have changed in the workspace, and putting it back.

use std::fmt;

use async_trait::async_trait;

use crate::clock::UnixMs;
use crate::language::Language;

/// What one call changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallChanges {
    /// The call; one that undoes another has an id of its own.
    pub call: String,
    /// The tool that was called; `undo` for one that undoes another.
    pub tool: String,
    /// The dialog it belongs to; empty where there is none.
    pub session: String,
    /// Who asked.
    pub caller: String,
    /// When it began.
    pub at: UnixMs,
    /// Where it stands.
    pub state: ChangesState,
    /// The paths that are different now, in order; at most [`CallChanges::PATHS_MAX`] of them.
    pub paths: Vec<ChangedPath>,
    /// How many paths are different now.
    pub paths_total: usize,
    /// The call that this one undid.
    pub undoes: Option<String>,
    /// The call by which this one was undone.
    pub undone_by: Option<String>,
}

impl CallChanges {
    /// How many paths of one call are named at most.
    pub const PATHS_MAX: usize = 100;
}

/// Where the record of a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangesState {
    /// The call is under way.
    Open,
    /// What it changed is known.
    Settled,
    /// The workspace holds more than can be kept: nobody knows what it changed.
    TooMuch,
}

impl ChangesState {
    /// Its name, for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Settled => "settled",
            Self::TooMuch => "too_much",
        }
    }
}

/// A path that a call left different from how it found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedPath {
    /// Relative to the workspace.
    pub path: String,
    /// What happened to it.
    pub change: PathChange,
    /// Whether what was there before is kept; not if it was too large.
    pub kept: bool,
}

/// What happened to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathChange {
    /// There was nothing before.
    Made,
    /// It was something else before.
    Changed,
    /// There is nothing any more.
    Removed,
}

impl PathChange {
    /// Its name, for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Made => "made",
            Self::Changed => "changed",
            Self::Removed => "removed",
        }
    }
}

/// Nothing was put back. The texts are for people, in the language that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UndoError {
    /// There is no such call: the caller names another.
    #[error("{what}")]
    NotFound {
        /// What is wrong.
        what: String,
        /// What to do.
        hint: String,
    },
    /// It cannot be put back as things are: the caller changes them, or leaves it.
    #[error("{what}")]
    Refused {
        /// Why not.
        what: String,
        /// What to do.
        hint: String,
    },
    /// The disk does not do it: the caller looks at the disk.
    #[error("{what}")]
    Unavailable {
        /// What happened.
        what: String,
    },
}

/// What tools have changed in the workspace.
#[async_trait]
pub trait ChangeLog: Send + Sync + fmt::Debug {
    /// The newest records, the newest first.
    async fn list(&self, limit: usize) -> Result<Vec<CallChanges>, UndoError>;

    /// Puts back what a call changed; all of it, or nothing if a path has changed since. The beginning of the call's id
    /// is enough, with or without `call_`. What this changes is a record of its own, which is returned, and which can
    /// be undone in turn.
    async fn undo(&self, call: &str, by: &str, language: Language) -> Result<CallChanges, UndoError>;
}
