//! HTTP for endpoints that the config names: one client, built once, with every wait bounded.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use hearth_contract::clock::{self, Clock};
use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Method, StatusCode};
use tokio_util::sync::CancellationToken;

use crate::redact::Secret;
use crate::tls;

/// How much of the body of a refusal is kept, in bytes. Enough for every vendor's error object.
const ERROR_BODY_BYTES_MAX: usize = 64 * 1024;
/// How long a connection may lie unused before it is closed, in seconds.
const POOL_IDLE_S: u64 = 90;
/// How often an idle connection is checked by the system, in seconds.
const KEEPALIVE_S: u64 = 30;

/// What a client is built with.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    /// What we call ourselves.
    pub user_agent: String,
    /// The longest wait for a connection, TLS included, in milliseconds.
    pub connect_ms: u64,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self { user_agent: concat!("hearth/", env!("CARGO_PKG_VERSION")).to_owned(), connect_ms: 10_000 }
    }
}

/// A client could not be built.
#[derive(Debug, Clone, thiserror::Error)]
#[error("cannot set up HTTP: {reason}")]
pub struct HttpBuildError {
    /// What was wrong.
    pub reason: String,
}

/// HTTP for endpoints that the config names. Cloning gives another handle of the same connections.
///
/// It follows no redirect (a key must not travel to a host that nobody named) and uses no proxy of the environment.
#[derive(Clone)]
pub struct Http {
    /// For https: connections are kept, because a new one costs several round trips.
    kept: reqwest::Client,
    /// For plain http: a new connection each time. It costs next to nothing on the local network, and small servers
    /// (llama.cpp) close a kept one just when it is used again.
    fresh: reqwest::Client,
    clock: Arc<dyn Clock>,
    connect_ms: u64,
}

/// A request.
#[derive(Debug, Clone)]
pub struct HttpRequest {
    /// The method.
    pub method: Method,
    /// Where to.
    pub url: String,
    /// The headers; secrets are marked sensitive ([`Secret::header`]).
    pub headers: HeaderMap,
    /// The body; empty for none.
    pub body: Bytes,
}

impl HttpRequest {
    /// A GET.
    pub fn get(url: impl Into<String>) -> Self {
        Self { method: Method::GET, url: url.into(), headers: HeaderMap::new(), body: Bytes::new() }
    }

    /// A POST of JSON.
    pub fn post_json(url: impl Into<String>, body: &serde_json::Value) -> Self {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        Self { method: Method::POST, url: url.into(), headers, body: body.to_string().into() }
    }
}

impl Secret {
    /// The secret as a header value after `prefix`, marked so that nothing prints it. None when it has characters
    /// that a header cannot carry.
    pub fn header(&self, prefix: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("{prefix}{}", self.expose())).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

/// Bounds on the answer to one request.
#[derive(Debug, Clone, Copy)]
pub struct ReplyLimits {
    /// The longest body taken, in bytes.
    pub body_bytes_max: usize,
    /// The longest wait for the whole answer, in milliseconds.
    pub total_ms: u64,
}

/// A whole answer with a status of success.
#[derive(Debug, Clone)]
pub struct HttpReply {
    /// The status, 200–299.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// A request that brought no usable answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum HttpError {
    /// The other side answered with another status than success.
    #[error("status {}", .0.status)]
    Status(Box<StatusError>),
    /// It could not be reached, or broke off.
    #[error("{reason}")]
    Network {
        /// What happened; without the address, which may hold a secret.
        reason: String,
    },
    /// It took too long.
    #[error("no {phase} within {limit_ms} ms")]
    TimedOut {
        /// What we waited for.
        phase: Phase,
        /// How long, in milliseconds.
        limit_ms: u64,
    },
    /// The answer is longer than its limit.
    #[error("the answer is longer than {limit_bytes} bytes")]
    TooLarge {
        /// The limit, in bytes.
        limit_bytes: usize,
    },
    /// The request cannot be sent as it is.
    #[error("{reason}")]
    BadRequest {
        /// What is wrong with it.
        reason: String,
    },
    /// We stopped it ourselves.
    #[error("cancelled")]
    Cancelled,
}

/// What we waited for in vain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The connection.
    Connect,
    /// The head of the answer.
    Answer,
    /// The next piece of a stream.
    NextPiece,
    /// The whole answer.
    Whole,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "connection",
            Self::Answer => "answer",
            Self::NextPiece => "further piece of the answer",
            Self::Whole => "whole answer",
        })
    }
}

/// A status other than success, with what the other side said about it.
#[derive(Debug, Clone)]
pub struct StatusError {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The beginning of the body. May quote secrets: redact it before it is shown.
    pub body: String,
}

impl Http {
    /// Builds the client.
    pub fn new(settings: &HttpSettings, clock: Arc<dyn Clock>) -> Result<Self, HttpBuildError> {
        let tls = tls::client_config().map_err(|error| HttpBuildError { reason: error.to_string() })?;
        let build = |builder: reqwest::ClientBuilder| {
            builder.build().map_err(|error| HttpBuildError { reason: describe(&error) })
        };
        let kept = build(client_builder(settings, &tls))?;
        let fresh = build(client_builder(settings, &tls).pool_max_idle_per_host(0))?;
        Ok(Self { kept, fresh, clock, connect_ms: settings.connect_ms })
    }

    /// Sends a request and takes the whole answer.
    pub async fn send(
        &self,
        request: HttpRequest,
        limits: &ReplyLimits,
        cancel: &CancellationToken,
    ) -> Result<HttpReply, HttpError> {
        let whole = async {
            let response = self.answer_head(request).await?;
            let (status, headers) = (response.status(), response.headers().clone());
            Ok(HttpReply { status, headers, body: body_up_to(response, limits.body_bytes_max).await? })
        };
        let bounded = clock::timeout(self.clock(), Duration::from_millis(limits.total_ms), whole);
        until_cancelled(cancel, bounded)
            .await?
            .unwrap_or(Err(HttpError::TimedOut { phase: Phase::Whole, limit_ms: limits.total_ms }))
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }

    pub(crate) fn shared_clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    /// Sends a request and waits for the head of the answer, which must be a success.
    pub(crate) async fn answer_head(&self, request: HttpRequest) -> Result<reqwest::Response, HttpError> {
        let HttpRequest { method, url, headers, body } = request;
        let url = reqwest::Url::parse(&url)
            .map_err(|error| HttpError::BadRequest { reason: format!("not an address: {error}") })?;
        let client = if url.scheme() == "https" { &self.kept } else { &self.fresh };
        let mut builder = client.request(method, url).headers(headers);
        if !body.is_empty() {
            builder = builder.body(body);
        }
        let response = builder.send().await.map_err(|error| self.network(&error))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let (status, headers) = (response.status(), response.headers().clone());
        let body = body_start(response, ERROR_BODY_BYTES_MAX).await;
        let body = String::from_utf8_lossy(&body).into_owned();
        Err(HttpError::Status(Box::new(StatusError { status, headers, body })))
    }

    fn network(&self, error: &reqwest::Error) -> HttpError {
        if error.is_builder() {
            return HttpError::BadRequest { reason: describe(error) };
        }
        if error.is_timeout() {
            return HttpError::TimedOut { phase: Phase::Connect, limit_ms: self.connect_ms };
        }
        HttpError::Network { reason: describe(error) }
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").field("connect_ms", &self.connect_ms).finish_non_exhaustive()
    }
}

/// What all our clients have in common.
pub(crate) fn client_builder(settings: &HttpSettings, tls: &rustls::ClientConfig) -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls.clone())
        .user_agent(&settings.user_agent)
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_millis(settings.connect_ms))
        .pool_idle_timeout(Duration::from_secs(POOL_IDLE_S))
        .tcp_keepalive(Duration::from_secs(KEEPALIVE_S))
}

/// An error with its causes, without the address (which may hold a secret).
pub(crate) fn describe(error: &reqwest::Error) -> String {
    let mut text = match () {
        () if error.is_connect() => "cannot connect".to_owned(),
        () if error.is_body() || error.is_decode() => "the answer broke off".to_owned(),
        () if error.is_builder() => "the request cannot be sent".to_owned(),
        () => "the request failed".to_owned(),
    };
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let part = error.to_string();
        if !text.contains(&part) {
            text = format!("{text}: {part}");
        }
        cause = error.source();
    }
    text
}

/// Runs `work` until `cancel`; what is dropped then takes its connection with it.
pub(crate) async fn until_cancelled<T>(
    cancel: &CancellationToken,
    work: impl Future<Output = T>,
) -> Result<T, HttpError> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(HttpError::Cancelled),
        output = work => Ok(output),
    }
}

/// The whole body, which must not be longer than the limit.
pub(crate) async fn body_up_to(response: reqwest::Response, limit_bytes: usize) -> Result<Bytes, HttpError> {
    let mut stream = response.bytes_stream();
    let mut body = Vec::new();
    while let Some(piece) = stream.next().await {
        let piece = piece.map_err(|error| HttpError::Network { reason: describe(&error) })?;
        if body.len() + piece.len() > limit_bytes {
            return Err(HttpError::TooLarge { limit_bytes });
        }
        body.extend_from_slice(&piece);
    }
    Ok(body.into())
}

/// The beginning of a body, as far as it comes: for texts that are only shown.
async fn body_start(response: reqwest::Response, limit_bytes: usize) -> Vec<u8> {
    let mut stream = response.bytes_stream();
    let mut body = Vec::new();
    while let Some(Ok(piece)) = stream.next().await {
        let room = limit_bytes - body.len();
        body.extend_from_slice(&piece[..piece.len().min(room)]);
        if body.len() == limit_bytes {
            break;
        }
    }
    body
}
