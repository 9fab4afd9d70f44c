//! What of a request is new.

use hearth_contract::message::plain_text;
use serde_json::json;

use super::*;

fn input(messages: Value) -> Result<Vec<Segment>, String> {
    let request: ChatRequest = serde_json::from_value(json!({ "messages": messages })).unwrap();
    request.input().map_err(|problem| problem.text)
}

fn text(messages: Value) -> String {
    plain_text(&input(messages).unwrap())
}

fn said(role: &str, content: &str) -> Value {
    json!({"role": role, "content": content})
}

#[test]
fn earlier_turns_are_not_said_again() {
    assert_eq!(text(json!([said("user", "a"), said("assistant", "b"), said("user", "c")])), "c");
    assert_eq!(
        text(json!([said("user", "a"), said("assistant", "b"), said("user", "c"), said("user", "d")])),
        "c\n\nd"
    );
}

#[test]
fn instructions_are_said_when_a_talk_begins() {
    let first = text(json!([said("system", "Be brief."), said("user", "a")]));
    assert!(first.contains("Be brief.") && first.ends_with("a"), "{first}");
    let later = [said("system", "Be brief."), said("user", "a"), said("assistant", "b"), said("user", "c")];
    assert_eq!(text(json!(later)), "c");
    assert_eq!(text(json!([said("system", " "), said("user", "a")])), "a");
}

#[test]
fn pieces_that_are_no_text_are_kept() {
    let image = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}});
    let segments =
        input(json!([{"role": "user", "content": [{"type": "text", "text": "look"}, image]}])).unwrap();
    let [Segment::Text { text }, Segment::Custom { kind, raw }] = segments.as_slice() else {
        panic!("{segments:?}")
    };
    assert_eq!((text.as_str(), kind.as_str()), ("look", "image_url"));
    assert_eq!(raw["image_url"]["url"], "data:image/png;base64,AA==");
}

#[test]
fn a_talk_that_ends_with_an_answer_asks_nothing() {
    assert!(input(json!([said("user", "a"), said("assistant", "b")])).is_err());
    assert!(input(json!([said("system", "a")])).is_err());
}
