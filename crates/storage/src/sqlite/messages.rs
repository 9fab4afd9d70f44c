//! Messages.

use async_trait::async_trait;
use hearth_contract::id::{MessageId, SessionKey, TurnId};
use hearth_contract::message::{MessageEnd, MessageRecord};
use hearth_contract::store::{MessageChange, MessagePage, Messages, StoreError};
use rusqlite::{Connection, named_params, params};

use super::codec::{Columns, StoredId, execute, first, json, name, row_limit, rows};
use super::readers::Readers;
use super::trouble::{Trouble, conflict_or};

/// The columns of [`decode`], in its order.
macro_rules! message_columns {
    () => {
        "m.id, m.channel, m.chat, m.dialog, m.chat_kind, m.account, m.direction, m.origin, m.sender_id, m.sender_name,
         m.sender_role, m.segments, m.text, m.addressed, m.arrival, m.platform_id, m.sent_at, m.accepted_at, m.turn,
         m.end_detail"
    };
}
pub(super) use message_columns;

/// Reads the columns of `message_columns`.
pub(super) fn decode(columns: &mut Columns<'_, '_>) -> rusqlite::Result<MessageRecord> {
    Ok(MessageRecord {
        id: columns.id()?,
        session: columns.session()?,
        chat_kind: columns.name()?,
        account: columns.take()?,
        direction: columns.name()?,
        origin: columns.json()?,
        sender: columns.sender()?,
        segments: columns.json()?,
        text: columns.take()?,
        addressed: columns.take()?,
        arrival: columns.name()?,
        platform_id: columns.take()?,
        sent_at: columns.time()?,
        accepted_at: columns.time()?,
        turn: columns.id_or_none()?,
        end: columns.json_or_none()?,
    })
}

/// Applies one change.
pub(super) fn apply(connection: &Connection, change: &MessageChange) -> Result<(), Trouble> {
    match change {
        MessageChange::Accept(message) => {
            insert(connection, message).map_err(|error| taken(connection, message, error))
        }
        MessageChange::Say(message) => {
            insert(connection, message).map_err(|error| conflict_or(error, "message", message.id))
        }
        MessageChange::TakeUp { message, turn } => {
            execute(
                connection,
                "UPDATE messages SET turn = ?2 WHERE id = ?1",
                params![message.stored(), turn.stored()],
            )?;
            Ok(())
        }
        MessageChange::End { message, end } => {
            execute(
                connection,
                "UPDATE messages SET end_name = ?2, end_detail = ?3 WHERE id = ?1 AND end_name IS NULL",
                params![message.stored(), end.name(), json(end)?],
            )?;
            Ok(())
        }
        MessageChange::SetPlatformId { message, platform_id } => {
            execute(
                connection,
                "UPDATE messages SET platform_id = ?2 WHERE id = ?1",
                params![message.stored(), platform_id],
            )
            .map_err(|error| conflict_or(error, "message", message))?;
            Ok(())
        }
    }
}

fn insert(connection: &Connection, message: &MessageRecord) -> rusqlite::Result<()> {
    execute(
        connection,
        "INSERT INTO messages (id, channel, chat, dialog, chat_kind, account, direction, origin, sender_id,
             sender_name, sender_role, segments, text, addressed, arrival, platform_id, sent_at, accepted_at, turn,
             end_name, end_detail)
         VALUES (:id, :channel, :chat, :dialog, :chat_kind, :account, :direction, :origin, :sender_id,
             :sender_name, :sender_role, :segments, :text, :addressed, :arrival, :platform_id, :sent_at,
             :accepted_at, :turn, :end_name, :end_detail)",
        named_params! {
            ":id": message.id.stored(),
            ":channel": message.session.chat.channel,
            ":chat": message.session.chat.chat,
            ":dialog": message.session.dialog,
            ":chat_kind": name(&message.chat_kind)?,
            ":account": message.account,
            ":direction": name(&message.direction)?,
            ":origin": json(&message.origin)?,
            ":sender_id": message.sender.id,
            ":sender_name": message.sender.name,
            ":sender_role": name(&message.sender.role)?,
            ":segments": json(&message.segments)?,
            ":text": message.text,
            ":addressed": message.addressed,
            ":arrival": name(&message.arrival)?,
            ":platform_id": message.platform_id,
            ":sent_at": message.sent_at.0,
            ":accepted_at": message.accepted_at.0,
            ":turn": message.turn.map(|turn| turn.stored()),
            ":end_name": message.end.as_ref().map(MessageEnd::name),
            ":end_detail": message.end.as_ref().map(json).transpose()?,
        },
    )
    .map(|_| ())
}

/// What a refused arrival means: the network's id is there already, under the id of the first arrival.
fn taken(connection: &Connection, message: &MessageRecord, error: rusqlite::Error) -> Trouble {
    let sql = "SELECT id FROM messages WHERE channel = ?1 AND account = ?2 AND chat = ?3 AND platform_id = ?4
                   AND platform_id <> '' AND direction = 'in'";
    let chat = &message.session.chat;
    let key = params![chat.channel, message.account, chat.chat, message.platform_id];
    match first(connection, sql, key, |columns| columns.id::<MessageId>()) {
        Ok(earlier) => conflict_or(error, "message", earlier.unwrap_or(message.id)),
        Err(error) => Trouble::Broken(error),
    }
}

/// The messages of a turn, oldest first.
pub(super) fn of_turn(connection: &Connection, turn: TurnId) -> rusqlite::Result<Vec<MessageRecord>> {
    let sql = concat!("SELECT ", message_columns!(), " FROM messages m WHERE m.turn = ?1 ORDER BY m.id");
    rows(connection, sql, params![turn.stored()], decode)
}

fn page(
    connection: &Connection,
    session: &SessionKey,
    page: MessagePage,
    limit: usize,
) -> rusqlite::Result<Vec<MessageRecord>> {
    let backwards = concat!(
        "SELECT ",
        message_columns!(),
        " FROM messages m WHERE m.channel = ?1 AND m.chat = ?2 AND m.dialog = ?3 AND m.id < ?4
          ORDER BY m.id DESC LIMIT ?5"
    );
    let forwards = concat!(
        "SELECT ",
        message_columns!(),
        " FROM messages m WHERE m.channel = ?1 AND m.chat = ?2 AND m.dialog = ?3 AND m.id > ?4
          ORDER BY m.id LIMIT ?5"
    );
    let chat = &session.chat;
    let limit = row_limit(limit);
    let mut found = match page {
        MessagePage::Newest => {
            // Nothing sorts after a blob of seventeen bytes of ones but a longer one.
            let beyond_every_id = [0xff_u8; 17];
            let key = params![chat.channel, chat.chat, session.dialog, beyond_every_id, limit];
            rows(connection, backwards, key, decode)?
        }
        MessagePage::Before(id) => {
            let key = params![chat.channel, chat.chat, session.dialog, id.stored(), limit];
            rows(connection, backwards, key, decode)?
        }
        MessagePage::After(id) => {
            let key = params![chat.channel, chat.chat, session.dialog, id.stored(), limit];
            return rows(connection, forwards, key, decode);
        }
    };
    found.reverse();
    Ok(found)
}

#[async_trait]
impl Messages for Readers {
    async fn get(&self, id: MessageId) -> Result<Option<MessageRecord>, StoreError> {
        self.read(move |connection| {
            let sql = concat!("SELECT ", message_columns!(), " FROM messages m WHERE m.id = ?1");
            first(connection, sql, params![id.stored()], decode)
        })
        .await
    }

    async fn page(
        &self,
        session: &SessionKey,
        which: MessagePage,
        limit: usize,
    ) -> Result<Vec<MessageRecord>, StoreError> {
        let session = session.clone();
        self.read(move |connection| page(connection, &session, which, limit)).await
    }

    async fn open(&self) -> Result<Vec<MessageRecord>, StoreError> {
        self.read(|connection| {
            let sql = concat!(
                "SELECT ",
                message_columns!(),
                " FROM messages m WHERE m.end_name IS NULL AND m.direction = 'in' ORDER BY m.id"
            );
            rows(connection, sql, [], decode)
        })
        .await
    }

    async fn of_turn(&self, turn: TurnId) -> Result<Vec<MessageRecord>, StoreError> {
        self.read(move |connection| of_turn(connection, turn)).await
    }
}
