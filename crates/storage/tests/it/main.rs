//! The SQLite backend, through its public door.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test"
)]

mod crash;
mod model;
mod suite;
mod upkeep;
