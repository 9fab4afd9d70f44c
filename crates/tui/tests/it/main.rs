//! The terminal client in a real terminal, and in a pipe, against a fake daemon.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

#[allow(dead_code, reason = "shared with the unit tests, which use all of it")]
#[path = "../../src/fake.rs"]
mod fake;
#[allow(dead_code, reason = "shared with the unit tests, which use all of it")]
#[path = "../../src/fixtures.rs"]
mod fixtures;
mod full_screen;
mod pipe;
mod tmux;

/// The program under test: the terminal client on its own.
const PROGRAM: &str = env!("CARGO_BIN_EXE_hearth-tui-alone");
