//! The channel `cli`: our own clients, who watch sessions and see what happens there as it happens.
//!
//! Drafts come straight from the turn that writes them and events through a broadcast. To keep their order, the hub
//! takes all events that are waiting before it passes on a draft: they were told earlier.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use hearth_contract::channel::{
    Channel, ChannelInfo, LiveReply, Outbound, Receipt, ReplyMode, ReplyPolicy, ResendPolicy, SendError,
};
use hearth_contract::clock::Clock;
use hearth_contract::event::{Event, EventKind};
use hearth_contract::id::{SessionKey, TurnId};
use hearth_contract::inbox::Inbox;
use hearth_contract::provider::Chunk;
use hearth_protocol::{ServerFrame, Warning};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio_util::sync::CancellationToken;

use crate::frames::{self, Live};
use crate::metrics::Meter;
use crate::queue::ClientQueue;
use crate::ring::EventRing;

/// The name of the channel, as in `cli:NAME:default`.
pub(crate) const CHANNEL: &str = "cli";

/// Our own clients as a channel. Made before the kernel, which speaks through it.
#[derive(Debug)]
pub struct Hub {
    info: ChannelInfo,
    clock: Arc<dyn Clock>,
    clients: AtomicUsize,
    watch_numbers: AtomicU64,
    watchers: Mutex<Watchers>,
    feed: Mutex<Option<broadcast::Receiver<Arc<Event>>>>,
    /// By code, of which there are few.
    warnings: Mutex<BTreeMap<String, Warning>>,
    pub(crate) ring: EventRing,
    pub(crate) meter: Meter,
}

type Watchers = HashMap<SessionKey, Vec<(u64, Arc<ClientQueue>)>>;

impl Hub {
    /// A hub that nobody watches yet.
    pub fn new(clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self {
            info: ChannelInfo {
                name: CHANNEL.to_owned(),
                kind: CHANNEL,
                resend: ResendPolicy::Deduplicated,
                policy: Some(ReplyPolicy::Always),
                reply: ReplyMode::Auto,
            },
            clock,
            clients: AtomicUsize::new(0),
            watch_numbers: AtomicU64::new(0),
            watchers: Mutex::default(),
            feed: Mutex::new(None),
            warnings: Mutex::default(),
            ring: EventRing::default(),
            meter: Meter::default(),
        })
    }

    /// How many clients are connected.
    pub fn clients(&self) -> usize {
        self.clients.load(Ordering::Relaxed)
    }

    /// Counts a client for as long as the guard lives.
    pub(crate) fn connect(self: &Arc<Self>) -> ClientGuard {
        self.clients.fetch_add(1, Ordering::Relaxed);
        ClientGuard(self.clone())
    }

    /// Live frames of the session go to `queue` for as long as the guard lives.
    pub(crate) fn watch(self: &Arc<Self>, session: &SessionKey, queue: &Arc<ClientQueue>) -> WatchGuard {
        let number = self.watch_numbers.fetch_add(1, Ordering::Relaxed);
        self.lock_watchers().entry(session.clone()).or_default().push((number, queue.clone()));
        WatchGuard { hub: self.clone(), session: session.clone(), number }
    }

    /// Passes events on until the kernel tells no more, or until `shutdown`.
    pub(crate) async fn follow(&self, events: broadcast::Receiver<Arc<Event>>, shutdown: CancellationToken) {
        // One receiver is read when something is to be passed on; the other only wakes this task.
        let mut waker = events.resubscribe();
        *self.feed.lock().unwrap_or_else(PoisonError::into_inner) = Some(events);
        loop {
            self.catch_up();
            let told = tokio::select! {
                told = waker.recv() => told,
                () = shutdown.cancelled() => break,
            };
            if matches!(told, Err(RecvError::Closed)) {
                break;
            }
        }
        self.catch_up();
    }

    /// Takes all events that are waiting.
    pub(crate) fn catch_up(&self) {
        let mut feed = self.feed.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(events) = feed.as_mut() else { return };
        loop {
            match events.try_recv() {
                Ok(event) => self.take(event),
                Err(TryRecvError::Lagged(missed)) => self.missed(missed),
                Err(TryRecvError::Empty | TryRecvError::Closed) => return,
            }
        }
    }

    fn take(&self, event: Arc<Event>) {
        self.meter.observe(&event);
        match &event.session {
            Some(session) => {
                self.tell(session, || frames::of_event(&event));
                self.tell_elsewhere(session, &event);
            }
            None if matches!(event.kind, EventKind::Notice { .. }) => self.tell_all(frames::of_event(&event)),
            None => {}
        }
        self.ring.push(event);
    }

    fn missed(&self, missed: u64) {
        tracing::warn!(missed, "the gateway was too slow for the kernel's events");
        self.meter.events_missed(missed);
        self.ring.skip(missed);
        for (_, queue) in self.lock_watchers().values().flatten() {
            queue.lag();
        }
    }

    /// Makes the frame only if somebody watches.
    fn tell(&self, session: &SessionKey, live: impl FnOnce() -> Option<Arc<Live>>) {
        let watchers = self.lock_watchers();
        let Some(queues) = watchers.get(session) else { return };
        let Some(live) = live() else { return };
        for (_, queue) in queues {
            queue.push_live(live.clone());
        }
    }

    /// What is said in a dialog is told to those who look at another one of the same chat.
    fn tell_elsewhere(&self, session: &SessionKey, event: &Event) {
        let watchers = self.lock_watchers();
        let others = watchers.iter().filter(|(other, _)| other.chat == session.chat && *other != session);
        let queues: Vec<&Arc<ClientQueue>> =
            others.flat_map(|(_, all)| all).map(|(_, queue)| queue).collect();
        if queues.is_empty() {
            return;
        }
        let Some(live) = frames::elsewhere(event) else { return };
        for queue in queues {
            queue.push_live(live.clone());
        }
    }

    /// Tells every client, and everyone who asks for the state from now on, in what the daemon does not run as it was
    /// told to. A later warning of the same code takes the place of the earlier one.
    pub fn warn(&self, warning: Warning) {
        let live = Live::new(ServerFrame::Warned(warning.clone()));
        self.lock_warnings().insert(warning.code.clone(), warning);
        self.tell_all(Some(live));
    }

    /// What was warned of.
    pub(crate) fn warnings(&self) -> Vec<Warning> {
        self.lock_warnings().values().cloned().collect()
    }

    fn lock_warnings(&self) -> MutexGuard<'_, BTreeMap<String, Warning>> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell_all(&self, live: Option<Arc<Live>>) {
        let Some(live) = live else { return };
        for (_, queue) in self.lock_watchers().values().flatten() {
            queue.push_live(live.clone());
        }
    }

    fn is_watched(&self, session: &SessionKey) -> bool {
        self.lock_watchers().contains_key(session)
    }

    fn lock_watchers(&self) -> MutexGuard<'_, Watchers> {
        self.watchers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Channel for Hub {
    fn info(&self) -> &ChannelInfo {
        &self.info
    }

    /// Nothing arrives here by itself: the doors hand it to the inbox.
    async fn run(&self, _inbox: Arc<dyn Inbox>, shutdown: CancellationToken) {
        shutdown.cancelled().await;
    }

    /// Always works: a client that is not there now reads the ledger when it comes back, and takes a message once.
    async fn send(&self, outbound: &Outbound) -> Result<Receipt, SendError> {
        if self.is_watched(&outbound.session) {
            self.catch_up();
            self.tell(&outbound.session, || Some(frames::of_outbound(outbound, self.clock.now())));
        }
        Ok(Receipt::default())
    }

    fn live(&self) -> Option<&dyn LiveReply> {
        Some(self)
    }
}

impl LiveReply for Hub {
    fn push(&self, session: &SessionKey, turn: TurnId, chunk: Chunk) {
        if self.is_watched(session) {
            self.catch_up();
            self.tell(session, || Some(frames::of_chunk(turn, chunk)));
        }
    }
}

/// A connected client.
#[derive(Debug)]
pub(crate) struct ClientGuard(Arc<Hub>);

impl Drop for ClientGuard {
    fn drop(&mut self) {
        self.0.clients.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A session that is watched.
#[derive(Debug)]
pub(crate) struct WatchGuard {
    hub: Arc<Hub>,
    session: SessionKey,
    number: u64,
}

impl WatchGuard {
    /// Which.
    pub(crate) fn session(&self) -> &SessionKey {
        &self.session
    }
}

impl Drop for WatchGuard {
    fn drop(&mut self) {
        let mut watchers = self.hub.lock_watchers();
        if let Some(queues) = watchers.get_mut(&self.session) {
            queues.retain(|(number, _)| *number != self.number);
            if queues.is_empty() {
                watchers.remove(&self.session);
            }
        }
    }
}
