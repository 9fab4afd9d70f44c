//! Dev only: fakes, suites of ports, scenarios (see ARCHITECTURE.md).

pub mod suite;
