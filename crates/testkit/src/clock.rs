//! A clock that only moves when a test turns it.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use hearth_contract::clock::{Clock, UnixMs};
use tokio::sync::{Notify, oneshot};

/// A clock that stands still until it is turned. Cloning gives another handle of the same one.
#[derive(Debug, Clone)]
pub struct TurnedClock(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug)]
struct State {
    now: UnixMs,
    next_number: u64,
    sleepers: BTreeMap<(UnixMs, u64), oneshot::Sender<()>>,
    /// Woken, but their task has not run since.
    waking: HashSet<u64>,
}

impl TurnedClock {
    /// A clock that stands at `start`.
    pub fn new(start: UnixMs) -> Self {
        let state = State { now: start, next_number: 0, sleepers: BTreeMap::new(), waking: HashSet::new() };
        Self(Arc::new(Inner { state: Mutex::new(state), changed: Notify::new() }))
    }

    /// Moves on, and wakes who sleeps until then in the order of their deadlines. Each has run once before the next
    /// is woken. Who falls asleep meanwhile, and is due within the same time, is woken too.
    pub async fn advance(&self, by: Duration) {
        let until = self.now().plus(by);
        while let Some(number) = self.wake_first(until) {
            self.until(|state| !state.waking.contains(&number)).await;
        }
        self.lock().now = until;
    }

    /// Waits until somebody sleeps, and moves on to when the first of them is due.
    pub async fn advance_to_next(&self) {
        self.until(|state| !state.sleepers.is_empty()).await;
        let first = self.lock().sleepers.keys().next().map(|(due, _)| *due);
        if let Some(due) = first {
            self.advance(due.since(self.now())).await;
        }
    }

    /// Moves on while nothing runs that could sleep.
    pub fn set_forward(&self, by: Duration) {
        let mut state = self.lock();
        state.now = state.now.plus(by);
    }

    /// A mark: later sleepers have a number that is not below it.
    pub fn mark(&self) -> u64 {
        self.lock().next_number
    }

    /// Returns when somebody who fell asleep at or after `mark` is due within `span` from now.
    pub async fn sleeper_within(&self, span: Duration, mark: u64) {
        let until = self.now().plus(span);
        self.until(|state| state.sleepers.keys().any(|(due, number)| *due <= until && *number >= mark)).await;
    }

    /// In how many milliseconds the sleepers are due, the soonest first.
    pub fn sleepers_ms(&self) -> Vec<i64> {
        let state = self.lock();
        state.sleepers.keys().map(|(due, _)| due.0 - state.now.0).collect()
    }

    fn wake_first(&self, until: UnixMs) -> Option<u64> {
        let mut state = self.lock();
        let first = state.sleepers.first_entry().filter(|first| first.key().0 <= until)?;
        let ((due, number), wake) = first.remove_entry();
        state.now = state.now.max(due);
        if wake.send(()).is_ok() {
            state.waking.insert(number);
        }
        Some(number)
    }

    async fn until(&self, condition: impl Fn(&State) -> bool) {
        loop {
            let changed = self.0.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if condition(&self.lock()) {
                return;
            }
            changed.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes a sleeper off the books, whether it was woken or dropped.
struct Sleeper<'a> {
    clock: &'a TurnedClock,
    key: (UnixMs, u64),
}

impl Drop for Sleeper<'_> {
    fn drop(&mut self) {
        let mut state = self.clock.lock();
        state.sleepers.remove(&self.key);
        state.waking.remove(&self.key.1);
        drop(state);
        self.clock.0.changed.notify_waiters();
    }
}

#[async_trait]
impl Clock for TurnedClock {
    fn now(&self) -> UnixMs {
        self.lock().now
    }

    async fn sleep(&self, duration: Duration) {
        if duration.is_zero() {
            return;
        }
        let (sleeper, woken) = {
            let mut state = self.lock();
            let key = (state.now.plus(duration), state.next_number);
            state.next_number += 1;
            let (wake, woken) = oneshot::channel();
            state.sleepers.insert(key, wake);
            (Sleeper { clock: self, key }, woken)
        };
        self.0.changed.notify_waiters();
        // The sender is in the books for as long as the sleeper is.
        let _ = woken.await;
        drop(sleeper);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn sleepers_wake_in_the_order_of_their_deadlines() {
        let clock = TurnedClock::new(UnixMs(1_000));
        let woken = Mutex::new(Vec::new());
        let sleep = async |seconds: u64| {
            clock.sleep(Duration::from_secs(seconds)).await;
            woken.lock().unwrap().push((seconds, clock.now().0));
        };
        let turn = async {
            clock.sleeper_within(Duration::from_secs(1), 0).await;
            clock.advance(Duration::from_secs(2)).await;
            assert_eq!(*woken.lock().unwrap(), [(1, 2_000), (2, 3_000)]);
            assert_eq!(clock.sleepers_ms(), [1_000]);
            clock.advance(Duration::from_secs(1)).await;
        };
        tokio::join!(sleep(3), sleep(1), sleep(2), turn);
        assert_eq!(clock.now(), UnixMs(4_000));
        assert_eq!(woken.lock().unwrap().len(), 3);
    }

    #[tokio::test]
    async fn a_sleeper_that_is_dropped_is_forgotten() {
        let clock = TurnedClock::new(UnixMs(0));
        tokio::select! {
            () = clock.sleep(Duration::from_secs(1)) => panic!("nobody turned the clock"),
            () = clock.sleeper_within(Duration::from_secs(1), 0) => {}
        }
        assert!(clock.sleepers_ms().is_empty());
        clock.advance(Duration::from_secs(5)).await;
        assert_eq!(clock.now(), UnixMs(5_000));
    }
}
