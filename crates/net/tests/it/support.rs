//! A server that answers with given bytes, and a clock that is turned by hand.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hearth_contract::clock::{Clock, UnixMs};
use hearth_contract::task::Tasks;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

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
