//! A small HTTP client that can also misbehave.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }
}

/// Sends a request as it stands and reads to the end.
pub(crate) async fn raw(address: SocketAddr, request: &str) -> Response {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    whole(stream).await
}

pub(crate) async fn whole(mut stream: TcpStream) -> Response {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head: {text:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body = if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        dechunk(body)
    } else {
        body.into()
    };
    Response { status, head: head.to_owned(), body }
}

pub(crate) fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
    let mut text =
        format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    if !headers.iter().any(|(name, _)| *name == "host") {
        text.push_str("host: localhost\r\n");
    }
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    format!("{text}\r\n{body}")
}

fn dechunk(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        whole.push_str(&rest[..size]);
        body = rest[size..].strip_prefix("\r\n").unwrap_or_default();
    }
    whole
}

/// A stream of server-sent events that is read as it comes.
pub(crate) struct Sse {
    stream: TcpStream,
    buffer: Vec<u8>,
    pub(crate) head: String,
}

impl Sse {
    pub(crate) async fn open(address: SocketAddr, request: &str) -> Self {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut sse = Self { stream, buffer: Vec::new(), head: String::new() };
        sse.head = sse.until(b"\r\n\r\n").await.expect("a head");
        assert!(sse.head.starts_with("HTTP/1.1 200"), "{}", sse.head);
        sse
    }

    /// The next block; none at the end.
    pub(crate) async fn block(&mut self) -> Option<String> {
        // Each block is one chunk of the chunked encoding.
        let size = self.until(b"\r\n").await?;
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        if size == 0 {
            return None;
        }
        while self.buffer.len() < size + 2 {
            if self.stream.read_buf(&mut self.buffer).await.unwrap() == 0 {
                return None;
            }
        }
        let block: Vec<u8> = self.buffer.drain(..size + 2).take(size).collect();
        Some(String::from_utf8(block).unwrap())
    }

    /// The next block that carries data: its event name, id and data.
    pub(crate) async fn event(&mut self) -> Option<(String, String, String)> {
        loop {
            let block = self.block().await?;
            let field = |name: &str| {
                let line = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
                line.unwrap_or_default().to_owned()
            };
            if block.contains("data: ") {
                return Some((field("event"), field("id"), field("data")));
            }
        }
    }

    async fn until(&mut self, end: &[u8]) -> Option<String> {
        loop {
            if let Some(at) = self.buffer.windows(end.len()).position(|window| window == end) {
                let text: Vec<u8> = self.buffer.drain(..at + end.len()).take(at).collect();
                return Some(String::from_utf8(text).unwrap());
            }
            if self.stream.read_buf(&mut self.buffer).await.unwrap() == 0 {
                return None;
            }
        }
    }
}
