//! The terminal client, and the client library that everything else that talks to the daemon uses.

pub mod app;
pub mod clean;
pub mod client;
#[cfg(test)]
mod fake;
#[cfg(test)]
mod fixtures;
pub mod plain;
pub mod terminal;
pub mod text;
pub mod view;

pub use client::Client;
pub use client::link::{Link, LinkEvent, Patience, Starter};
pub use client::say::{Outcome, say};
pub use plain::run_plain;
pub use terminal::{Options, run};
