//! The spine: bus, sessions, turns, hooks, models, outbox. It does no IO and knows no network, no SQL, no machine clock.

mod activity;
mod bus;
mod command;
pub mod config;
mod control;
mod dialogs;
mod draft;
mod ends;
mod events;
mod finish;
mod journal;
mod kernel;
mod limits;
mod models;
mod outbox;
mod pipeline;
mod prompt;
mod recovery;
mod scheduler;
mod session;
mod texts;
mod tokens;
mod toolbox;
mod trigger;
mod turn;
mod why;
mod window;

pub use events::Events;
pub use kernel::{Kernel, KernelConfig, Parts};
pub use limits::Limits;
pub use prompt::DEFAULT_PERSONA;
