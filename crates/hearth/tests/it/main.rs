//! Tests of the built binary in homes of their own.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod command_line;
mod daemon;
mod service;
mod setup;
mod support;
mod undo;
