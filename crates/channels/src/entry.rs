//! What a kind of channel is to the rest: a name, a config section, a way to build it.

use std::fmt;
use std::sync::Arc;

use hearth_contract::channel::Channel;
use hearth_contract::clock::Clock;
use hearth_net::Http;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A kind of channel: one file, one line in [`crate::ALL`].
#[derive(Debug, Clone, Copy)]
pub struct ChannelEntry {
    /// The `kind` of its config section.
    pub kind: &'static str,
    /// Builds a channel from its section. Does no IO.
    pub build: fn(ChannelSection, &Deps) -> Built,
    /// The JSON schema of its section, without `kind`.
    pub schema: fn() -> schemars::Schema,
}

/// A channel, or what is wrong with its section.
pub type Built = Result<Arc<dyn Channel>, BuildError>;

/// What building needs from outside.
#[derive(Debug, Clone)]
pub struct Deps {
    /// HTTP for endpoints that the config names.
    pub http: Http,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
}

/// One `[channels.NAME]` section, with `${…}` already replaced. May hold secrets: its `Debug` shows only the keys.
#[derive(Clone, Default)]
pub struct ChannelSection {
    /// The name of the channel.
    pub name: String,
    /// Its keys and values, without `kind`.
    pub values: Map<String, Value>,
}

impl ChannelSection {
    /// Reads it as the kind's own config type.
    pub(crate) fn parse<T: DeserializeOwned>(&self) -> Result<T, BuildError> {
        serde_json::from_value(Value::Object(self.values.clone()))
            .map_err(|error| self.wrong(error.to_string()))
    }

    /// It cannot be used.
    pub(crate) fn wrong(&self, reason: impl Into<String>) -> BuildError {
        BuildError { channel: self.name.clone(), reason: reason.into() }
    }
}

impl fmt::Debug for ChannelSection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<&String> = self.values.keys().collect();
        f.debug_struct("ChannelSection").field("name", &self.name).field("keys", &keys).finish()
    }
}

/// A section cannot be used. The text says what is wrong with which key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("[channels.{channel}]: {reason}")]
pub struct BuildError {
    /// The name of the channel.
    pub channel: String,
    /// What is wrong.
    pub reason: String,
}
