//! The account of what models cost.

use async_trait::async_trait;
use hearth_contract::clock::UnixMs;
use hearth_contract::id::SessionKey;
use hearth_contract::store::{StoreError, UsageChange, UsageReads, UsageTotal};
use rusqlite::{Connection, named_params, params};

use super::codec::{Columns, StoredId, count, execute, rows};
use super::readers::Readers;
use super::trouble::Trouble;

fn decode(columns: &mut Columns<'_, '_>) -> rusqlite::Result<UsageTotal> {
    Ok(UsageTotal {
        day: columns.take()?,
        source: columns.take()?,
        model: columns.take()?,
        calls: columns.count()?,
        usage: columns.usage()?,
    })
}

/// Applies one change.
pub(super) fn apply(connection: &Connection, change: &UsageChange) -> Result<(), Trouble> {
    let UsageChange::Add(record) = change;
    execute(
        connection,
        "INSERT INTO usage (at, turn, channel, chat, dialog, user, purpose, source, model, prompt_tokens,
             cached_tokens, completion_tokens)
         VALUES (:at, :turn, :channel, :chat, :dialog, :user, :purpose, :source, :model, :prompt, :cached,
             :completion)",
        named_params! {
            ":at": record.at.0,
            ":turn": record.turn.stored(),
            ":channel": record.session.chat.channel,
            ":chat": record.session.chat.chat,
            ":dialog": record.session.dialog,
            ":user": record.user,
            ":purpose": record.purpose,
            ":source": record.source,
            ":model": record.model,
            ":prompt": count(record.usage.prompt_tokens),
            ":cached": count(record.usage.cached_tokens),
            ":completion": count(record.usage.completion_tokens),
        },
    )?;
    Ok(())
}

/// A sum over the rows that `$filter` leaves. `total` would be a float; `sum` fails rather than being wrong.
macro_rules! totals {
    ($filter:literal) => {
        concat!(
            "SELECT date(at / 1000, 'unixepoch') AS day, source, model, count(*), sum(prompt_tokens),
                 sum(cached_tokens), sum(completion_tokens)
             FROM usage WHERE ",
            $filter,
            " GROUP BY day, source, model ORDER BY day, source, model"
        )
    };
}

#[async_trait]
impl UsageReads for Readers {
    async fn totals(
        &self,
        since: UnixMs,
        session: Option<&SessionKey>,
    ) -> Result<Vec<UsageTotal>, StoreError> {
        let session = session.cloned();
        self.read(move |connection| match &session {
            Some(session) => rows(
                connection,
                totals!("channel = ?1 AND chat = ?2 AND dialog = ?3 AND at >= ?4"),
                params![session.chat.channel, session.chat.chat, session.dialog, since.0],
                decode,
            ),
            None => rows(connection, totals!("at >= ?1"), params![since.0], decode),
        })
        .await
    }
}
