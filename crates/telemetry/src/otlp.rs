//! Spans in the JSON form of OTLP (OpenTelemetry Protocol 1.x, "JSON Protobuf Encoding": ids in hex, 64-bit integers as
//! texts, enums as numbers).

use serde::Serialize;
use serde_json::{Value, json};

/// `SPAN_KIND_INTERNAL`
pub(crate) const INTERNAL: u8 = 1;
/// `SPAN_KIND_CLIENT`
pub(crate) const CLIENT: u8 = 3;
/// `STATUS_CODE_OK`
const OK: u8 = 1;
/// `STATUS_CODE_ERROR`
const ERROR: u8 = 2;

/// One piece of work.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Span {
    pub(crate) trace_id: String,
    pub(crate) span_id: String,
    pub(crate) parent_span_id: String,
    pub(crate) name: String,
    pub(crate) kind: u8,
    pub(crate) start_time_unix_nano: String,
    pub(crate) end_time_unix_nano: String,
    pub(crate) attributes: Vec<Value>,
    pub(crate) status: Status,
}

/// How it ended.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Status {
    code: u8,
    message: String,
}

impl Status {
    /// Well if there is no error, badly otherwise.
    pub(crate) fn of_error(error: &str) -> Self {
        Self { code: if error.is_empty() { OK } else { ERROR }, message: error.to_owned() }
    }
}

/// An attribute that is a text.
pub(crate) fn text(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

/// An attribute that is a number.
pub(crate) fn number(key: &str, value: u64) -> Value {
    json!({ "key": key, "value": { "intValue": value.to_string() } })
}

/// An `ExportTraceServiceRequest`.
pub(crate) fn request(service_name: &str, spans: &[Span]) -> Value {
    let version = env!("CARGO_PKG_VERSION");
    json!({
        "resourceSpans": [{
            "resource": {
                "attributes": [text("service.name", service_name), text("service.version", version)],
                "droppedAttributesCount": 0,
                "entityRefs": [],
            },
            "scopeSpans": [{
                "scope": { "name": "hearth", "version": version, "attributes": [], "droppedAttributesCount": 0 },
                "spans": spans,
                "schemaUrl": "",
            }],
            "schemaUrl": "",
        }]
    })
}
