//! What we post to a program.

use hearth_contract::channel::{Outbound, Receipt, SendError};
use hearth_contract::message::plain_text;
use hearth_net::{HttpError, HttpReply, HttpRequest, Phase, ReplyLimits, StatusError, retry_after_ms};
use http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::Webhook;
use super::inbound::SIGNATURE;
use crate::signature::sign;

/// The receiver recognises by it what it has already taken (draft-ietf-httpapi-idempotency-key-header).
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The beginning of an answer that is looked at; only an id is wanted from it.
const LIMITS: ReplyLimits = ReplyLimits { body_bytes_max: 64 << 10, total_ms: 20_000 };

/// The most of a refusal's text that is kept, in characters.
const REASON_CHARS_MAX: usize = 200;

/// How `hearth_net` begins the reason when there was no connection, so that nothing was sent.
const NO_CONNECTION: &str = "cannot connect";

impl Webhook {
    pub(super) async fn post(&self, outbound: &Outbound) -> Result<Receipt, SendError> {
        let delivery = outbound.delivery.to_string();
        let body = json!({
            "delivery": delivery,
            "message": outbound.message.to_string(),
            "chat": outbound.chat.chat,
            "session": outbound.session.to_string(),
            "turn": outbound.turn.map(|turn| turn.to_string()),
            "text": plain_text(&outbound.segments),
            "segments": outbound.segments,
            "may_be_duplicate": outbound.may_be_duplicate,
        });
        let mut request = HttpRequest::post_json(self.config.url.as_str(), &body);
        if let Ok(key) = HeaderValue::from_str(&delivery) {
            request.headers.insert(IDEMPOTENCY_KEY, key);
        }
        self.prove(&mut request);
        match self.deps.http.send(request, &LIMITS, &CancellationToken::new()).await {
            Ok(reply) => Ok(receipt(&reply)),
            // It said yes and then more than anybody wants to hear.
            Err(HttpError::TooLarge { .. }) => Ok(Receipt::default()),
            Err(error) => Err(self.send_error(error)),
        }
    }

    pub(super) async fn ask(&self, outbound: &Outbound) -> Result<Option<Receipt>, SendError> {
        let Some(url) = &self.config.lookup_url else {
            return Err(SendError::Refused { reason: "no lookup_url is set".to_owned() });
        };
        let joint = if url.contains('?') { '&' } else { '?' };
        let mut request = HttpRequest::get(format!("{url}{joint}delivery={}", outbound.delivery));
        self.prove(&mut request);
        match self.deps.http.send(request, &LIMITS, &CancellationToken::new()).await {
            Ok(reply) => Ok(Some(receipt(&reply))),
            Err(HttpError::TooLarge { .. }) => Ok(Some(Receipt::default())),
            Err(HttpError::Status(status)) if status.status.as_u16() == 404 => Ok(None),
            Err(HttpError::Status(status)) => {
                let retry_after_ms = retry_after_ms(&status.headers, self.deps.clock.now());
                Err(SendError::Retry { retry_after_ms, reason: self.reason(&status) })
            }
            Err(error) => Err(SendError::Retry { retry_after_ms: None, reason: error.to_string() }),
        }
    }

    /// Shows the program that it is us.
    fn prove(&self, request: &mut HttpRequest) {
        if !self.config.secret.is_empty()
            && let Ok(value) = HeaderValue::from_str(&sign(self.config.secret.expose(), &request.body))
        {
            request.headers.insert(HeaderName::from_static(SIGNATURE), value);
        }
        if !self.config.token.is_empty()
            && let Some(value) = self.config.token.header("Bearer ")
        {
            request.headers.insert(AUTHORIZATION, value);
        }
    }

    fn send_error(&self, error: HttpError) -> SendError {
        match error {
            HttpError::Status(status) => self.of_status(&status),
            HttpError::TimedOut { phase: Phase::Connect, .. } => {
                SendError::Retry { retry_after_ms: None, reason: error.to_string() }
            }
            HttpError::Network { reason } if reason.starts_with(NO_CONNECTION) => {
                SendError::Retry { retry_after_ms: None, reason }
            }
            HttpError::BadRequest { reason } => SendError::Refused { reason },
            HttpError::Network { .. }
            | HttpError::TimedOut { .. }
            | HttpError::TooLarge { .. }
            | HttpError::Cancelled => SendError::Unknown { reason: error.to_string() },
        }
    }

    fn of_status(&self, status: &StatusError) -> SendError {
        let reason = self.reason(status);
        match status.status.as_u16() {
            408 | 429 => SendError::Retry {
                retry_after_ms: retry_after_ms(&status.headers, self.deps.clock.now()),
                reason,
            },
            500.. => SendError::Unknown { reason },
            _ => SendError::Refused { reason },
        }
    }

    fn reason(&self, status: &StatusError) -> String {
        let said = self.redactor.short(&status.body, REASON_CHARS_MAX);
        let colon = if said.is_empty() { "" } else { ": " };
        format!("status {}{colon}{said}", status.status.as_u16())
    }
}

/// The program's id of what it took, if it gave one.
fn receipt(reply: &HttpReply) -> Receipt {
    let body: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    let platform_id = match body.get("id") {
        Some(Value::String(id)) if !id.is_empty() => Some(id.clone()),
        Some(Value::Number(id)) => Some(id.to_string()),
        _ => None,
    };
    Receipt { platform_id }
}
