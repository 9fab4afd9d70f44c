//! A server on the loopback that answers with the bytes it is given.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test without a loopback fails")]

use std::sync::Arc;

use hearth_contract::task::Tasks;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What the server does with one request.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Sends this and closes.
    Close(Vec<Vec<u8>>),
    /// Sends this and keeps the connection open until the client leaves.
    Hold(Vec<Vec<u8>>),
}

/// An answer that closes after its body. `headers` are whole lines.
pub fn respond(status: &str, headers: &str, body: &str) -> Answer {
    Answer::Close(vec![format!("HTTP/1.1 {status}\r\n{headers}connection: close\r\n\r\n{body}").into_bytes()])
}

/// A port of the loopback at which nobody listens.
pub fn closed_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A server on the loopback.
#[derive(Debug)]
pub struct Server {
    /// Where it listens.
    pub port: u16,
    requests: watch::Receiver<Vec<String>>,
    left: watch::Receiver<usize>,
    _tasks: Tasks,
}

impl Server {
    /// Starts one that gives each request, head and body, to `answer`.
    pub async fn start(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
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

    /// The address of a path of it.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The requests until now: head and body of each.
    pub fn seen(&self) -> Vec<String> {
        self.requests.borrow().clone()
    }

    /// Returns when so many requests have come.
    pub async fn asked(&self, count: usize) {
        reached(&self.requests, |seen| seen.len() >= count).await;
    }

    /// Returns when the client has left so many connections that were held.
    pub async fn left(&self, count: usize) {
        reached(&self.left, |left| *left >= count).await;
    }
}

async fn reached<T>(watched: &watch::Receiver<T>, condition: impl FnMut(&T) -> bool) {
    watched.clone().wait_for(condition).await.expect("the server runs for as long as it is held");
}

async fn serve(
    mut stream: TcpStream,
    seen: &watch::Sender<Vec<String>>,
    answer: &(dyn Fn(&str) -> Answer + Send + Sync),
    left: &watch::Sender<usize>,
) {
    let Some(request) = read(&mut stream).await else { return };
    seen.send_modify(|seen| seen.push(request.clone()));
    let answer = answer(&request);
    let (Answer::Close(pieces) | Answer::Hold(pieces)) = &answer;
    for piece in pieces {
        if stream.write_all(piece).await.is_err() || stream.flush().await.is_err() {
            return;
        }
        tokio::task::yield_now().await;
    }
    if let Answer::Hold(_) = answer {
        let mut rest = [0; 1024];
        while matches!(stream.read(&mut rest).await, Ok(count) if count > 0) {}
        left.send_modify(|count| *count += 1);
    }
}

/// One request, head and body; none when the client leaves before its end. Closing with an unread body would reset
/// the connection under the answer.
async fn read(stream: &mut TcpStream) -> Option<String> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        request.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8_lossy(&request).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await.ok()?;
    request.extend(body);
    Some(String::from_utf8_lossy(&request).into_owned())
}
