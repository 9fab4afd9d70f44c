//! The SQLite backend, through its public door.

mod suite;
