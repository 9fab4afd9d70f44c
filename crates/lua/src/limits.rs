//! Every bound on a script, in one place.

/// What one script may use. The defaults suit a script that turns one message into another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest script, in bytes.
    pub source_bytes_max: usize,
    /// The most memory the script's values may take, in bytes.
    pub memory_bytes_max: usize,
    /// The most steps (calls, turns of a loop, tries of a pattern) of one call into the script.
    pub steps_max: u64,
    /// The longest one call into the script may take, in milliseconds. It stops what does much in few steps.
    pub call_ms_max: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            source_bytes_max: 256 * 1024,
            memory_bytes_max: 32 * 1024 * 1024,
            steps_max: 20_000_000,
            call_ms_max: 5_000,
        }
    }
}

/// How deep a value that goes in or out may be nested.
pub(crate) const VALUE_DEPTH_MAX: usize = 64;
/// The most tables and plain values of one value that comes out.
pub(crate) const VALUE_NODES_MAX: usize = 1_000_000;
/// The most bytes of all texts of one value that comes out. One text may stand in many places.
pub(crate) const VALUE_BYTES_MAX: usize = 32 * 1024 * 1024;
/// The longest pattern or plain text to look for, in bytes.
pub(crate) const PATTERN_BYTES_MAX: usize = 4 * 1024;
/// The most work of one search: bytes looked for, times bytes looked in.
pub(crate) const SEARCH_WORK_MAX: usize = 1 << 30;
/// The longest line of the log, in characters.
pub(crate) const LOG_CHARS_MAX: usize = 1_000;
/// The longest reason of an error, in characters.
pub(crate) const REASON_CHARS_MAX: usize = 500;
/// After how many steps the clock is looked at.
pub(crate) const STEPS_BETWEEN_LOOKS: u64 = 64;
