//! The checked-in schema is that of the code, and frames keep their shape.

use std::path::PathBuf;

use serde_json::Value;

use super::*;
use crate::{Arrival, Call, Problem};

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/protocol.schema.json")
}

fn text() -> String {
    serde_json::to_string_pretty(&schema()).unwrap() + "\n"
}

#[test]
fn the_checked_in_schema_is_fresh() {
    let have = std::fs::read_to_string(file()).unwrap();
    let hint = "run: cargo test -p hearth-protocol -- --ignored write_the_schema";
    assert!(have == text(), "docs/protocol.schema.json is not that of the frames; {hint}");
}

#[test]
#[ignore = "writes docs/protocol.schema.json"]
fn write_the_schema() {
    std::fs::write(file(), text()).unwrap();
}

#[test]
fn every_call_has_its_result_and_every_reference_leads_somewhere() {
    let schema = schema();
    let calls = schema["$defs"]["Call"]["oneOf"].as_array().unwrap();
    let results = schema["x-results"].as_object().unwrap();
    let methods: Vec<&str> =
        calls.iter().map(|call| call["properties"]["method"]["const"].as_str().unwrap()).collect();
    assert!(!methods.is_empty());
    assert_eq!(methods, results.keys().map(String::as_str).collect::<Vec<_>>());
    let text = schema.to_string();
    for name in text.split("\"#/$defs/").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(schema["$defs"].get(name).is_some(), "{name}");
    }
}

/// A frame of before must be read for ever.
#[test]
fn frames_keep_their_shape() {
    let frames: [(ClientFrame, Value); 5] = [
        (
            ClientFrame::Watch { session: "cli:me".into(), after: None },
            json!({"type": "watch", "session": "cli:me"}),
        ),
        (
            ClientFrame::Send { id: "1".into(), session: None, text: "hi".into(), arrival: Arrival::Steer },
            json!({"type": "send", "id": "1", "text": "hi", "arrival": "steer"}),
        ),
        (ClientFrame::Stop, json!({"type": "stop"})),
        (
            ClientFrame::Call { id: "2".into(), call: Call::Status },
            json!({"type": "call", "id": "2", "call": {"method": "status"}}),
        ),
        (
            ClientFrame::Call {
                id: "3".into(),
                call: Call::SessionRename { session: "a:b:c".into(), title: "t".into() },
            },
            json!({"type": "call", "id": "3", "call": {"method": "session_rename", "session": "a:b:c", "title": "t"}}),
        ),
    ];
    for (frame, json) in frames {
        assert_eq!(serde_json::to_value(&frame).unwrap(), json);
        assert_eq!(serde_json::from_value::<ClientFrame>(json).unwrap(), frame);
    }
    let message = Message {
        id: "m".into(),
        session: "a:b:c".into(),
        direction: "out".into(),
        sender: "Hearth".into(),
        text: "hi".into(),
        at_ms: 5,
        turn: None,
        end: None,
        origin: "user".into(),
        client_id: None,
    };
    let error = Problem { code: "full".into(), text: "t".into(), hint: String::new() };
    let frames: [(ServerFrame, Value); 4] = [
        (
            ServerFrame::Message(message),
            json!({
                "type": "message", "id": "m", "session": "a:b:c", "direction": "out", "sender": "Hearth",
                "text": "hi", "at_ms": 5, "origin": "user",
            }),
        ),
        (ServerFrame::Lagged, json!({"type": "lagged"})),
        (
            ServerFrame::Draft { turn: "t".into(), text: "x".into() },
            json!({"type": "draft", "turn": "t", "text": "x"}),
        ),
        (
            ServerFrame::Failed { id: "9".into(), error },
            json!({"type": "failed", "id": "9", "error": {"code": "full", "text": "t", "hint": ""}}),
        ),
    ];
    for (frame, json) in frames {
        assert_eq!(serde_json::to_value(&frame).unwrap(), json);
        assert_eq!(serde_json::from_value::<ServerFrame>(json).unwrap(), frame);
    }
}

#[test]
fn fields_of_later_versions_are_skipped() {
    let frame: ClientFrame = serde_json::from_value(json!({"type": "stop", "later": 1})).unwrap();
    assert_eq!(frame, ClientFrame::Stop);
}
