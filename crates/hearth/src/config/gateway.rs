//! `[gateway]`: where the daemon answers HTTP.

use std::net::SocketAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[gateway]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct GatewayConfig {
    /// The address and port of the one HTTP door, as `127.0.0.1:8420` or `[::1]:8420`. Port 0 takes a free one.
    #[schemars(with = "String")]
    pub(crate) listen: SocketAddr,
    /// Whether `/metrics` is answered without the token.
    pub(crate) metrics_open: bool,
}

impl Default for GatewayConfig {
    fn default() -> Self {
        Self { listen: SocketAddr::from(([127, 0, 0, 1], 8420)), metrics_open: false }
    }
}
