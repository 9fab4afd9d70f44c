//! The arguments of a call as models write them.

use hearth_contract::transcript::ToolArguments;
use serde_json::{Map, Value};

/// Reads what a model wrote. A JSON object stays one; nothing at all is an empty object; a JSON string that holds an
/// object is unwrapped (some models quote twice); anything else is kept as it is, for the model to be told.
pub(crate) fn parse(text: &str) -> ToolArguments {
    if text.trim().is_empty() {
        return ToolArguments::Object(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(value) => from_value(value).unwrap_or_else(|| ToolArguments::Malformed(text.to_owned())),
        Err(_) => ToolArguments::Malformed(text.to_owned()),
    }
}

fn from_value(value: Value) -> Option<ToolArguments> {
    match value {
        Value::Object(object) => Some(ToolArguments::Object(object)),
        Value::Null => Some(ToolArguments::Object(Map::new())),
        Value::String(inner) if inner.trim().is_empty() => Some(ToolArguments::Object(Map::new())),
        Value::String(inner) => match serde_json::from_str(&inner) {
            Ok(Value::Object(object)) => Some(ToolArguments::Object(object)),
            _ => None,
        },
        _ => None,
    }
}

/// The object a vendor is sent for a call of the history. Vendors want an object and nothing else, so what a model
/// wrote wrongly travels inside one.
pub(crate) fn as_object(arguments: &ToolArguments) -> Map<String, Value> {
    match arguments {
        ToolArguments::Object(object) => object.clone(),
        ToolArguments::Malformed(text) => {
            Map::from_iter([("malformed_arguments".to_owned(), text.clone().into())])
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(text: &str, expected: Option<Value>) {
        match (parse(text), expected) {
            (ToolArguments::Object(found), Some(expected)) => {
                assert_eq!(Value::Object(found), expected, "{text}")
            }
            (ToolArguments::Malformed(found), None) => assert_eq!(found, text),
            (found, expected) => panic!("{text}: {found:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn objects_and_what_stands_for_one() {
        check(r#"{"city":"北京"}"#, Some(json!({"city": "北京"})));
        check("\n {\"a\": 1}\n", Some(json!({"a": 1})));
        check("", Some(json!({})));
        check("  \n", Some(json!({})));
        check("null", Some(json!({})));
        check(r#""""#, Some(json!({})));
        check(r#""{\"a\":1}""#, Some(json!({"a": 1})));
    }

    #[test]
    fn anything_else_is_kept_for_the_model_to_be_told() {
        for text in [r#"{"a":"#, "[1]", "7", r#""words""#, r#""[1]""#, "city=Paris", "{'a':1}"] {
            check(text, None);
        }
    }
}
