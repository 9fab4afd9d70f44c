//! The clients against small servers on the loopback.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests say what they expect")]

mod fetch;
mod stream;
