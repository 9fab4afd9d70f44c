//! Lua in a sandbox: a script computes, and can touch nothing but what it is given.
//!
//! The dialect is Luau. Its interpreter asks before each call, each turn of a loop and each try of a pattern whether
//! it may go on, so that nothing a script does runs longer than its limits.

mod convert;
mod error;
mod json;
mod limits;
mod machine;
mod strings;
mod watch;

pub use error::ScriptError;
pub use limits::Limits;
pub use machine::Machine;
