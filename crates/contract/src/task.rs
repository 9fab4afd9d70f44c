//! Spawning: every task has a name, is stopped by one token, and is waited for at shutdown.

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument;

/// The tasks of one running Hearth. Cloning gives another handle of the same set.
#[derive(Debug, Clone, Default)]
pub struct Tasks {
    tracker: TaskTracker,
    shutdown: CancellationToken,
}

impl Tasks {
    /// Starts a named task; it keeps the current span and is waited for by [`Tasks::stop`].
    #[allow(clippy::disallowed_methods, reason = "this is the one place that spawns")]
    pub fn spawn<F>(&self, name: &'static str, future: F) -> tokio::task::JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        tokio::spawn(self.tracker.track_future(future.instrument(tracing::debug_span!("task", name))))
    }

    /// Cancelled when Hearth is to stop; long loops select on it.
    pub fn shutdown(&self) -> &CancellationToken {
        &self.shutdown
    }

    /// Asks all tasks to end and waits for them. A caller bounds the wait.
    pub async fn stop(&self) {
        self.shutdown.cancel();
        self.tracker.close();
        self.tracker.wait().await;
    }
}
