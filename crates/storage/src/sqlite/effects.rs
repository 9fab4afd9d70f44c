//! Effects.

use async_trait::async_trait;
use hearth_contract::id::{CallId, TurnId};
use hearth_contract::store::{EffectChange, EffectRecord, Effects, StoreError};
use rusqlite::{Connection, named_params, params};

use super::codec::{Columns, StoredId, execute, name, row_limit, rows};
use super::readers::Readers;
use super::trouble::Trouble;

macro_rules! effect_columns {
    () => {
        "call, turn, tool, class, arguments, state, intended_at, settled_at"
    };
}

fn decode(columns: &mut Columns<'_, '_>) -> rusqlite::Result<EffectRecord> {
    Ok(EffectRecord {
        call: CallId::from_text(columns.take::<String>()?),
        turn: columns.id()?,
        tool: columns.take()?,
        class: columns.name()?,
        arguments: columns.take()?,
        state: columns.name()?,
        intended_at: columns.time()?,
        settled_at: columns.time_or_none()?,
    })
}

/// Applies one change.
pub(super) fn apply(connection: &Connection, change: &EffectChange) -> Result<(), Trouble> {
    match change {
        EffectChange::Intend(effect) => execute(
            connection,
            "INSERT INTO effects (call, turn, tool, class, arguments, state, intended_at, settled_at)
             VALUES (:call, :turn, :tool, :class, :arguments, :state, :intended_at, :settled_at)
             ON CONFLICT (call) DO NOTHING",
            named_params! {
                ":call": effect.call.as_str(),
                ":turn": effect.turn.stored(),
                ":tool": effect.tool,
                ":class": name(&effect.class)?,
                ":arguments": effect.arguments,
                ":state": name(&effect.state)?,
                ":intended_at": effect.intended_at.0,
                ":settled_at": effect.settled_at.map(|at| at.0),
            },
        )?,
        EffectChange::Settle { call, state, at } => execute(
            connection,
            "UPDATE effects SET state = ?2, settled_at = ?3 WHERE call = ?1",
            params![call.as_str(), name(state)?, at.0],
        )?,
    };
    Ok(())
}

#[async_trait]
impl Effects for Readers {
    async fn of_turn(&self, turn: TurnId) -> Result<Vec<EffectRecord>, StoreError> {
        self.read(move |connection| {
            let sql = concat!(
                "SELECT ",
                effect_columns!(),
                " FROM effects WHERE turn = ?1 ORDER BY intended_at, rowid"
            );
            rows(connection, sql, params![turn.stored()], decode)
        })
        .await
    }

    async fn unknown(&self, limit: usize) -> Result<Vec<EffectRecord>, StoreError> {
        self.read(move |connection| {
            let sql = concat!(
                "SELECT ",
                effect_columns!(),
                " FROM effects WHERE state = 'unknown' ORDER BY intended_at DESC, rowid DESC LIMIT ?1"
            );
            rows(connection, sql, params![row_limit(limit)], decode)
        })
        .await
    }
}
