//! The tools as the kernel calls them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that meets what it does not expect fails")]

mod changes;
mod files;
mod fixture;
mod http;
mod ledger;
mod sandbox;
mod shell;
mod specs;
