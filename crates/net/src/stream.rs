//! Streamed answers: server-sent events or a JSON value a line, with a bound on each, an idle time-out and a stop.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::BoxStream;
use hearth_contract::clock::{self, Clock};
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use tokio_util::sync::CancellationToken;

use crate::http::{Http, HttpError, HttpReply, HttpRequest, Phase, body_up_to, describe, until_cancelled};
use crate::sse::{SseEvent, SseParser};

/// How long the end of the connection is waited for after the last event, in milliseconds.
const CLOSE_MS: u64 = 50;

/// Bounds on one streamed answer. There is no bound on its whole time: a long answer that goes on is fine.
#[derive(Debug, Clone, Copy)]
pub struct StreamLimits {
    /// The longest wait for the head of the answer, in milliseconds. Models that read a long prompt first send it late.
    pub answer_ms: u64,
    /// The longest silence between two pieces, in milliseconds.
    pub idle_ms: u64,
    /// The longest event, in bytes.
    pub event_bytes_max: usize,
    /// The longest answer, in bytes.
    pub total_bytes_max: usize,
}

impl Default for StreamLimits {
    fn default() -> Self {
        Self {
            answer_ms: 120_000,
            idle_ms: 60_000,
            event_bytes_max: 4 * 1024 * 1024,
            total_bytes_max: 64 * 1024 * 1024,
        }
    }
}

/// What a server made of a request for a stream.
#[derive(Debug)]
pub enum StreamReply {
    /// It streams.
    Events(EventStream),
    /// It answered at once, with JSON.
    Whole(HttpReply),
}

impl Http {
    /// Posts JSON and takes the answer as events; of an answer in lines of JSON, each line is one. Dropping the future or the stream drops the connection.
    pub async fn post_json_stream(
        &self,
        request: HttpRequest,
        limits: &StreamLimits,
        cancel: &CancellationToken,
    ) -> Result<StreamReply, HttpError> {
        let head =
            clock::timeout(self.clock(), Duration::from_millis(limits.answer_ms), self.answer_head(request));
        let late = HttpError::TimedOut { phase: Phase::Answer, limit_ms: limits.answer_ms };
        let response = until_cancelled(cancel, head).await?.unwrap_or(Err(late))?;
        let framing = Framing::of(response.headers());
        if framing == Framing::Whole {
            let (status, headers) = (response.status(), response.headers().clone());
            let body = body_up_to(response, limits.event_bytes_max);
            let body = clock::timeout(self.clock(), Duration::from_millis(limits.answer_ms), body);
            let late = HttpError::TimedOut { phase: Phase::Whole, limit_ms: limits.answer_ms };
            let body = until_cancelled(cancel, body).await?.unwrap_or(Err(late))?;
            return Ok(StreamReply::Whole(HttpReply { status, headers, body }));
        }
        Ok(StreamReply::Events(EventStream {
            pieces: response.bytes_stream().boxed(),
            parser: match framing {
                Framing::Lines => SseParser::of_lines(limits.event_bytes_max),
                Framing::Whole | Framing::Events => SseParser::new(limits.event_bytes_max),
            },
            limits: *limits,
            bytes_left: limits.total_bytes_max,
            clock: self.shared_clock(),
            cancel: cancel.clone(),
            ended: false,
        }))
    }
}

/// How an answer is cut into events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Framing {
    /// Not at all: it is one JSON value.
    Whole,
    /// A JSON value a line.
    Lines,
    /// Server-sent events.
    Events,
}

/// The content types of a JSON value a line, in part.
const LINE_TYPES: &[&str] = &["ndjson", "jsonl", "jsonlines", "json-lines", "stream+json"];

impl Framing {
    fn of(headers: &HeaderMap) -> Self {
        let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if LINE_TYPES.iter().any(|part| kind.contains(part)) {
            Self::Lines
        } else if kind.contains("json") {
            Self::Whole
        } else {
            Self::Events
        }
    }
}

/// The events of one answer.
pub struct EventStream {
    pieces: BoxStream<'static, reqwest::Result<Bytes>>,
    parser: SseParser,
    limits: StreamLimits,
    bytes_left: usize,
    clock: Arc<dyn Clock>,
    cancel: CancellationToken,
    ended: bool,
}

impl EventStream {
    /// The next event; none at the end of the connection. After an error the stream is over.
    pub async fn next(&mut self) -> Result<Option<SseEvent>, HttpError> {
        loop {
            if self.cancel.is_cancelled() {
                return Err(HttpError::Cancelled);
            }
            if let Some(event) = self.parser.next_event() {
                return Ok(Some(event));
            }
            if self.ended {
                return Ok(None);
            }
            match self.next_piece().await? {
                Some(piece) => self.take(&piece)?,
                None => {
                    self.parser.finish();
                    self.ended = true;
                }
            }
        }
    }

    /// Reads what little follows the last event, so that the connection can be used again; gives up soon.
    pub async fn close(mut self) {
        let clock = Arc::clone(&self.clock);
        let rest = async { while let Ok(Some(_)) = self.next_piece().await {} };
        let _ = clock::timeout(clock.as_ref(), Duration::from_millis(CLOSE_MS), rest).await;
    }

    async fn next_piece(&mut self) -> Result<Option<Bytes>, HttpError> {
        let idle = Duration::from_millis(self.limits.idle_ms);
        let piece = clock::timeout(self.clock.as_ref(), idle, self.pieces.next());
        match until_cancelled(&self.cancel, piece).await? {
            Ok(Some(Ok(piece))) => Ok(Some(piece)),
            Ok(Some(Err(error))) => Err(HttpError::Network { reason: describe(&error) }),
            Ok(None) => Ok(None),
            Err(clock::Elapsed) => {
                Err(HttpError::TimedOut { phase: Phase::NextPiece, limit_ms: self.limits.idle_ms })
            }
        }
    }

    fn take(&mut self, piece: &[u8]) -> Result<(), HttpError> {
        self.parser
            .push(piece)
            .map_err(|overflow| HttpError::TooLarge { limit_bytes: overflow.limit_bytes })?;
        let total = HttpError::TooLarge { limit_bytes: self.limits.total_bytes_max };
        self.bytes_left = self.bytes_left.checked_sub(piece.len()).ok_or(total)?;
        Ok(())
    }
}

impl std::fmt::Debug for EventStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventStream").field("bytes_left", &self.bytes_left).finish_non_exhaustive()
    }
}
