//! Models behind a wire: OpenAI-compatible servers, Anthropic, vendors behind a Lua script; and the offline model.
//!
//! One file a kind; [`ALL`] names them. A kind owns its config section and hides its vendor's shape.

mod answer;
mod anthropic;
#[cfg(test)]
mod arbitrary;
mod arguments;
mod calls;
mod detect;
mod dialog;
mod entry;
mod errors;
mod lua;
mod models;
mod offline;
mod openai;
mod probe;
mod think;
mod wire;

pub use detect::{DetectedSource, detect};
pub use entry::{BuildError, BuildResult, Deps, ProviderEntry, SourceSection};
pub use offline::offline;

/// Every kind of provider, by the `kind` of its config section.
pub const ALL: &[ProviderEntry] = &[openai::ENTRY, anthropic::ENTRY, lua::ENTRY, offline::ENTRY];

/// The kind with this name.
pub fn find(kind: &str) -> Option<&'static ProviderEntry> {
    ALL.iter().find(|entry| entry.kind == kind)
}
