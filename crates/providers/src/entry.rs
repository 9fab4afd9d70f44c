//! What a kind of provider is to the rest: a name, a config section, a way to build it.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use hearth_contract::clock::Clock;
use hearth_contract::provider::Provider;
use hearth_net::Http;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A kind of provider: one file, one line in [`crate::ALL`].
#[derive(Debug, Clone, Copy)]
pub struct ProviderEntry {
    /// The `kind` of its config section.
    pub kind: &'static str,
    /// Builds a source from its section. Uses no network; what it reads lies below the home.
    pub build: fn(SourceSection, &Deps) -> BuildResult,
    /// The JSON schema of its section, without `kind`.
    pub schema: fn() -> schemars::Schema,
}

/// A source that was built, or why it was not.
pub type BuildResult = Result<Arc<dyn Provider>, BuildError>;

/// What building needs from outside.
#[derive(Debug, Clone)]
pub struct Deps {
    /// Where files that a section names lie.
    pub home: PathBuf,
    /// HTTP for endpoints that the config names.
    pub http: Http,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
}

/// One `[sources.NAME]` section, with `${…}` already replaced. May hold secrets: its `Debug` shows only the keys.
#[derive(Clone, Default)]
pub struct SourceSection {
    /// The name of the source.
    pub name: String,
    /// Its keys and values, without `kind`.
    pub values: Map<String, Value>,
}

impl SourceSection {
    /// Reads it as the kind's own config type.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, BuildError> {
        serde_json::from_value(Value::Object(self.values.clone()))
            .map_err(|error| BuildError { source_name: self.name.clone(), reason: error.to_string() })
    }
}

impl fmt::Debug for SourceSection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<&String> = self.values.keys().collect();
        f.debug_struct("SourceSection").field("name", &self.name).field("keys", &keys).finish()
    }
}

/// A section cannot be used. The text says what is wrong with which key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("[sources.{source_name}]: {reason}")]
pub struct BuildError {
    /// The name of the source.
    pub source_name: String,
    /// What is wrong.
    pub reason: String,
}
