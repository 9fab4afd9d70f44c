//! The JSON schema of the whole config, put together from the schemas of the sections' owners.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::gateway::GatewayConfig;
use super::schema_zh::TEXTS;

/// The schema of `config.toml`, as checked in under `docs/config.schema.json`.
pub(crate) fn whole() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Hearth config",
        "type": "object",
        "properties": {
            "sources": {
                "description": "Models: any number of named sources. With none, the offline model.",
                "type": "object",
                "additionalProperties": kinds(hearth_providers::ALL.iter().map(|entry| (entry.kind, entry.schema))),
            },
            "channels": {
                "description": "Networks that people talk on: any number of named channels.",
                "type": "object",
                "additionalProperties": kinds(hearth_channels::ALL.iter().map(|entry| (entry.kind, entry.schema))),
            },
            "purposes": of::<hearth_kernel::config::Purposes>(),
            "agent": of::<hearth_kernel::config::AgentConfig>(),
            "rights": of::<hearth_kernel::config::RightsConfig>(),
            "storage": of::<hearth_storage::StorageConfig>(),
            "gateway": of::<GatewayConfig>(),
            "telemetry": of::<hearth_telemetry::TelemetryConfig>(),
        },
        "additionalProperties": false,
    })
}

/// What a schema says about a key, as far as it is one of those that the config has. `values` say which kind a named
/// section is of.
pub(crate) fn definition<'a>(schema: &'a Value, values: &Value, path: &[String]) -> Option<&'a Value> {
    let Some((name, below)) = path.split_first() else { return Some(schema) };
    let value = values.get(name).unwrap_or(&Value::Null);
    let part = schema["properties"].get(name).or_else(|| {
        let others = schema.get("additionalProperties").filter(|others| others.is_object())?;
        let kinds = others.get("oneOf").and_then(Value::as_array)?;
        kinds.iter().find(|kind| kind["properties"]["kind"].get("const") == value.get("kind"))
    })?;
    definition(part, value, below)
}

/// The Chinese of a text of the schema; the text itself where there is none.
pub(crate) fn chinese(text: &str) -> &str {
    TEXTS.iter().find(|(english, _)| *english == text).map_or(text, |(_, chinese)| chinese)
}

/// A named section: its kind decides about the other keys.
fn kinds(entries: impl Iterator<Item = (&'static str, fn() -> Schema)>) -> Value {
    json!({ "oneOf": entries.map(|(kind, schema)| of_kind(kind, schema())).collect::<Vec<_>>() })
}

/// The schema of a config type, with references resolved.
fn of<T: JsonSchema>() -> Value {
    let generator =
        SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None).into_generator();
    resolved(generator.into_root_schema_for::<T>())
}

/// The schema of a section that names its kind.
fn of_kind(kind: &str, schema: Schema) -> Value {
    let mut schema = resolved(schema);
    let mut properties = Map::new();
    properties.insert("kind".into(), json!({ "const": kind }));
    if let Some(Value::Object(others)) = schema.get_mut("properties").map(Value::take) {
        properties.extend(others);
    }
    let mut required = vec![json!("kind")];
    if let Some(Value::Array(others)) = schema.get_mut("required").map(Value::take) {
        required.extend(others);
    }
    schema["type"] = json!("object");
    schema["properties"] = Value::Object(properties);
    schema["required"] = Value::Array(required);
    schema
}

/// Puts what `$ref` names in its place. Config types do not contain themselves.
fn resolved(schema: Schema) -> Value {
    let mut root = schema.to_value();
    let definitions = match root.as_object_mut() {
        Some(object) => {
            object.remove("$schema");
            object.remove("$defs").unwrap_or_default()
        }
        None => Value::Null,
    };
    resolve(&mut root, &definitions);
    root
}

fn resolve(value: &mut Value, definitions: &Value) {
    match value {
        Value::Object(object) => {
            let named =
                object.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix("#/$defs/"));
            if let Some(Value::Object(definition)) = named.and_then(|name| definitions.get(name)).cloned() {
                object.remove("$ref");
                for (key, part) in definition {
                    object.entry(key).or_insert(part);
                }
            }
            object.values_mut().for_each(|part| resolve(part, definitions));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| resolve(item, definitions)),
        _ => {}
    }
}
