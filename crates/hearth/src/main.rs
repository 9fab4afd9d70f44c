//! The binary: arguments, config, wiring.
fn main() {}
