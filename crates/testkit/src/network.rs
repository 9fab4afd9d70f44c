//! A network that people talk on, without the network: it takes what is sent, or does what a test tells it to.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use hearth_contract::channel::{
    Channel, ChannelInfo, LiveReply, Outbound, Receipt, ReplyMode, ReplyPolicy, ResendPolicy, SendError,
    SendLookup,
};
use hearth_contract::id::{DeliveryId, SessionKey, TurnId};
use hearth_contract::inbox::Inbox;
use hearth_contract::provider::Chunk;
use tokio_util::sync::CancellationToken;

use crate::seen::{Log, Seen};

/// What the network does with a sending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Behaviour {
    /// Takes it.
    Ok,
    /// Does not take it now.
    Retry {
        /// Not before.
        retry_after_ms: Option<u64>,
    },
    /// Takes it, and cannot say so.
    UnknownArrived,
    /// Does not take it, and cannot say so.
    UnknownLost,
    /// Never takes it.
    Refuse {
        /// Why.
        reason: String,
    },
    /// Takes it, and never says anything again.
    Hang,
}

/// A network. It remembers what arrived over restarts of whoever sends.
#[derive(Debug)]
pub struct FakeNetwork {
    info: ChannelInfo,
    /// Whether it can be asked what arrived.
    can_look_up: bool,
    /// Whether it shows drafts.
    is_live: bool,
    log: Log,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    next: VecDeque<Behaviour>,
    arrived: HashSet<DeliveryId>,
    tries: usize,
}

impl FakeNetwork {
    /// A network of this name that takes everything, resends marked, and answers by the kind of chat.
    pub fn new(name: &str, log: Log) -> Self {
        let info = ChannelInfo {
            name: name.to_owned(),
            kind: "fake",
            resend: ResendPolicy::Marked,
            policy: None,
            reply: ReplyMode::Auto,
        };
        Self { info, can_look_up: false, is_live: false, log, state: Mutex::default() }
    }

    /// With this resend policy.
    #[must_use]
    pub fn with_resend(mut self, resend: ResendPolicy) -> Self {
        self.info.resend = resend;
        self
    }

    /// With this reply policy.
    #[must_use]
    pub fn with_policy(mut self, policy: Option<ReplyPolicy>) -> Self {
        self.info.policy = policy;
        self
    }

    /// With this reply mode.
    #[must_use]
    pub fn with_reply(mut self, reply: ReplyMode) -> Self {
        self.info.reply = reply;
        self
    }

    /// One that can be asked what arrived.
    #[must_use]
    pub fn with_lookup(mut self) -> Self {
        self.can_look_up = true;
        self
    }

    /// One that shows drafts.
    #[must_use]
    pub fn with_drafts(mut self) -> Self {
        self.is_live = true;
        self
    }

    /// What it does with the next sending for which nothing is said yet.
    pub fn push(&self, behaviour: Behaviour) {
        self.lock().next.push_back(behaviour);
    }

    /// How often something was sent, whether it arrived or not.
    pub fn tries(&self) -> usize {
        self.lock().tries
    }

    /// How many behaviours no sending has met.
    pub fn unmet(&self) -> usize {
        self.lock().next.len()
    }

    fn take(&self, outbound: &Outbound) -> Receipt {
        let first = self.lock().arrived.insert(outbound.delivery);
        // A network that recognises the delivery takes it once; another shows it again.
        if first || self.info.resend != ResendPolicy::Deduplicated {
            self.log.push(Seen::Arrived(outbound.clone()));
        }
        Receipt { platform_id: Some(outbound.delivery.to_string()) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Channel for FakeNetwork {
    fn info(&self) -> &ChannelInfo {
        &self.info
    }

    async fn run(&self, _inbox: Arc<dyn Inbox>, shutdown: CancellationToken) {
        shutdown.cancelled().await;
    }

    async fn send(&self, outbound: &Outbound) -> Result<Receipt, SendError> {
        let behaviour = {
            let mut state = self.lock();
            state.tries += 1;
            state.next.pop_front().unwrap_or(Behaviour::Ok)
        };
        match behaviour {
            Behaviour::Ok => Ok(self.take(outbound)),
            Behaviour::Retry { retry_after_ms } => {
                Err(SendError::Retry { retry_after_ms, reason: "busy".into() })
            }
            Behaviour::UnknownArrived => {
                self.take(outbound);
                Err(SendError::Unknown { reason: "no answer".into() })
            }
            Behaviour::UnknownLost => Err(SendError::Unknown { reason: "no answer".into() }),
            Behaviour::Refuse { reason } => Err(SendError::Refused { reason }),
            Behaviour::Hang => {
                self.take(outbound);
                let _held = self.log.hold("network");
                std::future::pending().await
            }
        }
    }

    fn live(&self) -> Option<&dyn LiveReply> {
        self.is_live.then_some(self as &dyn LiveReply)
    }

    fn lookup(&self) -> Option<&dyn SendLookup> {
        self.can_look_up.then_some(self as &dyn SendLookup)
    }
}

impl LiveReply for FakeNetwork {
    fn push(&self, session: &SessionKey, turn: TurnId, chunk: Chunk) {
        self.log.push(Seen::Draft { session: session.clone(), turn, chunk });
    }
}

#[async_trait]
impl SendLookup for FakeNetwork {
    async fn lookup(&self, outbound: &Outbound) -> Result<Option<Receipt>, SendError> {
        let arrived = self.lock().arrived.contains(&outbound.delivery);
        Ok(arrived.then(|| Receipt { platform_id: Some(outbound.delivery.to_string()) }))
    }
}
