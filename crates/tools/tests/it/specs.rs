//! What every tool says of itself.

use std::collections::BTreeSet;

use hearth_contract::tool::EffectClass;
use hearth_tools::ALL;
use serde_json::{Value, json};

use crate::fixture::Fixture;

/// An example call of every tool, as models are expected to make it.
fn examples() -> Vec<(&'static str, Value)> {
    vec![
        ("now", json!({})),
        ("now", json!({"zone": "Europe/Berlin"})),
        ("memory_store", json!({"text": "用户最喜欢乌龙茶", "key": "favourite_drink", "importance": 0.8})),
        (
            "memory_recall",
            json!({"query": "喝什么", "limit": 3, "since": "2026-01-01", "until": "2027-01-01"}),
        ),
        ("memory_forget", json!({"key": "favourite_drink"})),
        ("timer_set", json!({"text": "stretch", "in_seconds": 10})),
        ("timer_set", json!({"text": "开会", "at": "2026-12-01 08:30"})),
        ("timer_list", json!({})),
        ("timer_cancel", json!({"id": "0192f0c4f1f27cc1a5a1f0e1d2c3b4a5"})),
        ("read_file", json!({"path": "a.txt", "offset_lines": 0, "limit_lines": 10})),
        ("write_file", json!({"path": "a.txt", "content": "x", "mode": "overwrite"})),
        ("edit_file", json!({"path": "a.txt", "old": "x", "new": "y", "all": true})),
        ("delete_file", json!({"path": "a.txt"})),
        ("list_dir", json!({})),
        ("list_dir", json!({"path": "notes"})),
        ("search_files", json!({"query": "茶", "path": ".", "regex": false})),
        ("run_shell", json!({"command": "echo hi", "timeout_ms": 1000})),
        ("http_get", json!({"url": "https://example.com/"})),
        ("output_send", json!({"text": "请稍等"})),
    ]
}

/// Checks a value against the part of JSON schema that our tools use; any other word of a schema is an error.
fn validate(schema: &Value, value: &Value) -> Result<(), String> {
    for (word, wanted) in schema.as_object().unwrap() {
        let holds = match word.as_str() {
            "type" => match wanted.as_str().unwrap() {
                "object" => value.is_object(),
                "string" => value.is_string(),
                "integer" => value.is_i64() || value.is_u64(),
                "number" => value.is_number(),
                "boolean" => value.is_boolean(),
                other => return Err(format!("unknown type {other}")),
            },
            "properties" => {
                for (name, property) in wanted.as_object().unwrap() {
                    if let Some(value) = value.get(name) {
                        validate(property, value).map_err(|error| format!("{name}: {error}"))?;
                    }
                }
                true
            }
            "required" => {
                wanted.as_array().unwrap().iter().all(|name| value.get(name.as_str().unwrap()).is_some())
            }
            "additionalProperties" => {
                assert_eq!(wanted, &json!(false));
                let known = schema["properties"].as_object().unwrap();
                value.as_object().unwrap().keys().all(|name| known.contains_key(name))
            }
            "enum" => wanted.as_array().unwrap().contains(value),
            "minimum" => value.as_f64() >= wanted.as_f64(),
            "maximum" => value.as_f64() <= wanted.as_f64(),
            "description" => true,
            other => return Err(format!("`{other}` is not checked by this test")),
        };
        if !holds {
            return Err(format!("{word} {wanted} does not hold for {value}"));
        }
    }
    Ok(())
}

#[tokio::test]
async fn every_tool_is_what_its_entry_says_and_describes_itself() {
    let fixture = Fixture::new();
    let mut names = BTreeSet::new();
    for entry in ALL {
        let spec = fixture.tool(entry.name).spec();
        assert_eq!(spec.name, entry.name);
        assert!(names.insert(entry.name), "{} is there twice", entry.name);
        assert!(spec.name.len() <= 64 && spec.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'));
        assert!(spec.description.len() > 40 && !spec.description.contains("  "), "{}", spec.description);
        assert!(spec.timeout_ms >= 1_000);
        assert_eq!(spec.parameters["type"], "object");
        assert_eq!(spec.parameters["additionalProperties"], false);
        for (name, property) in spec.parameters["properties"].as_object().unwrap() {
            assert!(
                property["description"].as_str().is_some_and(|text| text.len() > 10),
                "{}.{name}",
                entry.name
            );
        }
        let probes = fixture.tool(entry.name).probe().is_some();
        assert_eq!(probes, spec.effect == EffectClass::Probeable, "{}", entry.name);
    }
}

#[tokio::test]
async fn the_schema_of_every_tool_takes_its_examples_and_nothing_else() {
    let fixture = Fixture::new();
    let mut seen = BTreeSet::new();
    for (name, example) in examples() {
        let schema = &fixture.tool(name).spec().parameters;
        validate(schema, &example).unwrap_or_else(|error| panic!("{name} {example}: {error}"));
        let mut more = example.clone();
        more["unheard_of"] = json!(1);
        assert!(validate(schema, &more).is_err(), "{name}");
        let error = fixture.error(name, more).await;
        assert!(error.contains("`unheard_of`"), "{name}: {error}");
        seen.insert(name);
    }
    assert_eq!(seen, ALL.iter().map(|entry| entry.name).collect());
}

#[tokio::test]
async fn what_a_schema_requires_is_missed_by_name() {
    let fixture = Fixture::new();
    let mut missed = 0;
    for entry in ALL {
        let spec = fixture.tool(entry.name).spec();
        for name in spec.parameters.get("required").and_then(Value::as_array).into_iter().flatten() {
            let (_, mut example) = examples().into_iter().find(|(tool, _)| *tool == entry.name).unwrap();
            example.as_object_mut().unwrap().remove(name.as_str().unwrap());
            let error = fixture.error(entry.name, example).await;
            assert!(
                error.contains(&format!("`{}` is missing", name.as_str().unwrap())),
                "{}: {error}",
                entry.name
            );
            missed += 1;
        }
    }
    assert!(missed >= 12, "{missed}");
}
