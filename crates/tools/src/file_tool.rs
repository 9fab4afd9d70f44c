//! What the file tools share: they work on a thread of their own, because disks make them wait.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hearth_contract::tool::{ToolContext, ToolError};

use crate::workspace::Workspace;

/// Bytes of a file that the file tools read or write at most.
pub(crate) const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// How long a file tool may take.
pub(crate) const FILE_TIMEOUT_MS: u64 = 30_000;

/// Held while a file is read, changed and written back, so that two sessions do not undo each other's changes.
static CHANGING: Mutex<()> = Mutex::new(());

/// Opens the workspace and changes something in it; one change at a time.
pub(crate) async fn change_workspace<T: Send + 'static>(
    context: &ToolContext,
    work: impl FnOnce(&Workspace) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    in_workspace(context, |workspace| {
        let _changing = changing();
        work(workspace)
    })
    .await
}

/// While this is held, no file tool changes anything.
pub(crate) fn changing() -> MutexGuard<'static, ()> {
    CHANGING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens the workspace and does `work` in it.
pub(crate) async fn in_workspace<T: Send + 'static>(
    context: &ToolContext,
    work: impl FnOnce(&Workspace) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let path = context.workspace.clone();
    let done = tokio::task::spawn_blocking(move || work(&Workspace::open(&path)?));
    done.await.map_err(|error| ToolError::Failed { reason: format!("the tool broke off: {error}") })?
}
