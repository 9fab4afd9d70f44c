//! The way to the public internet, as tools see it.

use std::fmt;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The address that answered, after redirects.
    pub url: String,
    /// The HTTP status.
    pub status: u16,
    /// The header `Content-Type`; empty if there was none.
    pub content_type: String,
    /// At most the asked number of bytes.
    pub body: Vec<u8>,
    /// Whether there was more.
    pub cut: bool,
}

/// Nothing came back. The text says what happened and what could be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The address is private, link-local or otherwise not for tools, or is no HTTP address.
    #[error("{reason}")]
    Refused {
        /// Why.
        reason: String,
    },
    /// It was tried and failed.
    #[error("{reason}")]
    Failed {
        /// Why.
        reason: String,
    },
    /// The turn was stopped.
    #[error("stopped")]
    Cancelled,
}

/// Fetches what a model asks for. An implementation refuses private, link-local and metadata addresses after the name
/// is resolved, and again at each redirect.
#[async_trait]
pub trait Fetch: Send + Sync + fmt::Debug {
    /// Gets `url`, reading at most `body_bytes_max` bytes of the answer. The caller bounds the time.
    async fn get(
        &self,
        url: &str,
        body_bytes_max: usize,
        cancel: &CancellationToken,
    ) -> Result<Fetched, FetchError>;
}
