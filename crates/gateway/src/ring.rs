//! The newest events, so that a reader who comes back has missed none, or is told how many.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hearth_contract::event::Event;
use tokio::sync::watch;

use crate::limits::{RING_BATCH_MAX, RING_EVENTS_MAX};

/// The newest events in the order they came, each with its place.
#[derive(Debug)]
pub(crate) struct EventRing {
    state: Mutex<State>,
    newest: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    events: VecDeque<(u64, Arc<Event>)>,
    /// The place of the newest event, and how many there were before it.
    place: u64,
}

/// What a reader gets next.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// How many events before these are gone.
    pub(crate) missed: u64,
    /// The next ones, each with its place.
    pub(crate) events: Vec<(u64, Arc<Event>)>,
}

impl Default for EventRing {
    fn default() -> Self {
        Self { state: Mutex::default(), newest: watch::Sender::new(0) }
    }
}

impl EventRing {
    /// Adds the newest.
    pub(crate) fn push(&self, event: Arc<Event>) {
        let mut state = self.lock();
        state.place += 1;
        let place = state.place;
        if state.events.len() == RING_EVENTS_MAX {
            state.events.pop_front();
        }
        state.events.push_back((place, event));
        drop(state);
        self.newest.send_replace(place);
    }

    /// Some were lost before they came here: they keep their places, so that readers notice.
    pub(crate) fn skip(&self, missed: u64) {
        self.lock().place += missed;
    }

    /// The place of the newest event.
    pub(crate) fn place(&self) -> u64 {
        self.lock().place
    }

    /// What comes after this place.
    pub(crate) fn after(&self, place: u64) -> Batch {
        let state = self.lock();
        let first = state.events.partition_point(|(at, _)| *at <= place);
        let events: Vec<_> = state.events.iter().skip(first).take(RING_BATCH_MAX).cloned().collect();
        // Places are counted, not compared, so that a hole inside the batch is found as well: it ends there.
        let missed = events.first().map_or(0, |(at, _)| at - place - 1);
        let whole =
            events.iter().zip(1..).take_while(|((at, _), number)| *at == place + missed + number).count();
        Batch { missed, events: events.into_iter().take(whole).collect() }
    }

    /// The newest messages of the ring that `take` wants, oldest first.
    pub(crate) fn select<T>(&self, take: impl Fn(&Event) -> Option<T>) -> Vec<T> {
        self.lock().events.iter().filter_map(|(_, event)| take(event)).collect()
    }

    /// Tells when something was added.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.newest.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
