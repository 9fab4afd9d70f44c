//! The ends of messages: who waits for one is told, and the books say how many are open.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use hearth_contract::id::MessageId;
use hearth_contract::inbox::Ended;
use tokio::sync::oneshot;

/// Who waits for the end of which message. Holds exactly the messages that are open in this process.
#[derive(Debug, Default)]
pub(crate) struct Ends(Mutex<HashMap<MessageId, Vec<oneshot::Sender<Ended>>>>);

impl Ends {
    /// A message is open from now on; its end can be waited for.
    pub(crate) fn open(&self, message: MessageId) -> oneshot::Receiver<Ended> {
        let (sender, receiver) = oneshot::channel();
        self.lock().entry(message).or_default().push(sender);
        receiver
    }

    /// Waits with the others for a message that is open; none if it is not open in this process.
    pub(crate) fn join(&self, message: MessageId) -> Option<oneshot::Receiver<Ended>> {
        let (sender, receiver) = oneshot::channel();
        self.lock().get_mut(&message)?.push(sender);
        Some(receiver)
    }

    /// It was not taken after all.
    pub(crate) fn forget(&self, message: MessageId) {
        self.lock().remove(&message);
    }

    /// It has reached its end: everybody who waits is told.
    pub(crate) fn announce(&self, message: MessageId, ended: &Ended) {
        for sender in self.lock().remove(&message).unwrap_or_default() {
            // silent-ok: who no longer waits need not be told.
            let _ = sender.send(ended.clone());
        }
    }

    /// How many messages are open.
    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<MessageId, Vec<oneshot::Sender<Ended>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
