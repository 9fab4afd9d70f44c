//! The `[storage]` section of the config.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the ledger is kept and how safe a commit is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StorageConfig {
    /// `sqlite`: the file `hearth.db` in the home folder.
    pub url: String,
    /// What a commit survives.
    pub durability: Durability,
}

impl Default for StorageConfig {
    fn default() -> Self {
        Self { url: "sqlite".into(), durability: Durability::default() }
    }
}

/// What a commit that somebody waited for survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// A power cut: each urgent commit is synced to the disk.
    #[default]
    Power,
    /// The death of the process: the disk is synced once a second, and a power cut can cost that second.
    Process,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_sqlite_and_power() {
        let config: StorageConfig = serde_json::from_str("{}").unwrap();
        assert_eq!(config, StorageConfig { url: "sqlite".into(), durability: Durability::Power });
    }

    #[test]
    fn an_unknown_key_and_an_unknown_durability_are_errors() {
        assert!(serde_json::from_str::<StorageConfig>(r#"{"durabillity":"power"}"#).is_err());
        assert!(serde_json::from_str::<StorageConfig>(r#"{"durability":"often"}"#).is_err());
    }
}
