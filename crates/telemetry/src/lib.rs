//! The observer: what happens in Hearth, as OpenTelemetry traces. It watches events like anybody else; no turn waits for
//! it, and what it cannot send it drops and counts.

mod export;
mod otlp;
mod span;

use std::collections::BTreeMap;
use std::sync::Arc;

use hearth_contract::clock::Clock;
use hearth_contract::event::Event;
use hearth_contract::task::Tasks;
use hearth_net::{Http, Secret};
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;

/// Where traces are posted below the address of a collector (OTLP/HTTP).
const TRACES_PATH: &str = "/v1/traces";

/// `[telemetry]`: where traces of turns, model calls and tool calls go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TelemetryConfig {
    /// The OTLP/HTTP address of a collector, such as `http://localhost:4318`. Empty: no traces.
    pub otlp_url: String,
    /// More headers for it, such as a key.
    pub otlp_headers: BTreeMap<String, String>,
    /// The name under which the collector shows this Hearth.
    pub service_name: String,
}

impl Default for TelemetryConfig {
    fn default() -> Self {
        Self { otlp_url: String::new(), otlp_headers: BTreeMap::new(), service_name: "hearth".into() }
    }
}

/// The section cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("[telemetry] {reason}")]
pub struct TelemetryError {
    /// What is wrong with it.
    pub reason: String,
}

/// Sends the traces of what is told from now on, until the shutdown.
#[derive(Debug)]
pub struct Observer {
    url: String,
    headers: HeaderMap,
    service_name: String,
}

impl Observer {
    /// The observer that a config wants, if it wants one.
    pub fn of(config: &TelemetryConfig) -> Result<Option<Self>, TelemetryError> {
        if config.otlp_url.is_empty() {
            return Ok(None);
        }
        let uri: http::Uri = config.otlp_url.parse().map_err(|_| wrong("otlp_url is no address"))?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err(wrong("otlp_url must begin with http:// or https://"));
        }
        let base = config.otlp_url.trim_end_matches('/');
        let url = if base.ends_with(TRACES_PATH) { base.to_owned() } else { format!("{base}{TRACES_PATH}") };
        let mut headers = HeaderMap::new();
        for (name, value) in &config.otlp_headers {
            let header: HeaderName =
                name.parse().map_err(|_| wrong(&format!("otlp_headers: `{name}` is no header")))?;
            let value = Secret::new(value.clone()).header("");
            headers
                .insert(header, value.ok_or_else(|| wrong(&format!("otlp_headers: bad value of `{name}`")))?);
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Ok(Some(Self { url, headers, service_name: config.service_name.clone() }))
    }

    /// Begins to watch.
    pub fn start(
        self,
        events: broadcast::Receiver<Arc<Event>>,
        http: Http,
        clock: Arc<dyn Clock>,
        tasks: &Tasks,
    ) {
        let exporter = export::Exporter::new(self, http, clock, tasks.shutdown().clone());
        tasks.spawn("telemetry", exporter.run(events));
    }
}

fn wrong(reason: &str) -> TelemetryError {
    TelemetryError { reason: reason.to_owned() }
}
