//! Dialogs.

use async_trait::async_trait;
use hearth_contract::id::{ChatKey, SessionKey};
use hearth_contract::store::{DialogChange, DialogRecord, DialogState, Dialogs, StoreError};
use rusqlite::{Connection, params};

use super::codec::{Columns, execute, first, name, row_limit, rows};
use super::readers::Readers;
use super::trouble::Trouble;

macro_rules! dialog_columns {
    () => {
        "channel, chat, dialog, title, state, created_at, active_at"
    };
}

fn decode(columns: &mut Columns<'_, '_>) -> rusqlite::Result<DialogRecord> {
    Ok(DialogRecord {
        session: columns.session()?,
        title: columns.take()?,
        state: columns.name()?,
        created_at: columns.time()?,
        active_at: columns.time()?,
    })
}

/// Applies one change.
pub(super) fn apply(connection: &Connection, change: &DialogChange) -> Result<(), Trouble> {
    match change {
        DialogChange::Put(dialog) => execute(
            connection,
            "INSERT INTO dialogs (channel, chat, dialog, title, state, created_at, active_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (channel, chat, dialog) DO UPDATE SET title = excluded.title, state = excluded.state,
                 created_at = excluded.created_at, active_at = excluded.active_at",
            params![
                dialog.session.chat.channel,
                dialog.session.chat.chat,
                dialog.session.dialog,
                dialog.title,
                name(&dialog.state)?,
                dialog.created_at.0,
                dialog.active_at.0,
            ],
        )?,
        DialogChange::Touch { session, at } => execute(
            connection,
            "INSERT INTO dialogs (channel, chat, dialog, title, state, created_at, active_at)
             VALUES (?1, ?2, ?3, '', ?4, ?5, ?5)
             ON CONFLICT (channel, chat, dialog) DO UPDATE SET active_at = max(active_at, excluded.active_at)",
            params![
                session.chat.channel,
                session.chat.chat,
                session.dialog,
                name(&DialogState::Active)?,
                at.0,
            ],
        )?,
        DialogChange::Name { session, title } => execute(
            connection,
            "UPDATE dialogs SET title = ?4 WHERE channel = ?1 AND chat = ?2 AND dialog = ?3 AND title = ''",
            params![session.chat.channel, session.chat.chat, session.dialog, title],
        )?,
        DialogChange::SetCurrent { session } => execute(
            connection,
            "INSERT INTO current_dialogs (channel, chat, dialog) VALUES (?1, ?2, ?3)
             ON CONFLICT (channel, chat) DO UPDATE SET dialog = excluded.dialog",
            params![session.chat.channel, session.chat.chat, session.dialog],
        )?,
    };
    Ok(())
}

#[async_trait]
impl Dialogs for Readers {
    async fn get(&self, session: &SessionKey) -> Result<Option<DialogRecord>, StoreError> {
        let session = session.clone();
        self.read(move |connection| {
            let sql = concat!(
                "SELECT ",
                dialog_columns!(),
                " FROM dialogs WHERE channel = ?1 AND chat = ?2 AND dialog = ?3"
            );
            first(connection, sql, params![session.chat.channel, session.chat.chat, session.dialog], decode)
        })
        .await
    }

    async fn current(&self, chat: &ChatKey) -> Result<Option<SessionKey>, StoreError> {
        let chat = chat.clone();
        self.read(move |connection| {
            let sql = "SELECT channel, chat, dialog FROM current_dialogs WHERE channel = ?1 AND chat = ?2";
            first(connection, sql, params![chat.channel, chat.chat], |columns| columns.session())
        })
        .await
    }

    async fn list(&self, chat: Option<&ChatKey>, limit: usize) -> Result<Vec<DialogRecord>, StoreError> {
        let chat = chat.cloned();
        self.read(move |connection| {
            let of_all =
                concat!("SELECT ", dialog_columns!(), " FROM dialogs ORDER BY active_at DESC LIMIT ?1");
            let of_chat = concat!(
                "SELECT ",
                dialog_columns!(),
                " FROM dialogs WHERE channel = ?1 AND chat = ?2 ORDER BY active_at DESC LIMIT ?3"
            );
            let limit = row_limit(limit);
            match &chat {
                Some(chat) => rows(connection, of_chat, params![chat.channel, chat.chat, limit], decode),
                None => rows(connection, of_all, params![limit], decode),
            }
        })
        .await
    }
}
