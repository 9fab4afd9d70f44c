//! Deliveries.

use async_trait::async_trait;
use hearth_contract::id::{MessageId, TurnId};
use hearth_contract::message::MessageRecord;
use hearth_contract::store::{Deliveries, DeliveryChange, DeliveryRecord, StoreError};
use rusqlite::{Connection, named_params, params};

use super::codec::{Columns, StoredId, execute, first, rows};
use super::messages::{self, message_columns};
use super::readers::Readers;
use super::trouble::{Trouble, conflict_or};

macro_rules! delivery_columns {
    () => {
        "d.id, d.message, d.turn, d.number, d.channel, d.chat, d.state, d.attempts, d.may_be_duplicate, d.created_at,
         d.detail"
    };
}

fn decode(columns: &mut Columns<'_, '_>) -> rusqlite::Result<DeliveryRecord> {
    Ok(DeliveryRecord {
        id: columns.id()?,
        message: columns.id()?,
        turn: columns.id_or_none()?,
        number: columns.take()?,
        chat: columns.chat()?,
        state: columns.name()?,
        attempts: columns.take()?,
        may_be_duplicate: columns.take()?,
        created_at: columns.time()?,
        detail: columns.take()?,
    })
}

fn decode_with_message(columns: &mut Columns<'_, '_>) -> rusqlite::Result<(DeliveryRecord, MessageRecord)> {
    Ok((decode(columns)?, messages::decode(columns)?))
}

/// Applies one change.
pub(super) fn apply(connection: &Connection, change: &DeliveryChange) -> Result<(), Trouble> {
    match change {
        DeliveryChange::Put(delivery) => {
            put(connection, delivery).map_err(|error| conflict_or(error, "delivery", delivery.id))
        }
        DeliveryChange::Move { delivery, state, attempts, may_be_duplicate, detail } => {
            execute(
                connection,
                "UPDATE deliveries SET state = :state, attempts = :attempts, may_be_duplicate = :duplicate,
                     detail = :detail
                 WHERE id = :id AND state IN ('prepared', 'sending')",
                named_params! {
                    ":id": delivery.stored(),
                    ":state": state.name(),
                    ":attempts": attempts,
                    ":duplicate": may_be_duplicate,
                    ":detail": detail,
                },
            )?;
            Ok(())
        }
    }
}

fn put(connection: &Connection, delivery: &DeliveryRecord) -> rusqlite::Result<()> {
    execute(
        connection,
        "INSERT INTO deliveries (id, message, turn, number, channel, chat, state, attempts, may_be_duplicate,
             created_at, detail)
         VALUES (:id, :message, :turn, :number, :channel, :chat, :state, :attempts, :duplicate, :created_at, :detail)",
        named_params! {
            ":id": delivery.id.stored(),
            ":message": delivery.message.stored(),
            ":turn": delivery.turn.map(|turn| turn.stored()),
            ":number": delivery.number,
            ":channel": delivery.chat.channel,
            ":chat": delivery.chat.chat,
            ":state": delivery.state.name(),
            ":attempts": delivery.attempts,
            ":duplicate": delivery.may_be_duplicate,
            ":created_at": delivery.created_at.0,
            ":detail": delivery.detail,
        },
    )
    .map(|_| ())
}

#[async_trait]
impl Deliveries for Readers {
    async fn unfinished(&self) -> Result<Vec<(DeliveryRecord, MessageRecord)>, StoreError> {
        self.read(|connection| {
            let sql = concat!(
                "SELECT ",
                delivery_columns!(),
                ", ",
                message_columns!(),
                " FROM deliveries d JOIN messages m ON m.id = d.message
                  WHERE d.state IN ('prepared', 'sending') ORDER BY d.id"
            );
            rows(connection, sql, [], decode_with_message)
        })
        .await
    }

    async fn of_turn(&self, turn: TurnId) -> Result<Vec<DeliveryRecord>, StoreError> {
        self.read(move |connection| {
            let sql = concat!(
                "SELECT ",
                delivery_columns!(),
                " FROM deliveries d WHERE d.turn = ?1 ORDER BY d.number, d.id"
            );
            rows(connection, sql, params![turn.stored()], decode)
        })
        .await
    }

    async fn of_message(&self, message: MessageId) -> Result<Option<DeliveryRecord>, StoreError> {
        self.read(move |connection| {
            let sql = concat!(
                "SELECT ",
                delivery_columns!(),
                " FROM deliveries d WHERE d.message = ?1 ORDER BY d.id DESC LIMIT 1"
            );
            first(connection, sql, params![message.stored()], decode)
        })
        .await
    }
}
