//! The protocol over a WebSocket: one frame a text message.

use std::sync::Arc;

use async_trait::async_trait;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{FromRequest, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt, StreamExt};
use hearth_contract::clock::{Clock, UnixMs, timeout};
use hearth_protocol::FRAME_BYTES_MAX;

use crate::conversation::{Incoming, Sink, Source, converse};
use crate::limits::PING_EVERY;
use crate::problem::{Failure, invalid};
use crate::routes::{App, Reply, Route};

/// WebSocket close code for "going away" (RFC 6455, 7.4.1).
const GOING_AWAY: u16 = 1001;

pub(crate) const ROUTES: &[Route] =
    &[Route::get("/ws", Reply::Upgrade, || get(door)).says("The client protocol over a WebSocket")];

async fn door(State(app): State<Arc<App>>, request: Request) -> Response {
    let upgrade = match WebSocketUpgrade::from_request(request, &app).await {
        Ok(upgrade) => upgrade.max_message_size(FRAME_BYTES_MAX).max_frame_size(FRAME_BYTES_MAX),
        Err(error) => {
            let failure = Failure::from(invalid(error.to_string(), "Open this address as a WebSocket"));
            return failure.into_response();
        }
    };
    upgrade.on_upgrade(|socket| async move {
        let (sink, stream) = socket.split();
        let source = WsSource { stream, clock: app.calls.clock.clone() };
        let sink = WsSink { sink, pinged_at: app.calls.clock.now(), clock: app.calls.clock.clone() };
        let tasks = app.tasks.clone();
        // silent-ok: the task has no result; it is awaited by the set of tasks at shutdown.
        let _ = tasks.spawn("websocket client", converse(app, source, sink)).await;
    })
}

struct WsSource {
    stream: SplitStream<WebSocket>,
    clock: Arc<dyn Clock>,
}

#[async_trait]
impl Source for WsSource {
    async fn next(&mut self) -> Option<Incoming> {
        loop {
            // A client that answers no ping in this time is not there any more.
            let message = timeout(&*self.clock, PING_EVERY * 2, self.stream.next()).await.ok()??;
            match message {
                Ok(Message::Text(text)) => return Some(Incoming::Frame(text.to_string())),
                Ok(Message::Binary(_)) => {
                    let text = "a binary message came where a frame was expected";
                    return Some(Incoming::Bad(invalid(text, "Send frames as text messages")));
                }
                Ok(Message::Ping(_) | Message::Pong(_)) => {}
                Ok(Message::Close(_)) | Err(_) => return None,
            }
        }
    }
}

struct WsSink {
    sink: SplitSink<WebSocket, Message>,
    clock: Arc<dyn Clock>,
    pinged_at: UnixMs,
}

#[async_trait]
impl Sink for WsSink {
    async fn send(&mut self, json: String) -> std::io::Result<()> {
        self.sink.send(Message::Text(json.into())).await.map_err(std::io::Error::other)
    }

    async fn keep_alive(&mut self) -> std::io::Error {
        loop {
            let waited = self.clock.now().since(self.pinged_at);
            self.clock.sleep(PING_EVERY.saturating_sub(waited)).await;
            self.pinged_at = self.clock.now();
            if let Err(error) = self.sink.send(Message::Ping(bytes::Bytes::new())).await {
                return std::io::Error::other(error);
            }
        }
    }

    async fn close(&mut self) {
        let frame = CloseFrame { code: GOING_AWAY, reason: "bye".into() };
        // silent-ok: who does not hear the good-bye is gone all the same.
        let _ = self.sink.send(Message::Close(Some(frame))).await;
    }
}
