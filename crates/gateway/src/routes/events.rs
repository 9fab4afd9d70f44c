//! `GET /api/events`: what happens, as server-sent events. A reader that comes back names the last event it has and
//! misses none, or is told how many are gone. One that names what it wants gets only that.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use hearth_contract::event::{BadPattern, Event, EventKind, EventPatterns};
use http::HeaderMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{App, Reply, Route, schema};
use crate::body::QueryArgs;
use crate::limits::KEEP_ALIVE;
use crate::problem::{Failure, invalid};
use crate::sse::{self, Left, Pieces};

pub(crate) const ROUTES: &[Route] = &[Route::get("/api/events", Reply::Media("text/event-stream"), || {
    get(events)
})
.says("What happens, as server-sent events; `Last-Event-ID` resumes, and a `gap` event tells what was missed")
.query(schema::<EventsQuery>)];

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EventsQuery {
    /// Only these, with commas between: `tool.ended`, a family `tool.*`, or all `*`; all if none.
    only: Option<String>,
    /// The token, where it cannot be a header: `EventSource` of a browser sends none.
    #[serde(rename = "token")]
    _token: Option<String>,
}

async fn events(
    State(app): State<Arc<App>>,
    QueryArgs(query): QueryArgs<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let wanted = match query.only.as_deref().map(EventPatterns::parse) {
        None => EventPatterns::default(),
        Some(Ok(wanted)) => wanted,
        Some(Err(bad)) => return Err(refused(&bad)),
    };
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let (pieces, response) = sse::stream();
    app.tasks.clone().spawn("event stream", async move {
        let shutdown = app.tasks.shutdown().clone();
        // silent-ok: the reader has left, and nobody is to be told.
        let _ = tokio::select! {
            left = follow(&app, last, &wanted, &pieces) => left,
            () = shutdown.cancelled() => Ok(()),
        };
    });
    Ok(response)
}

fn refused(bad: &BadPattern) -> Failure {
    let hint = match bad {
        BadPattern::Unknown(_) => {
            format!("Ask for `*`, for a family like `tool.*`, or for any of {}", EventKind::NAMES.join(", "))
        }
        BadPattern::TooMany => "Ask for a family like `tool.*`, or leave `only` away to get all".to_owned(),
    };
    invalid(bad.to_string(), hint).into()
}

/// An id of an event names the run of Hearth, because places begin anew with each.
fn event_id(app: &App, place: u64) -> String {
    format!("{}-{place}", app.calls.info.started_at)
}

async fn follow(
    app: &App,
    last: Option<String>,
    wanted: &EventPatterns,
    pieces: &Pieces,
) -> Result<(), Left> {
    let ring = &app.calls.hub.ring;
    let mut changes = ring.changes();
    app.calls.hub.catch_up();
    pieces.send("retry: 1000\n\n".to_owned()).await?;
    let mut place = match last {
        None => ring.place(),
        Some(last) => match place_of(app, &last) {
            Some(place) if place <= ring.place() => place,
            _ => {
                let text = "the last event is of another run of Hearth; what follows is all that is kept of this one";
                pieces.send(gap(None, text)).await?;
                0
            }
        },
    };
    loop {
        changes.mark_unchanged();
        let batch = ring.after(place);
        if batch.missed > 0 {
            pieces.send(gap(Some(batch.missed), "these events are no longer kept")).await?;
        }
        place += batch.missed;
        let mut told = true;
        for (at, event) in &batch.events {
            told = wanted.want(&event.kind);
            if told {
                pieces.send(piece(app, *at, event)).await?;
            }
            place = *at;
        }
        if !told {
            // A place without an event moves the reader's `Last-Event-ID`, or what it did not want would be a gap later.
            pieces.send(format!("id: {}\n\n", event_id(app, place))).await?;
        }
        if !batch.events.is_empty() {
            continue;
        }
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { return Ok(()) },
            () = app.calls.clock.sleep(KEEP_ALIVE) => pieces.keep_alive().await?,
            () = pieces.left() => return Err(Left),
        }
    }
}

fn place_of(app: &App, id: &str) -> Option<u64> {
    let (run, place) = id.rsplit_once('-')?;
    if run != app.calls.info.started_at.to_string() {
        return None;
    }
    place.parse().ok()
}

fn piece(app: &App, place: u64, event: &Event) -> String {
    let mut value = serde_json::to_value(event).unwrap_or_default();
    let name = value.get("type").and_then(|name| name.as_str()).unwrap_or("event").to_owned();
    if let Some(object) = value.as_object_mut() {
        object.remove("number");
    }
    format!("id: {}\nevent: {name}\ndata: {value}\n\n", event_id(app, place))
}

fn gap(missed: Option<u64>, text: &str) -> String {
    format!("event: gap\ndata: {}\n\n", json!({ "missed": missed, "text": text }))
}
