//! What can reach a running turn from outside: stop, interrupt, and messages that join it.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hearth_contract::message::MessageRecord;
use tokio_util::sync::CancellationToken;

/// The handle of one running turn. Its session holds one end, the turn the other.
#[derive(Debug, Default)]
pub(crate) struct TurnControl {
    stop: CancellationToken,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    stopped_by: String,
    call: CancellationToken,
    joining: VecDeque<MessageRecord>,
}

impl TurnControl {
    /// Ends the turn at once.
    pub(crate) fn stop(&self, by: &str) {
        self.lock().stopped_by = by.to_owned();
        self.stop.cancel();
    }

    /// Who stopped the turn, if somebody did.
    pub(crate) fn stopped_by(&self) -> Option<String> {
        self.stop.is_cancelled().then(|| self.lock().stopped_by.clone())
    }

    /// Cancelled when the turn is stopped.
    pub(crate) fn stopped(&self) -> &CancellationToken {
        &self.stop
    }

    /// Joins the turn at its next round.
    pub(crate) fn steer(&self, message: MessageRecord) {
        self.lock().joining.push_back(message);
    }

    /// Joins the turn at once: the model call in flight is cancelled.
    pub(crate) fn interrupt(&self, message: MessageRecord) {
        let mut inner = self.lock();
        inner.joining.push_back(message);
        inner.call.cancel();
    }

    /// The token of a model call that begins now.
    pub(crate) fn begin_call(&self) -> CancellationToken {
        let call = self.stop.child_token();
        self.lock().call = call.clone();
        call
    }

    /// What wants to join, oldest first.
    pub(crate) fn take_joining(&self) -> Vec<MessageRecord> {
        self.lock().joining.drain(..).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
