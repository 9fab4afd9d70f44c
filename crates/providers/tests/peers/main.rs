//! Our client against llmock, a fake vendor that injects faults and judges how a client takes them.
//!
//! Needs `scripts/peers.sh` to have been run once; says so when it has not.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests say what they expect")]

mod llmock;

use std::sync::Arc;

use hearth_contract::clock::{Clock, SystemClock, UnixMs};
use hearth_contract::id::TurnId;
use hearth_contract::provider::{
    Chunk, ChunkSink, Completion, CompletionRequest, FinishReason, Provider, ProviderError,
};
use hearth_contract::rights::{Risk, Role};
use hearth_contract::tool::{EffectClass, ToolSpec};
use hearth_contract::transcript::{ToolArguments, TurnTranscript, UserInput};
use hearth_net::{Http, HttpSettings};
use hearth_providers::{Deps, SourceSection, find};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use llmock::Llmock;

/// The kinds, and where llmock plays their vendors.
const KINDS: &[(&str, &str)] = &[("openai", "/v1"), ("anthropic", "/anthropic")];
/// How often a caller asks one source.
const ATTEMPTS_MAX: u32 = 4;
/// The wait before the second attempt, in milliseconds; it doubles.
const WAIT_MS: u64 = 100;

struct Quiet;

impl ChunkSink for Quiet {
    fn push(&self, _chunk: Chunk) {}
}

fn source(kind: &str, base_url: &str) -> Arc<dyn Provider> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let http = Http::new(&HttpSettings::default(), Arc::clone(&clock)).unwrap();
    let values =
        json!({"base_url": base_url, "api_key": "any-key-will-do", "model": "gpt-4o", "idle_timeout_s": 1});
    let section = SourceSection { name: "llmock".to_owned(), values: values.as_object().unwrap().clone() };
    (find(kind).unwrap().build)(section, &Deps { home: std::path::PathBuf::new(), http, clock }).unwrap()
}

fn request(tools: &[ToolSpec]) -> CompletionRequest {
    CompletionRequest {
        system: Arc::from("You are Hearth."),
        history: Vec::new(),
        context: Vec::new(),
        current: TurnTranscript {
            turn: TurnId::new(),
            inputs: vec![UserInput { text: "北京天气怎么样？".to_owned(), at: UnixMs(0) }],
            rounds: Vec::new(),
        },
        tools: tools.into(),
        output_tokens_max: 500,
    }
}

fn weather() -> ToolSpec {
    ToolSpec {
        name: "get_weather".to_owned(),
        description: "The weather of a city.".to_owned(),
        parameters: json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}),
        risk: Risk::Read,
        role: Role::Member,
        effect: EffectClass::Pure,
        timeout_ms: 1_000,
    }
}

/// Asks as a caller does that takes each error for what it says.
async fn ask_as_told(
    source: &dyn Provider,
    request: &CompletionRequest,
) -> Result<Completion, ProviderError> {
    let mut attempt = 0;
    loop {
        let error = match source.complete(request, &Quiet, &CancellationToken::new()).await {
            Err(error) if attempt + 1 < ATTEMPTS_MAX => error,
            result => return result,
        };
        let ProviderError::Retry { retry_after_ms, .. } = error else { return Err(error) };
        let wait_ms = retry_after_ms.unwrap_or(WAIT_MS << attempt);
        SystemClock.sleep(std::time::Duration::from_millis(wait_ms)).await;
        attempt += 1;
    }
}

/// Plays a scenario with both kinds; gives what came of it, after llmock found nothing to blame.
async fn play(
    llmock: &Llmock,
    behaviors: Value,
    tools: &[ToolSpec],
) -> Vec<Result<Completion, ProviderError>> {
    let mut results = Vec::new();
    for (kind, path) in KINDS {
        llmock.script(&behaviors).await;
        let source = source(kind, &llmock.url(path));
        results.push(ask_as_told(source.as_ref(), &request(tools)).await);
        let verdict = llmock.verdict().await;
        assert_eq!(verdict["findings"], json!([]), "{kind}: {verdict:#}");
        assert!(verdict["attempts"].as_u64().unwrap() >= 1, "llmock saw nothing: {verdict:#}");
    }
    results
}

async fn recovers(llmock: &Llmock, behaviors: Value) {
    for result in play(llmock, behaviors, &[]).await {
        assert!(!result.unwrap().text.is_empty());
    }
}

async fn gives_up(llmock: &Llmock, behaviors: Value, code: &str) {
    for result in play(llmock, behaviors, &[]).await {
        assert_eq!(result.unwrap_err().code(), code);
    }
}

#[tokio::test]
async fn a_plain_answer_and_its_usage() {
    let llmock = Llmock::start().await;
    for result in play(&llmock, json!([]), &[]).await {
        let completion = result.unwrap();
        assert_eq!(completion.finish, FinishReason::Stop);
        assert!(
            completion.usage.prompt_tokens > 0 && completion.usage.completion_tokens > 0,
            "{completion:?}"
        );
    }
}

#[tokio::test]
async fn a_tool_is_called_with_an_object() {
    let llmock = Llmock::start().await;
    for result in play(&llmock, json!([]), &[weather()]).await {
        let completion = result.unwrap();
        assert_eq!(completion.finish, FinishReason::ToolCalls);
        assert_eq!(completion.calls[0].name, "get_weather");
        assert!(
            matches!(&completion.calls[0].arguments, ToolArguments::Object(object) if object.contains_key("city"))
        );
    }
}

#[tokio::test]
async fn scripted_parallel_calls() {
    let llmock = Llmock::start().await;
    let calls = json!([{"name": "get_weather", "arguments": {"city": "奥斯陆"}}, {"name": "get_weather", "arguments": {"city": "北京"}}]);
    for result in play(&llmock, json!([{"type": "reply", "tool_calls": calls}]), &[weather()]).await {
        let cities: Vec<Value> = result
            .unwrap()
            .calls
            .into_iter()
            .map(|call| match call.arguments {
                ToolArguments::Object(object) => object["city"].clone(),
                ToolArguments::Malformed(text) => panic!("{text}"),
            })
            .collect();
        assert_eq!(cities, ["奥斯陆", "北京"]);
    }
}

#[tokio::test]
async fn broken_arguments_are_kept_for_the_model_to_be_told() {
    let llmock = Llmock::start().await;
    let results =
        play(&llmock, json!([{"type": "tool_fault", "kind": "malformed_arguments"}]), &[weather()]).await;
    for result in results {
        assert!(matches!(result.unwrap().calls[0].arguments, ToolArguments::Malformed(_)));
    }
}

#[tokio::test]
async fn a_rate_limit_is_waited_for() {
    let llmock = Llmock::start().await;
    recovers(&llmock, json!([{"type": "fail", "status": 429, "retry_after": 1}])).await;
}

#[tokio::test]
async fn broken_and_busy_vendors_are_asked_again() {
    let llmock = Llmock::start().await;
    for status in [500, 502, 503, 529] {
        recovers(&llmock, json!([{"type": "fail", "status": status, "times": 3}])).await;
    }
}

#[tokio::test]
async fn what_no_retry_can_mend_is_asked_once() {
    let llmock = Llmock::start().await;
    for (status, code) in [(400, "invalid"), (401, "auth"), (403, "auth"), (404, "invalid"), (422, "invalid")]
    {
        gives_up(&llmock, json!([{"type": "fail", "status": status, "times": null}]), code).await;
    }
}

#[tokio::test]
async fn streams_that_break_are_asked_again() {
    let llmock = Llmock::start().await;
    for kind in ["disconnect", "truncate", "malformed", "stall"] {
        recovers(&llmock, json!([{"type": "stream_fault", "kind": kind, "after_chunks": 3}])).await;
    }
}

#[tokio::test]
async fn a_vendor_that_stays_down_is_given_up() {
    let llmock = Llmock::start().await;
    gives_up(&llmock, json!([{"type": "fail", "status": 503, "times": null}]), "overloaded").await;
}
