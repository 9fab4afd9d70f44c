//! What tool calls change in the workspace, kept so that it can be put back.
//!
//! Before a call that can change something, what is there is recorded and the contents of files are kept; after it the
//! record is settled: what is different now. A file tool names its path; a program may change anything, so before it
//! the whole workspace is looked at, and files that have changed since the last look are read. A crash in between
//! leaves a record open; the next start settles it by comparing. Calls of several sessions that run at the same time
//! may each count the other's changes as theirs.

mod record;
mod snapshot;
mod store;
mod tracked;
mod undo;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use hearth_contract::changes::{CallChanges, ChangeLog, UndoError};
use hearth_contract::clock::Clock;
use hearth_contract::id::TurnId;
use hearth_contract::language::Language;
use hearth_contract::tool::ToolError;

use crate::file_tool;
use crate::workspace::Workspace;
use record::{Record, State, difference};
use snapshot::{NoSnapshot, Scope};
use store::Store;

pub use tracked::ToolScope;
pub(crate) use tracked::tracked;

/// How many of a turn id's last digits, which are random, the id of an undoing has.
const ID_DIGITS: usize = 12;

/// The changes of one workspace. Cloning gives another handle of the same ones.
#[derive(Debug, Clone)]
pub struct Changes(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    workspace: PathBuf,
    clock: Arc<dyn Clock>,
    /// Held while something is looked at and recorded, so that nothing that is needed is swept away.
    store: Mutex<Store>,
}

/// A record that begins.
struct NewRecord {
    call: String,
    tool: String,
    session: String,
    caller: String,
    scope: Scope,
    undoes: Option<String>,
}

impl Changes {
    /// Those of a workspace, kept in `folder`, which is made when it is needed.
    pub fn new(workspace: PathBuf, folder: PathBuf, clock: Arc<dyn Clock>) -> Self {
        Self(Arc::new(Inner { workspace, clock, store: Mutex::new(Store::new(folder)) }))
    }

    /// Settles what a Hearth that was killed has left open. To be called before anything runs. How many there were.
    pub fn settle_left(&self) -> Result<usize, UndoError> {
        let records = self.with_store(|store| store.all()).map_err(io_unavailable)?;
        let open: Vec<Record> =
            records.into_iter().filter(|record| matches!(record.state, State::Open { .. })).collect();
        let count = open.len();
        for record in open {
            self.settle(record).map_err(undo::unavailable)?;
        }
        Ok(count)
    }

    fn with_store<T>(&self, work: impl FnOnce(&mut Store) -> T) -> T {
        work(&mut self.0.store.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn begin(&self, new: NewRecord) -> Result<Record, ToolError> {
        let workspace = Workspace::open(&self.0.workspace)?;
        self.with_store(|store| {
            let state = match snapshot::take(&workspace, &new.scope, store) {
                Ok(before) => State::Open { before },
                Err(NoSnapshot::TooMuch) => State::TooMuch,
                Err(NoSnapshot::Failed(error)) => return Err(error),
            };
            let record = Record {
                number: store.next_number().map_err(not_recorded)?,
                call: new.call,
                tool: new.tool,
                session: new.session,
                caller: new.caller,
                at_ms: self.0.clock.now().0,
                scope: new.scope,
                state,
                undoes: new.undoes,
                undone_by: None,
            };
            store.put(&record).map_err(not_recorded)?;
            Ok(record)
        })
    }

    /// Compares what is there now with what was there, and keeps what is different.
    fn settle(&self, mut record: Record) -> Result<(), ToolError> {
        let workspace = Workspace::open(&self.0.workspace)?;
        self.with_store(|store| {
            if let State::Open { before } = record.state {
                record.state = match snapshot::take(&workspace, &record.scope, store) {
                    Ok(after) => State::Settled { changes: difference(before, after) },
                    Err(NoSnapshot::TooMuch) => State::TooMuch,
                    Err(NoSnapshot::Failed(error)) => return Err(error),
                };
            }
            store.put(&record).and_then(|()| store.prune(self.0.clock.now())).map_err(not_recorded)
        })
    }

    fn undo_now(&self, call: &str, by: &str, language: Language) -> Result<CallChanges, UndoError> {
        let _changing = file_tool::changing();
        let records = self.with_store(|store| store.all()).map_err(io_unavailable)?;
        let mut undone = undo::find(records, call, language)?;
        let changes = undo::changes_of(&undone, language)?.to_vec();
        let workspace = Workspace::open(&self.0.workspace).map_err(undo::unavailable)?;
        let id = TurnId::new().to_string();
        let id = format!("undo_{}", &id[id.len() - ID_DIGITS..]);
        let record = self.begin(NewRecord {
            call: id.clone(),
            tool: "undo".to_owned(),
            session: undone.session.clone(),
            caller: by.to_owned(),
            scope: Scope::Paths(changes.iter().map(|changed| format!("./{}", changed.path)).collect()),
            undoes: Some(undone.call.clone()),
        });
        let record = record.map_err(undo::unavailable)?;
        let done = self.with_store(|store| {
            let State::Open { before: now } = &record.state else {
                return Err(UndoError::Unavailable { what: "what is there now cannot be kept".to_owned() });
            };
            undo::check(&undone, &changes, now, &workspace, store, language)?;
            undo::put_back(&changes, &workspace, store, &id)
        });
        // Also what broke off in the middle is recorded: what was put back until then can be undone.
        self.settle(record).map_err(undo::unavailable)?;
        done?;
        undone.undone_by = Some(id.clone());
        self.with_store(|store| {
            let mut records = store.all()?;
            if let Some(first) = undone.undoes.as_ref().and_then(|first| {
                records
                    .iter_mut()
                    .find(|record| record.call == *first && record.undone_by.as_ref() == Some(&undone.call))
            }) {
                first.undone_by = None;
                store.put(first)?;
            }
            store.put(&undone)?;
            Ok(records.iter().find(|record| record.call == id).unwrap_or(&undone).told())
        })
        .map_err(io_unavailable)
    }
}

#[async_trait]
impl ChangeLog for Changes {
    async fn list(&self, limit: usize) -> Result<Vec<CallChanges>, UndoError> {
        let changes = self.clone();
        in_background(move || {
            let records = changes.with_store(|store| store.all()).map_err(io_unavailable)?;
            Ok(records.iter().rev().take(limit).map(Record::told).collect())
        })
        .await
    }

    async fn undo(&self, call: &str, by: &str, language: Language) -> Result<CallChanges, UndoError> {
        let (changes, call, by) = (self.clone(), call.to_owned(), by.to_owned());
        in_background(move || changes.undo_now(&call, &by, language)).await
    }
}

async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, UndoError> + Send + 'static,
) -> Result<T, UndoError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| UndoError::Unavailable { what: format!("it broke off: {error}") })?
}

fn not_recorded(error: std::io::Error) -> ToolError {
    ToolError::Failed { reason: format!("what the call changes cannot be recorded: {error}") }
}

fn io_unavailable(error: std::io::Error) -> UndoError {
    UndoError::Unavailable { what: format!("the records of changes cannot be used: {error}") }
}
