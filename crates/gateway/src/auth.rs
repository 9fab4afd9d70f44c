//! Who may come in: the token, and the guard against foreign pages that make a browser call us.

use std::fmt;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hearth_protocol::Problem;
use http::{HeaderMap, Uri, header};
use subtle::ConstantTimeEq;

use crate::problem::{Failure, problem};
use crate::routes::App;

/// The name of the cookie in which a page keeps the token.
pub(crate) const COOKIE: &str = "hearth_token";

/// The secret that opens the doors. Never printed.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// From its text; blanks around it do not count.
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// Whether this is it, in a time that does not tell how much of it is right.
    pub(crate) fn is(&self, given: &str) -> bool {
        !self.0.is_empty() && bool::from(self.0.as_bytes().ct_eq(given.trim().as_bytes()))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// How a request showed the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// In a header that no foreign page can make a browser send.
    Header,
    /// In the query, which only who knows it can write.
    Query,
    /// In a cookie, which a browser adds for any page that asks.
    Cookie,
}

/// Lets only requests with the token pass.
pub(crate) async fn require_token(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    match check(&app, request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(problem) if request.uri().path().starts_with("/v1/") => crate::openai::refuse(problem.into()),
        Err(problem) => Failure::from(problem).into_response(),
    }
}

/// Lets only requests pass that name a host we are known by. For routes without a token.
pub(crate) async fn require_host(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    match check_host(&app, request.headers()) {
        Ok(()) => next.run(request).await,
        Err(problem) => Failure::from(problem).into_response(),
    }
}

fn check(app: &App, uri: &Uri, headers: &HeaderMap) -> Result<(), Problem> {
    let shown = shown(&app.token, uri, headers)?;
    if shown != Shown::Header {
        check_host(app, headers)?;
    }
    if shown == Shown::Cookie {
        check_origin(headers)?;
    }
    Ok(())
}

fn shown(token: &Token, uri: &Uri, headers: &HeaderMap) -> Result<Shown, Problem> {
    let hint = "Send `Authorization: Bearer TOKEN`; `hearth token` prints it";
    if let Some(value) = headers.get(header::AUTHORIZATION) {
        let given = value.to_str().unwrap_or_default();
        let (scheme, secret) = given.split_once(' ').unwrap_or_default();
        if scheme.eq_ignore_ascii_case("bearer") && token.is(secret) {
            return Ok(Shown::Header);
        }
        return Err(problem("unauthorized", "the token is wrong", hint));
    }
    if let Some(given) = query_value(uri.query().unwrap_or_default(), "token") {
        return match token.is(&given) {
            true => Ok(Shown::Query),
            false => Err(problem("unauthorized", "the token in the query is wrong", hint)),
        };
    }
    match cookie(headers) {
        Some(given) if token.is(given) => Ok(Shown::Cookie),
        Some(_) => Err(problem("unauthorized", "the login has expired", "Log in again")),
        None => Err(problem("unauthorized", "this needs the token", hint)),
    }
}

/// A page of another site can make a browser ask `http://its.name:8420/` while its name points to this machine; such a
/// request names a host that is not ours.
fn check_host(app: &App, headers: &HeaderMap) -> Result<(), Problem> {
    if !app.loopback_only {
        return Ok(());
    }
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let name = host_name(host);
    let known = is_loopback_name(name) || app.hosts.iter().any(|known| known.eq_ignore_ascii_case(name));
    if known {
        return Ok(());
    }
    let text = format!("the host `{name}` is not one that Hearth is known by");
    Err(problem(
        "forbidden",
        text,
        "Use http://127.0.0.1, or send the token in `Authorization: Bearer TOKEN`",
    ))
}

/// A cookie is added by the browser whoever asks, so the page that asks must be ours.
fn check_origin(headers: &HeaderMap) -> Result<(), Problem> {
    let Some(origin) = headers.get(header::ORIGIN).and_then(|value| value.to_str().ok()) else {
        return Ok(());
    };
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let same = origin.split_once("://").is_some_and(|(_, place)| place.eq_ignore_ascii_case(host));
    if same {
        return Ok(());
    }
    Err(problem("forbidden", format!("a page of {origin} may not use this login"), "Open Hearth's own page"))
}

/// The name in `name:port` or `[address]:port`.
fn host_name(host: &str) -> &str {
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split(']').next().unwrap_or_default();
    }
    host.split(':').next().unwrap_or_default()
}

fn is_loopback_name(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let pairs = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    pairs.flat_map(|value| value.split(';')).find_map(|pair| match pair.trim().split_once('=') {
        Some((name, value)) if name == COOKIE => Some(value),
        _ => None,
    })
}

/// A value of an undecoded query, decoded.
fn query_value(query: &str, name: &str) -> Option<String> {
    let uri: Uri = format!("/?{query}").parse().ok()?;
    let pairs = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(&uri).ok()?;
    pairs.0.into_iter().find_map(|(key, value)| (key == name).then_some(value))
}

#[cfg(test)]
mod tests;
