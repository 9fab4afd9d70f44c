//! Every HTTP route, in one table: the router and the OpenAPI document are both made from it.

mod channels;
mod events;
mod health;
mod messages;
mod page;
mod questions;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use hearth_contract::channel::Channel;
use hearth_contract::inbox::Inbox;
use hearth_contract::task::Tasks;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::auth::{Token, require_host, require_token};
use crate::calls::CallParts;
use crate::problem::{Failure, not_found, problem};
use crate::serve::{Doors, MetricsAccess};
use crate::{openai, openapi, ws};

/// What the routes share.
pub(crate) struct App {
    pub(crate) inbox: Arc<dyn Inbox>,
    pub(crate) calls: CallParts,
    pub(crate) channels: HashMap<String, Arc<dyn Channel>>,
    pub(crate) tasks: Tasks,
    pub(crate) token: Token,
    /// Names besides those of this machine by which we may be called.
    pub(crate) hosts: Vec<String>,
    /// Whether only this machine can reach us.
    pub(crate) loopback_only: bool,
}

impl App {
    pub(crate) fn new(
        inbox: Arc<dyn Inbox>,
        mut calls: CallParts,
        channels: Vec<Arc<dyn Channel>>,
        tasks: Tasks,
        doors: &Doors,
        address: Option<SocketAddr>,
    ) -> Self {
        calls.info.address = address.map(|address| address.to_string()).unwrap_or_default();
        let named = channels.into_iter().map(|channel| (channel.info().name.clone(), channel));
        Self {
            inbox,
            calls,
            channels: named.collect(),
            tasks,
            token: doors.token.clone(),
            hosts: doors.hosts.clone(),
            loopback_only: address.is_none_or(|address| address.ip().is_loopback()),
        }
    }
}

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everybody.
    Open,
    /// Everybody who calls us by a name that is ours.
    Page,
    /// Who has the token.
    Token,
    /// As the settings say.
    Metrics,
    /// As the channel says.
    Channel,
}

/// Makes the schema of a type.
pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// What comes back when it went well.
#[derive(Clone, Copy)]
pub(crate) enum Reply {
    /// JSON of this type.
    Json(SchemaOf),
    /// Something of this media type.
    Media(&'static str),
    /// The connection becomes something else (101).
    Upgrade,
}

/// A route.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    pub(crate) summary: &'static str,
    pub(crate) query: Option<SchemaOf>,
    pub(crate) body: Option<SchemaOf>,
    pub(crate) reply: Reply,
    pub(crate) handler: fn() -> MethodRouter<Arc<App>>,
}

impl Route {
    pub(crate) const fn get(
        path: &'static str,
        reply: Reply,
        handler: fn() -> MethodRouter<Arc<App>>,
    ) -> Self {
        Self {
            method: "get",
            path,
            access: Access::Token,
            summary: "",
            query: None,
            body: None,
            reply,
            handler,
        }
    }

    pub(crate) const fn post(
        path: &'static str,
        reply: Reply,
        handler: fn() -> MethodRouter<Arc<App>>,
    ) -> Self {
        Self { method: "post", ..Self::get(path, reply, handler) }
    }

    pub(crate) const fn put(
        path: &'static str,
        reply: Reply,
        handler: fn() -> MethodRouter<Arc<App>>,
    ) -> Self {
        Self { method: "put", ..Self::get(path, reply, handler) }
    }

    pub(crate) const fn delete(
        path: &'static str,
        reply: Reply,
        handler: fn() -> MethodRouter<Arc<App>>,
    ) -> Self {
        Self { method: "delete", ..Self::get(path, reply, handler) }
    }

    pub(crate) const fn for_whom(self, access: Access) -> Self {
        Self { access, ..self }
    }

    pub(crate) const fn says(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    pub(crate) const fn query(self, schema: SchemaOf) -> Self {
        Self { query: Some(schema), ..self }
    }

    pub(crate) const fn body(self, schema: SchemaOf) -> Self {
        Self { body: Some(schema), ..self }
    }
}

/// The schema of a type, as a value for the table.
pub(crate) fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// All routes. To add one: a line in the table of its file.
pub(crate) fn all() -> impl Iterator<Item = &'static Route> {
    let tables = [
        health::ROUTES,
        openai::ROUTES,
        messages::ROUTES,
        questions::ROUTES,
        events::ROUTES,
        openapi::ROUTES,
        ws::ROUTES,
        page::ROUTES,
        channels::ROUTES,
    ];
    tables.into_iter().flatten()
}

/// The router of all of them.
pub(crate) fn router(app: Arc<App>, metrics: MetricsAccess) -> Router {
    let (mut open, mut page, mut guarded) = (Router::new(), Router::new(), Router::new());
    for route in all() {
        let handler = (route.handler)();
        match (route.access, metrics) {
            (Access::Open | Access::Channel, _) | (Access::Metrics, MetricsAccess::Open) => {
                open = open.route(route.path, handler);
            }
            (Access::Page, _) => page = page.route(route.path, handler),
            (Access::Token, _) | (Access::Metrics, MetricsAccess::Token) => {
                guarded = guarded.route(route.path, handler);
            }
        }
    }
    let guarded = guarded.route_layer(from_fn_with_state(app.clone(), require_token));
    let page = page.route_layer(from_fn_with_state(app.clone(), require_host));
    open.merge(page)
        .merge(guarded)
        .fallback(unknown)
        .method_not_allowed_fallback(wrong_method)
        .with_state(app)
}

async fn unknown(request: Request) -> Response {
    let path = request.uri().path();
    let failure =
        Failure::from(not_found(format!("there is no {path}"), "See /api/openapi.json for what there is"));
    told(path.starts_with("/v1/"), failure)
}

async fn wrong_method(request: Request) -> Response {
    let path = request.uri().path();
    let text = format!("{path} does not take {}", request.method());
    let failure = Failure::from(problem("method", text, "See /api/openapi.json for what it takes"));
    told(path.starts_with("/v1/"), failure)
}

/// Clients of the OpenAI-compatible routes are told in OpenAI's words.
fn told(openai: bool, failure: Failure) -> Response {
    if openai { openai::refuse(failure) } else { failure.into_response() }
}
