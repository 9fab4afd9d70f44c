//! Answers as they come in, in pieces of every size.

use std::sync::Arc;

use hearth_contract::clock::SystemClock;
use hearth_contract::provider::FinishReason;
use hearth_testkit::server::{Answer, Server, respond};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{KINDS, Pieces, STREAM, ask, question, short_answer, source};

fn in_pieces(kind: &str, bytes: usize) -> Answer {
    let answer = format!("{STREAM}{}", short_answer(kind));
    Answer::Close(answer.as_bytes().chunks(bytes).map(<[u8]>::to_vec).collect())
}

fn body_of(request: &str) -> Value {
    serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[tokio::test]
async fn characters_cut_in_the_middle_arrive_whole() {
    for kind in KINDS {
        for bytes in [1, 8, 100_000] {
            let server = Server::start(move |_| in_pieces(kind, bytes)).await;
            let source = source(kind, &server.url("/v1"), Arc::new(SystemClock), &[]);
            let pieces = Pieces::default();
            let completion =
                source.complete(&question("hi"), &pieces, &CancellationToken::new()).await.unwrap();
            assert_eq!(completion.text, "你好！🍵", "{kind} in pieces of {bytes}");
            assert_eq!(pieces.text(), completion.text);
            assert_eq!((completion.finish, completion.source.as_str()), (FinishReason::Stop, "mine"));
            assert!(completion.usage.prompt_tokens > 0);
        }
    }
}

#[tokio::test]
async fn the_key_travels_as_each_vendor_wants_it() {
    for (kind, path, header) in [
        ("openai", "POST /v1/chat/completions", "authorization: Bearer test-key-of-the-source"),
        ("anthropic", "POST /v1/messages", "x-api-key: test-key-of-the-source"),
    ] {
        let server = Server::start(move |_| in_pieces(kind, 100)).await;
        let more = [("headers", json!({"x-team": "home"}))];
        ask(source(kind, &server.url("/v1"), Arc::new(SystemClock), &more).as_ref()).await.unwrap();
        let request = &server.seen()[0];
        for part in [path, header, "x-team: home"] {
            assert!(request.contains(part), "{part} is missing in {request}");
        }
        assert_eq!(request.contains("anthropic-version: 2023-06-01"), kind == "anthropic");
    }
}

#[tokio::test]
async fn fields_a_server_refuses_are_left_out_from_then_on() {
    let server = Server::start(|request| {
        let refuse = |field: &str| {
            respond(
                "400 Bad Request",
                "",
                &format!(r#"{{"error":{{"message":"Unsupported parameter: '{field}'"}}}}"#),
            )
        };
        if request.contains("stream_options") {
            refuse("stream_options")
        } else if request.contains("\"max_tokens\"") {
            refuse("max_tokens. Use 'max_completion_tokens' instead.")
        } else {
            in_pieces("openai", 1_000)
        }
    })
    .await;
    let source = source("openai", &server.url("/v1"), Arc::new(SystemClock), &[]);
    ask(source.as_ref()).await.unwrap();
    assert_eq!(server.seen().len(), 3);
    ask(source.as_ref()).await.unwrap();
    assert_eq!(server.seen().len(), 4);
    assert_eq!(body_of(&server.seen()[3])["max_completion_tokens"], 1_000);
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let answers = [
        ("openai", json!({"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]})),
        ("anthropic", json!({"content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn"})),
    ];
    for (kind, answer) in answers {
        let server = Server::start(move |_| {
            respond("200 OK", "content-type: application/json\r\n", &answer.to_string())
        })
        .await;
        let completion =
            ask(source(kind, &server.url("/v1"), Arc::new(SystemClock), &[]).as_ref()).await.unwrap();
        assert_eq!((completion.text.as_str(), completion.model.as_str()), ("hi", "some-model"));
    }
}

#[tokio::test]
async fn fields_of_the_config_reach_the_request() {
    let server = Server::start(|_| in_pieces("openai", 1_000)).await;
    let more = [
        ("thinking", json!("off")),
        ("reasoning_effort", json!("low")),
        ("output_tokens_max", json!(50)),
        ("extra_body", json!({"temperature": 0.1})),
    ];
    ask(source("openai", &server.url(""), Arc::new(SystemClock), &more).as_ref()).await.unwrap();
    let request = &server.seen()[0];
    assert!(
        request.starts_with("POST /v1/chat/completions"),
        "an address without a path gets /v1: {request}"
    );
    let body = body_of(request);
    assert_eq!(body["chat_template_kwargs"], json!({"enable_thinking": false}));
    assert_eq!(
        (&body["reasoning_effort"], &body["max_tokens"], &body["temperature"]),
        (&json!("low"), &json!(50), &json!(0.1))
    );
}
