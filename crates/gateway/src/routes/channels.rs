//! `/channels/<name>`: requests that a network makes to one of our channels, which checks them itself.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use hearth_contract::channel::{WebReply, WebRequest};
use http::{HeaderValue, StatusCode, header};

use super::{Access, App, Reply, Route};
use crate::body;
use crate::problem::{Failure, not_found};

pub(crate) const ROUTES: &[Route] = &[
    Route::post("/channels/{channel}", Reply::Media("application/json"), || any(door))
        .for_whom(Access::Channel)
        .says("A network calls a channel; every method is passed on, and the channel checks its own token or signature"),
    Route::post("/channels/{channel}/{*rest}", Reply::Media("application/json"), || any(door))
        .for_whom(Access::Channel)
        .says("The same, below"),
];

async fn door(State(app): State<Arc<App>>, request: Request) -> Result<Response, Failure> {
    let (head, body) = request.into_parts();
    let path = head.uri.path().strip_prefix("/channels/").unwrap_or_default();
    let (name, rest) = match path.find('/') {
        Some(slash) => path.split_at(slash),
        None => (path, ""),
    };
    let channel = app.channels.get(name);
    let Some(web) = channel.and_then(|channel| channel.web()) else {
        let text = format!("no channel named `{name}` takes requests");
        return Err(not_found(text, "Its name stands in config.toml under [channels.NAME]").into());
    };
    let headers = head.headers.iter().filter_map(|(name, value)| {
        // silent-ok: no network we know sends headers that are not text.
        Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
    });
    let request = WebRequest {
        method: head.method.to_string(),
        path: rest.to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        headers: headers.collect(),
        body: body::read(body, &*app.calls.clock).await?,
    };
    Ok(respond(web.handle(request, app.inbox.clone()).await))
}

fn respond(reply: WebReply) -> Response {
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, reply.body).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(reply.content_type));
    for (name, value) in reply.headers {
        match HeaderValue::from_str(&value) {
            Ok(value) => drop(response.headers_mut().insert(name, value)),
            Err(error) => tracing::warn!(%error, name, "a channel's header cannot be sent"),
        }
    }
    response
}
