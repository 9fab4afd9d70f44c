//! The OpenAI-compatible door. Hearth is an agent with a memory of its own, so a request says something in a session
//! rather than carrying the whole talk; `docs/api.md` tells what that means for a client.

mod answer;
mod request;
mod said;
mod stream;

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hearth_contract::id::ChatKey;
use hearth_contract::inbox::{Accepted, Acknowledge};
use hearth_contract::message::Arrival;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

use crate::body::{self, PathArg};
use crate::calls;
use crate::hub::CHANNEL;
use crate::problem::{Failure, invalid, not_found, status_of};
use crate::routes::{App, Reply, Route, schema};
use crate::say::{DEFAULT_SESSION, Say, problem_of_end, say, wait_for_end};

/// The one model there is: the agent.
pub(crate) const MODEL: &str = "hearth";

pub(crate) const ROUTES: &[Route] = &[
    Route::post("/v1/chat/completions", Reply::Json(schema::<answer::Completion>), || post(complete))
        .body(schema::<request::ChatRequest>)
        .says("Says the new user messages of a talk; OpenAI-compatible, streaming and not"),
    Route::get("/v1/models", Reply::Json(schema::<answer::ModelList>), || get(models))
        .says("The agent as a model"),
    Route::get("/v1/models/{id}", Reply::Json(schema::<answer::Model>), || get(model)).says("One model"),
];

/// A failure in OpenAI's words.
pub(crate) fn refuse(failure: Failure) -> Response {
    let status = status_of(&failure.problem.code);
    let mut response = (status, Json(error_body(&failure.problem))).into_response();
    failure.put_headers(&mut response);
    response
}

/// `{"error": {"message", "type", "param", "code"}}`.
fn error_body(problem: &hearth_protocol::Problem) -> Value {
    let kind = match problem.code.as_str() {
        "unauthorized" => "authentication_error",
        "forbidden" => "permission_error",
        "full" => "rate_limit_error",
        "unavailable" | "stopping" | "failed" => "server_error",
        _ => "invalid_request_error",
    };
    let code = match problem.code.as_str() {
        "unauthorized" => "invalid_api_key",
        code => code,
    };
    let message = match problem.hint.as_str() {
        "" => problem.text.clone(),
        hint => format!("{}. {hint}", problem.text),
    };
    json!({ "error": { "message": message, "type": kind, "param": null, "code": code } })
}

async fn models(State(app): State<Arc<App>>) -> Json<answer::ModelList> {
    Json(answer::ModelList::of(vec![the_model(&app)]))
}

async fn model(State(app): State<Arc<App>>, name: Result<PathArg, Failure>) -> Response {
    match name {
        Ok(PathArg(name)) if name == MODEL => Json(the_model(&app)).into_response(),
        Ok(PathArg(name)) => {
            let mut problem =
                not_found(format!("there is no model `{name}`"), format!("The model is `{MODEL}`"));
            problem.code = "model_not_found".to_owned();
            (http::StatusCode::NOT_FOUND, Json(error_body(&problem))).into_response()
        }
        Err(failure) => refuse(failure),
    }
}

fn the_model(app: &App) -> answer::Model {
    answer::Model::new(app.calls.info.started_at)
}

async fn complete(State(app): State<Arc<App>>, headers: HeaderMap, body: Body) -> Response {
    match answer_request(app, &headers, body).await {
        Ok(response) => response,
        Err(failure) => refuse(failure),
    }
}

async fn answer_request(app: Arc<App>, headers: &HeaderMap, body: Body) -> Result<Response, Failure> {
    let bytes = body::read(body, &*app.calls.clock).await?;
    let request: request::ChatRequest = body::parse(&bytes)?;
    let input = request.input()?;
    let (chat, dialog) = place(headers, request.user.as_deref())?;
    let wanted = Say {
        chat: chat.clone(),
        dialog: dialog.clone(),
        id: header(headers, "idempotency-key")?,
        person: request.user.clone(),
        segments: input,
        arrival: Arrival::Enqueue,
    };
    if request.streams() {
        let session = match dialog {
            Some(dialog) => chat.dialog(dialog),
            None => calls::resolve(&app.calls, &chat.to_string()).await?,
        };
        return stream::open(app, wanted, session, request.wants_usage()).await;
    }
    let accepted = say(&app, wanted, Acknowledge::WhenTaken).await?;
    let marks = Marks::of(&accepted);
    let now = app.calls.clock.now();
    let ended = wait_for_end(&app, accepted).await?;
    let mut response = match problem_of_end(&ended) {
        None => Json(answer::Completion::of(&marks.message, now, &ended)).into_response(),
        Some(problem) => {
            let mut response = refuse(told(problem, &ended.reply).into());
            // The message has reached its end: the same words again would be another message.
            response.headers_mut().insert("x-should-retry", HeaderValue::from_static("false"));
            response
        }
    };
    marks.put(&mut response);
    Ok(response)
}

/// What Hearth told the person about the failure says more than a code.
fn told(mut problem: hearth_protocol::Problem, reply: &str) -> hearth_protocol::Problem {
    if !reply.is_empty() {
        problem.hint = reply.to_owned();
    }
    problem
}

/// Where a request speaks: `X-Hearth-Session`, or the person's own chat, or the common one.
fn place(headers: &HeaderMap, user: Option<&str>) -> Result<(ChatKey, Option<String>), Failure> {
    if let Some(session) = header(headers, "x-hearth-session")? {
        return Ok(calls::place(&session)?);
    }
    match user.filter(|user| !user.is_empty()) {
        Some(user) => Ok((ChatKey::new(CHANNEL, user), Some("default".to_owned()))),
        None => Ok(calls::place(DEFAULT_SESSION)?),
    }
}

fn header(headers: &HeaderMap, name: &str) -> Result<Option<String>, Failure> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    match std::str::from_utf8(value.as_bytes()) {
        Ok(text) => Ok(Some(text.to_owned())),
        Err(_) => Err(invalid(format!("the header {name} is not UTF-8"), "Write it in UTF-8").into()),
    }
}

/// Ids by which a client finds again what it said.
struct Marks {
    message: String,
    session: String,
}

impl Marks {
    fn of(accepted: &Accepted) -> Self {
        Self { message: accepted.message.to_string(), session: accepted.session.to_string() }
    }

    fn put(&self, response: &mut Response) {
        for (name, value) in [("x-hearth-message", &self.message), ("x-hearth-session", &self.session)] {
            // silent-ok: a session whose name cannot stand in a header is not named there.
            if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
                response.headers_mut().insert(HeaderName::from_static(name), value);
            }
        }
    }
}
