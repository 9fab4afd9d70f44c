//! Whether we live, whether we can work, and how much we do.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{HeaderValue, header};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Access, App, Reply, Route, schema};
use crate::metrics::Gauge;
use crate::problem::{Failure, of_store, stopping};

pub(crate) const ROUTES: &[Route] = &[
    Route::get("/healthz", Reply::Json(schema::<Health>), || get(alive))
        .for_whom(Access::Open)
        .says("Whether the process lives"),
    Route::get("/readyz", Reply::Json(schema::<Health>), || get(ready))
        .for_whom(Access::Open)
        .says("Whether messages can be taken"),
    Route::get("/metrics", Reply::Media("text/plain"), || get(metrics))
        .for_whom(Access::Metrics)
        .says("Counters as Prometheus text"),
];

/// How it is.
#[derive(Debug, Serialize, JsonSchema)]
struct Health {
    /// `ok`.
    status: String,
}

fn fine() -> Response {
    Json(Health { status: "ok".to_owned() }).into_response()
}

async fn alive() -> Response {
    fine()
}

async fn ready(State(app): State<Arc<App>>) -> Response {
    if app.tasks.shutdown().is_cancelled() {
        return Failure::from(stopping()).into_response();
    }
    match app.calls.stores.dialogs.list(None, 1).await {
        Ok(_) => fine(),
        Err(error) => Failure::from(of_store(&error)).into_response(),
    }
}

async fn metrics(State(app): State<Arc<App>>) -> Response {
    app.calls.hub.catch_up();
    let load = app.calls.control.load();
    let uptime = app.calls.clock.now().since(app.calls.info.started_at);
    let gauges = [
        Gauge { name: "hearth_clients", help: "Connected clients.", value: app.calls.hub.clients() as u64 },
        Gauge { name: "hearth_turns_running", help: "Turns that run.", value: load.turns_running as u64 },
        Gauge {
            name: "hearth_messages_waiting",
            help: "Accepted messages that wait for a turn.",
            value: load.messages_waiting as u64,
        },
        Gauge { name: "hearth_uptime_seconds", help: "How long Hearth runs.", value: uptime.as_secs() },
    ];
    let mut response = app.calls.hub.meter.render(&gauges).into_response();
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}
