//! Run-time settings.

use async_trait::async_trait;
use hearth_contract::store::{SettingChange, SettingRecord, Settings, StoreError};
use rusqlite::{Connection, params};

use super::codec::{Columns, execute, first, json, rows};
use super::readers::Readers;
use super::trouble::Trouble;

fn decode(columns: &mut Columns<'_, '_>) -> rusqlite::Result<SettingRecord> {
    Ok(SettingRecord {
        owner: columns.take()?,
        name: columns.take()?,
        value: columns.json()?,
        set_at: columns.time()?,
    })
}

/// Applies one change.
pub(super) fn apply(connection: &Connection, change: &SettingChange) -> Result<(), Trouble> {
    match change {
        SettingChange::Put(setting) => execute(
            connection,
            "INSERT INTO settings (owner, name, value, set_at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (owner, name) DO UPDATE SET value = excluded.value, set_at = excluded.set_at",
            params![setting.owner, setting.name, json(&setting.value)?, setting.set_at.0],
        )?,
        SettingChange::Remove { owner, name } => {
            execute(connection, "DELETE FROM settings WHERE owner = ?1 AND name = ?2", params![owner, name])?
        }
    };
    Ok(())
}

#[async_trait]
impl Settings for Readers {
    async fn get(&self, owner: &str, name: &str) -> Result<Option<SettingRecord>, StoreError> {
        let key = (owner.to_owned(), name.to_owned());
        self.read(move |connection| {
            let sql = "SELECT owner, name, value, set_at FROM settings WHERE owner = ?1 AND name = ?2";
            first(connection, sql, params![key.0, key.1], decode)
        })
        .await
    }

    async fn of_owner(&self, owner: &str) -> Result<Vec<SettingRecord>, StoreError> {
        let owner = owner.to_owned();
        self.read(move |connection| {
            let sql = "SELECT owner, name, value, set_at FROM settings WHERE owner = ?1 ORDER BY name";
            rows(connection, sql, params![owner], decode)
        })
        .await
    }
}
