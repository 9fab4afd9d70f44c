//! Dev only: fakes, suites of ports, scenarios (see ARCHITECTURE.md).

pub mod clock;
pub mod hooks;
pub mod jobs;
pub mod model;
pub mod network;
pub mod rig;
pub mod scenario;
pub mod seen;
pub mod server;
pub mod suite;
pub mod tools;
