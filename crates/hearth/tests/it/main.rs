//! Tests of the built binary in homes of their own.

mod command_line;
mod setup;
mod support;
