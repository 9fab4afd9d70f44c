//! The dialogs of a chat, and which of them its messages go to.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use hearth_contract::clock::Clock;
use hearth_contract::id::{ChatKey, MessageId, SessionKey};
use hearth_contract::inbox::{ControlError, DialogOp};
use hearth_contract::store::{Change, DialogChange, DialogRecord, DialogState, StoreError, Stores};

/// How many dialogs a list shows.
pub(crate) const DIALOGS_LISTED: usize = 10;
/// Characters of a title.
const TITLE_CHARS_MAX: usize = 60;

/// The dialogs of all chats. The ledger holds them; the current one of each chat seen so far is kept in memory.
#[derive(Debug)]
pub(crate) struct DialogBook {
    stores: Stores,
    clock: Arc<dyn Clock>,
    current: Mutex<HashMap<ChatKey, SessionKey>>,
    /// Those that are archived or deleted: few, and asked about for each message.
    closed: Mutex<HashMap<SessionKey, DialogState>>,
}

impl DialogBook {
    pub(crate) fn new(stores: Stores, clock: Arc<dyn Clock>) -> Self {
        Self { stores, clock, current: Mutex::default(), closed: Mutex::default() }
    }

    /// The dialog a chat's messages go to.
    pub(crate) async fn current(&self, chat: &ChatKey) -> Result<SessionKey, StoreError> {
        if let Some(session) = self.lock().get(chat) {
            return Ok(session.clone());
        }
        let stored = self.stores.dialogs.current(chat).await?;
        let session = stored.unwrap_or_else(|| chat.dialog(SessionKey::DEFAULT_DIALOG));
        self.lock().insert(chat.clone(), session.clone());
        Ok(session)
    }

    /// Learns from the ledger which dialogs are closed.
    pub(crate) async fn load(&self) -> Result<(), StoreError> {
        for record in self.stores.dialogs.list(None, usize::MAX).await? {
            self.note_state(&record);
        }
        Ok(())
    }

    /// Whether a dialog takes no messages.
    pub(crate) fn closed(&self, session: &SessionKey) -> Option<DialogState> {
        self.closed.lock().unwrap_or_else(PoisonError::into_inner).get(session).copied()
    }

    fn note_state(&self, record: &DialogRecord) {
        let mut closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        match record.state {
            DialogState::Active => closed.remove(&record.session),
            DialogState::Archived | DialogState::Deleted => {
                closed.insert(record.session.clone(), record.state)
            }
        };
    }

    /// Changes the dialogs of a chat.
    pub(crate) async fn apply(&self, chat: &ChatKey, op: DialogOp) -> Result<DialogRecord, ControlError> {
        match op {
            DialogOp::Create { title } => self.create(chat, title).await,
            DialogOp::Switch { dialog } => {
                let record = self.get(chat, &dialog).await?;
                if record.state != DialogState::Active {
                    let reason = "the dialog is archived or deleted; restore it first".into();
                    return Err(ControlError::Refused { reason });
                }
                self.go_to(record).await
            }
            DialogOp::Rename { dialog, title } => {
                let record = self.get(chat, &dialog).await?;
                self.put(DialogRecord { title: short_title(&title), ..record }).await
            }
            DialogOp::Archive { dialog } => self.leave(chat, &dialog, DialogState::Archived).await,
            DialogOp::Delete { dialog } => self.leave(chat, &dialog, DialogState::Deleted).await,
            DialogOp::Restore { dialog } => {
                let record = self.get(chat, &dialog).await?;
                self.put(DialogRecord { state: DialogState::Active, ..record }).await
            }
        }
    }

    async fn create(&self, chat: &ChatKey, title: String) -> Result<DialogRecord, ControlError> {
        let id = MessageId::new().to_string();
        let session = chat.dialog(format!("d_{}", &id[id.len() - 8..]));
        let now = self.clock.now();
        let title = short_title(&title);
        let record =
            DialogRecord { session, title, state: DialogState::Active, created_at: now, active_at: now };
        self.go_to(record).await
    }

    /// Archives or deletes a dialog; a chat that was in it goes on in its last active other one, or in a new one.
    async fn leave(
        &self,
        chat: &ChatKey,
        dialog: &str,
        state: DialogState,
    ) -> Result<DialogRecord, ControlError> {
        let record = self.put(DialogRecord { state, ..self.get(chat, dialog).await? }).await?;
        if self.current(chat).await? == record.session {
            let others = self.stores.dialogs.list(Some(chat), DIALOGS_LISTED).await?;
            let usable =
                |other: &DialogRecord| other.state == DialogState::Active && other.session != record.session;
            match others.into_iter().find(usable) {
                Some(other) => self.go_to(other).await?,
                None => self.create(chat, String::new()).await?,
            };
        }
        Ok(record)
    }

    async fn go_to(&self, record: DialogRecord) -> Result<DialogRecord, ControlError> {
        let current = DialogChange::SetCurrent { session: record.session.clone() };
        let changes: Vec<Change> = vec![DialogChange::Put(record.clone()).into(), current.into()];
        self.stores.ledger.commit(changes).await?;
        self.lock().insert(record.session.chat.clone(), record.session.clone());
        Ok(record)
    }

    async fn put(&self, record: DialogRecord) -> Result<DialogRecord, ControlError> {
        self.stores.ledger.commit(vec![DialogChange::Put(record.clone()).into()]).await?;
        self.note_state(&record);
        Ok(record)
    }

    async fn get(&self, chat: &ChatKey, dialog: &str) -> Result<DialogRecord, ControlError> {
        let session = chat.dialog(dialog);
        if let Some(record) = self.stores.dialogs.get(&session).await? {
            return Ok(record);
        }
        // The first dialog of a chat exists without having been made.
        if dialog == SessionKey::DEFAULT_DIALOG {
            let now = self.clock.now();
            let title = String::new();
            return Ok(DialogRecord {
                session,
                title,
                state: DialogState::Active,
                created_at: now,
                active_at: now,
            });
        }
        Err(ControlError::NotFound { what: format!("there is no dialog `{session}`") })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<ChatKey, SessionKey>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A title of one line that fits.
pub(crate) fn short_title(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().trim();
    let mut title: String = line.chars().take(TITLE_CHARS_MAX).collect();
    if title.len() < line.len() {
        title.push('…');
    }
    title
}
