//! Sections of the config: what they take, what they refuse, what they never show.

use std::sync::Arc;

use hearth_contract::clock::SystemClock;
use hearth_providers::ALL;
use serde_json::{Value, json};

use crate::support::{KINDS, build, source};

#[test]
fn every_kind_has_a_name_of_its_own_and_a_schema() {
    let mut kinds: Vec<&str> = ALL.iter().map(|entry| entry.kind).collect();
    assert!(KINDS.iter().all(|kind| kinds.contains(kind)));
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds.len(), ALL.len());
    for kind in KINDS {
        let schema = (hearth_providers::find(kind).unwrap().schema)().to_value();
        for key in ["base_url", "api_key", "model", "window_tokens", "headers", "idle_timeout_s"] {
            assert!(schema["properties"].get(key).is_some(), "{kind} has no {key}: {schema}");
        }
    }
}

#[test]
fn wrong_sections_say_what_is_wrong_with_which_key() {
    let cases: &[(&str, Value, &str)] = &[
        ("modle", json!("x"), "modle"),
        ("model", json!(""), "model"),
        ("base_url", json!("localhost:8080"), "base_url"),
        ("base_url", json!("https://"), "base_url"),
        ("window_tokens", json!("big"), "u32"),
        ("output_tokens_max", json!(0), "output_tokens_max"),
        ("output_tokens_max", json!(200_000), "window_tokens"),
        ("headers", json!({"not a header": "x"}), "headers.not a header"),
        ("api_key", json!("line\nbreak"), "api_key"),
        ("thinking", json!("perhaps"), "perhaps"),
    ];
    for kind in KINDS {
        for (key, value, part) in cases {
            let error = build(kind, "http://127.0.0.1:1", Arc::new(SystemClock), &[(key, value.clone())]);
            let error = error.map(|_| ()).unwrap_err().to_string();
            assert!(error.starts_with("[sources.mine]: "), "{error}");
            // A key that only some kinds have is an unknown one to the others.
            let known = *kind != "lua" || *key != "thinking";
            assert!(error.contains(if known { *part } else { *key }), "{kind} {key}: {error}");
        }
    }
}

#[test]
fn what_is_known_of_a_source() {
    let known = |more: &[(&str, Value)]| {
        let source = source("openai", "https://api.deepseek.com", Arc::new(SystemClock), more);
        (source.info().window_tokens, source.info().output_tokens_max)
    };
    assert_eq!(known(&[]), (128_000, 8_192));
    assert_eq!(known(&[("model", json!("deepseek-v4-flash"))]), (1_000_000, 8_192));
    assert_eq!(known(&[("window_tokens", json!(4_096))]), (4_096, 1_024));
    assert_eq!(known(&[("output_tokens_max", json!(100))]), (128_000, 100));
}

#[test]
fn debug_never_shows_a_secret() {
    for kind in KINDS {
        let more = [("headers", json!({"x-secret": "hidden-header-value"}))];
        let shown = format!("{:?}", source(kind, "http://127.0.0.1:1", Arc::new(SystemClock), &more));
        assert!(shown.contains("some-model"), "{shown}");
        assert!(!shown.contains("test-key-of") && !shown.contains("hidden-header"), "{shown}");
    }
}
