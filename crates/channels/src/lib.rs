//! Networks that people talk on: one file a kind, and a line for each in [`ALL`].

mod entry;
mod signature;
mod webhook;

pub use entry::{BuildError, Built, ChannelEntry, ChannelSection, Deps};

/// Every kind of channel, by the `kind` of its config section.
pub const ALL: &[ChannelEntry] = &[webhook::ENTRY];

/// The kind with this name.
pub fn find(kind: &str) -> Option<&'static ChannelEntry> {
    ALL.iter().find(|entry| entry.kind == kind)
}
