//! Providers against small servers on the loopback that answer with recorded streams.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests say what they expect")]

mod config;
mod failures;
mod lua;
mod probe;
mod recorded;
mod streams;
mod support;
