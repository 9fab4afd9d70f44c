//! What can be set while Hearth runs. A setting is a key of the config: what is set here wins over the file.

use std::fmt;

use async_trait::async_trait;
use serde_json::Value;

use crate::language::Language;
use crate::store::StoreError;

/// A setting: what it means, and what holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Its key, with dots between the names (`agent.tool_rounds_max`, `plugins.weather.city`).
    pub key: String,
    /// What holds; secrets are masked.
    pub value: Value,
    /// Where that comes from: `default`, `config.toml:LINE`, or `setting`.
    pub from: String,
    /// What holds when nobody says anything; null if there is no such value.
    pub default: Value,
    /// What it may be: a type of JSON Schema (`boolean`, `integer`, `string`, …).
    pub kind: String,
    /// The only values it may have; empty if its kind alone decides.
    pub choices: Vec<Value>,
    /// What it is for.
    pub description: String,
    /// Whether it can be set while Hearth runs, or only in the file.
    pub changes: SettingChanges,
}

/// How a setting is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingChanges {
    /// While Hearth runs.
    AtRunTime,
    /// In the config file only.
    InFileOnly,
}

/// A setting was not changed. The texts are for people, in the language that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// There is no such setting, or its value cannot be that, or it is not set here: the caller says something else.
    #[error("{what}")]
    Invalid {
        /// What is wrong.
        what: String,
        /// What to do.
        hint: String,
    },
    /// The ledger does not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The settings there are.
#[async_trait]
pub trait SettingRegistry: Send + Sync + fmt::Debug {
    /// All of them, by key; those of a table stand together.
    async fn list(&self, language: Language) -> Result<Vec<Setting>, SettingError>;

    /// Sets one. The text of a value that is no text is read as JSON. It holds a moment later.
    async fn set(&self, key: &str, value: Value, language: Language) -> Result<(), SettingError>;

    /// Takes back what was set: the file's value holds again, or the default.
    async fn unset(&self, key: &str, language: Language) -> Result<(), SettingError>;
}
