//! Suites of the ports: what every adapter of a port must pass.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a suite fails by panicking")]

pub mod storage;
