//! Schedules and their occurrences.

use async_trait::async_trait;
use hearth_contract::clock::UnixMs;
use hearth_contract::id::{ChatKey, MessageId, ScheduleId};
use hearth_contract::store::{ScheduleChange, ScheduleRecord, Schedules, StoreError};
use rusqlite::{Connection, named_params, params};

use super::codec::{Columns, StoredId, execute, first, json, name, row_limit, rows};
use super::readers::Readers;
use super::trouble::{Trouble, conflict_or};

macro_rules! schedule_columns {
    () => {
        "id, channel, chat, dialog, chat_kind, account, sender_id, sender_name, sender_role, kind, text, cause,
         created_at, state, next_due_at"
    };
}

fn decode(columns: &mut Columns<'_, '_>) -> rusqlite::Result<ScheduleRecord> {
    Ok(ScheduleRecord {
        id: columns.id()?,
        session: columns.session()?,
        chat_kind: columns.name()?,
        account: columns.take()?,
        sender: columns.sender()?,
        kind: columns.json()?,
        text: columns.take()?,
        cause: columns.id()?,
        created_at: columns.time()?,
        state: columns.name()?,
        next_due_at: columns.time_or_none()?,
    })
}

/// Applies one change.
pub(super) fn apply(connection: &Connection, change: &ScheduleChange) -> Result<(), Trouble> {
    match change {
        ScheduleChange::Put(schedule) => Ok(put(connection, schedule)?),
        ScheduleChange::Fire { schedule, due_at, message, next_due_at } => {
            fire(connection, *schedule, *due_at, *message, *next_due_at)
        }
        ScheduleChange::Cancel { schedule } => {
            execute(
                connection,
                "UPDATE schedules SET state = 'cancelled', next_due_at = NULL WHERE id = ?1 AND state = 'active'",
                params![schedule.stored()],
            )?;
            Ok(())
        }
    }
}

fn put(connection: &Connection, schedule: &ScheduleRecord) -> rusqlite::Result<()> {
    execute(
        connection,
        "INSERT OR REPLACE INTO schedules (id, channel, chat, dialog, chat_kind, account, sender_id, sender_name,
             sender_role, kind, text, cause, created_at, state, next_due_at)
         VALUES (:id, :channel, :chat, :dialog, :chat_kind, :account, :sender_id, :sender_name, :sender_role, :kind,
             :text, :cause, :created_at, :state, :next_due_at)",
        named_params! {
            ":id": schedule.id.stored(),
            ":channel": schedule.session.chat.channel,
            ":chat": schedule.session.chat.chat,
            ":dialog": schedule.session.dialog,
            ":chat_kind": name(&schedule.chat_kind)?,
            ":account": schedule.account,
            ":sender_id": schedule.sender.id,
            ":sender_name": schedule.sender.name,
            ":sender_role": name(&schedule.sender.role)?,
            ":kind": json(&schedule.kind)?,
            ":text": schedule.text,
            ":cause": schedule.cause.stored(),
            ":created_at": schedule.created_at.0,
            ":state": name(&schedule.state)?,
            ":next_due_at": schedule.next_due_at.map(|at| at.0),
        },
    )
    .map(|_| ())
}

fn fire(
    connection: &Connection,
    schedule: ScheduleId,
    due_at: UnixMs,
    message: MessageId,
    next_due_at: Option<UnixMs>,
) -> Result<(), Trouble> {
    let claimed = execute(
        connection,
        "INSERT INTO occurrences (schedule, due_at, message) VALUES (?1, ?2, ?3)",
        params![schedule.stored(), due_at.0, message.stored()],
    );
    if let Err(error) = claimed {
        let sql = "SELECT message FROM occurrences WHERE schedule = ?1 AND due_at = ?2";
        let key = params![schedule.stored(), due_at.0];
        let earlier = first(connection, sql, key, |columns| columns.id::<MessageId>())?;
        return Err(conflict_or(error, "occurrence", earlier.unwrap_or(message)));
    }
    let moved = execute(
        connection,
        "UPDATE schedules SET next_due_at = ?2, state = iif(?2 IS NULL, 'done', 'active')
         WHERE id = ?1 AND state = 'active'",
        params![schedule.stored(), next_due_at.map(|at| at.0)],
    )?;
    match moved {
        0 => Err(Trouble::Conflict {
            what: "occurrence",
            existing: format!("schedule {schedule} is not active"),
        }),
        _ => Ok(()),
    }
}

#[async_trait]
impl Schedules for Readers {
    async fn get(&self, id: ScheduleId) -> Result<Option<ScheduleRecord>, StoreError> {
        self.read(move |connection| {
            let sql = concat!("SELECT ", schedule_columns!(), " FROM schedules WHERE id = ?1");
            first(connection, sql, params![id.stored()], decode)
        })
        .await
    }

    async fn next(&self, limit: usize) -> Result<Vec<ScheduleRecord>, StoreError> {
        self.read(move |connection| {
            let sql = concat!(
                "SELECT ",
                schedule_columns!(),
                " FROM schedules WHERE state = 'active' AND next_due_at IS NOT NULL
                  ORDER BY next_due_at, id LIMIT ?1"
            );
            rows(connection, sql, params![row_limit(limit)], decode)
        })
        .await
    }

    async fn active(&self, chat: Option<&ChatKey>) -> Result<Vec<ScheduleRecord>, StoreError> {
        let chat = chat.cloned();
        self.read(move |connection| {
            let of_all = concat!(
                "SELECT ",
                schedule_columns!(),
                " FROM schedules WHERE state = 'active' ORDER BY next_due_at, id"
            );
            let of_chat = concat!(
                "SELECT ",
                schedule_columns!(),
                " FROM schedules WHERE state = 'active' AND channel = ?1 AND chat = ?2 ORDER BY next_due_at, id"
            );
            match &chat {
                Some(chat) => rows(connection, of_chat, params![chat.channel, chat.chat], decode),
                None => rows(connection, of_all, [], decode),
            }
        })
        .await
    }
}
