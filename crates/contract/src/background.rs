//! Kinds of background work. To add one: implement [`TaskKind`], and name it where the kernel is put together.

use std::fmt;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::store::{StoreError, TaskRecord};

/// A task ended without the result that was wanted: the model is told why, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct TaskFailure {
    /// What happened and what could be done.
    pub reason: String,
}

/// Keeps what a vendor calls a job, so that it can be asked for after a crash.
#[async_trait]
pub trait HandleKeeper: Send + Sync {
    /// Returns when it is safe.
    async fn keep(&self, handle: &str) -> Result<(), StoreError>;
}

/// A kind of background work. The kernel bounds how many run, takes them up again after a crash and carries the result
/// to the model.
#[async_trait]
pub trait TaskKind: Send + Sync + fmt::Debug {
    /// `[a-z0-9_]`: the [`TaskRecord::kind`] it works on.
    fn name(&self) -> &'static str;

    /// Works on a task until there is a result. After a crash it is called again with the same task, its attempts
    /// higher by one and the handle that was kept. Ends soon after `cancel`.
    async fn run(
        &self,
        task: &TaskRecord,
        handle: &dyn HandleKeeper,
        cancel: &CancellationToken,
    ) -> Result<String, TaskFailure>;
}
