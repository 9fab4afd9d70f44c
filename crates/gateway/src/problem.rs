//! What went wrong, as a client is told: a code with a status, a line what happened, a line what to do.

use axum::response::{IntoResponse, Response};
use hearth_contract::changes::UndoError;
use hearth_contract::inbox::{AcceptError, ControlError};
use hearth_contract::setting::SettingError;
use hearth_contract::store::StoreError;
use hearth_protocol::Problem;
use http::{HeaderValue, StatusCode, header};

/// A problem, made in one line.
pub(crate) fn problem(code: &str, text: impl Into<String>, hint: impl Into<String>) -> Problem {
    Problem { code: code.to_owned(), text: text.into(), hint: hint.into() }
}

/// The caller's mistake.
pub(crate) fn invalid(text: impl Into<String>, hint: impl Into<String>) -> Problem {
    problem("invalid", text, hint)
}

/// There is no such thing.
pub(crate) fn not_found(text: impl Into<String>, hint: impl Into<String>) -> Problem {
    problem("not_found", text, hint)
}

/// Hearth is on its way out.
pub(crate) fn stopping() -> Problem {
    problem(
        "stopping",
        "Hearth is stopping",
        "Nothing is lost: what was accepted is worked on after the next start",
    )
}

/// The HTTP status of a problem's code.
pub(crate) fn status_of(code: &str) -> StatusCode {
    match code {
        "invalid" => StatusCode::BAD_REQUEST,
        "unauthorized" => StatusCode::UNAUTHORIZED,
        "forbidden" => StatusCode::FORBIDDEN,
        "not_found" => StatusCode::NOT_FOUND,
        "method" => StatusCode::METHOD_NOT_ALLOWED,
        "timeout" => StatusCode::REQUEST_TIMEOUT,
        "refused" | "cancelled" | "stale" => StatusCode::CONFLICT,
        "erased" => StatusCode::GONE,
        "too_large" => StatusCode::PAYLOAD_TOO_LARGE,
        "full" => StatusCode::TOO_MANY_REQUESTS,
        "failed" => StatusCode::BAD_GATEWAY,
        "unavailable" | "stopping" => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// A problem on its way to an HTTP client.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) problem: Problem,
    pub(crate) retry_after_ms: Option<u64>,
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self { problem, retry_after_ms: None }
    }
}

impl From<AcceptError> for Failure {
    fn from(error: AcceptError) -> Self {
        let retry_after_ms = match &error {
            AcceptError::Full { retry_after_ms } => Some(*retry_after_ms),
            AcceptError::Invalid { .. } | AcceptError::Store(_) | AcceptError::Stopping => None,
        };
        Self { problem: of_accept(error), retry_after_ms }
    }
}

impl Failure {
    /// What every failed response carries beside its body.
    pub(crate) fn put_headers(&self, response: &mut Response) {
        if let Some(retry_after_ms) = self.retry_after_ms {
            let seconds = retry_after_ms.div_ceil(1000).max(1);
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.problem.code == "unauthorized" {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = (status_of(&self.problem.code), axum::Json(&self.problem)).into_response();
        self.put_headers(&mut response);
        response
    }
}

/// A message was not taken.
pub(crate) fn of_accept(error: AcceptError) -> Problem {
    match error {
        AcceptError::Full { retry_after_ms } => {
            let text = "too many messages are waiting";
            problem("full", text, format!("Try again in {retry_after_ms} ms"))
        }
        AcceptError::Invalid { reason } => invalid(reason, "Change the message and send it again"),
        AcceptError::Store(error) => of_store(&error),
        AcceptError::Stopping => stopping(),
    }
}

/// The kernel did not do it.
pub(crate) fn of_control(error: ControlError) -> Problem {
    match error {
        ControlError::NotFound { what } => not_found(what, "List what there is and take its id"),
        ControlError::Invalid { what, hint } => invalid(what, hint),
        ControlError::Refused { reason } => problem("refused", reason, ""),
        ControlError::Store(error) => of_store(&error),
    }
}

/// A setting was not changed.
pub(crate) fn of_setting(error: SettingError) -> Problem {
    match error {
        SettingError::Invalid { what, hint } => invalid(what, hint),
        SettingError::Store(error) => of_store(&error),
    }
}

/// What a call changed was not put back.
pub(crate) fn of_undo(error: UndoError) -> Problem {
    match error {
        UndoError::NotFound { what, hint } => not_found(what, hint),
        UndoError::Refused { what, hint } => problem("refused", what, hint),
        UndoError::Unavailable { what } => {
            problem("unavailable", what, "Look at the disk of the home folder; `hearth doctor` tells more")
        }
    }
}

/// The ledger did not do it.
pub(crate) fn of_store(error: &StoreError) -> Problem {
    let hint = match error {
        StoreError::Conflict { .. } => "Read the newest state and try again",
        StoreError::Unavailable { .. } => "Look at the disk of the home folder; `hearth doctor` tells more",
    };
    problem("unavailable", error.to_string(), hint)
}
