//! What is known from earlier: a library over the storage ports, usable without the rest of Hearth.

mod concepts;
mod plain;
pub mod words;

pub use plain::PlainMemory;
