//! What waits for one client. It never blocks who pushes: a client that is too slow loses its live frames and is told.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hearth_contract::id::MessageId;
use hearth_protocol::ServerFrame;
use tokio::sync::Notify;

use crate::frames::{Live, encode};
use crate::limits::{ANSWERS_MAX, LIVE_BYTES_MAX, LIVE_FRAMES_MAX, RECENT_MAX};

/// Something on its way to a client.
#[derive(Debug, Clone)]
pub(crate) enum Entry {
    /// A frame that all watchers of a session get.
    Live(Arc<Live>),
    /// A frame for this client alone, as JSON.
    Answer(String),
}

/// The queue of one client.
#[derive(Debug, Default)]
pub(crate) struct ClientQueue {
    state: Mutex<State>,
    filled: Notify,
    drained: Notify,
}

#[derive(Debug, Default)]
struct State {
    entries: VecDeque<Entry>,
    live_frames: usize,
    live_bytes: usize,
    answers: usize,
    mode: Mode,
    recent: Recent,
    is_finished: bool,
}

/// What happens to live frames.
#[derive(Debug, Default)]
enum Mode {
    /// They are dropped: nothing is watched, or the client has lagged.
    #[default]
    Deaf,
    /// They wait until what was missed has been read from the ledger.
    Holding(Vec<Arc<Live>>),
    /// They are queued.
    Open,
}

impl ClientQueue {
    /// From now on live frames are held back, until [`ClientQueue::release`].
    pub(crate) fn hold(&self) {
        let mut state = self.lock();
        state.drop_live();
        state.recent = Recent::default();
        state.mode = Mode::Holding(Vec::new());
    }

    /// Queues the frames that were held back, but not the messages that the client has from the ledger.
    pub(crate) fn release(&self) {
        let mut state = self.lock();
        // One that has lagged meanwhile stays deaf until it watches again.
        let Mode::Holding(held) = &mut state.mode else { return };
        let held = std::mem::take(held);
        state.mode = Mode::Open;
        for live in held {
            state.push_live(live);
        }
        self.filled.notify_one();
    }

    /// No live frames any more.
    pub(crate) fn deafen(&self) {
        let mut state = self.lock();
        state.drop_live();
        state.mode = Mode::Deaf;
    }

    /// One live frame. Returns at once, always.
    pub(crate) fn push_live(&self, live: Arc<Live>) {
        let mut state = self.lock();
        match &mut state.mode {
            Mode::Deaf => return,
            Mode::Holding(held) if held.len() < LIVE_FRAMES_MAX => held.push(live),
            Mode::Holding(_) => state.lag(),
            Mode::Open => state.push_live(live),
        }
        self.filled.notify_one();
    }

    /// Frames were lost before they came here.
    pub(crate) fn lag(&self) {
        let mut state = self.lock();
        if !matches!(state.mode, Mode::Deaf) {
            state.lag();
            self.filled.notify_one();
        }
    }

    /// A frame for this client alone. Waits while too many wait for it to read.
    pub(crate) async fn answer(&self, frame: &ServerFrame) {
        let json = encode(frame);
        loop {
            let drained = self.drained.notified();
            {
                let mut state = self.lock();
                if state.answers < ANSWERS_MAX {
                    state.answers += 1;
                    state.entries.push_back(Entry::Answer(json));
                    break;
                }
            }
            drained.await;
        }
        self.filled.notify_one();
    }

    /// The client gets this message from the ledger, so it must not get it again.
    pub(crate) fn remember(&self, message: MessageId) {
        self.lock().recent.insert(message);
    }

    /// Nothing more will be asked: what is queued is the last.
    pub(crate) fn finish(&self) {
        self.lock().is_finished = true;
        self.filled.notify_one();
    }

    /// What is next; waits for it. None once the last is out.
    pub(crate) async fn next(&self) -> Option<Entry> {
        loop {
            let filled = self.filled.notified();
            {
                let mut state = self.lock();
                let entry = state.pop();
                if entry.is_some() || state.is_finished {
                    self.drained.notify_one();
                    return entry;
                }
            }
            filled.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn push_live(&mut self, live: Arc<Live>) {
        if matches!(self.mode, Mode::Deaf) {
            return;
        }
        if live.message.is_some_and(|message| !self.recent.insert(message)) {
            return;
        }
        self.live_frames += 1;
        self.live_bytes += live.json.len();
        self.entries.push_back(Entry::Live(live));
        if self.live_frames > LIVE_FRAMES_MAX || self.live_bytes > LIVE_BYTES_MAX {
            self.lag();
        }
    }

    fn lag(&mut self) {
        self.drop_live();
        self.mode = Mode::Deaf;
        self.answers += 1;
        self.entries.push_back(Entry::Answer(encode(&ServerFrame::Lagged)));
    }

    fn drop_live(&mut self) {
        self.entries.retain(|entry| matches!(entry, Entry::Answer(_)));
        self.live_frames = 0;
        self.live_bytes = 0;
    }

    fn pop(&mut self) -> Option<Entry> {
        let entry = self.entries.pop_front()?;
        match &entry {
            Entry::Live(live) => {
                self.live_frames -= 1;
                self.live_bytes -= live.json.len();
            }
            Entry::Answer(_) => self.answers -= 1,
        }
        Some(entry)
    }
}

/// The messages a client got last.
#[derive(Debug, Default)]
struct Recent {
    order: VecDeque<MessageId>,
    known: HashSet<MessageId>,
}

impl Recent {
    /// Whether it is new.
    fn insert(&mut self, message: MessageId) -> bool {
        if !self.known.insert(message) {
            return false;
        }
        self.order.push_back(message);
        if self.order.len() > RECENT_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests;
