//! The one way in: commit, then acknowledge, and take nothing twice.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use futures::FutureExt;
use hearth_contract::event::EventKind;
use hearth_contract::id::{MessageId, SessionKey};
use hearth_contract::inbox::{AcceptError, Accepted, Acknowledge, Ended, Inbox};
use hearth_contract::message::{Direction, Inbound, MessageRecord, plain_text};
use hearth_contract::provider::Usage;
use hearth_contract::store::{Change, DialogChange, DialogState, MessageChange, StoreError, Urgency};
use tokio::sync::{mpsc, oneshot};

use crate::heard::Mail;
use crate::kernel::{Inner, Kernel};
use crate::session::run_session;

/// What a network is told when too much is waiting.
const RETRY_AFTER_MS: u64 = 2_000;

#[async_trait]
impl Inbox for Kernel {
    async fn accept(&self, inbound: Inbound, acknowledge: Acknowledge) -> Result<Accepted, AcceptError> {
        // A caller that gives up half-way leaves no message in the ledger that its session has not heard.
        let kernel = self.0.clone();
        let accepting = async move { accept(&kernel, inbound, acknowledge, |_| Vec::new()).await };
        self.0.tasks.spawn("accept", accepting).await.unwrap_or(Err(AcceptError::Stopping))
    }
}

/// Takes a message, and makes in the same transaction the changes that go `with` its id (the claim of the occurrence
/// that woke the agent).
pub(crate) async fn accept(
    kernel: &Arc<Inner>,
    inbound: Inbound,
    acknowledge: Acknowledge,
    with: impl FnOnce(MessageId) -> Vec<Change> + Send,
) -> Result<Accepted, AcceptError> {
    let message = record_of(kernel, inbound).await?;
    let mailbox = kernel.sessions.mailbox(kernel, &message.session);
    let place = mailbox
        .sender
        .try_reserve_owned()
        .map_err(|_| AcceptError::Full { retry_after_ms: RETRY_AFTER_MS })?;
    let ended = kernel.ends.open(message.id);
    // Two messages of one session reach the ledger and the mailbox in the same order.
    let in_order = mailbox.order.lock().await;
    let mut changes = vec![MessageChange::Accept(message.clone()).into()];
    changes.push(DialogChange::Touch { session: message.session.clone(), at: message.accepted_at }.into());
    changes.extend(with(message.id));
    let urgency = match acknowledge {
        Acknowledge::WhenDurable => Urgency::Now,
        Acknowledge::WhenTaken => Urgency::Later,
    };
    let durable = match kernel.stores.ledger.apply(changes, urgency).await {
        Ok(durable) => durable,
        Err(error) => {
            kernel.ends.forget(message.id);
            return match error {
                StoreError::Conflict { what: "message", existing } => {
                    second_arrival(kernel, message, &existing).await
                }
                error => Err(error.into()),
            };
        }
    };
    let (id, session) = (message.id, message.session.clone());
    let accepted = EventKind::MessageAccepted {
        message: id,
        sender: message.sender.name.clone(),
        text: message.text.clone(),
        origin: message.origin.clone(),
        platform_id: message.platform_id.clone(),
    };
    kernel.events.emit(Some(&session), accepted);
    let safety = durable.wait().boxed().shared();
    if acknowledge == Acknowledge::WhenDurable {
        kernel.ends.depends_on(id, safety.clone());
    }
    place.send(Mail::Message(Box::new(message), kernel.mail.begin()));
    drop(in_order);
    if acknowledge == Acknowledge::WhenDurable {
        safety.await?;
    }
    Ok(Accepted { message: id, session, duplicate: false, ended })
}

async fn record_of(kernel: &Arc<Inner>, inbound: Inbound) -> Result<MessageRecord, AcceptError> {
    if kernel.tasks.shutdown().is_cancelled() {
        return Err(AcceptError::Stopping);
    }
    if kernel.ends.count() >= kernel.limits.messages_open_max {
        return Err(AcceptError::Full { retry_after_ms: RETRY_AFTER_MS });
    }
    let text = plain_text(&inbound.segments);
    let chars = text.chars().count();
    if chars > kernel.limits.message_chars_max {
        let reason = format!(
            "the message has {chars} characters; at most {} are taken",
            kernel.limits.message_chars_max
        );
        return Err(AcceptError::Invalid { reason });
    }
    let session = match &inbound.dialog {
        Some(dialog) => inbound.chat.dialog(dialog),
        None => kernel.dialogs.current(&inbound.chat).await?,
    };
    if let Some(state) = kernel.dialogs.closed(&session) {
        let state = if state == DialogState::Archived { "archived" } else { "deleted" };
        return Err(AcceptError::Invalid {
            reason: format!("the dialog `{session}` is {state}; restore it first"),
        });
    }
    Ok(MessageRecord {
        id: MessageId::new(),
        session,
        chat_kind: inbound.chat_kind,
        account: inbound.account,
        direction: Direction::In,
        origin: inbound.origin,
        sender: inbound.sender,
        text,
        segments: inbound.segments,
        addressed: inbound.addressed,
        arrival: inbound.arrival,
        platform_id: inbound.platform_id,
        sent_at: inbound.sent_at,
        accepted_at: kernel.clock.now(),
        turn: None,
        end: None,
    })
}

/// The message was here before: who sent it again learns the first one's end.
async fn second_arrival(
    kernel: &Arc<Inner>,
    message: MessageRecord,
    existing: &str,
) -> Result<Accepted, AcceptError> {
    let first: MessageId =
        existing.parse().map_err(|_| AcceptError::Invalid { reason: "a broken id".into() })?;
    let accepted =
        |ended| Accepted { message: first, session: message.session.clone(), duplicate: true, ended };
    if let Some(ended) = kernel.ends.join(first) {
        return Ok(accepted(ended));
    }
    let (told, ended) = oneshot::channel();
    // It has ended a moment ago; what was recorded until now becomes readable with this.
    kernel.stores.ledger.commit(Vec::new()).await?;
    let stored = kernel.stores.messages.get(first).await?;
    if let Some((end, turn)) = stored.and_then(|first| Some((first.end?, first.turn))) {
        let said = match turn {
            Some(turn) => kernel.stores.messages.of_turn(turn).await?,
            None => Vec::new(),
        };
        let said = said.iter().rev().find(|message| message.direction == Direction::Out);
        let reply = said.map(|message| message.text.clone()).unwrap_or_default();
        // silent-ok: the receiver is in this function.
        let _ = told.send(Ended { end, turn, reply, usage: Usage::default() });
    }
    Ok(accepted(ended))
}

/// The sessions in memory.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<HashMap<SessionKey, Mailbox>>);

/// The way to a session.
#[derive(Debug, Clone)]
pub(crate) struct Mailbox {
    pub(crate) sender: mpsc::Sender<Mail>,
    /// Held while a message is put into the ledger and then into the mailbox.
    pub(crate) order: Arc<tokio::sync::Mutex<()>>,
}

impl Sessions {
    /// The mailbox of a session, which comes into memory with it.
    pub(crate) fn mailbox(&self, kernel: &Arc<Inner>, session: &SessionKey) -> Mailbox {
        let mut sessions = self.lock();
        // A session whose task broke is made anew.
        if let Some(mailbox) = sessions.get(session).filter(|mailbox| !mailbox.sender.is_closed()) {
            return mailbox.clone();
        }
        let (sender, receiver) = mpsc::channel(kernel.limits.mailbox_max);
        let mailbox = Mailbox { sender, order: Arc::default() };
        sessions.insert(session.clone(), mailbox.clone());
        let living = run_session(kernel.clone(), session.clone(), receiver);
        let shutdown = kernel.tasks.shutdown().clone();
        kernel.tasks.spawn("session", async move {
            tokio::select! {
                () = living => {}
                () = shutdown.cancelled() => {}
            }
        });
        mailbox
    }

    /// The mailbox of a session that is in memory.
    pub(crate) fn loaded(&self, session: &SessionKey) -> Option<Mailbox> {
        self.lock().get(session).cloned()
    }

    /// Takes a session out of memory, unless something is on its way to it.
    pub(crate) fn let_go(&self, session: &SessionKey, mailbox: &mpsc::Receiver<Mail>) -> bool {
        let mut sessions = self.lock();
        let unused = mailbox.is_empty() && mailbox.sender_strong_count() == 1;
        if unused {
            sessions.remove(session);
        }
        unused
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<SessionKey, Mailbox>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
