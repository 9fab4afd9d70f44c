//! Reads the arguments of a call. Models make mistakes: each is answered by the name of the field and what is expected.

use hearth_contract::tool::{ToolError, ToolSpec};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The arguments as `T`. Beyond the schema two habits of small models are accepted: `null` for what is not given, and
/// numbers and truth values written as strings.
pub(crate) fn parse<T: DeserializeOwned>(
    spec: &ToolSpec,
    arguments: Map<String, Value>,
) -> Result<T, ToolError> {
    let properties = spec.parameters.get("properties").and_then(Value::as_object);
    let known =
        properties.map(|properties| properties.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
    let mut checked = Map::new();
    for (name, value) in arguments {
        let Some(property) = properties.and_then(|properties| properties.get(&name)) else {
            return Err(invalid(format!(
                "`{name}` is not an argument of {}; it takes {}",
                spec.name,
                list(&known)
            )));
        };
        if !value.is_null() {
            let value = as_wanted(&name, value, property)?;
            checked.insert(name, value);
        }
    }
    let required = spec.parameters.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !checked.contains_key(name) {
            let what =
                properties.and_then(|properties| properties.get(name)).map(description).unwrap_or_default();
            return Err(invalid(format!("`{name}` is missing: {what}")));
        }
    }
    serde_json::from_value(Value::Object(checked)).map_err(|error| invalid(error.to_string()))
}

/// An error that says what is wrong with the arguments.
pub(crate) fn invalid(reason: impl Into<String>) -> ToolError {
    ToolError::InvalidArguments { reason: reason.into() }
}

/// Checks one value against its property, and turns a string into the number or truth value it spells.
fn as_wanted(name: &str, value: Value, property: &Value) -> Result<Value, ToolError> {
    let wanted = property.get("type").and_then(Value::as_str).unwrap_or("string");
    let value = match (&value, wanted) {
        (Value::String(text), "integer" | "number" | "boolean") => {
            serde_json::from_str(text.trim()).unwrap_or(value)
        }
        (Value::Number(number), "integer") => match number.as_f64() {
            Some(float)
                if !number.is_i64() && !number.is_u64() && float.fract() == 0.0 && float.abs() < 9e15 =>
            {
                Value::from(float as i64)
            }
            _ => value,
        },
        _ => value,
    };
    let fits = match wanted {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        _ => true,
    };
    if !fits {
        return Err(invalid(format!("`{name}` must be {}: {}", article(wanted), description(property))));
    }
    if let Some(allowed) = property.get("enum").and_then(Value::as_array)
        && !allowed.contains(&value)
    {
        let allowed: Vec<String> = allowed.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        return Err(invalid(format!("`{name}` must be one of {}", list(&allowed))));
    }
    check_range(name, &value, property)?;
    Ok(value)
}

fn check_range(name: &str, value: &Value, property: &Value) -> Result<(), ToolError> {
    let bound = |key: &str| property.get(key).and_then(Value::as_f64);
    let (least, most) = (bound("minimum"), bound("maximum"));
    let Some(number) = value.as_f64() else { return Ok(()) };
    if least.is_some_and(|least| number < least) || most.is_some_and(|most| number > most) {
        let range = match (least, most) {
            (Some(least), Some(most)) => format!("from {least} to {most}"),
            (Some(least), None) => format!("at least {least}"),
            (None, Some(most)) => format!("at most {most}"),
            (None, None) => return Ok(()),
        };
        return Err(invalid(format!("`{name}` is {number}; it must be {range}")));
    }
    Ok(())
}

fn description(property: &Value) -> String {
    property.get("description").and_then(Value::as_str).unwrap_or("see the schema").to_owned()
}

fn article(wanted: &str) -> &'static str {
    match wanted {
        "string" => "a string",
        "integer" => "a whole number",
        "number" => "a number",
        _ => "true or false",
    }
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "no arguments".to_owned();
    }
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
