//! Requests against the rules, and their exact shape.

use proptest::prelude::*;
use proptest::sample::select;

use super::super::validate::validate;
use super::*;
use crate::arbitrary::{self, SOURCE, messages_text};

fn spelled(request: &CompletionRequest, thinking: Thinking) -> Value {
    Value::Object(encode(request, &Spelling { source: SOURCE, model: "m", output_tokens_max: 100, thinking }))
}

proptest! {
    #![proptest_config(arbitrary::at_least(10_000))]

    #[test]
    fn any_history_cut_anywhere_is_a_right_request(
        request in arbitrary::request(),
        thinking in select(vec![Thinking::Off, Thinking::Adaptive, Thinking::Budget(1_024)]),
    ) {
        let body = spelled(&request, thinking);
        prop_assert_eq!(validate(&body), Ok(()));
        let text = body.to_string();
        prop_assert!(!text.contains("-other") && !text.contains("thought of other"), "{}", text);
        for said in arbitrary::said(&request) {
            let quoted = Value::from(said).to_string();
            prop_assert!(text.contains(&quoted[1..quoted.len() - 1]), "{} is missing in {}", said, text);
        }
    }

}

proptest! {
    #![proptest_config(arbitrary::at_least(2_000))]

    #[test]
    fn the_next_request_begins_as_this_one_did((first, second) in arbitrary::followed()) {
        let (first, second) =
            (messages_text(&spelled(&first, Thinking::Off)), messages_text(&spelled(&second, Thinking::Off)));
        let stable = &first[..first.find(r#"{"type":"text","text":"<context>"#).unwrap()];
        prop_assert!(second.starts_with(stable), "{}\n{}", first, second);
    }

    #[test]
    fn a_round_is_only_added((first, second) in arbitrary::one_more_round()) {
        for thinking in [Thinking::Off, Thinking::Adaptive] {
            let (first, second) = (messages_text(&spelled(&first, thinking)), messages_text(&spelled(&second, thinking)));
            prop_assert!(second.starts_with(&first[..first.len() - 1]), "{}\n{}", first, second);
        }
    }
}

#[test]
fn a_request_is_spelled_as_the_vendor_reads_it() {
    insta::assert_json_snapshot!(spelled(&arbitrary::example(), Thinking::Budget(1_024)));
}

#[test]
fn thoughts_go_back_with_their_seals_within_the_turn() {
    let mut request = arbitrary::example();
    let body = spelled(&request, Thinking::Off);
    let thoughts = |body: &Value| -> Vec<Value> {
        let blocks = body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|message| message["content"].as_array().unwrap());
        blocks.filter(|block| block["type"].as_str().unwrap().ends_with("thinking")).cloned().collect()
    };
    assert_eq!(
        thoughts(&body),
        [
            json!({"type": "thinking", "thinking": "Look at the clock.", "signature": "seal=="}),
            json!({"type": "redacted_thinking", "data": "hidden=="}),
        ]
    );
    // In the next turn they are of no use.
    let ended = std::mem::replace(&mut request.current, request.history[0].as_ref().clone());
    request.history = vec![std::sync::Arc::new(ended)];
    assert_eq!(thoughts(&spelled(&request, Thinking::Off)), Vec::<Value>::new());
}

#[test]
fn a_call_of_another_source_switches_a_budget_off_for_the_turn() {
    let mut request = arbitrary::example();
    assert_eq!(spelled(&request, Thinking::Budget(2_000))["thinking"]["budget_tokens"], 2_000);
    request.current.rounds[0].source = "other".to_owned();
    assert_eq!(spelled(&request, Thinking::Budget(2_000)).get("thinking"), None);
}

#[test]
fn a_dialog_with_calls_shows_tools_even_when_none_may_be_called() {
    let mut request = arbitrary::example();
    request.tools = std::sync::Arc::new([]);
    let body = spelled(&request, Thinking::Off);
    assert_eq!(body["tools"], json!([{"name": "now", "input_schema": {"type": "object"}}]));
    assert_eq!(body["tool_choice"], json!({"type": "none"}));
}
