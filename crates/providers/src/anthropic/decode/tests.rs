//! Recorded answers, whole, cut anywhere, and torn.

use hearth_contract::provider::{Completion, ProviderErrorCode};
use hearth_contract::transcript::ToolArguments;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::answer::tests::{at_once, errors, streamed};

fn decode(stream: &[u8]) -> Result<Completion, ProviderError> {
    streamed(Decoder::new(&errors()), stream)
}

const TEXT: &str = include_str!("../../../tests/it/fixtures/anthropic_text.sse");
const CALLS: &str = include_str!("../../../tests/it/fixtures/anthropic_thinking_calls.sse");
const OVERLOADED: &str = include_str!("../../../tests/it/fixtures/anthropic_overloaded.sse");

#[test]
fn words() {
    let completion = decode(TEXT.as_bytes()).unwrap();
    assert_eq!((completion.text.as_str(), completion.finish), ("你好！🍵", FinishReason::Stop));
    assert_eq!(completion.usage, Usage { prompt_tokens: 20, cached_tokens: 0, completion_tokens: 9 });
    assert_eq!(completion.model, "claude-sonnet-4-5-20250929");
}

#[test]
fn thoughts_with_seals_words_and_parallel_calls() {
    let completion = decode(CALLS.as_bytes()).unwrap();
    assert_eq!(
        completion.reasoning,
        [
            Reasoning { text: "Two files to read.".into(), signature: Some("EqQB==".into()) },
            Reasoning { text: String::new(), signature: Some("redacted:hidden==".into()) },
        ]
    );
    assert_eq!(completion.text, "I look.");
    let arguments = |value: Value| ToolArguments::Object(value.as_object().unwrap().clone());
    assert_eq!(
        completion.calls,
        [
            RequestedCall { name: "read_file".into(), arguments: arguments(json!({"path": "笔记.md"})) },
            RequestedCall { name: "now".into(), arguments: arguments(json!({})) },
        ]
    );
    assert_eq!(completion.finish, FinishReason::ToolCalls);
    assert_eq!(completion.usage, Usage { prompt_tokens: 1_220, cached_tokens: 1_000, completion_tokens: 60 });
}

#[test]
fn an_error_event_ends_the_answer() {
    let error = decode(OVERLOADED.as_bytes()).unwrap_err();
    assert!(matches!(error, ProviderError::Retry { code: ProviderErrorCode::Overloaded, .. }), "{error:?}");
}

#[test]
fn a_stream_cut_anywhere_is_whole_or_noticed() {
    for fixture in [TEXT, CALLS] {
        let whole = decode(fixture.as_bytes()).unwrap();
        let mut noticed = 0;
        for end in 0..fixture.len() {
            match decode(&fixture.as_bytes()[..end]) {
                Ok(cut) => assert_eq!(cut, whole, "cut at {end}"),
                Err(ProviderError::Retry { code: ProviderErrorCode::Network, .. }) => noticed += 1,
                Err(other) => panic!("cut at {end}: {other}"),
            }
        }
        assert!(noticed > fixture.len() / 2, "{noticed} of {}", fixture.len());
    }
}

#[test]
fn ends_of_other_kinds() {
    let ended = |reason: &str, text: &str| {
        let block = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": text}});
        let delta = json!({"type": "message_delta", "delta": {"stop_reason": reason}});
        decode(
            format!("data: {block}\n\ndata: {delta}\n\ndata: {{\"type\":\"message_stop\"}}\n\n").as_bytes(),
        )
    };
    assert_eq!(ended("max_tokens", "half").unwrap().finish, FinishReason::Length);
    assert_eq!(ended("refusal", "no").unwrap().finish, FinishReason::ContentFilter);
    assert_eq!(ended("stop_sequence", "x").unwrap().finish, FinishReason::Stop);
    assert_eq!(ended("refusal", "").unwrap_err().code(), "content_filter");
    assert_eq!(ended("end_turn", "").unwrap_err().code(), "server");
    let broken = decode(b"data: {broken\n\n").unwrap_err();
    assert!(matches!(broken, ProviderError::Retry { code: ProviderErrorCode::Server, .. }), "{broken:?}");
    let lost =
        json!({"type": "content_block_delta", "index": 3, "delta": {"type": "text_delta", "text": "x"}});
    assert_eq!(decode(format!("data: {lost}\n\n").as_bytes()).unwrap_err().code(), "server");
}

#[test]
fn an_answer_that_comes_at_once_is_read() {
    let answer = json!({"type": "message", "model": "m", "stop_reason": "tool_use", "content": [
        {"type": "text", "text": "hi"}, {"type": "tool_use", "id": "a", "name": "now", "input": {"zone": "UTC"}}],
        "usage": {"input_tokens": 1, "output_tokens": 2}});
    let completion = at_once(Decoder::new(&errors()), &answer).unwrap();
    assert_eq!(
        (completion.text.as_str(), completion.calls.len(), completion.usage.completion_tokens),
        ("hi", 1, 2)
    );
}

proptest! {
    #[test]
    fn torn_streams_never_break_us(
        lines in prop::collection::vec(prop_oneof![
            prop::sample::select([TEXT, CALLS, OVERLOADED].iter().flat_map(|text| text.lines()).collect::<Vec<_>>())
                .prop_map(str::to_owned),
            "data: [\\[\\]{}\":,a-z0-9]{0,20}",
        ], 0..20)
    ) {
        let _ = decode(lines.join("\n\n").as_bytes());
    }
}
