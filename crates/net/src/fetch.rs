//! Reading addresses that come from the model, from tools or from content: behind the connection guard.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use hearth_contract::clock::{self, Clock};
use http::StatusCode;
use http::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, HeaderMap, LOCATION};
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio_util::sync::CancellationToken;

use crate::guard::{Endpoint, check_url, is_public, refusal};
use crate::http::{HttpBuildError, HttpSettings, client_builder, describe, until_cancelled};
use crate::tls;

/// Finds the addresses of a name. A port so that tests can play a hostile name server.
#[async_trait]
pub trait Lookup: Send + Sync + 'static {
    /// The addresses; their port is not used.
    async fn lookup(&self, host: &str) -> std::io::Result<Vec<SocketAddr>>;
}

/// The machine's own name service.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemLookup;

#[async_trait]
impl Lookup for SystemLookup {
    async fn lookup(&self, host: &str) -> std::io::Result<Vec<SocketAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.collect())
    }
}

/// How the guarded client is built.
#[derive(Debug, Clone, Default)]
pub struct GuardSettings {
    /// As for any client.
    pub http: HttpSettings,
    /// Endpoints the operator allows although they are not public.
    pub allowed: Vec<Endpoint>,
}

/// What to read.
#[derive(Debug, Clone)]
pub struct FetchRequest {
    /// The address.
    pub url: String,
    /// Headers; those that say who we are (`authorization`, `cookie`) do not follow to another host.
    pub headers: HeaderMap,
    /// Bounds.
    pub limits: FetchLimits,
}

/// Bounds on one reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchLimits {
    /// The body is cut after this many bytes.
    pub body_bytes_max: usize,
    /// How many redirects are followed.
    pub redirects_max: usize,
    /// The longest time in all, in milliseconds.
    pub total_ms: u64,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self { body_bytes_max: 1024 * 1024, redirects_max: 5, total_ms: 20_000 }
    }
}

/// What was read. The status may be any that is not a redirect.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// Where it was found in the end.
    pub url: String,
    /// The status.
    pub status: StatusCode,
    /// The `content-type`, or empty.
    pub content_type: String,
    /// The body, or its beginning.
    pub body: Vec<u8>,
    /// Whether the body was longer than the limit.
    pub truncated: bool,
}

/// An address that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The guard does not let it pass.
    #[error("{reason}")]
    Refused {
        /// Why; for the model too.
        reason: String,
    },
    /// It is not an address, or not one that can be asked.
    #[error("{reason}")]
    Invalid {
        /// What is wrong.
        reason: String,
    },
    /// It could not be reached, or broke off.
    #[error("{reason}")]
    Network {
        /// What happened.
        reason: String,
    },
    /// It redirects more often than is followed.
    #[error("more than {max} redirects")]
    TooManyRedirects {
        /// The limit.
        max: usize,
    },
    /// It took too long.
    #[error("no whole answer within {limit_ms} ms")]
    TimedOut {
        /// The limit, in milliseconds.
        limit_ms: u64,
    },
    /// We stopped it ourselves.
    #[error("cancelled")]
    Cancelled,
}

/// HTTP for addresses that come from outside. Cloning gives another handle of the same connections.
///
/// A name is looked up once for a connection, the addresses that are not public are taken out, and the connection
/// goes to one of those that are left; so a name cannot change between the check and the use.
#[derive(Clone)]
pub struct GuardedHttp {
    guarded: reqwest::Client,
    /// For the endpoints the operator allows; it looks names up without the check.
    open: reqwest::Client,
    allowed: Arc<[Endpoint]>,
    clock: Arc<dyn Clock>,
}

impl GuardedHttp {
    /// Builds it.
    pub fn new(
        settings: &GuardSettings,
        lookup: Arc<dyn Lookup>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, HttpBuildError> {
        let tls = tls::client_config().map_err(|error| HttpBuildError { reason: error.to_string() })?;
        let build = |check| {
            client_builder(&settings.http, &tls)
                .dns_resolver(Arc::new(GuardedLookup { lookup: Arc::clone(&lookup), check }))
                .build()
                .map_err(|error| HttpBuildError { reason: describe(&error) })
        };
        Ok(Self {
            guarded: build(AddressCheck::PublicOnly)?,
            open: build(AddressCheck::None)?,
            allowed: settings.allowed.clone().into(),
            clock,
        })
    }

    /// Reads an address with GET.
    pub async fn fetch(
        &self,
        request: &FetchRequest,
        cancel: &CancellationToken,
    ) -> Result<Fetched, FetchError> {
        let limit_ms = request.limits.total_ms;
        let work = clock::timeout(self.clock.as_ref(), Duration::from_millis(limit_ms), self.follow(request));
        match until_cancelled(cancel, work).await {
            Ok(Ok(result)) => result,
            Ok(Err(clock::Elapsed)) => Err(FetchError::TimedOut { limit_ms }),
            Err(_) => Err(FetchError::Cancelled),
        }
    }

    async fn follow(&self, request: &FetchRequest) -> Result<Fetched, FetchError> {
        let mut url = parse(&request.url)?;
        let mut headers = request.headers.clone();
        for _ in 0..=request.limits.redirects_max {
            let response = self.one_hop(&url, &headers).await?;
            let Some(next) = redirect_target(&url, &response)? else {
                return read_body(url, response, request.limits.body_bytes_max).await;
            };
            if Endpoint::of_url(&next) != Endpoint::of_url(&url) {
                headers.remove(AUTHORIZATION);
                headers.remove(COOKIE);
            }
            url = next;
        }
        Err(FetchError::TooManyRedirects { max: request.limits.redirects_max })
    }

    async fn one_hop(&self, url: &Url, headers: &HeaderMap) -> Result<reqwest::Response, FetchError> {
        let allowed = Endpoint::of_url(url).is_some_and(|endpoint| self.allowed.contains(&endpoint));
        let client = if allowed {
            &self.open
        } else {
            check_url(url).map_err(|reason| FetchError::Refused { reason })?;
            &self.guarded
        };
        client.get(url.clone()).headers(headers.clone()).send().await.map_err(|error| network(&error))
    }
}

impl fmt::Debug for GuardedHttp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardedHttp").field("allowed", &self.allowed).finish_non_exhaustive()
    }
}

fn parse(url: &str) -> Result<Url, FetchError> {
    Url::parse(url).map_err(|error| FetchError::Invalid { reason: format!("not an address: {error}") })
}

fn redirect_target(from: &Url, response: &reqwest::Response) -> Result<Option<Url>, FetchError> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let Some(target) = response.headers().get(LOCATION) else { return Ok(None) };
    let wrong =
        || FetchError::Invalid { reason: "it redirects to something that is not an address".to_owned() };
    let target = target.to_str().map_err(|_| wrong())?;
    from.join(target).map(Some).map_err(|_| wrong())
}

async fn read_body(url: Url, response: reqwest::Response, limit_bytes: usize) -> Result<Fetched, FetchError> {
    let status = response.status();
    let content_type =
        response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let content_type = content_type.to_owned();
    let mut stream = response.bytes_stream();
    let mut body = Vec::new();
    let mut truncated = false;
    while let Some(piece) = stream.next().await {
        let piece = piece.map_err(|error| network(&error))?;
        let room = limit_bytes - body.len();
        body.extend_from_slice(&piece[..piece.len().min(room)]);
        if piece.len() > room {
            truncated = true;
            break;
        }
    }
    Ok(Fetched { url: url.into(), status, content_type, body, truncated })
}

fn network(error: &reqwest::Error) -> FetchError {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(NotPublic(reason)) = error.downcast_ref::<NotPublic>() {
            return FetchError::Refused { reason: reason.clone() };
        }
        cause = error.source();
    }
    FetchError::Network { reason: describe(error) }
}

/// A name has no address that may be reached.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct NotPublic(String);

#[derive(Clone, Copy)]
enum AddressCheck {
    PublicOnly,
    None,
}

struct GuardedLookup {
    lookup: Arc<dyn Lookup>,
    check: AddressCheck,
}

impl Resolve for GuardedLookup {
    fn resolve(&self, name: Name) -> Resolving {
        let (lookup, check) = (Arc::clone(&self.lookup), self.check);
        Box::pin(async move {
            let found = lookup.lookup(name.as_str()).await?;
            let passed = match check {
                AddressCheck::None => found,
                AddressCheck::PublicOnly => only_public(name.as_str(), found)?,
            };
            Ok(Box::new(passed.into_iter()) as Addrs)
        })
    }
}

fn only_public(host: &str, found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, NotPublic> {
    let mut refused = None;
    let mut passed = Vec::new();
    for address in found {
        match is_public(address.ip()) {
            Ok(()) => passed.push(address),
            Err(kind) => refused = Some(kind),
        }
    }
    match refused {
        Some(kind) if passed.is_empty() => Err(NotPublic(refusal(host, kind))),
        _ => Ok(passed),
    }
}
