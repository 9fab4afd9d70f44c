//! What can be said at opening beside the config.

use std::str::FromStr;
use std::time::Duration;

/// How a store is opened. The default is right for everything but tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenOptions {
    /// A fault at one of the commits, for the tests of crashes.
    pub commit_fault: Option<CommitFault>,
    /// How long a transaction that is not urgent may stay unsynced, and how often writing is tried again after it
    /// has failed.
    pub interval: Duration,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self { commit_fault: None, interval: Duration::from_secs(1) }
    }
}

/// A fault at a commit. Written `abort_before:N`, `abort_after:N` or `fail:N`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitFault {
    /// At which commit of this process, from 1.
    pub number: u64,
    /// What happens.
    pub kind: FaultKind,
}

/// What happens at the commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The process dies before it.
    AbortBefore,
    /// The process dies after it, before anybody is told.
    AbortAfter,
    /// It fails as with a full disk.
    Fail,
}

/// A text is no fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no commit fault; write abort_before:N, abort_after:N or fail:N with N from 1")]
pub struct FaultError {
    /// What was given.
    pub text: String,
}

impl FromStr for CommitFault {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        let wrong = || FaultError { text: text.to_owned() };
        let (kind, number) = text.split_once(':').ok_or_else(wrong)?;
        let kind = match kind {
            "abort_before" => FaultKind::AbortBefore,
            "abort_after" => FaultKind::AbortAfter,
            "fail" => FaultKind::Fail,
            _ => return Err(wrong()),
        };
        match number.parse() {
            Ok(number) if number > 0 => Ok(Self { number, kind }),
            Ok(_) | Err(_) => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_read_from_its_text() {
        assert_eq!("abort_before:3".parse(), Ok(CommitFault { number: 3, kind: FaultKind::AbortBefore }));
        assert_eq!("fail:1".parse(), Ok(CommitFault { number: 1, kind: FaultKind::Fail }));
        for text in ["", "fail", "fail:0", "fail:x", "stop:1"] {
            assert!(text.parse::<CommitFault>().unwrap_err().to_string().contains("abort_after:N"), "{text}");
        }
    }
}
