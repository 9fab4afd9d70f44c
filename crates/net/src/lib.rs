//! The only place that makes HTTP clients: time-outs, secrets kept out of texts, the connection guard.
//!
//! [`Http`] talks to endpoints that the config names; [`GuardedHttp`] to addresses that come from the model, from
//! tools or from content.

mod fetch;
mod guard;
mod http;
mod redact;
mod retry_after;
mod sse;
mod stream;
mod tls;

pub use fetch::{
    FetchError, FetchLimits, FetchRequest, Fetched, GuardSettings, GuardedHttp, Lookup, SystemLookup,
};
pub use guard::Endpoint;
pub use http::{
    Http, HttpBuildError, HttpError, HttpReply, HttpRequest, HttpSettings, Phase, ReplyLimits, StatusError,
};
pub use redact::{Redactor, Secret};
pub use retry_after::retry_after_ms;
pub use sse::{SseEvent, SseOverflow, SseParser};
pub use stream::{EventStream, StreamLimits, StreamReply};
