//! Tests of reading arguments.

use hearth_contract::rights::{Risk, Role};
use hearth_contract::tool::EffectClass;
use serde::Deserialize;
use serde_json::json;

use super::*;

#[derive(Debug, Deserialize, PartialEq)]
struct Sample {
    path: String,
    lines: Option<u32>,
    all: Option<bool>,
}

fn sample(arguments: Value) -> Result<Sample, String> {
    let spec = ToolSpec {
        name: "sample".into(),
        description: String::new(),
        parameters: json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "the file" },
                "lines": { "type": "integer", "minimum": 1, "maximum": 10, "description": "how many" },
                "all": { "type": "boolean", "description": "every one" }
            },
            "required": ["path"],
            "additionalProperties": false
        }),
        risk: Risk::Read,
        role: Role::Member,
        effect: EffectClass::Pure,
        timeout_ms: 1,
    };
    parse(&spec, arguments.as_object().unwrap().clone()).map_err(|error| error.to_string())
}

#[test]
fn right_arguments_are_read_and_habits_of_small_models_are_accepted() {
    let expected = Sample { path: "a".into(), lines: Some(3), all: Some(true) };
    for arguments in [
        json!({"path": "a", "lines": 3, "all": true}),
        json!({"path": "a", "lines": "3", "all": "true"}),
        json!({"path": "a", "lines": 3.0, "all": true}),
    ] {
        assert_eq!(sample(arguments).unwrap(), expected);
    }
    let bare = Sample { path: "3".into(), lines: None, all: None };
    assert_eq!(sample(json!({"path": "3", "lines": null})).unwrap(), bare);
}

#[test]
fn wrong_arguments_are_named_with_what_is_expected() {
    for (arguments, parts) in [
        (json!({}), ["`path` is missing", "the file"]),
        (json!({"path": null}), ["`path` is missing", "the file"]),
        (json!({"path": 5}), ["`path` must be a string", "the file"]),
        (json!({"path": "a", "line": 3}), ["`line` is not an argument", "`lines`"]),
        (json!({"path": "a", "lines": "many"}), ["`lines` must be a whole number", "how many"]),
        (json!({"path": "a", "lines": 3.5}), ["`lines` must be a whole number", "how many"]),
        (json!({"path": "a", "lines": 11}), ["`lines` is 11", "from 1 to 10"]),
        (json!({"path": "a", "all": "perhaps"}), ["`all` must be true or false", "every one"]),
    ] {
        let error = sample(arguments.clone()).unwrap_err();
        assert!(parts.iter().all(|part| error.contains(part)), "{arguments}: {error}");
    }
}
