//! What holds, and where each value comes from.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::document::Origin;
use super::{Config, masked, schema};
use crate::environment::VariablePlace;

/// A value that holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct EffectiveValue {
    /// Its key, with dots between the names.
    pub(crate) key: String,
    /// The value; secrets are masked.
    pub(crate) value: Value,
    /// `default`, `setting`, or `config.toml:LINE`, with the variables used (`config.toml:3 ${KEY} from .env`).
    pub(crate) from: String,
}

/// Every value of a config, in the order of its schema.
pub(crate) fn effective_values(config: &Config) -> Vec<EffectiveValue> {
    let mut values = Vec::new();
    let section = |value: Result<Value, serde_json::Error>| value.unwrap_or_default();
    let sections = [
        ("sources", kinds(&config.document.values, "sources")),
        ("channels", kinds(&config.document.values, "channels")),
        ("purposes", section(serde_json::to_value(&config.purposes))),
        ("agent", section(serde_json::to_value(&config.agent))),
        ("rights", section(serde_json::to_value(&config.rights))),
        ("storage", section(serde_json::to_value(&config.storage))),
        ("gateway", section(serde_json::to_value(&config.gateway))),
        ("telemetry", section(serde_json::to_value(&config.telemetry))),
    ];
    for (name, value) in sections {
        flatten(config, &mut vec![name.to_owned()], &value, &mut values);
    }
    values
}

/// The sections of a table of kinds as written, with the defaults their schema names.
fn kinds(written: &Map<String, Value>, table: &str) -> Value {
    let Some(Value::Object(sections)) = written.get(table) else { return json!({}) };
    let schema = schema();
    let branches = schema["properties"][table]["additionalProperties"]["oneOf"].as_array();
    let with_defaults = |section: &Value| {
        let mut section = section.clone();
        let branch = branches
            .into_iter()
            .flatten()
            .find(|branch| branch["properties"]["kind"].get("const") == section.get("kind"));
        let properties = branch.and_then(|branch| branch["properties"].as_object()).into_iter().flatten();
        if let Value::Object(values) = &mut section {
            for (key, property) in properties {
                if let Some(default) = property.get("default").filter(|default| !default.is_null()) {
                    values.entry(key.clone()).or_insert_with(|| default.clone());
                }
            }
        }
        section
    };
    Value::Object(sections.iter().map(|(name, section)| (name.clone(), with_defaults(section))).collect())
}

fn flatten(config: &Config, path: &mut Vec<String>, value: &Value, values: &mut Vec<EffectiveValue>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                path.push(key.clone());
                flatten(config, path, value, values);
                path.pop();
            }
        }
        value => {
            let name = path.last().map(String::as_str).unwrap_or_default();
            values.push(EffectiveValue {
                key: path.join("."),
                value: masked(name, value),
                from: origin(config, path),
            });
        }
    }
}

fn origin(config: &Config, path: &[String]) -> String {
    let Some(place) = config.document.places.get(path) else { return "default".into() };
    let mut from = match place.origin {
        Origin::File(line) => format!("config.toml:{line}"),
        Origin::Setting => "setting".to_owned(),
    };
    for (name, variable) in &place.variables {
        let variable = match variable {
            VariablePlace::Process => "environment",
            VariablePlace::DotEnv => ".env",
        };
        from.push_str(&format!(" ${{{name}}} from {variable}"));
    }
    from
}
