//! What a program posts to us.

use std::sync::Arc;

use hearth_contract::channel::{WebReply, WebRequest};
use hearth_contract::clock::UnixMs;
use hearth_contract::id::ChatKey;
use hearth_contract::inbox::{AcceptError, Acknowledge, Inbox};
use hearth_contract::message::{Arrival, ChatKind, Inbound, Origin, Segment, Sender};
use hearth_contract::rights::Role;
use serde::Deserialize;
use serde_json::{Value, json};
use subtle::ConstantTimeEq;

use super::Webhook;
use crate::signature::is_signed;

/// The header of the signature.
pub(super) const SIGNATURE: &str = "x-hearth-signature";

/// The longest id or name taken, in bytes.
const NAME_BYTES_MAX: usize = 200;

/// A message as a program posts it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Posted {
    /// The program's id of it; the same one twice is the same message.
    id: String,
    /// The program's id of the chat.
    chat: String,
    /// Between two or among many.
    #[serde(default = "private")]
    chat_kind: ChatKind,
    /// Who wrote it.
    sender: PostedSender,
    /// What it says.
    text: String,
    /// Whether Hearth is addressed; in a private chat it always is.
    #[serde(default)]
    addressed: bool,
    /// When it was written, in milliseconds since 1970 UTC; now if not given.
    #[serde(default)]
    sent_at_ms: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PostedSender {
    /// The program's id of the person.
    id: String,
    /// How they are shown; the id if not given.
    #[serde(default)]
    name: String,
}

fn private() -> ChatKind {
    ChatKind::Private
}

impl Webhook {
    /// Takes one message. The program is told that it is safe only when it is.
    pub(super) async fn take(&self, request: &WebRequest, inbox: Arc<dyn Inbox>) -> WebReply {
        if !matches!(request.path.as_str(), "" | "/") {
            return refuse(
                404,
                "not_found",
                "there is nothing below this channel",
                "Post to /channels/<name>",
            );
        }
        if request.method != "POST" {
            let mut reply = refuse(405, "method", "a message is posted", "Use POST");
            reply.headers.push(("allow", "POST".to_owned()));
            return reply;
        }
        if !self.is_known(request) {
            let hint = "Sign the body in X-Hearth-Signature with the channel's secret, or send its token";
            return refuse(401, "unauthorized", "the signature or token is missing or wrong", hint);
        }
        match self.read(&request.body) {
            Ok(inbound) => match inbox.accept(inbound, Acknowledge::WhenDurable).await {
                Ok(accepted) => {
                    let (message, session) = (accepted.message.to_string(), accepted.session.to_string());
                    reply(
                        200,
                        &json!({ "message": message, "session": session, "duplicate": accepted.duplicate }),
                    )
                }
                Err(error) => not_taken(&error),
            },
            Err(reason) => {
                refuse(400, "invalid", &reason, "See docs/api.md for what a webhook message looks like")
            }
        }
    }

    fn is_known(&self, request: &WebRequest) -> bool {
        let (secret, token) = (self.config.secret.expose(), self.config.token.expose());
        if let Some(signature) = request.header(SIGNATURE)
            && !secret.is_empty()
        {
            return is_signed(secret, &request.body, signature);
        }
        let given = request.header("authorization").and_then(|value| value.split_once(' '));
        given.is_some_and(|(scheme, given)| {
            scheme.eq_ignore_ascii_case("bearer")
                && !token.is_empty()
                && bool::from(token.as_bytes().ct_eq(given.trim().as_bytes()))
        })
    }

    fn read(&self, body: &[u8]) -> Result<Inbound, String> {
        let posted: Posted =
            serde_json::from_slice(body).map_err(|error| format!("the body cannot be read: {error}"))?;
        for (field, value) in [("id", &posted.id), ("chat", &posted.chat), ("sender.id", &posted.sender.id)] {
            if value.is_empty() || value.len() > NAME_BYTES_MAX {
                return Err(format!("`{field}` is empty or longer than {NAME_BYTES_MAX} bytes"));
            }
        }
        if posted.text.trim().is_empty() {
            return Err("`text` is empty".to_owned());
        }
        let is_owner = self.config.owner_ids.contains(&posted.sender.id);
        let name = if posted.sender.name.is_empty() { posted.sender.id.clone() } else { posted.sender.name };
        Ok(Inbound {
            chat: ChatKey::new(self.info.name.as_str(), posted.chat),
            chat_kind: posted.chat_kind,
            account: String::new(),
            dialog: None,
            platform_id: Some(posted.id),
            sender: Sender {
                id: posted.sender.id,
                name,
                role: if is_owner { Role::Owner } else { Role::Member },
            },
            segments: vec![Segment::text(posted.text)],
            addressed: posted.addressed || posted.chat_kind == ChatKind::Private,
            sent_at: posted.sent_at_ms.map_or_else(|| self.deps.clock.now(), UnixMs),
            origin: Origin::User,
            arrival: Arrival::default(),
        })
    }
}

fn not_taken(error: &AcceptError) -> WebReply {
    let text = error.to_string();
    match error {
        AcceptError::Full { retry_after_ms } => {
            let mut reply = refuse(429, "full", &text, "Post it again later");
            reply.headers.push(("retry-after", retry_after_ms.div_ceil(1000).max(1).to_string()));
            reply
        }
        AcceptError::Invalid { .. } => refuse(400, "invalid", &text, "Change the message and post it again"),
        AcceptError::Store(_) => refuse(503, "unavailable", &text, "Post it again later"),
        AcceptError::Stopping => refuse(503, "stopping", "Hearth is stopping", "Post it again in a moment"),
    }
}

fn refuse(status: u16, code: &str, text: &str, hint: &str) -> WebReply {
    reply(status, &json!({ "code": code, "text": text, "hint": hint }))
}

fn reply(status: u16, body: &Value) -> WebReply {
    WebReply {
        status,
        content_type: "application/json",
        headers: Vec::new(),
        body: body.to_string().into_bytes(),
    }
}
