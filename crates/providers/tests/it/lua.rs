//! Vendors behind a Lua adapter.

use std::path::Path;
use std::sync::Arc;

use hearth_contract::clock::SystemClock;
use hearth_contract::id::CallId;
use hearth_contract::provider::{FinishReason, Provider, ProviderError};
use hearth_contract::transcript::{
    Reasoning, Round, ToolArguments, ToolCall, ToolExchange, ToolResult, ToolStatus,
};
use hearth_net::{Http, HttpSettings};
use hearth_providers::{BuildError, Deps, SourceSection, find};
use hearth_testkit::server::{Answer, Server, respond};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{Pieces, STREAM, ask, question, shown, source};

const LINES: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\nconnection: close\r\n\r\n";
const FIXTURES: &[(&str, &str)] = &[
    ("deepseek_thinking", include_str!("fixtures/deepseek_thinking.sse")),
    ("litellm_call", include_str!("fixtures/litellm_call.sse")),
    ("llama_cpp_call", include_str!("fixtures/llama_cpp_call.sse")),
    ("ollama_calls", include_str!("fixtures/ollama_calls.sse")),
    ("openai_parallel", include_str!("fixtures/openai_parallel.sse")),
    ("qwen_inline_think", include_str!("fixtures/qwen_inline_think.sse")),
];

fn body_of(request: &str) -> Value {
    serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
}

fn acme(base_url: &str) -> Arc<dyn Provider> {
    source("lua", base_url, Arc::new(SystemClock), &[("adapter", "acme.lua".into())])
}

/// A source whose script is this text.
fn scripted(script: &str, base_url: &str) -> Result<Arc<dyn Provider>, BuildError> {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("adapters")).unwrap();
    std::fs::write(home.path().join("adapters/x.lua"), script).unwrap();
    build_in(home.path(), "adapters/x.lua", base_url)
}

fn build_in(home: &Path, adapter: &str, base_url: &str) -> Result<Arc<dyn Provider>, BuildError> {
    let clock = Arc::new(SystemClock);
    let http = Http::new(&HttpSettings::default(), clock.clone()).unwrap();
    let values = Map::from_iter([
        ("adapter".to_owned(), adapter.into()),
        ("base_url".to_owned(), base_url.into()),
        ("api_key".to_owned(), "test-key-of-the-source".into()),
        ("model".to_owned(), "some-model".into()),
    ]);
    let section = SourceSection { name: "mine".to_owned(), values };
    (find("lua").unwrap().build)(section, &Deps { home: home.to_owned(), http, clock })
}

#[tokio::test]
async fn the_adapter_for_chat_completions_answers_as_the_built_in_one() {
    for (name, stream) in FIXTURES {
        for bytes in [7, 100_000] {
            let whole = format!("{STREAM}{stream}");
            let server = Server::start(move |_| {
                Answer::Close(whole.as_bytes().chunks(bytes).map(<[u8]>::to_vec).collect())
            })
            .await;
            let mut answers = Vec::new();
            for kind in ["openai", "lua"] {
                let pieces = Pieces::default();
                let source = source(kind, &server.url("/v1"), Arc::new(SystemClock), &[]);
                let answer = source.complete(&question("hi"), &pieces, &CancellationToken::new()).await;
                answers.push((answer.unwrap_or_else(|error| panic!("{name}: {error}")), pieces.text()));
            }
            assert_eq!(answers[0], answers[1], "{name}");
        }
    }
}

#[tokio::test]
async fn the_adapter_for_chat_completions_asks_as_the_built_in_one() {
    let server = Server::start(|_| {
        Answer::Close(vec![STREAM.into(), include_str!("fixtures/deepseek_thinking.sse").into()])
    })
    .await;
    let mut asked = question("and then?");
    let arguments = ToolArguments::Object(Map::from_iter([("zones".to_owned(), json!([]))]));
    asked.current.rounds.push(Round {
        text: "let me see".to_owned(),
        reasoning: vec![Reasoning { text: "hm".to_owned(), signature: None }],
        source: "mine".to_owned(),
        calls: vec![ToolExchange {
            call: ToolCall { id: CallId::from_text("call-1"), name: "clock".to_owned(), arguments },
            result: ToolResult { status: ToolStatus::Failed, text: "no clock".to_owned() },
        }],
        joined: Vec::new(),
    });
    for kind in ["openai", "lua"] {
        let source = source(kind, &server.url("/v1"), Arc::new(SystemClock), &[]);
        source.complete(&asked, &Pieces::default(), &CancellationToken::new()).await.unwrap();
    }
    let seen = server.seen();
    assert_eq!(body_of(&seen[0]), body_of(&seen[1]));
}

#[tokio::test]
async fn a_vendor_that_streams_lines_of_its_own_is_understood() {
    let lines = "{\"kind\":\"muse\",\"words\":\"hm\"}\n{\"kind\":\"say\",\"words\":\"你\"}\n\n\
        {\"kind\":\"say\",\"words\":\"好\"}\n{\"kind\":\"act\",\"tool\":\"clock\",\"input\":{\"zone\":\"UTC\"}}\n\
        {\"kind\":\"act\",\"tool\":\"clock\",\"input\":{}}\n{\"kind\":\"end\",\"why\":\"acting\",\"read\":12,\"wrote\":5}\n";
    for bytes in [1, 100_000] {
        let whole = format!("{LINES}{lines}");
        let server = Server::start(move |_| {
            Answer::Close(whole.as_bytes().chunks(bytes).map(<[u8]>::to_vec).collect())
        })
        .await;
        let pieces = Pieces::default();
        let answer = acme(&server.url("/api"))
            .complete(&question("hi"), &pieces, &CancellationToken::new())
            .await
            .unwrap();
        assert_eq!((answer.text.as_str(), pieces.text().as_str()), ("你好", "你好"));
        assert_eq!(answer.reasoning, [Reasoning { text: "hm".to_owned(), signature: None }]);
        assert_eq!((answer.calls.len(), answer.finish), (2, FinishReason::ToolCalls));
        let zone = Map::from_iter([("zone".to_owned(), "UTC".into())]);
        assert_eq!(answer.calls[0].arguments, ToolArguments::Object(zone));
        assert_eq!((answer.usage.prompt_tokens, answer.usage.completion_tokens), (12, 5));
        let request = &server.seen()[0];
        for part in
            ["POST /api/v2/talk", "x-acme-mode: plain", "authorization: Bearer test-key-of-the-source"]
        {
            assert!(request.contains(part), "{part} is missing in {request}");
        }
    }
}

#[tokio::test]
async fn a_vendor_that_does_not_stream_is_understood() {
    let body = r#"[{"kind":"say","words":"all at once"},{"kind":"end","why":"too long"}]"#;
    let server = Server::start(move |_| respond("200 OK", "content-type: application/json\r\n", body)).await;
    let answer = ask(acme(&server.url("")).as_ref()).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.finish), ("all at once", FinishReason::Length));
}

#[tokio::test]
async fn what_a_refusal_means_is_the_adapters_to_say() {
    for (status, body, expected) in [
        ("500 Internal Server Error", "I take a nap", "retry overloaded after 2000"),
        ("400 Bad Request", "too many words", "context_too_long"),
        ("401 Unauthorized", "who?", "next auth"),
    ] {
        let server = Server::start(move |_| respond(status, "", body)).await;
        assert_eq!(shown(&ask(acme(&server.url("")).as_ref()).await.unwrap_err()), expected);
    }
    let server = Server::start(|_| {
        Answer::Close(vec![LINES.into(), b"{\"kind\":\"trouble\",\"words\":\"busy\"}\n".to_vec()])
    })
    .await;
    assert_eq!(shown(&ask(acme(&server.url("")).as_ref()).await.unwrap_err()), "retry overloaded");
    let server = Server::start(|_| {
        Answer::Close(vec![LINES.into(), b"{\"kind\":\"say\",\"words\":\"cut\"}\n".to_vec()])
    })
    .await;
    assert_eq!(shown(&ask(acme(&server.url("")).as_ref()).await.unwrap_err()), "retry network");
}

#[tokio::test]
async fn an_adapter_that_fails_says_where_and_goes_to_the_next_source() {
    let request = "local a = {}\nfunction a.response() return {text = 'x'} end\n";
    for (rest, part) in [
        ("function a.request(r) return r.nothing.there end\nreturn a", "adapters/x.lua:3:"),
        ("function a.request() return 'x' end\nreturn a", "`request`"),
        ("function a.request() return {url = '/x', body = {}, more = 1} end\nreturn a", "more"),
        ("function a.request() while true do end end\nreturn a", "adapters/x.lua: stopped: more than"),
        (
            "function a.request() return {url = 'http://elsewhere.example/x', body = {}} end\nreturn a",
            "`url`",
        ),
        (
            "function a.request() return {url = '/x', body = {}, headers = {['a b'] = 'c'}} end\nreturn a",
            "headers.a b",
        ),
    ] {
        let server = Server::start(|_| respond("200 OK", "", "")).await;
        let error =
            ask(scripted(&format!("{request}{rest}"), &server.url("")).unwrap().as_ref()).await.unwrap_err();
        assert_eq!(shown(&error), "next invalid");
        assert!(error.to_string().contains(part), "{error}");
        assert!(server.seen().is_empty(), "{rest}");
    }
}

#[tokio::test]
async fn a_key_never_reaches_the_script_and_is_not_in_its_errors() {
    let script = "local a = {}\nfunction a.request(r) return {url = '/x', body = {seen = json.encode(r)}} end\n\
        function a.response(status, headers, body) error(body) end\nreturn a";
    let json = "content-type: application/json\r\n";
    let server = Server::start(move |_| respond("200 OK", json, "\"test-key-of-the-source\"")).await;
    let error = ask(scripted(script, &server.url("")).unwrap().as_ref()).await.unwrap_err();
    assert!(matches!(error, ProviderError::NextSource { .. }), "{error:?}");
    assert!(!error.to_string().contains("test-key"), "{error}");
    assert!(!body_of(&server.seen()[0]).to_string().contains("test-key"));
}

#[test]
fn an_adapter_that_cannot_be_used_is_told_before_the_first_question() {
    for (script, part) in [
        ("return {", "adapters/x.lua:1:"),
        ("return 1", "must end with"),
        ("return {request = function() end}", "no function `response`"),
        ("while true do end", "stopped: more than"),
    ] {
        let error = scripted(script, "http://127.0.0.1:1").map(|_| ()).unwrap_err().to_string();
        assert!(error.starts_with("[sources.mine]: `adapter`: ") && error.contains(part), "{error}");
    }
    let home = tempfile::tempdir().unwrap();
    for adapter in ["../x.lua", "/etc/passwd", "", "nowhere.lua"] {
        let error = build_in(home.path(), adapter, "http://127.0.0.1:1").map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("`adapter`: "), "{error}");
    }
}
