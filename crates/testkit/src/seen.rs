//! What the fakes have seen, in one order, and which of them is holding something up.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hearth_contract::channel::Outbound;
use hearth_contract::id::{SessionKey, TurnId};
use hearth_contract::provider::{Chunk, CompletionRequest};
use tokio::sync::Notify;

/// Something a fake has seen.
#[derive(Debug, Clone)]
pub enum Seen {
    /// A model was asked and has replied.
    Asked {
        /// The name of the source.
        source: String,
        /// What it was asked.
        request: Arc<CompletionRequest>,
        /// The reply, as its script says it.
        reply: String,
    },
    /// Something arrived at a network.
    Arrived(Outbound),
    /// A piece of a draft was shown.
    Draft {
        /// Where.
        session: SessionKey,
        /// Of which turn.
        turn: TurnId,
        /// The piece.
        chunk: Chunk,
    },
}

/// The place where the fakes write what they see. Cloning gives another handle of the same one.
#[derive(Debug, Clone, Default)]
pub struct Log(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    seen: Vec<Seen>,
    holding: BTreeMap<String, usize>,
}

impl Log {
    /// Writes one thing down.
    pub fn push(&self, seen: Seen) {
        self.lock().seen.push(seen);
    }

    /// Everything since the last call.
    pub fn take(&self) -> Vec<Seen> {
        std::mem::take(&mut self.lock().seen)
    }

    /// How much has been seen since it was last taken.
    pub fn count(&self) -> usize {
        self.lock().seen.len()
    }

    /// `who` holds something up until the guard is dropped.
    pub fn hold(&self, who: &str) -> Hold {
        *self.lock().holding.entry(who.to_owned()).or_default() += 1;
        self.0.changed.notify_waiters();
        Hold { log: self.clone(), who: who.to_owned() }
    }

    /// Who holds something up.
    pub fn holding(&self) -> Vec<String> {
        self.lock().holding.keys().cloned().collect()
    }

    /// Says that something has changed for whoever waits in [`Log::until`].
    pub fn stir(&self) {
        self.0.changed.notify_waiters();
    }

    /// Returns when `condition` holds; it is looked at whenever a fake begins or ends to hold something up.
    pub async fn until(&self, condition: impl Fn() -> bool) {
        loop {
            let changed = self.0.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if condition() {
                return;
            }
            changed.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Something is held up for as long as this lives.
#[derive(Debug)]
pub struct Hold {
    log: Log,
    who: String,
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut state = self.log.lock();
        if let Some(count) = state.holding.get_mut(&self.who) {
            *count -= 1;
            if *count == 0 {
                state.holding.remove(&self.who);
            }
        }
        drop(state);
        self.log.stir();
    }
}
