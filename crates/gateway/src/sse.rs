//! Streams of server-sent events (WHATWG HTML, 9.2) to a client that may be slow.

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderValue, header};
use tokio::sync::mpsc;

use crate::limits::STREAM_PIECES_MAX;

/// The near end of a stream.
#[derive(Debug)]
pub(crate) struct Pieces(mpsc::Sender<Bytes>);

/// The client has left.
#[derive(Debug)]
pub(crate) struct Left;

impl Pieces {
    /// One piece. Waits while too many wait for the client.
    pub(crate) async fn send(&self, piece: String) -> Result<(), Left> {
        self.0.send(piece.into()).await.map_err(|_| Left)
    }

    /// A comment, which only says that we are alive.
    pub(crate) async fn keep_alive(&self) -> Result<(), Left> {
        self.send(": alive\n\n".to_owned()).await
    }

    /// Returns when the client has left.
    pub(crate) async fn left(&self) {
        self.0.closed().await;
    }
}

/// A stream: what is sent into the first is the body of the second.
pub(crate) fn stream() -> (Pieces, Response) {
    let (sender, receiver) = mpsc::channel(STREAM_PIECES_MAX);
    let body = futures::stream::unfold(receiver, |mut receiver: mpsc::Receiver<Bytes>| async move {
        let piece = receiver.recv().await?;
        Some((Ok::<_, std::convert::Infallible>(piece), receiver))
    });
    let mut response = Response::new(Body::from_stream(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Asks proxies (nginx) not to gather pieces.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    (Pieces(sender), response)
}
