//! Recorded answers, whole, cut anywhere, and torn.

use hearth_contract::provider::Completion;
use hearth_contract::transcript::ToolArguments;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::answer::tests::{at_once, errors, streamed};

fn decode(stream: &[u8]) -> Result<Completion, ProviderError> {
    streamed(Decoder::new(&errors()), stream)
}

fn call(name: &str, arguments: Value) -> hearth_contract::provider::RequestedCall {
    let Value::Object(arguments) = arguments else { panic!("an object") };
    hearth_contract::provider::RequestedCall {
        name: name.into(),
        arguments: ToolArguments::Object(arguments),
    }
}

const PARALLEL: &str = include_str!("../../../tests/it/fixtures/openai_parallel.sse");
const DEEPSEEK: &str = include_str!("../../../tests/it/fixtures/deepseek_thinking.sse");
const QWEN: &str = include_str!("../../../tests/it/fixtures/qwen_inline_think.sse");
const OLLAMA: &str = include_str!("../../../tests/it/fixtures/ollama_calls.sse");
const LLAMA_CPP: &str = include_str!("../../../tests/it/fixtures/llama_cpp_call.sse");
const LITELLM: &str = include_str!("../../../tests/it/fixtures/litellm_call.sse");

#[test]
fn parallel_calls() {
    let completion = decode(PARALLEL.as_bytes()).unwrap();
    assert_eq!(completion.calls, [call("read_file", json!({"path": "笔记.md"})), call("now", json!({}))]);
    assert_eq!(completion.finish, FinishReason::ToolCalls);
    assert_eq!(completion.usage, Usage { prompt_tokens: 100, cached_tokens: 64, completion_tokens: 20 });
    assert_eq!((completion.source.as_str(), completion.model.as_str()), ("mine", "gpt-5-mini-2025"));
}

#[test]
fn thoughts_beside_the_words() {
    let completion = decode(DEEPSEEK.as_bytes()).unwrap();
    assert_eq!(completion.text, "你好！🍵");
    assert_eq!(completion.reasoning, [Reasoning { text: "用户问好，我也问好。".into(), signature: None }]);
    assert_eq!(completion.usage, Usage { prompt_tokens: 30, cached_tokens: 16, completion_tokens: 12 });
    assert_eq!(completion.finish, FinishReason::Stop);
}

#[test]
fn thoughts_inside_the_words_and_no_done() {
    let completion = decode(QWEN.as_bytes()).unwrap();
    assert_eq!(completion.text, "答案是二。");
    assert_eq!(completion.reasoning[0].text, "一加一是二");
    assert_eq!(completion.usage.completion_tokens, 11);
}

#[test]
fn whole_calls_under_one_index() {
    let completion = decode(OLLAMA.as_bytes()).unwrap();
    assert_eq!(
        completion.calls,
        [call("read_file", json!({"path": "a"})), call("read_file", json!({"path": "b"}))]
    );
    assert_eq!(completion.reasoning[0].text, "I should look.");
}

#[test]
fn white_space_in_arguments_and_arguments_quoted_twice() {
    let completion = decode(LLAMA_CPP.as_bytes()).unwrap();
    assert_eq!(completion.calls, [call("now", json!({"zone": "Asia/Shanghai"}))]);
    let completion = decode(LITELLM.as_bytes()).unwrap();
    assert_eq!(
        (completion.text.as_str(), completion.calls),
        ("Sure.", vec![call("now", json!({"zone": "UTC"}))])
    );
}

#[test]
fn a_stream_cut_anywhere_is_whole_or_noticed() {
    for fixture in [PARALLEL, DEEPSEEK, QWEN, OLLAMA, LLAMA_CPP, LITELLM] {
        let whole = decode(fixture.as_bytes()).unwrap();
        let mut noticed = 0;
        for end in 0..fixture.len() {
            match decode(&fixture.as_bytes()[..end]) {
                // Only the usage, which comes after the end of the answer, may be missing.
                Ok(cut) => assert_eq!(Completion { usage: whole.usage, ..cut }, whole, "cut at {end}"),
                Err(ProviderError::Retry { code: ProviderErrorCode::Network, .. }) => noticed += 1,
                Err(other) => panic!("cut at {end}: {other}"),
            }
        }
        assert!(noticed > fixture.len() / 2, "{noticed} of {}", fixture.len());
    }
}

fn error_of(stream: &str) -> String {
    match decode(stream.as_bytes()) {
        Err(error @ ProviderError::Retry { .. }) => format!("retry {}", error.code()),
        Err(error) => format!("next {}", error.code()),
        Ok(completion) => panic!("{completion:?}"),
    }
}

#[test]
fn errors_inside_the_stream() {
    assert_eq!(error_of("data: {broken\n\n"), "retry server");
    assert_eq!(error_of("data: {\"error\":{\"message\":\"x\",\"code\":503}}\n\n"), "retry overloaded");
    assert_eq!(
        error_of("event: error\ndata: {\"code\":\"rate_limit_exceeded\",\"message\":\"x\"}\n\n"),
        "retry rate_limit"
    );
    let finish = |reason: &str| {
        format!("data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"{reason}\"}}]}}\n\n")
    };
    assert_eq!(error_of(&finish("insufficient_system_resource")), "retry overloaded");
    assert_eq!(error_of(&finish("content_filter")), "next content_filter");
    assert_eq!(error_of(&finish("stop")), "retry server");
    assert_eq!(error_of("data: [DONE]\n\n"), "retry network");
    assert_eq!(error_of(""), "retry network");
}

#[test]
fn an_answer_at_its_limit_is_kept() {
    let cut = "data: {\"choices\":[{\"delta\":{\"content\":\"half a\"},\"finish_reason\":\"length\"}]}\n\n";
    assert_eq!(decode(cut.as_bytes()).unwrap().finish, FinishReason::Length);
}

#[test]
fn done_without_a_reason_is_an_end_when_something_was_said() {
    let said = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n";
    assert_eq!(decode(format!("{said}data: [DONE]\n\n").as_bytes()).unwrap().finish, FinishReason::Stop);
    assert_eq!(error_of(said), "retry network");
}

#[test]
fn an_answer_that_comes_at_once_is_read() {
    let answer = json!({"model": "m", "choices": [{"message": {"content": [{"type": "text", "text": "hi"}],
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "now", "arguments": "{}"}}]},
        "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 1, "completion_tokens": 2}});
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
            prop::sample::select(
                [PARALLEL, DEEPSEEK, QWEN, OLLAMA, LLAMA_CPP].iter().flat_map(|text| text.lines()).collect::<Vec<_>>()
            ).prop_map(str::to_owned),
            "data: [\\[\\]{}\":,a-z0-9]{0,20}",
        ], 0..20)
    ) {
        let _ = decode(lines.join("\n\n").as_bytes());
    }
}
