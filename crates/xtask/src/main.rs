//! Chores of the project: `cargo xtask storm`, `cargo xtask bench`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "chores talk to the person who runs them")]
#![allow(clippy::disallowed_methods, reason = "chores have no kernel and no turned clock")]

mod bench;
mod daemon;
mod http;
mod model;
mod storm;

use clap::Parser;

/// Chores of the project.
#[derive(Debug, Parser)]
enum Chore {
    /// Kill the real binary again and again while it works, and check that nothing is lost and nothing said twice
    Storm(storm::Arguments),
    /// Measure speed and size of the real binary, and print a table
    Bench(bench::Arguments),
}

fn main() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        match Chore::parse() {
            Chore::Storm(arguments) => storm::run(arguments).await,
            Chore::Bench(arguments) => bench::run(arguments).await,
        }
    })
}
