//! The one way out. Everything said is a delivery of the ledger first; then it goes to its network, in order per chat.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hearth_contract::channel::{Channel, Outbound, Receipt, ResendPolicy, SendError};
use hearth_contract::clock::{Clock, timeout};
use hearth_contract::event::EventKind;
use hearth_contract::hook::TurnView;
use hearth_contract::id::{ChatKey, MessageId};
use hearth_contract::inbox::Ended;
use hearth_contract::message::{MessageEnd, MessageRecord};
use hearth_contract::store::{Change, DeliveryChange, DeliveryRecord, DeliveryState, MessageChange, Stores};
use hearth_contract::task::Tasks;
use tokio::sync::mpsc;

use crate::activity::{Activity, ActivityGuard};
use crate::ends::Ends;
use crate::events::Events;
use crate::limits::Limits;
use crate::pipeline::Pipeline;

/// A delivery on its way, and what its end means.
#[derive(Debug)]
pub(crate) struct Parcel {
    pub(crate) delivery: DeliveryRecord,
    pub(crate) message: MessageRecord,
    /// What was done for it so far.
    pub(crate) departure: Departure,
    /// The messages that end with it.
    pub(crate) closing: Vec<Closing>,
    /// The turn whose `after_output` hooks see it.
    pub(crate) view: Option<TurnView>,
    /// Something is going on until it has reached its end.
    pub(crate) guard: ActivityGuard,
}

/// How far a delivery has come before it reaches its lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Departure {
    /// The intent to send it is durable.
    Ready,
    /// It is stored, the intent to send it is not.
    Stored,
    /// It was being sent when Hearth stopped.
    BrokenOff,
}

/// A message that ends when the parcel does.
#[derive(Debug, Clone)]
pub(crate) struct Closing {
    pub(crate) message: MessageId,
    pub(crate) ended: Ended,
}

/// The way out.
#[derive(Debug)]
pub(crate) struct Outbox {
    channels: HashMap<String, Arc<dyn Channel>>,
    lanes: Mutex<HashMap<ChatKey, mpsc::UnboundedSender<(Parcel, ActivityGuard)>>>,
    /// Parcels that have not reached their end.
    on_their_way: Activity,
    stores: Stores,
    ends: Arc<Ends>,
    events: Arc<Events>,
    pipeline: Arc<Pipeline>,
    clock: Arc<dyn Clock>,
    tasks: Tasks,
    limits: Arc<Limits>,
}

/// How one try went.
enum Tried {
    Sent(Receipt),
    Again { state: DeliveryState, wait: Duration, reason: String },
    Over { state: DeliveryState, reason: String },
}

impl Outbox {
    #[allow(
        clippy::too_many_arguments,
        reason = "it is made once, by the kernel, from the kernel's own parts"
    )]
    pub(crate) fn new(
        channels: &[Arc<dyn Channel>],
        stores: Stores,
        ends: Arc<Ends>,
        events: Arc<Events>,
        pipeline: Arc<Pipeline>,
        clock: Arc<dyn Clock>,
        tasks: Tasks,
        limits: Arc<Limits>,
    ) -> Self {
        let channels =
            channels.iter().map(|channel| (channel.info().name.clone(), channel.clone())).collect();
        Self {
            channels,
            lanes: Mutex::default(),
            on_their_way: Activity::default(),
            stores,
            ends,
            events,
            pipeline,
            clock,
            tasks,
            limits,
        }
    }

    /// The channel of a chat.
    pub(crate) fn channel(&self, chat: &ChatKey) -> Option<&Arc<dyn Channel>> {
        self.channels.get(&chat.channel)
    }

    /// Sends what is stored. The parcels of a chat go out in the order of the calls.
    pub(crate) fn send(self: &Arc<Self>, parcel: Parcel) {
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        let chat = parcel.delivery.chat.clone();
        let lane = lanes.entry(chat.clone()).or_insert_with(|| {
            let (sender, parcels) = mpsc::unbounded_channel();
            self.tasks.spawn("lane", self.clone().run_lane(chat, parcels));
            sender
        });
        // silent-ok: a lane leaves the map, under the same lock, before it stops taking parcels.
        let _ = lane.send((parcel, self.on_their_way.begin()));
    }

    /// Returns when nothing is on its way out.
    pub(crate) async fn empty(&self) {
        self.on_their_way.idle().await;
    }

    async fn run_lane(
        self: Arc<Self>,
        chat: ChatKey,
        mut parcels: mpsc::UnboundedReceiver<(Parcel, ActivityGuard)>,
    ) {
        loop {
            let (next, _on_its_way) = match parcels.try_recv() {
                Ok(parcel) => parcel,
                Err(_) => {
                    let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
                    match parcels.try_recv() {
                        Ok(parcel) => parcel,
                        Err(_) => {
                            lanes.remove(&chat);
                            return;
                        }
                    }
                }
            };
            tokio::select! {
                () = self.deliver(next) => {}
                // What is not sent stays in the ledger and goes out at the next start.
                () = self.tasks.shutdown().cancelled() => return,
            }
        }
    }

    /// Tries until the delivery is at its end.
    async fn deliver(&self, mut parcel: Parcel) {
        let Some(channel) = self.channels.get(&parcel.delivery.chat.channel).cloned() else {
            let reason = format!("there is no channel `{}`", parcel.delivery.chat.channel);
            return self.close(parcel, DeliveryState::Dead, reason, Receipt::default()).await;
        };
        let mut tried = match parcel.departure {
            Departure::Ready => self.try_once(channel.as_ref(), &parcel).await,
            Departure::Stored => {
                Tried::Again { state: DeliveryState::Prepared, wait: Duration::ZERO, reason: String::new() }
            }
            Departure::BrokenOff => {
                let reason = "Hearth stopped while this was being sent".to_owned();
                self.after_unknown(channel.as_ref(), &parcel, reason).await
            }
        };
        loop {
            match tried {
                Tried::Sent(receipt) => {
                    return self.close(parcel, DeliveryState::Sent, String::new(), receipt).await;
                }
                Tried::Over { state, reason } => {
                    return self.close(parcel, state, reason, Receipt::default()).await;
                }
                Tried::Again { state, wait, reason } => {
                    self.prepare_again(channel.as_ref(), &mut parcel.delivery, state, wait, reason).await;
                    tried = self.try_once(channel.as_ref(), &parcel).await;
                }
            }
        }
    }

    /// Waits, and makes the intent of the next try durable. One that may have arrived and is sent anew is marked,
    /// unless the receiver takes the same delivery only once.
    async fn prepare_again(
        &self,
        channel: &dyn Channel,
        delivery: &mut DeliveryRecord,
        state: DeliveryState,
        wait: Duration,
        reason: String,
    ) {
        let may_have_arrived = state == DeliveryState::Sending;
        delivery.may_be_duplicate |= may_have_arrived && channel.info().resend != ResendPolicy::Deduplicated;
        if !wait.is_zero() {
            (delivery.state, delivery.detail) = (state, reason);
            self.stores.ledger.record(vec![moved(delivery)]);
            self.events.emit(None, EventKind::DeliveryMoved { delivery: delivery.id, state });
            self.clock.sleep(wait).await;
        }
        delivery.attempts += 1;
        (delivery.state, delivery.detail) = (DeliveryState::Sending, String::new());
        while let Err(error) = self.stores.ledger.commit(vec![moved(delivery)]).await {
            tracing::warn!(%error, "a delivery waits for the ledger");
            self.clock.sleep(self.limits.delivery_backoff).await;
        }
    }

    async fn try_once(&self, channel: &dyn Channel, parcel: &Parcel) -> Tried {
        let outbound = outbound(&parcel.delivery, &parcel.message);
        let sending = timeout(self.clock.as_ref(), self.limits.send_time_max, channel.send(&outbound));
        let error = match sending.await {
            Ok(Ok(receipt)) => return Tried::Sent(receipt),
            Ok(Err(error)) => error,
            Err(_) => SendError::Unknown { reason: "the network did not answer in time".into() },
        };
        let attempts = parcel.delivery.attempts;
        match error {
            SendError::Refused { reason } => Tried::Over { state: DeliveryState::Dead, reason },
            SendError::Retry { reason, .. } if attempts >= self.limits.delivery_attempts_max => Tried::Over {
                state: DeliveryState::Dead,
                reason: format!("given up after {attempts} tries: {reason}"),
            },
            SendError::Retry { retry_after_ms, reason } => {
                let asked = retry_after_ms.map(Duration::from_millis);
                let wait =
                    asked.unwrap_or_else(|| self.backoff(attempts)).min(self.limits.delivery_backoff_max);
                Tried::Again { state: DeliveryState::Prepared, wait, reason }
            }
            SendError::Unknown { reason } => self.after_unknown(channel, parcel, reason).await,
        }
    }

    /// What follows when nobody knows whether a sending arrived: ask the network, else the channel's policy.
    async fn after_unknown(&self, channel: &dyn Channel, parcel: &Parcel, reason: String) -> Tried {
        let attempts = parcel.delivery.attempts;
        if let Some(lookup) = channel.lookup() {
            match lookup.lookup(&outbound(&parcel.delivery, &parcel.message)).await {
                Ok(Some(receipt)) => return Tried::Sent(receipt),
                Ok(None) if attempts >= self.limits.delivery_attempts_max => {
                    return Tried::Over {
                        state: DeliveryState::Dead,
                        reason: format!("given up after {attempts} tries: {reason}"),
                    };
                }
                Ok(None) => {
                    return Tried::Again {
                        state: DeliveryState::Prepared,
                        wait: self.backoff(attempts),
                        reason,
                    };
                }
                Err(error) => tracing::debug!(%error, "the network could not say whether a delivery arrived"),
            }
        }
        if channel.info().resend == ResendPolicy::Never || attempts >= self.limits.delivery_attempts_max {
            return Tried::Over { state: DeliveryState::Unknown, reason };
        }
        Tried::Again { state: DeliveryState::Sending, wait: self.backoff(attempts), reason }
    }

    fn backoff(&self, attempts: u32) -> Duration {
        let doubled =
            self.limits.delivery_backoff.saturating_mul(2u32.saturating_pow(attempts.saturating_sub(1)));
        doubled.min(self.limits.delivery_backoff_max)
    }

    /// Writes a delivery's end together with the ends of its messages, and tells who waits.
    async fn close(&self, mut parcel: Parcel, state: DeliveryState, detail: String, receipt: Receipt) {
        parcel.delivery.state = state;
        parcel.delivery.detail.clone_from(&detail);
        let mut changes = vec![moved(&parcel.delivery)];
        if let Some(platform_id) = receipt.platform_id {
            changes.push(MessageChange::SetPlatformId { message: parcel.message.id, platform_id }.into());
        }
        let arrived = state != DeliveryState::Dead;
        for closing in &mut parcel.closing {
            if !arrived {
                closing.ended.end = MessageEnd::DeadLettered { reason: detail.clone() };
            }
            changes
                .push(MessageChange::End { message: closing.message, end: closing.ended.end.clone() }.into());
        }
        self.stores.ledger.record(changes);
        let session = &parcel.message.session;
        self.events.emit(Some(session), EventKind::DeliveryMoved { delivery: parcel.delivery.id, state });
        if arrived {
            let said = EventKind::MessageSent {
                message: parcel.message.id,
                turn: parcel.delivery.turn,
                segments: parcel.message.segments.clone(),
            };
            self.events.emit(Some(session), said);
        }
        self.announce(session, parcel.closing);
        if let (Some(view), true) = (&parcel.view, arrived) {
            self.pipeline.after_output(view, &parcel.message.segments).await;
        }
        drop(parcel.guard);
    }

    /// Tells that messages have reached the ends that are already written.
    pub(crate) fn announce(&self, session: &hearth_contract::id::SessionKey, closing: Vec<Closing>) {
        for Closing { message, ended } in closing {
            self.events.emit(Some(session), EventKind::MessageEnded { message, end: ended.end.clone() });
            self.ends.announce(message, &ended);
        }
    }
}

/// A stored delivery as a network gets it.
fn outbound(delivery: &DeliveryRecord, message: &MessageRecord) -> Outbound {
    Outbound {
        delivery: delivery.id,
        message: message.id,
        turn: delivery.turn,
        session: message.session.clone(),
        chat: delivery.chat.clone(),
        segments: message.segments.clone(),
        may_be_duplicate: delivery.may_be_duplicate,
    }
}

fn moved(delivery: &DeliveryRecord) -> Change {
    DeliveryChange::Move {
        delivery: delivery.id,
        state: delivery.state,
        attempts: delivery.attempts,
        may_be_duplicate: delivery.may_be_duplicate,
        detail: delivery.detail.clone(),
    }
    .into()
}
