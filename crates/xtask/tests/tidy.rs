//! Tidy tests: what the shape of the project promises and no compiler checks. Each rule also has a test that shows it
//! failing, and fails itself when it has looked at nothing.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

#[path = "tidy/edges.rs"]
mod edges;
#[path = "tidy/features.rs"]
mod features;
#[path = "tidy/licences.rs"]
mod licences;
#[path = "tidy/sources.rs"]
mod sources;
#[path = "tidy/tree.rs"]
mod tree;
