//! The only place that makes HTTP clients: time-outs, secrets kept out of texts, the connection guard, back-off.

mod http;

pub use http::{Http, HttpBuildError, HttpSettings};
