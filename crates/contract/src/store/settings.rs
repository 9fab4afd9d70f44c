//! Run-time settings, by owner.

use std::fmt;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::clock::UnixMs;

/// A setting as the ledger keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SettingRecord {
    /// Whose it is (`kernel`, a plugin, a chat).
    pub owner: String,
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: serde_json::Value,
    /// When it was set.
    pub set_at: UnixMs,
}

/// A change of a setting.
#[derive(Debug, Clone, PartialEq)]
pub enum SettingChange {
    /// Sets one.
    Put(SettingRecord),
    /// Takes one away.
    Remove {
        /// Whose.
        owner: String,
        /// Its name.
        name: String,
    },
}

/// Reads settings.
#[async_trait]
pub trait Settings: Send + Sync + fmt::Debug {
    /// One of them.
    async fn get(&self, owner: &str, name: &str) -> Result<Option<SettingRecord>, StoreError>;

    /// All of an owner, by name.
    async fn of_owner(&self, owner: &str) -> Result<Vec<SettingRecord>, StoreError>;
}
