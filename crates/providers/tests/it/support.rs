//! Sources of every kind behind HTTP, and questions for them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use hearth_contract::clock::{Clock, UnixMs};
use hearth_contract::id::TurnId;
use hearth_contract::provider::{Chunk, ChunkSink, Completion, CompletionRequest, Provider, ProviderError};
use hearth_contract::transcript::{TurnTranscript, UserInput};
use hearth_net::{Http, HttpSettings};
use hearth_providers::{BuildError, Deps, SourceSection, find};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// The kinds behind HTTP: each must pass the same tests.
pub(crate) const KINDS: &[&str] = &["openai", "anthropic", "lua"];

/// The folder of the example adapters that are shipped as documents.
pub(crate) fn adapters() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/adapters")
}

/// The head of a streamed answer.
pub(crate) const STREAM: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// A short recorded answer of a kind.
pub(crate) fn short_answer(kind: &str) -> &'static str {
    match kind {
        "openai" | "lua" => include_str!("fixtures/deepseek_thinking.sse"),
        _ => include_str!("fixtures/anthropic_text.sse"),
    }
}

/// A source of a kind that asks this address. More keys of its section may be given.
pub(crate) fn source(
    kind: &str,
    base_url: &str,
    clock: Arc<dyn Clock>,
    more: &[(&str, Value)],
) -> Arc<dyn Provider> {
    build(kind, base_url, clock, more).unwrap()
}

/// As [`source`], with what is wrong.
pub(crate) fn build(
    kind: &str,
    base_url: &str,
    clock: Arc<dyn Clock>,
    more: &[(&str, Value)],
) -> Result<Arc<dyn Provider>, BuildError> {
    let http = Http::new(&HttpSettings::default(), Arc::clone(&clock)).unwrap();
    let mut values = serde_json::Map::from_iter([
        ("base_url".to_owned(), base_url.into()),
        ("api_key".to_owned(), "test-key-of-the-source".into()),
        ("model".to_owned(), "some-model".into()),
    ]);
    if kind == "lua" {
        values.insert("adapter".to_owned(), "openai.lua".into());
    }
    values.extend(more.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
    let section = SourceSection { name: "mine".to_owned(), values };
    (find(kind).unwrap().build)(section, &Deps { home: adapters(), http, clock })
}

/// A request with one question.
pub(crate) fn question(text: &str) -> CompletionRequest {
    CompletionRequest {
        system: Arc::from("You are Hearth."),
        history: Vec::new(),
        context: Vec::new(),
        current: TurnTranscript {
            turn: TurnId::new(),
            inputs: vec![UserInput { text: text.to_owned(), at: UnixMs(0) }],
            rounds: Vec::new(),
        },
        tools: Arc::new([]),
        output_tokens_max: 1_000,
    }
}

/// Keeps the pieces of an answer.
#[derive(Default)]
pub(crate) struct Pieces(Mutex<Vec<Chunk>>);

impl Pieces {
    pub(crate) fn text(&self) -> String {
        let pieces = self.0.lock().unwrap();
        pieces
            .iter()
            .filter_map(|piece| if let Chunk::Text(text) = piece { Some(text.as_str()) } else { None })
            .collect()
    }
}

impl ChunkSink for Pieces {
    fn push(&self, chunk: Chunk) {
        self.0.lock().unwrap().push(chunk);
    }
}

/// Asks a source one question.
pub(crate) async fn ask(source: &dyn Provider) -> Result<Completion, ProviderError> {
    source.complete(&question("你好"), &Pieces::default(), &CancellationToken::new()).await
}

/// How an error is to be taken, in short.
pub(crate) fn shown(error: &ProviderError) -> String {
    match error {
        ProviderError::Retry { retry_after_ms: Some(wait), .. } => {
            format!("retry {} after {wait}", error.code())
        }
        ProviderError::Retry { .. } => format!("retry {}", error.code()),
        ProviderError::NextSource { .. } => format!("next {}", error.code()),
        ProviderError::ContextTooLong { .. } | ProviderError::Cancelled => error.code().to_owned(),
    }
}
