//! What happened, told to whoever watches. Nobody waits for a watcher: one that is too slow misses some.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hearth_contract::clock::Clock;
use hearth_contract::event::{Event, EventKind};
use hearth_contract::id::SessionKey;
use tokio::sync::broadcast;

/// The place where events are told.
#[derive(Debug)]
pub struct Events {
    sender: broadcast::Sender<Arc<Event>>,
    number: AtomicU64,
    clock: Arc<dyn Clock>,
}

impl Events {
    pub(crate) fn new(clock: Arc<dyn Clock>, events_max: usize) -> Self {
        Self { sender: broadcast::Sender::new(events_max), number: AtomicU64::new(1), clock }
    }

    /// Everything from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<Event>> {
        self.sender.subscribe()
    }

    pub(crate) fn emit(&self, session: Option<&SessionKey>, kind: EventKind) {
        if self.sender.receiver_count() == 0 {
            return;
        }
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let event = Event { number, at: self.clock.now(), session: session.cloned(), kind };
        // silent-ok: the last watcher may have left a moment ago, and then nobody is to be told.
        let _ = self.sender.send(Arc::new(event));
    }
}
