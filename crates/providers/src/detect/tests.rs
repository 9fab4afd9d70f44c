//! What is found, and what only looks like a model server.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use hearth_contract::clock::SystemClock;
use hearth_contract::task::Tasks;
use hearth_net::HttpSettings;

use super::*;
use crate::{Deps, find};

fn http() -> Http {
    Http::new(&HttpSettings::default(), Arc::new(SystemClock)).unwrap()
}

/// A server that answers these paths with these texts.
async fn serve(tasks: &Tasks, answers: &[(&'static str, Value)]) -> String {
    let mut router = Router::new();
    for (path, answer) in answers {
        let answer = answer.to_string();
        router = router.route(path, get(move || async move { answer }));
    }
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tasks.spawn("server", async move { axum::serve(listener, router).await.unwrap() });
    url
}

fn closed_port() -> String {
    format!("http://127.0.0.1:{}", hearth_testkit::server::closed_port())
}

fn shown(found: &[DetectedSource]) -> Vec<(String, String, u64)> {
    let text = |source: &DetectedSource, key: &str| source.section.values[key].as_str().unwrap().to_owned();
    found
        .iter()
        .map(|source| {
            let window =
                source.section.values.get("window_tokens").and_then(Value::as_u64).unwrap_or_default();
            (source.section.name.clone(), text(source, "model"), window)
        })
        .collect()
}

#[tokio::test]
async fn keys_in_the_environment_are_used_in_order() {
    let env = HashMap::from([
        ("OPENAI_API_KEY", "sk-openai-key-1"),
        ("OPENAI_BASE_URL", "http://gateway.lan/v1"),
        ("DEEPSEEK_API_KEY", "sk-deepseek-key"),
        ("ANTHROPIC_API_KEY", "  "),
    ]);
    let found = detect(&|key| env.get(key).map(|value| (*value).to_owned()), &http()).await;
    let names: Vec<&str> = found.iter().map(|source| source.section.name.as_str()).collect();
    assert_eq!(names, ["deepseek", "openai"]);
    assert_eq!(found[1].section.values["base_url"], "http://gateway.lan/v1");
    assert_eq!(found[0].section.values["model"], "deepseek-v4-flash");
    assert!(!format!("{found:?}").contains("sk-"), "{found:?}");
}

#[tokio::test]
async fn every_known_vendor_makes_a_section_that_can_be_built() {
    let deps = Deps { home: std::path::PathBuf::new(), http: http(), clock: Arc::new(SystemClock) };
    let found = detect(&|key| key.ends_with("_KEY").then(|| "sk-0123456789".to_owned()), &http()).await;
    assert_eq!(found.len(), VENDORS.len());
    for source in found {
        let provider = (find(source.kind).unwrap().build)(source.section.clone(), &deps).unwrap();
        assert_eq!(provider.info().name, source.section.name);
    }
}

#[tokio::test]
async fn local_servers_are_found_with_their_first_chat_model_and_window() {
    let tasks = Tasks::default();
    let ollama = serve(
        &tasks,
        &[
            (
                "/api/tags",
                json!({"models": [
                    {"name": "nomic-embed-text:latest", "digest": "a", "details": {"family": "nomic-bert"}},
                    {"name": "qwen3:8b", "digest": "b", "details": {"family": "qwen3"}},
                ]}),
            ),
            ("/api/ps", json!({"models": [{"name": "qwen3:8b", "context_length": 16384}]})),
        ],
    )
    .await;
    let llama = serve(
        &tasks,
        &[
            ("/v1/models", json!({"object": "list", "data": [{"id": "smol.gguf", "owned_by": "llamacpp"}]})),
            ("/props", json!({"default_generation_settings": {"n_ctx": 8192}})),
        ],
    )
    .await;
    let found = detect_local(&http(), &ollama, &llama).await;
    assert_eq!(
        shown(&found),
        [("ollama".into(), "qwen3:8b".into(), 16_384), ("llamacpp".into(), "smol.gguf".into(), 8_192)]
    );
}

#[tokio::test]
async fn without_a_loaded_model_the_window_is_ollamas_default() {
    let tasks = Tasks::default();
    let model = json!({"name": "gemma3", "digest": "b", "capabilities": ["completion", "vision"]});
    let ollama = serve(&tasks, &[("/api/tags", json!({"models": [model]}))]).await;
    assert_eq!(
        shown(&detect_local(&http(), &ollama, &closed_port()).await),
        [("ollama".into(), "gemma3".into(), 4_096)]
    );
}

#[tokio::test]
async fn what_only_looks_like_a_model_server_is_left_alone() {
    let tasks = Tasks::default();
    let other = serve(
        &tasks,
        &[
            ("/api/tags", json!({"tags": ["rust"], "models": []})),
            ("/v1/models", json!({"data": [{"id": "x", "owned_by": "somebody"}]})),
        ],
    )
    .await;
    assert!(detect_local(&http(), &other, &other).await.is_empty());
    assert!(detect_local(&http(), &closed_port(), &closed_port()).await.is_empty());
}
