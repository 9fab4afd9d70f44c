//! Reading what a client sends: bounded in size and time, and strict about what it says.

use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use bytes::{Bytes, BytesMut};
use hearth_contract::clock::{Clock, timeout};
use hearth_protocol::Problem;
use http::request::Parts;
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use std::sync::Arc;

use crate::limits::{BODY_BYTES_MAX, BODY_DRAIN_BYTES_MAX, BODY_TIME_MAX};
use crate::problem::{Failure, invalid, problem};
use crate::routes::App;

/// A JSON body. An empty one is an empty object.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for JsonBody<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Failure> {
        let bytes = read(request.into_body(), &*app.calls.clock).await?;
        Ok(Self(parse(&bytes)?))
    }
}

/// The query of a route, checked like a body.
pub(crate) struct QueryArgs<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for QueryArgs<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Failure> {
        let args = Query::<T>::try_from_uri(&parts.uri);
        args.map(|args| Self(args.0)).map_err(|error| {
            let text =
                std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
            invalid(
                format!("the query cannot be read: {text}"),
                "See /api/openapi.json for what may be there",
            )
            .into()
        })
    }
}

/// The whole body.
pub(crate) async fn read(body: Body, clock: &dyn Clock) -> Result<Bytes, Problem> {
    match timeout(clock, BODY_TIME_MAX, collect(body)).await {
        Ok(result) => result,
        Err(_) => {
            let text = format!("the body did not arrive within {} s", BODY_TIME_MAX.as_secs());
            Err(problem("timeout", text, "Send it faster or make it smaller"))
        }
    }
}

async fn collect(mut body: Body) -> Result<Bytes, Problem> {
    let mut kept = BytesMut::new();
    let mut seen: usize = 0;
    while let Some(frame) = body.frame().await {
        let frame =
            frame.map_err(|error| invalid(format!("the body broke off: {error}"), "Send it again"))?;
        let Some(data) = frame.data_ref() else { continue };
        seen = seen.saturating_add(data.len());
        if seen <= BODY_BYTES_MAX {
            kept.extend_from_slice(data);
        } else if seen > BODY_DRAIN_BYTES_MAX {
            break;
        }
    }
    if seen > BODY_BYTES_MAX {
        let text = format!("the body is larger than {BODY_BYTES_MAX} bytes");
        return Err(problem("too_large", text, "Send less, or several messages"));
    }
    Ok(kept.freeze())
}

/// Reads JSON; the problem names the field.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let bytes = if bytes.iter().all(u8::is_ascii_whitespace) { b"{}" } else { bytes };
    serde_json::from_slice(bytes).map_err(|error| {
        invalid(format!("the body cannot be read: {error}"), "See /api/openapi.json for what it may say")
    })
}

/// The one named part of a path, decoded.
pub(crate) struct PathArg(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for PathArg {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let name = axum::extract::Path::<String>::from_request_parts(parts, state).await;
        let name =
            name.map_err(|error| invalid(error.to_string(), "Write the name with %-escapes of UTF-8"))?;
        Ok(Self(name.0))
    }
}
