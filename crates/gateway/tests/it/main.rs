//! The doors from outside: real sockets before a kernel that does what the test says.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "the helpers of tests fail as tests do")]

mod api;
mod doors;
mod events;
mod http;
mod kernel;
mod openai;
mod protocol;
mod store;
mod world;
