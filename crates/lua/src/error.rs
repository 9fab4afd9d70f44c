//! What can go wrong with a script.

use crate::limits::REASON_CHARS_MAX;

/// A script could not be loaded, or a call into it failed. A variant is what its caller does next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// The script is wrong; the reason has the file and the line. Somebody must mend it.
    #[error("{reason}")]
    Script {
        /// What is wrong and where.
        reason: String,
    },
    /// The script used more than it may; its machine is not to be used again.
    #[error("{name}: stopped: more than {limit}")]
    Limit {
        /// The script.
        name: String,
        /// The limit, in words.
        limit: String,
    },
}

impl ScriptError {
    /// A script that is wrong, in one line of a bounded length.
    pub(crate) fn script(reason: &str) -> Self {
        let line = reason.lines().next().unwrap_or_default();
        Self::Script { reason: line.chars().take(REASON_CHARS_MAX).collect() }
    }
}
