//! What can reach a running turn from outside: stop, interrupt, messages that join it, and making room for an
//! interrupt.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hearth_contract::clock::Clock;
use hearth_contract::message::MessageRecord;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The handle of one running turn. Its session holds one end, the turn the other.
#[derive(Debug)]
pub(crate) struct TurnControl {
    stop: CancellationToken,
    pace: watch::Sender<Pace>,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    stopped_by: String,
    call: CancellationToken,
    /// The next model call is not to be made before what came meanwhile is looked at.
    look_first: bool,
    joining: VecDeque<MessageRecord>,
}

/// Whether a turn goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    Going,
    /// It is to stand still at its next gap.
    ToStand,
    /// It stands still, and nothing of it is under way.
    Standing,
}

impl Default for TurnControl {
    fn default() -> Self {
        let pace = watch::Sender::new(Pace::Going);
        Self { stop: CancellationToken::default(), pace, inner: Mutex::default() }
    }
}

impl TurnControl {
    /// Ends the turn at once; one that is suspended, as soon as it goes on.
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
        inner.break_call();
    }

    /// The turn is to make room: it stands still at its next gap, and the model call in flight is cancelled, so that
    /// the gap is now unless a tool runs.
    pub(crate) fn suspend(&self) {
        self.pace.send_if_modified(|pace| {
            let goes = *pace == Pace::Going;
            if goes {
                *pace = Pace::ToStand;
            }
            goes
        });
        self.lock().break_call();
    }

    /// Returns when the turn stands still.
    pub(crate) async fn stands(&self) {
        // The sender lives in `self`, so that waiting cannot fail.
        drop(self.pace.subscribe().wait_for(|pace| *pace == Pace::Standing).await);
    }

    /// The turn goes on where it stands.
    pub(crate) fn go_on(&self) {
        self.pace.send_replace(Pace::Going);
    }

    /// A gap between two steps of the turn: here it stands still when it is to make room. How long it stood.
    pub(crate) async fn gap(&self, clock: &dyn Clock) -> Duration {
        self.lock().look_first = false;
        if *self.pace.borrow() != Pace::ToStand {
            return Duration::ZERO;
        }
        let since = clock.now();
        self.pace.send_replace(Pace::Standing);
        drop(self.pace.subscribe().wait_for(|pace| *pace == Pace::Going).await);
        clock.now().since(since)
    }

    /// The token of a model call that begins now.
    pub(crate) fn begin_call(&self) -> CancellationToken {
        let call = self.stop.child_token();
        let mut inner = self.lock();
        if std::mem::take(&mut inner.look_first) {
            call.cancel();
        }
        inner.call = call.clone();
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

impl Inner {
    /// Breaks off the model call in flight; if there is none, the next one is not begun before the turn has looked.
    fn break_call(&mut self) {
        self.look_first = true;
        self.call.cancel();
    }
}
