//! The kernel's own tools: those that need the kernel. One file a tool, and one line in [`ALL`].

mod child_result;
mod schedule_add;
mod spawn_child;

use std::sync::Arc;

use hearth_contract::clock::Clock;
use hearth_contract::store::{StoreError, Stores};
use hearth_contract::task::Tasks;
use hearth_contract::tool::{Tool, ToolError, ToolSpec};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::limits::Limits;
use crate::task_queue::TaskQueue;

/// What these tools stand on.
#[derive(Debug, Clone)]
pub struct OwnToolDeps {
    /// The background tasks; the same queue as the kernel's.
    pub task_queue: Arc<TaskQueue>,
    /// The ledger.
    pub stores: Stores,
    /// Where tasks are spawned.
    pub tasks: Tasks,
    /// The bounds.
    pub limits: Limits,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// The zone of schedules for which none is named.
    pub zone: jiff::tz::TimeZone,
}

/// A tool, and how it is made.
#[derive(Clone, Copy)]
pub struct OwnToolEntry {
    /// Its name.
    pub name: &'static str,
    /// Makes it.
    pub build: fn(&OwnToolDeps) -> Arc<dyn Tool>,
}

/// The kernel's own tools.
pub const ALL: &[OwnToolEntry] = &[spawn_child::ENTRY, child_result::ENTRY, schedule_add::ENTRY];

/// Whether a tool is one of these.
pub(crate) fn is_own(name: &str) -> bool {
    ALL.iter().any(|entry| entry.name == name)
}

/// The arguments of a call.
fn parse<T: DeserializeOwned>(spec: &ToolSpec, arguments: Map<String, Value>) -> Result<T, ToolError> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| ToolError::InvalidArguments { reason: format!("{}: {error}", spec.name) })
}

fn store_failed(error: StoreError) -> ToolError {
    ToolError::Failed { reason: error.to_string() }
}
