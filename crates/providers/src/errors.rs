//! What a vendor's refusal means for the caller.

use hearth_contract::clock::UnixMs;
use hearth_contract::provider::{ProviderError, ProviderErrorCode};
use hearth_net::{HttpError, Redactor, retry_after_ms};

mod body;

pub(crate) use body::ErrorBody;

/// The longest reason, in characters.
const REASON_CHARS_MAX: usize = 300;

/// Turns failures into errors; knows which secrets must not be in them.
#[derive(Debug, Clone)]
pub(crate) struct Classifier {
    redactor: Redactor,
}

impl Classifier {
    pub(crate) fn new(redactor: Redactor) -> Self {
        Self { redactor }
    }

    /// A request that brought no answer.
    pub(crate) fn http(&self, error: &HttpError, now: UnixMs) -> ProviderError {
        match error {
            HttpError::Status(error) => {
                let body = ErrorBody::parse(&error.body);
                self.refusal(Some(error.status.as_u16()), &body, retry_after_ms(&error.headers, now))
            }
            HttpError::Network { reason } => self.network(reason),
            HttpError::TimedOut { .. } => self.network(&error.to_string()),
            HttpError::TooLarge { .. } => self.server(&error.to_string()),
            HttpError::BadRequest { reason } => self.next(ProviderErrorCode::Invalid, reason),
            HttpError::Cancelled => ProviderError::Cancelled,
        }
    }

    /// A refusal, with a status or (inside a stream) without. The vendor's codes count first, then the status, then
    /// well-known phrases of the vendor's own message.
    pub(crate) fn refusal(
        &self,
        status: Option<u16>,
        body: &ErrorBody,
        wait_ms: Option<u64>,
    ) -> ProviderError {
        let reason = match status {
            Some(status) => format!("status {status}: {}", body.message()),
            None => body.message().to_owned(),
        };
        match meaning(status, body) {
            Meaning::TooLong => ProviderError::ContextTooLong { reason: self.reason(&reason) },
            Meaning::Retry(code) => {
                ProviderError::Retry { code, retry_after_ms: wait_ms, reason: self.reason(&reason) }
            }
            Meaning::Next(code) => self.next(code, &reason),
        }
    }

    /// The vendor could not be reached, or broke off.
    pub(crate) fn network(&self, reason: &str) -> ProviderError {
        self.retry(ProviderErrorCode::Network, reason)
    }

    /// The vendor broke, or its answer made no sense.
    pub(crate) fn server(&self, reason: &str) -> ProviderError {
        self.retry(ProviderErrorCode::Server, reason)
    }

    /// Trouble that asking again may mend.
    pub(crate) fn retry(&self, code: ProviderErrorCode, reason: &str) -> ProviderError {
        ProviderError::Retry { code, retry_after_ms: None, reason: self.reason(reason) }
    }

    /// Trouble that this source will have again.
    pub(crate) fn next(&self, code: ProviderErrorCode, reason: &str) -> ProviderError {
        ProviderError::NextSource { code, reason: self.reason(reason) }
    }

    /// A text for the log: no secrets, one line, not long.
    pub(crate) fn reason(&self, text: &str) -> String {
        self.redactor.short(text, REASON_CHARS_MAX)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    TooLong,
    Retry(ProviderErrorCode),
    Next(ProviderErrorCode),
}

use Meaning::{Next, Retry, TooLong};
use ProviderErrorCode::{Auth, Balance, ContentFilter, Invalid, Overloaded, RateLimit, Server};

/// Vendors' own codes, in lower case.
const CODES: &[(&str, Meaning)] = &[
    ("context_length_exceeded", TooLong),
    ("exceed_context_size_error", TooLong),
    ("request_too_large", TooLong),
    ("context_window_exceeded", TooLong),
    ("insufficient_quota", Next(Balance)),
    ("exceeded_current_quota_error", Next(Balance)),
    ("insufficient_balance", Next(Balance)),
    ("billing_error", Next(Balance)),
    ("arrearage", Next(Balance)),
    ("content_filter", Next(ContentFilter)),
    ("content_policy_violation", Next(ContentFilter)),
    ("responsibleaipolicyviolation", Next(ContentFilter)),
    ("data_inspection_failed", Next(ContentFilter)),
    ("datainspectionfailed", Next(ContentFilter)),
    ("invalid_api_key", Next(Auth)),
    ("invalidapikey", Next(Auth)),
    ("authentication_error", Next(Auth)),
    ("permission_error", Next(Auth)),
    ("model_not_found", Next(Invalid)),
    ("not_found_error", Next(Invalid)),
    ("rate_limit_exceeded", Retry(RateLimit)),
    ("rate_limit_error", Retry(RateLimit)),
    ("rate_limit_reached_error", Retry(RateLimit)),
    ("throttling", Retry(RateLimit)),
    ("throttling.ratequota", Retry(RateLimit)),
    ("overloaded_error", Retry(Overloaded)),
    ("engine_overloaded_error", Retry(Overloaded)),
    ("unavailable_error", Retry(Overloaded)),
];

/// Phrases of vendors' messages, in lower case. Only the vendor's own message is searched.
const PHRASES: &[(&str, Meaning)] = &[
    ("maximum context length", TooLong),
    ("context length exceeded", TooLong),
    ("exceeds the available context size", TooLong),
    ("exceeds the context window", TooLong),
    ("exceed context window", TooLong),
    ("input is too long", TooLong),
    ("prompt is too long", TooLong),
    ("prompt too long", TooLong),
    ("range of input length should be", TooLong),
    ("exceed context limit", TooLong),
    ("exceeded model token limit", TooLong),
    ("input length and `max_tokens` exceed", TooLong),
    ("insufficient balance", Next(Balance)),
    ("credit balance is too low", Next(Balance)),
    ("content exists risk", Next(ContentFilter)),
    ("inappropriate content", Next(ContentFilter)),
    ("content management policy", Next(ContentFilter)),
    ("incorrect api key", Next(Auth)),
    ("invalid api key", Next(Auth)),
];

fn meaning(status: Option<u16>, body: &ErrorBody) -> Meaning {
    let by_code = body.codes().find_map(|code| CODES.iter().find(|(known, _)| *known == code));
    if let Some((_, meaning)) = by_code {
        return *meaning;
    }
    let message = body.message().to_lowercase();
    let by_phrase = PHRASES.iter().find(|(phrase, _)| message.contains(phrase)).map(|(_, meaning)| *meaning);
    match status.or_else(|| body.status()) {
        Some(401 | 403) => Next(Auth),
        Some(402) => Next(Balance),
        Some(404) => Next(Invalid),
        Some(408 | 409 | 425) => Retry(Server),
        Some(413) => TooLong,
        Some(429) => by_phrase.unwrap_or(Retry(RateLimit)),
        Some(503 | 529) => Retry(Overloaded),
        // Some servers report a prompt that is too long as an error of their own.
        Some(500..) | None => by_phrase.unwrap_or(Retry(Server)),
        Some(_) => by_phrase.unwrap_or(Next(Invalid)),
    }
}

#[cfg(test)]
mod tests;
