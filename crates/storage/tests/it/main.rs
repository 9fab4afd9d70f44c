//! The SQLite backend, through its public door.

mod crash;
mod model;
mod suite;
mod upkeep;
