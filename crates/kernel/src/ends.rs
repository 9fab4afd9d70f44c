//! The ends of messages: who waits for one is told, and the books say how many are open.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use futures::future::{BoxFuture, Shared};
use hearth_contract::id::MessageId;
use hearth_contract::inbox::Ended;
use hearth_contract::store::StoreError;
use tokio::sync::oneshot;

use crate::activity::{Activity, ActivityGuard};

/// Who waits for the end of which message. Holds exactly the messages that are open in this process.
#[derive(Debug)]
pub(crate) struct Ends {
    open: Mutex<HashMap<MessageId, Open>>,
    activity: Activity,
}

/// Becomes ready when a message is safe, or will never be.
pub(crate) type Safety = Shared<BoxFuture<'static, Result<(), StoreError>>>;

/// An open message: something is going on until it has ended.
#[derive(Debug)]
struct Open {
    waiting: Vec<oneshot::Sender<Ended>>,
    /// Of one that its network is told of when it is safe, and that is refused if it cannot be.
    safety: Option<Safety>,
    _going_on: ActivityGuard,
}

impl Ends {
    pub(crate) fn new(activity: Activity) -> Self {
        Self { open: Mutex::default(), activity }
    }

    /// A message is open from now on; its end can be waited for.
    pub(crate) fn open(&self, message: MessageId) -> oneshot::Receiver<Ended> {
        let (sender, receiver) = oneshot::channel();
        let new = || Open { waiting: Vec::new(), safety: None, _going_on: self.activity.begin() };
        self.lock().entry(message).or_insert_with(new).waiting.push(sender);
        receiver
    }

    /// Waits with the others for a message that is open; none if it is not open in this process.
    pub(crate) fn join(&self, message: MessageId) -> Option<oneshot::Receiver<Ended>> {
        let (sender, receiver) = oneshot::channel();
        self.lock().get_mut(&message)?.waiting.push(sender);
        Some(receiver)
    }

    /// What must come true before anything is done for a message.
    pub(crate) fn depends_on(&self, message: MessageId, safety: Safety) {
        if let Some(open) = self.lock().get_mut(&message) {
            open.safety = Some(safety);
        }
    }

    /// Returns when a message is safe. An error means that its network was told it was not taken.
    pub(crate) async fn safe(&self, message: MessageId) -> Result<(), StoreError> {
        let safety = self.lock().get(&message).and_then(|open| open.safety.clone());
        match safety {
            Some(safety) => safety.await,
            None => Ok(()),
        }
    }

    /// It was not taken after all.
    pub(crate) fn forget(&self, message: MessageId) {
        self.lock().remove(&message);
    }

    /// It has reached its end: everybody who waits is told.
    pub(crate) fn announce(&self, message: MessageId, ended: &Ended) {
        let open = self.lock().remove(&message);
        for sender in open.into_iter().flat_map(|open| open.waiting) {
            // silent-ok: who no longer waits need not be told.
            let _ = sender.send(ended.clone());
        }
    }

    /// How many messages are open.
    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<MessageId, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
