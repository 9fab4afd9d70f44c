//! Identifiers. Each is a type of its own, made in one place, so that two of them cannot be mixed up.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A text could not be read as an identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a {what}")]
pub struct IdError {
    /// The kind of identifier that was expected.
    pub what: &'static str,
    /// What was given.
    pub text: String,
}

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// A new one, ordered by the time of its making (UUID version 7, RFC 9562).
            pub fn new() -> Self {
                Self(Uuid::now_v7())
            }

            /// The sixteen bytes, as stored.
            pub fn as_bytes(&self) -> &[u8; 16] {
                self.0.as_bytes()
            }

            /// From the sixteen bytes, as stored.
            pub fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(Uuid::from_bytes(bytes))
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0.simple(), f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0.simple())
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                Uuid::parse_str(text).map(Self).map_err(|_| IdError { what: $what, text: text.to_owned() })
            }
        }
    };
}

uuid_id!(
    /// A message of the ledger, in or out.
    MessageId,
    "message id"
);
uuid_id!(
    /// A turn: from an input to its end.
    TurnId,
    "turn id"
);
uuid_id!(
    /// One sending of something said, to one place.
    DeliveryId,
    "delivery id"
);
uuid_id!(
    /// A schedule: something that becomes due.
    ScheduleId,
    "schedule id"
);
uuid_id!(
    /// A background task.
    TaskId,
    "task id"
);
uuid_id!(
    /// A remembered fact.
    FactId,
    "fact id"
);

/// A place on a network where people talk: what a channel knows.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ChatKey {
    /// The configured name of the channel (`cli`, `qq`).
    pub channel: String,
    /// The network's own name of the chat.
    pub chat: String,
}

impl ChatKey {
    /// A chat of a channel.
    pub fn new(channel: impl Into<String>, chat: impl Into<String>) -> Self {
        Self { channel: channel.into(), chat: chat.into() }
    }

    /// The session of one dialog in this chat.
    pub fn dialog(&self, dialog: impl Into<String>) -> SessionKey {
        SessionKey { chat: self.clone(), dialog: dialog.into() }
    }
}

impl fmt::Display for ChatKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", escape(&self.channel), escape(&self.chat))
    }
}

/// One dialog of one chat, written `channel:chat:dialog`. A `:` or `%` inside a part is written `%3A` or `%25`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionKey {
    /// Where people talk.
    pub chat: ChatKey,
    /// Which thread of talk in it. The first is called [`SessionKey::DEFAULT_DIALOG`].
    pub dialog: String,
}

impl SessionKey {
    /// The name of the dialog that exists without being made.
    pub const DEFAULT_DIALOG: &'static str = "default";
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.chat, escape(&self.dialog))
    }
}

impl FromStr for SessionKey {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let wrong = || IdError { what: "session name (channel:chat:dialog)", text: text.to_owned() };
        let parts: Vec<String> = text.split(':').map(unescape).collect();
        match parts.as_slice() {
            [channel, chat, dialog] if parts.iter().all(|part| !part.is_empty()) => {
                Ok(ChatKey::new(channel, chat).dialog(dialog))
            }
            _ => Err(wrong()),
        }
    }
}

impl Serialize for SessionKey {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SessionKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

fn escape(part: &str) -> String {
    part.replace('%', "%25").replace(':', "%3A")
}

fn unescape(part: &str) -> String {
    part.replace("%3A", ":").replace("%25", "%")
}

/// A tool call. It is ours, not the model's, because some vendors repeat theirs: unique and made from its place
/// (turn, round, index), so that a resumed turn makes the same one. Only `[A-Za-z0-9_]`, at most 40 characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(String);

impl CallId {
    /// The call at `index` of round `round` of a turn.
    pub fn at(turn: TurnId, round: u32, index: usize) -> Self {
        let turn = turn.to_string();
        // The last 16 digits of a version 7 UUID are its random part.
        Self(format!("call_{}_{round}_{index}", &turn[turn.len() - 16..]))
    }

    /// From its text, as stored.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_name_survives_the_round_trip() {
        for (channel, chat, dialog) in
            [("cli", "me", "default"), ("web", "a:b%3Ac", "d:1"), ("qq", "群 1", "50%")]
        {
            let key = ChatKey::new(channel, chat).dialog(dialog);
            assert_eq!(key.to_string().parse::<SessionKey>().unwrap(), key);
        }
    }

    #[test]
    fn a_bad_session_name_says_what_is_wanted() {
        for text in ["", "cli", "cli:me", "cli::default", "a:b:c:d"] {
            let error = text.parse::<SessionKey>().unwrap_err();
            assert!(error.to_string().contains("channel:chat:dialog"), "{error}");
        }
    }

    #[test]
    fn a_call_id_is_the_same_for_the_same_place() {
        let turn = TurnId::new();
        assert_eq!(CallId::at(turn, 2, 1), CallId::at(turn, 2, 1));
        assert_ne!(CallId::at(turn, 2, 1), CallId::at(turn, 2, 0));
        assert!(CallId::at(turn, 10, 10).as_str().len() <= 40);
    }
}
