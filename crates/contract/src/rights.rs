//! Who may do what.

use serde::{Deserialize, Serialize};

/// What a person may do, in rising order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Is not heard.
    Blocked,
    /// Anyone in a chat.
    Member,
    /// Somebody the owner trusts.
    Trusted,
    /// Hearth belongs to them.
    Owner,
}

/// What a tool can do to the world, in rising order of danger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Looks.
    Read,
    /// Changes things inside Hearth's own home.
    Write,
    /// Speaks to somebody.
    Send,
    /// Runs programs.
    Exec,
    /// Changes Hearth itself.
    Admin,
}

impl Risk {
    /// The name, as in the config.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Send => "send",
            Self::Exec => "exec",
            Self::Admin => "admin",
        }
    }
}
