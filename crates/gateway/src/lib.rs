//! Doors we open: HTTP, WebSocket, unix socket, the OpenAI-compatible API, metrics.
//!
//! The gateway is two things: a [`Channel`](hearth_contract::channel::Channel) named `cli` for our own clients (the
//! [`Hub`], which the kernel needs and which is therefore made first), and the doors that lead to it ([`open`], which
//! need the kernel and are therefore opened later).

mod auth;
mod body;
pub mod calls;
mod conversation;
mod frames;
mod hub;
pub mod limits;
mod metrics;
mod openai;
mod openapi;
mod problem;
mod queue;
mod ring;
mod routes;
mod say;
mod schedules;
mod serve;
mod sse;
mod unix;
mod ws;

pub use auth::Token;
pub use calls::{CallParts, DaemonInfo};
pub use hub::Hub;
pub use openapi::document as openapi_document;
pub use serve::{Doors, Gateway, GatewayError, GatewayParts, MetricsAccess, open};
