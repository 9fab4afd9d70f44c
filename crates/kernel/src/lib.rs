//! The spine: bus, sessions, turns, hooks, models, outbox. It does no IO and knows no network, no SQL, no machine clock.

pub mod config;
