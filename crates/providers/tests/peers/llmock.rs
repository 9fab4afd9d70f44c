//! Starting llmock, telling it what to do, hearing its judgement.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hearth_contract::clock::{Clock, SystemClock};
use hearth_net::{Http, HttpRequest, HttpSettings, ReplyLimits};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const LIMITS: ReplyLimits = ReplyLimits { body_bytes_max: 1024 * 1024, total_ms: 30_000 };
/// How often a starting llmock is looked for before it counts as broken.
const LOOKS_MAX: u32 = 600;

/// A running llmock; it ends with this value.
pub(crate) struct Llmock {
    process: Child,
    port: u16,
    http: Http,
}

impl Llmock {
    /// Starts one on a free port and waits until it answers.
    pub(crate) async fn start() -> Self {
        let program = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/peers/llmock/bin/llmock");
        assert!(program.exists(), "llmock is not installed: run scripts/peers.sh");
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = Command::new(program)
            .args(["serve", "--host", "127.0.0.1", "--port", &port.to_string(), "--log-level", "error"])
            // Between pieces it must have time to notice that we left, or it takes a stopped reading for a whole one.
            .args(["--stream-chunk-delay-ms", "20"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let http = Http::new(&HttpSettings::default(), Arc::new(SystemClock)).unwrap();
        let llmock = Self { process, port, http };
        for _ in 0..LOOKS_MAX {
            let look = HttpRequest::get(llmock.url("/_llmock/verdict"));
            if llmock.http.send(look, &LIMITS, &CancellationToken::new()).await.is_ok() {
                return llmock;
            }
            SystemClock.sleep(Duration::from_millis(100)).await;
        }
        panic!("llmock did not start");
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Forgets what was, and plays these behaviours next.
    pub(crate) async fn script(&self, behaviors: &Value) {
        self.post("/_llmock/reset", &json!({})).await;
        if behaviors.as_array().is_some_and(|list| !list.is_empty()) {
            self.post("/_llmock/scenario", &json!({"behaviors": behaviors})).await;
        }
    }

    /// What it has to say about the requests since the last script.
    pub(crate) async fn verdict(&self) -> Value {
        let request = HttpRequest::get(self.url("/_llmock/verdict"));
        let reply = self.http.send(request, &LIMITS, &CancellationToken::new()).await.unwrap();
        serde_json::from_slice(&reply.body).unwrap()
    }

    async fn post(&self, path: &str, body: &Value) {
        let request = HttpRequest::post_json(self.url(path), body);
        self.http.send(request, &LIMITS, &CancellationToken::new()).await.unwrap();
    }
}

impl Drop for Llmock {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
