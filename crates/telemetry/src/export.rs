//! Collects spans and sends them in batches. What the collector does not take is tried again a few times, then dropped and
//! counted.

use std::sync::Arc;
use std::time::Duration;

use hearth_contract::clock::Clock;
use hearth_contract::event::Event;
use hearth_net::{Http, HttpError, HttpRequest, ReplyLimits};
use http::StatusCode;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use crate::otlp::{self, Span};
use crate::{Observer, span};

/// How many spans go into one request.
const BATCH_MAX: usize = 512;
/// How many spans wait for a collector that does not answer; then the oldest go.
const WAITING_MAX: usize = 4096;
/// How long the first span of a batch waits for others.
const BATCH_AFTER: Duration = Duration::from_secs(5);
/// How long to wait after a failure; it doubles with each.
const RETRY_AFTER: Duration = Duration::from_secs(5);
const RETRY_AFTER_MAX: Duration = Duration::from_secs(300);
/// How long the last batch may take when Hearth stops.
const LAST_MS: u64 = 2_000;
const LIMITS: ReplyLimits = ReplyLimits { body_bytes_max: 64 * 1024, total_ms: 10_000 };

pub(crate) struct Exporter {
    observer: Observer,
    http: Http,
    clock: Arc<dyn Clock>,
    shutdown: CancellationToken,
    waiting: std::collections::VecDeque<Span>,
    dropped: u64,
    failures: u32,
}

/// What a sending came to.
enum Sent {
    Taken,
    /// The collector will not take this batch whenever it is sent.
    Refused,
    /// Another time, perhaps.
    Later,
}

impl Exporter {
    pub(crate) fn new(
        observer: Observer,
        http: Http,
        clock: Arc<dyn Clock>,
        shutdown: CancellationToken,
    ) -> Self {
        let waiting = std::collections::VecDeque::new();
        Self { observer, http, clock, shutdown, waiting, dropped: 0, failures: 0 }
    }

    /// Runs until the shutdown.
    pub(crate) async fn run(mut self, mut events: broadcast::Receiver<Arc<Event>>) {
        while match self.waiting.is_empty() {
            true => self.hear(&mut events).await,
            false => self.collect(&mut events).await,
        } {}
        while let Ok(event) = events.try_recv() {
            self.take(&event);
        }
        let limits = ReplyLimits { total_ms: LAST_MS, ..LIMITS };
        while !self.waiting.is_empty() && self.send(&limits, &CancellationToken::new()).await {}
    }

    /// Waits for an event. False when Hearth stops.
    async fn hear(&mut self, events: &mut broadcast::Receiver<Arc<Event>>) -> bool {
        let event = tokio::select! {
            event = events.recv() => event,
            () = self.shutdown.cancelled() => return false,
        };
        match event {
            Ok(event) => self.take(&event),
            Err(RecvError::Lagged(missed)) => self.drop_some(missed),
            Err(RecvError::Closed) => return false,
        }
        true
    }

    /// Waits for more until the batch is due, and sends it. False when Hearth stops.
    async fn collect(&mut self, events: &mut broadcast::Receiver<Arc<Event>>) -> bool {
        let clock = self.clock.clone();
        let after = match self.failures {
            0 => BATCH_AFTER,
            failures => (RETRY_AFTER * 2_u32.saturating_pow(failures - 1)).min(RETRY_AFTER_MAX),
        };
        let mut due = clock.sleep(after);
        while self.failures > 0 || self.waiting.len() < BATCH_MAX {
            tokio::select! {
                () = &mut due => break,
                heard = self.hear(events) => match heard {
                    true => {}
                    false => return false,
                },
            }
        }
        let cancel = self.shutdown.clone();
        self.send(&LIMITS, &cancel).await;
        true
    }

    fn take(&mut self, event: &Event) {
        let Some(span) = span::of_event(event) else { return };
        if self.waiting.len() == WAITING_MAX {
            self.waiting.pop_front();
            self.drop_some(1);
        }
        self.waiting.push_back(span);
    }

    fn drop_some(&mut self, count: u64) {
        if self.dropped == 0 {
            tracing::warn!("traces are dropped: the collector is away or too slow");
        }
        self.dropped += count;
    }

    /// Sends one batch. False when nothing came of it for now.
    async fn send(&mut self, limits: &ReplyLimits, cancel: &CancellationToken) -> bool {
        let count = self.waiting.len().min(BATCH_MAX);
        let body = otlp::request(&self.observer.service_name, &self.waiting.make_contiguous()[..count]);
        let request = HttpRequest {
            headers: self.observer.headers.clone(),
            ..HttpRequest::post_json(&self.observer.url, &body)
        };
        match self.outcome(self.http.send(request, limits, cancel).await.err()) {
            Sent::Taken => self.failures = 0,
            Sent::Refused => self.drop_some(count as u64),
            Sent::Later => {
                self.failures = self.failures.saturating_add(1);
                return false;
            }
        }
        self.waiting.drain(..count);
        if self.dropped > 0 && self.failures == 0 {
            tracing::warn!(spans = self.dropped, "traces were dropped");
            self.dropped = 0;
        }
        true
    }

    /// What may be sent again is named by the OTLP specification ("Retryable Response Codes").
    fn outcome(&self, error: Option<HttpError>) -> Sent {
        let Some(error) = error else { return Sent::Taken };
        if self.failures == 0 {
            tracing::warn!(%error, "the collector does not take traces");
        }
        match error {
            HttpError::Status(status) => match status.status {
                StatusCode::TOO_MANY_REQUESTS
                | StatusCode::BAD_GATEWAY
                | StatusCode::SERVICE_UNAVAILABLE
                | StatusCode::GATEWAY_TIMEOUT => Sent::Later,
                _ => Sent::Refused,
            },
            // What was taken with a long answer is taken.
            HttpError::TooLarge { .. } => Sent::Taken,
            HttpError::BadRequest { .. } => Sent::Refused,
            HttpError::Network { .. } | HttpError::TimedOut { .. } | HttpError::Cancelled => Sent::Later,
        }
    }
}
