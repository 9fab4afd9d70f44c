//! Networks that people talk on. A channel carries messages and knows no session and no model.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::id::{ChatKey, DeliveryId, MessageId, SessionKey, TurnId};
use crate::inbox::Inbox;
use crate::message::Segment;
use crate::provider::Chunk;

/// Something to be said, on its way to a network.
#[derive(Debug, Clone, PartialEq)]
pub struct Outbound {
    /// This sending; the same after a crash, so that a network that can tell says it once.
    pub delivery: DeliveryId,
    /// The message of the ledger.
    pub message: MessageId,
    /// The turn that says it; none for what no turn said (an answer to a command).
    pub turn: Option<TurnId>,
    /// The dialog it belongs to.
    pub session: SessionKey,
    /// Where to.
    pub chat: ChatKey,
    /// What.
    pub segments: Vec<Segment>,
    /// An earlier attempt may have arrived; a network that cannot tell shows it as such.
    pub may_be_duplicate: bool,
}

/// A network took it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Receipt {
    /// The network's id of what was sent, where it gives one.
    pub platform_id: Option<String>,
}

/// A sending that failed. A variant is what the outbox does next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// It did not arrive: try again.
    #[error("not sent: {reason}")]
    Retry {
        /// Not before.
        retry_after_ms: Option<u64>,
        /// For the log.
        reason: String,
    },
    /// It will never be taken.
    #[error("refused: {reason}")]
    Refused {
        /// For the log and for `why`.
        reason: String,
    },
    /// It may have arrived.
    #[error("outcome unknown: {reason}")]
    Unknown {
        /// For the log and for `why`.
        reason: String,
    },
}

/// What to do with a sending whose outcome is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResendPolicy {
    /// Send it again: the receiver recognises the delivery id and takes it once.
    Deduplicated,
    /// Send it again, marked as a possible duplicate.
    Marked,
    /// Leave it, and say so in `why`.
    Never,
}

/// Which messages of a chat the agent answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyPolicy {
    /// Every one. The default in private chats.
    Always,
    /// Only those that address it. The default in groups.
    Mention,
    /// None; they are recorded.
    Standby,
}

/// How the final text of a turn leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyMode {
    /// The kernel sends it.
    #[default]
    Auto,
    /// Only what the model sends by the tool `output_send` leaves.
    Explicit,
}

/// What the kernel must know of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelInfo {
    /// Its name in the config.
    pub name: String,
    /// Its kind (`cli`, `webhook`).
    pub kind: &'static str,
    /// What to do when nobody knows whether a sending arrived.
    pub resend: ResendPolicy,
    /// Which messages are answered; none: by the kind of chat.
    pub policy: Option<ReplyPolicy>,
    /// How answers leave.
    pub reply: ReplyMode,
}

/// A network.
#[async_trait]
pub trait Channel: Send + Sync + fmt::Debug {
    /// What the kernel must know of it.
    fn info(&self) -> &ChannelInfo;

    /// Listens until `shutdown`, handing what arrives to `inbox` and reconnecting by itself. A message is
    /// acknowledged to the network only when the inbox says that it is durable.
    async fn run(&self, inbox: Arc<dyn Inbox>, shutdown: CancellationToken);

    /// Sends once.
    async fn send(&self, outbound: &Outbound) -> Result<Receipt, SendError>;

    /// The way to show an answer while it is written, where the network has one.
    fn live(&self) -> Option<&dyn LiveReply> {
        None
    }

    /// The way to ask whether a sending arrived, where the network has one.
    fn lookup(&self) -> Option<&dyn SendLookup> {
        None
    }

    /// The door for requests to `/channels/<name>`, where the network calls us.
    fn web(&self) -> Option<&dyn WebDoor> {
        None
    }
}

/// Shows drafts. Losing one is no harm: the final message replaces it.
pub trait LiveReply: Send + Sync {
    /// One more piece of the answer that `turn` is writing. Must not block.
    fn push(&self, session: &SessionKey, turn: TurnId, chunk: Chunk);
}

/// Asks a network whether something arrived.
#[async_trait]
pub trait SendLookup: Send + Sync {
    /// The receipt if it arrived, none if it did not.
    async fn lookup(&self, outbound: &Outbound) -> Result<Option<Receipt>, SendError>;
}

/// A request that a network makes to us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebRequest {
    /// `GET`, `POST`, …
    pub method: String,
    /// What follows `/channels/<name>`.
    pub path: String,
    /// The query, undecoded; empty if there is none.
    pub query: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// At most the gateway's body limit.
    pub body: bytes::Bytes,
}

impl WebRequest {
    /// The first header of this (lower-case) name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Our answer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebReply {
    /// The HTTP status.
    pub status: u16,
    /// The media type of the body.
    pub content_type: &'static str,
    /// Further headers, names in lower case (`retry-after`, `allow`).
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// Takes the requests of a network. Checks its own token or signature.
#[async_trait]
pub trait WebDoor: Send + Sync {
    /// Answers one request.
    async fn handle(&self, request: WebRequest, inbox: Arc<dyn Inbox>) -> WebReply;
}
