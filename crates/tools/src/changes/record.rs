//! The record of a call: what was there before it, and then what it changed.

use std::collections::{BTreeMap, BTreeSet};

use hearth_contract::changes::{CallChanges, ChangedPath, ChangesState, PathChange};
use hearth_contract::clock::UnixMs;
use serde::{Deserialize, Serialize};

use super::snapshot::{Content, Entry, Scope};

/// One call, as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    /// Records rise by it in the order in which their calls began.
    pub(super) number: i64,
    pub(super) call: String,
    pub(super) tool: String,
    pub(super) session: String,
    pub(super) caller: String,
    pub(super) at_ms: i64,
    pub(super) scope: Scope,
    pub(super) state: State,
    pub(super) undoes: Option<String>,
    pub(super) undone_by: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    /// The call is under way, or a crash has ended it.
    Open { before: BTreeMap<String, Entry> },
    /// The call has ended.
    Settled { changes: Vec<Changed> },
    /// There was more than can be kept.
    TooMuch,
}

/// A path that is not what it was.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Changed {
    pub(super) path: String,
    pub(super) before: Option<Entry>,
    pub(super) after: Option<Entry>,
}

impl Changed {
    /// Whether the file's content was changed and the old one was not kept.
    pub(super) fn is_lost(&self) -> bool {
        match (self.before.as_ref().and_then(Entry::content), self.after.as_ref().and_then(Entry::content)) {
            (Some(before @ Content::NotKept { .. }), after) => after != Some(before),
            _ => false,
        }
    }
}

/// What is different between two snapshots, by path.
pub(super) fn difference(
    mut before: BTreeMap<String, Entry>,
    mut after: BTreeMap<String, Entry>,
) -> Vec<Changed> {
    let paths: BTreeSet<String> = before.keys().chain(after.keys()).cloned().collect();
    let changed = paths.into_iter().filter_map(|path| {
        let (before, after) = (before.remove(&path), after.remove(&path));
        (before != after).then_some(Changed { path, before, after })
    });
    changed.collect()
}

impl Record {
    /// The names of the contents it needs.
    pub(super) fn contents(&self) -> Vec<&str> {
        match &self.state {
            State::Open { before } => {
                before.values().filter_map(|entry| entry.content().and_then(Content::name)).collect()
            }
            State::Settled { changes } => {
                // What was there afterwards is kept before it is changed again.
                changes.iter().filter_map(|changed| changed.before.as_ref()?.content()?.name()).collect()
            }
            State::TooMuch => Vec::new(),
        }
    }

    /// As it is told.
    pub(super) fn told(&self) -> CallChanges {
        let (state, changes) = match &self.state {
            State::Open { .. } => (ChangesState::Open, &[][..]),
            State::Settled { changes } => (ChangesState::Settled, &changes[..]),
            State::TooMuch => (ChangesState::TooMuch, &[][..]),
        };
        let path = |changed: &Changed| ChangedPath {
            path: changed.path.clone(),
            change: match (&changed.before, &changed.after) {
                (None, _) => PathChange::Made,
                (Some(_), Some(_)) => PathChange::Changed,
                (Some(_), None) => PathChange::Removed,
            },
            kept: !changed.is_lost(),
        };
        CallChanges {
            call: self.call.clone(),
            tool: self.tool.clone(),
            session: self.session.clone(),
            caller: self.caller.clone(),
            at: UnixMs(self.at_ms),
            state,
            paths: changes.iter().take(CallChanges::PATHS_MAX).map(path).collect(),
            paths_total: changes.len(),
            undoes: self.undoes.clone(),
            undone_by: self.undone_by.clone(),
        }
    }
}
