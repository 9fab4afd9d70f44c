//! What the model may call, built in: one file a tool, and one line here for each.

mod arguments;
mod changes;
mod delete_file;
mod deps;
mod edit_file;
mod file_tool;
mod frame;
mod html;
mod http_get;
mod list_dir;
mod memory_forget;
mod memory_recall;
mod memory_store;
mod moment;
mod now;
mod orphans;
mod output_send;
mod ports;
mod read_file;
mod run_shell;
pub mod sandbox;
mod search_files;
mod shell;
mod text;
mod timer_cancel;
mod timer_list;
mod timer_set;
mod workspace;
mod write_file;

use std::fmt;
use std::sync::Arc;

use hearth_contract::tool::Tool;

pub use changes::{Changes, ToolScope};
pub use deps::{NetworkAccess, ShellSettings, ToolDeps};
pub use orphans::reap_orphans;

/// A built-in tool: its name, and how it is made.
#[derive(Clone, Copy)]
pub struct ToolEntry {
    /// The name the model calls it by.
    pub name: &'static str,
    /// Whether, and where, it can change the workspace: what it changes is recorded and can be undone.
    pub scope: ToolScope,
    /// Makes it.
    pub make: fn(&ToolDeps) -> Arc<dyn Tool>,
}

impl ToolEntry {
    /// Makes it; what it changes in the workspace is recorded.
    pub fn build(&self, deps: &ToolDeps) -> Arc<dyn Tool> {
        changes::tracked((self.make)(deps), self.scope, &deps.changes)
    }
}

impl fmt::Debug for ToolEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolEntry").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Every built-in tool, in the order in which models are told of them.
pub const ALL: &[ToolEntry] = &[
    ToolEntry { name: now::NAME, scope: ToolScope::Nothing, make: now::build },
    ToolEntry { name: memory_store::NAME, scope: ToolScope::Nothing, make: memory_store::build },
    ToolEntry { name: memory_recall::NAME, scope: ToolScope::Nothing, make: memory_recall::build },
    ToolEntry { name: memory_forget::NAME, scope: ToolScope::Nothing, make: memory_forget::build },
    ToolEntry { name: timer_set::NAME, scope: ToolScope::Nothing, make: timer_set::build },
    ToolEntry { name: timer_list::NAME, scope: ToolScope::Nothing, make: timer_list::build },
    ToolEntry { name: timer_cancel::NAME, scope: ToolScope::Nothing, make: timer_cancel::build },
    ToolEntry { name: read_file::NAME, scope: ToolScope::Nothing, make: read_file::build },
    ToolEntry { name: write_file::NAME, scope: ToolScope::Path("path"), make: write_file::build },
    ToolEntry { name: edit_file::NAME, scope: ToolScope::Path("path"), make: edit_file::build },
    ToolEntry { name: delete_file::NAME, scope: ToolScope::Path("path"), make: delete_file::build },
    ToolEntry { name: list_dir::NAME, scope: ToolScope::Nothing, make: list_dir::build },
    ToolEntry { name: search_files::NAME, scope: ToolScope::Nothing, make: search_files::build },
    ToolEntry { name: run_shell::NAME, scope: ToolScope::Workspace, make: run_shell::build },
    ToolEntry { name: http_get::NAME, scope: ToolScope::Nothing, make: http_get::build },
    ToolEntry { name: output_send::NAME, scope: ToolScope::Nothing, make: output_send::build },
];

/// Makes every built-in tool.
pub fn build_all(deps: &ToolDeps) -> Vec<Arc<dyn Tool>> {
    ALL.iter().map(|entry| entry.build(deps)).collect()
}
