//! HTTP clients, built once.

use std::fmt;
use std::sync::Arc;

use hearth_contract::clock::Clock;

/// What a client is built with.
#[derive(Debug, Clone, Default)]
pub struct HttpSettings {}

/// A client could not be built.
#[derive(Debug, Clone, thiserror::Error)]
#[error("cannot set up HTTP: {reason}")]
pub struct HttpBuildError {
    /// What was wrong.
    pub reason: String,
}

/// HTTP for endpoints that the config names. Cloning gives another handle of the same connections.
#[derive(Clone)]
pub struct Http {
    clock: Arc<dyn Clock>,
}

impl Http {
    /// Builds it.
    pub fn new(_settings: HttpSettings, clock: Arc<dyn Clock>) -> Result<Self, HttpBuildError> {
        Ok(Self { clock })
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").field("clock", &self.clock).finish_non_exhaustive()
    }
}
