//! A server that answers with given bytes, a clock that is turned by hand, and sources that ask them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use hearth_contract::clock::{Clock, UnixMs};
use hearth_contract::id::TurnId;
use hearth_contract::provider::{Chunk, ChunkSink, Completion, CompletionRequest, Provider, ProviderError};
use hearth_contract::task::Tasks;
use hearth_contract::transcript::{TurnTranscript, UserInput};
use hearth_net::{Http, HttpSettings};
use hearth_providers::{BuildError, Deps, SourceSection, find};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// What the server does with one request.
pub(crate) enum Answer {
    /// Sends this and closes.
    Close(Vec<Vec<u8>>),
    /// Sends this and keeps the connection open until the client leaves.
    Hold(Vec<Vec<u8>>),
}

/// A server on the loopback. Requests are kept as text.
pub(crate) struct Server {
    pub(crate) port: u16,
    requests: watch::Receiver<Vec<String>>,
    /// How many connections the client has left while they were held.
    pub(crate) left: watch::Receiver<usize>,
    _tasks: Tasks,
}

impl Server {
    pub(crate) async fn start(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (seen, requests) = watch::channel(Vec::new());
        let (left_sender, left) = watch::channel(0);
        let tasks = Tasks::default();
        let (each, answer) = (tasks.clone(), Arc::new(answer));
        tasks.spawn("server", async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (seen, answer, left) = (seen.clone(), Arc::clone(&answer), left_sender.clone());
                each.spawn("connection", async move { serve(stream, &seen, answer.as_ref(), &left).await });
            }
        });
        Self { port, requests, left, _tasks: tasks }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub(crate) fn seen(&self) -> Vec<String> {
        self.requests.borrow().clone()
    }

    /// Waits for this many requests.
    pub(crate) async fn asked(&self, count: usize) {
        self.requests.clone().wait_for(|seen| seen.len() >= count).await.unwrap();
    }
}

async fn serve(
    mut stream: TcpStream,
    seen: &watch::Sender<Vec<String>>,
    answer: &(dyn Fn(&str) -> Answer + Send + Sync),
    left: &watch::Sender<usize>,
) {
    let mut request = Vec::new();
    let mut byte = [0; 1];
    while !request.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).await.unwrap_or(0) == 0 {
            return;
        }
        request.push(byte[0]);
    }
    let request = String::from_utf8(request).unwrap();
    // Closing with an unread body would reset the connection under the answer.
    let length = request
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await.unwrap();
    let request = request + std::str::from_utf8(&body).unwrap();
    seen.send_modify(|seen| seen.push(request.clone()));
    let (pieces, hold) = match answer(&request) {
        Answer::Close(pieces) => (pieces, false),
        Answer::Hold(pieces) => (pieces, true),
    };
    for piece in pieces {
        if stream.write_all(&piece).await.is_err() || stream.flush().await.is_err() {
            return;
        }
        tokio::task::yield_now().await;
    }
    if hold {
        let mut rest = [0; 1024];
        while matches!(stream.read(&mut rest).await, Ok(count) if count > 0) {}
        left.send_modify(|count| *count += 1);
    }
}

/// An answer that closes after its body.
pub(crate) fn respond(status: &str, headers: &str, body: &str) -> Answer {
    Answer::Close(vec![format!("HTTP/1.1 {status}\r\n{headers}connection: close\r\n\r\n{body}").into_bytes()])
}

/// A clock that stands still until it is turned.
#[derive(Debug)]
pub(crate) struct HandClock {
    now: watch::Sender<i64>,
    sleepers: watch::Sender<usize>,
}

impl HandClock {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { now: watch::Sender::new(0), sleepers: watch::Sender::new(0) })
    }

    /// Turns it on as soon as `sleepers` have begun to wait since it was made.
    pub(crate) async fn turn_when_waited_for(&self, sleepers: usize, by: Duration) {
        self.sleepers.subscribe().wait_for(|count| *count >= sleepers).await.unwrap();
        self.now.send_modify(|now| *now += i64::try_from(by.as_millis()).unwrap());
    }
}

#[async_trait]
impl Clock for HandClock {
    fn now(&self) -> UnixMs {
        UnixMs(*self.now.borrow())
    }

    async fn sleep(&self, duration: Duration) {
        let until = self.now().plus(duration).0;
        let mut now = self.now.subscribe();
        self.sleepers.send_modify(|count| *count += 1);
        now.wait_for(|now| *now >= until).await.unwrap();
    }
}

/// The kinds behind HTTP: each must pass the same tests.
pub(crate) const KINDS: &[&str] = &["openai", "anthropic"];

/// The head of a streamed answer.
pub(crate) const STREAM: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// A short recorded answer of a kind.
pub(crate) fn short_answer(kind: &str) -> &'static str {
    match kind {
        "openai" => include_str!("fixtures/deepseek_thinking.sse"),
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
    values.extend(more.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
    let section = SourceSection { name: "mine".to_owned(), values };
    (find(kind).unwrap().build)(section, &Deps { http, clock })
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
