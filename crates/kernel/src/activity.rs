//! Counts what is going on, so that a shutdown, a test and an idle daemon know when nothing is.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// A count of things going on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Activity(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    count: AtomicUsize,
    idle: Notify,
}

impl Activity {
    /// One more thing is going on, until the guard is dropped.
    pub(crate) fn begin(&self) -> ActivityGuard {
        self.0.count.fetch_add(1, Ordering::SeqCst);
        ActivityGuard(self.clone())
    }

    pub(crate) fn count(&self) -> usize {
        self.0.count.load(Ordering::SeqCst)
    }

    /// Returns when nothing is going on.
    pub(crate) async fn idle(&self) {
        loop {
            let notified = self.0.idle.notified();
            tokio::pin!(notified);
            notified.as_mut().enable();
            if self.count() == 0 {
                return;
            }
            notified.await;
        }
    }
}

/// Something that is going on.
#[derive(Debug)]
pub(crate) struct ActivityGuard(Activity);

impl Drop for ActivityGuard {
    fn drop(&mut self) {
        if self.0.0.count.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.0.idle.notify_waiters();
        }
    }
}
