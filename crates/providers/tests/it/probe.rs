//! Asking a model what it can do.

use std::sync::Arc;

use hearth_contract::clock::SystemClock;
use hearth_testkit::server::{Answer, Server, respond};
use tokio_util::sync::CancellationToken;

use crate::support::{STREAM, shown, source};

fn answer(text: &str) -> Answer {
    Answer::Close(vec![STREAM.into(), text.into()])
}

#[tokio::test]
async fn a_card_says_what_was_seen() {
    let server = Server::start(|request| {
        if request.starts_with("GET /v1/models") {
            respond("200 OK", "content-type: application/json\r\n", r#"{"data":[{"id":"a"},{"id":"b"}]}"#)
        } else if request.contains("\"tools\"") {
            let call = r#"{"index":0,"id":"x","function":{"name":"add_numbers","arguments":"{}"}}"#;
            answer(&format!("data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{call}]}},\"finish_reason\":\"tool_calls\"}}]}}\n\n"))
        } else {
            answer(include_str!("fixtures/deepseek_thinking.sse"))
        }
    })
    .await;
    let source = source("openai", &server.url("/v1"), Arc::new(SystemClock), &[]);
    let card = source.probe(&CancellationToken::new()).await.unwrap();
    assert_eq!((card.source.as_str(), card.model.as_str()), ("mine", "deepseek-v4-flash"));
    assert_eq!(card.models, ["a", "b"]);
    assert!(card.streaming && card.tools && card.reasoning && card.usage, "{card:?}");
}

#[tokio::test]
async fn a_model_behind_an_adapter_is_described_as_well() {
    let server = Server::start(|_| answer(include_str!("fixtures/deepseek_thinking.sse"))).await;
    let source = source("lua", &server.url("/v1"), Arc::new(SystemClock), &[]);
    let card = source.probe(&CancellationToken::new()).await.unwrap();
    assert!(card.streaming && card.reasoning && card.usage && !card.tools, "{card:?}");
}

#[tokio::test]
async fn a_plain_model_without_a_list_is_described_as_such() {
    let server = Server::start(|request| {
        if request.starts_with("GET") {
            respond("404 Not Found", "", "")
        } else if request.contains("\"tools\"") {
            respond("400 Bad Request", "", r#"{"error":{"message":"this model does not support tools"}}"#)
        } else {
            let json = "content-type: application/json\r\n";
            respond("200 OK", json, r#"{"content":[{"type":"text","text":"one"}],"stop_reason":"end_turn"}"#)
        }
    })
    .await;
    let source = source("anthropic", &server.url(""), Arc::new(SystemClock), &[]);
    let card = source.probe(&CancellationToken::new()).await.unwrap();
    assert_eq!(card.models, Vec::<String>::new());
    assert!(!card.streaming && !card.tools && !card.reasoning && !card.usage, "{card:?}");
}

#[tokio::test]
async fn a_wrong_key_is_told() {
    let server = Server::start(|_| respond("401 Unauthorized", "", "")).await;
    let source = source("openai", &server.url("/v1"), Arc::new(SystemClock), &[]);
    assert_eq!(shown(&source.probe(&CancellationToken::new()).await.unwrap_err()), "next auth");
}
