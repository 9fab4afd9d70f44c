//! The streams that the official client of the Messages API is tested with decode to what that client makes of them.
//!
//! `scripts/peers.sh` fetches them; without them the test fails and says so.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hearth_contract::clock::SystemClock;
use hearth_contract::provider::{Completion, FinishReason, ProviderError, ProviderErrorCode};
use hearth_contract::transcript::ToolArguments;
use hearth_testkit::server::{Answer, Server};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{Pieces, STREAM, question, source};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers/anthropic-streams")
}

fn recorded(name: &str) -> String {
    let path = folder().join(format!("{name}_response.txt"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!("{}: {error}; run scripts/peers.sh to fetch the recorded streams", path.display())
    })
}

/// Plays a recorded stream, cut into pieces of `bytes`, and gives what was shown meanwhile and the answer.
async fn play(name: &str, bytes: usize) -> (String, Result<Completion, ProviderError>) {
    let whole = format!("{STREAM}{}", recorded(name));
    let server =
        Server::start(move |_| Answer::Close(whole.as_bytes().chunks(bytes).map(<[u8]>::to_vec).collect()))
            .await;
    let source = source("anthropic", &server.url("/v1"), Arc::new(SystemClock), &[]);
    let pieces = Pieces::default();
    let completion = source.complete(&question("hi"), &pieces, &CancellationToken::new()).await;
    (pieces.text(), completion)
}

#[tokio::test]
async fn a_recorded_answer_is_its_text() {
    for (name, text, finish, prompt_tokens, completion_tokens) in [
        ("basic", "Hello there!", FinishReason::Stop, 11, 6),
        ("unknown_events", "Hello there!", FinishReason::Stop, 11, 6),
        ("compaction", "Hello there!", FinishReason::Stop, 30, 8),
        ("fallback", "Hello there!", FinishReason::Stop, 25, 8),
        ("message_delta_omitted_usage", "Hello there!", FinishReason::Stop, 40, 8),
        (
            "server_tool_use",
            "Claude Opus 4.7 is now generally available with improvements in software engineering and vision capabilities.",
            FinishReason::Stop,
            9_281,
            97,
        ),
    ] {
        for bytes in [7, 100_000] {
            let (shown, completion) = play(name, bytes).await;
            let completion = completion.unwrap_or_else(|error| panic!("{name}: {error:?}"));
            assert_eq!((shown.as_str(), completion.text.as_str()), (text, text), "{name}");
            assert_eq!((completion.finish, completion.calls.len()), (finish, 0), "{name}");
            let usage = &completion.usage;
            assert_eq!(
                (usage.prompt_tokens, usage.completion_tokens),
                (prompt_tokens, completion_tokens),
                "{name}"
            );
        }
    }
}

#[tokio::test]
async fn a_recorded_tool_call_is_a_call() {
    let (shown, completion) = play("tool_use", 7).await;
    let completion = completion.unwrap();
    assert_eq!(shown, "I'll check the current weather in Paris for you.");
    assert_eq!(completion.finish, FinishReason::ToolCalls);
    assert_eq!(completion.calls[0].name, "get_weather");
    let Value::Object(expected) = json!({"location": "Paris"}) else { unreachable!() };
    assert_eq!(completion.calls[0].arguments, ToolArguments::Object(expected));
}

#[tokio::test]
async fn recorded_arguments_that_are_broken_or_cut_off_are_never_taken_for_whole_ones() {
    for (name, finish) in [
        ("tool_use_invalid_json", FinishReason::ToolCalls),
        ("incomplete_partial_json", FinishReason::Length),
    ] {
        let (_, completion) = play(name, 7).await;
        let completion = completion.unwrap();
        assert_eq!(completion.finish, finish, "{name}");
        assert!(
            matches!(completion.calls[0].arguments, ToolArguments::Malformed(_)),
            "{name}: {completion:?}"
        );
    }
}

#[tokio::test]
async fn a_recorded_refusal_goes_to_the_next_source() {
    let (_, completion) = play("refusal", 7).await;
    let error = completion.unwrap_err();
    assert!(
        matches!(error, ProviderError::NextSource { code: ProviderErrorCode::ContentFilter, .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn every_other_recorded_stream_decodes() {
    let names: Vec<String> = std::fs::read_dir(folder())
        .expect("run scripts/peers.sh to fetch the recorded streams")
        .filter_map(|entry| {
            Some(entry.unwrap().file_name().to_str()?.strip_suffix("_response.txt")?.to_owned())
        })
        .filter(|name| name != "refusal")
        .collect();
    assert!(names.len() >= 15, "only {} recorded streams", names.len());
    for name in names {
        let (_, completion) = play(&name, 1_000).await;
        assert!(completion.is_ok(), "{name}: {completion:?}");
    }
}
