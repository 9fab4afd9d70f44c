//! `POST /api/messages`: says something and, if wanted, waits for the answer.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use hearth_contract::inbox::{Accepted, Acknowledge};
use hearth_contract::message::{Arrival, InterruptLevel, Segment};
use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{App, Reply, Route, schema};
use crate::body::JsonBody;
use crate::calls;
use crate::problem::{Failure, invalid, status_of};
use crate::say::{DEFAULT_SESSION, Say, problem_of_end, say, wait_for_end};

pub(crate) const ROUTES: &[Route] = &[Route::post(
    "/api/messages",
    Reply::Json(schema::<MessageReply>),
    || post(post_message),
)
.body(schema::<PostMessage>)
.says(
    "Says something. With `wait` the answer comes back (200); without, 202 as soon as the message is durable",
)];

/// Something to say.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PostMessage {
    /// `cli:NAME:dialog`, or `cli:NAME` for the chat's current dialog; `cli:api:default` if none.
    #[serde(default)]
    session: Option<String>,
    /// What. May be left out when there are segments.
    #[serde(default)]
    text: String,
    /// What, in pieces; they follow the text.
    #[serde(default)]
    segments: Vec<PostSegment>,
    /// Whether to wait for the answer.
    #[serde(default = "yes")]
    wait: bool,
    /// The caller's id of it; the same one twice is the same message.
    #[serde(default)]
    id: Option<String>,
    /// How it meets a running turn.
    #[serde(default)]
    arrival: hearth_protocol::Arrival,
}

fn yes() -> bool {
    true
}

/// A piece of a message.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum PostSegment {
    /// Plain text or Markdown.
    Text {
        /// The text.
        text: String,
    },
    /// An earlier message is quoted.
    Quote {
        /// The id of the quoted message.
        platform_id: String,
        /// The beginning of what it said.
        #[serde(default)]
        excerpt: String,
    },
}

/// What became of it.
#[derive(Debug, Serialize, JsonSchema)]
struct MessageReply {
    /// The message's id.
    message: String,
    /// Where it went.
    session: String,
    /// It had arrived before.
    duplicate: bool,
    /// The turn that took it up, if one did.
    turn: Option<String>,
    /// What was said in return; none while nothing was.
    reply: Option<String>,
    /// Its end (`answered`, `joined`, `silent`, …); none when it was not waited for.
    end: Option<String>,
    /// What it cost, when it was waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Tokens>,
    /// Where it went wrong: a stable code.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// Where it went wrong: what happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Where it went wrong: what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

/// Tokens, as billed.
#[derive(Debug, Serialize, JsonSchema)]
struct Tokens {
    /// Read.
    prompt_tokens: u64,
    /// Written.
    completion_tokens: u64,
}

async fn post_message(
    State(app): State<Arc<App>>,
    JsonBody(body): JsonBody<PostMessage>,
) -> Result<Response, Failure> {
    let (chat, dialog) = calls::place(body.session.as_deref().unwrap_or(DEFAULT_SESSION))?;
    let mut segments = Vec::with_capacity(body.segments.len() + 1);
    if !body.text.is_empty() {
        segments.push(Segment::text(body.text));
    }
    segments.extend(body.segments.into_iter().map(|segment| match segment {
        PostSegment::Text { text } => Segment::Text { text },
        PostSegment::Quote { platform_id, excerpt } => Segment::Quote { platform_id, excerpt },
    }));
    if segments.is_empty() {
        return Err(
            invalid("neither `text` nor `segments` says anything", "Write something in `text`").into()
        );
    }
    let arrival = match body.arrival {
        hearth_protocol::Arrival::Enqueue => Arrival::Enqueue,
        hearth_protocol::Arrival::Steer => Arrival::Steer,
        hearth_protocol::Arrival::Interrupt(level) => Arrival::Interrupt(InterruptLevel::from_outside(level)),
    };
    let acknowledge = if body.wait { Acknowledge::WhenTaken } else { Acknowledge::WhenDurable };
    let wanted = Say { chat, dialog, id: body.id, person: None, segments, arrival };
    let accepted = say(&app, wanted, acknowledge).await?;
    let mut reply = begun(&accepted);
    if !body.wait {
        return Ok((StatusCode::ACCEPTED, Json(reply)).into_response());
    }
    let ended = wait_for_end(&app, accepted).await?;
    let problem = problem_of_end(&ended);
    let status = problem.as_ref().map_or(StatusCode::OK, |problem| status_of(&problem.code));
    reply.turn = ended.turn.map(|turn| turn.to_string());
    reply.end = Some(ended.end.name().to_owned());
    reply.usage = Some(Tokens {
        prompt_tokens: ended.usage.prompt_tokens,
        completion_tokens: ended.usage.completion_tokens,
    });
    reply.reply = Some(ended.reply);
    if let Some(problem) = problem {
        (reply.code, reply.text, reply.hint) = (Some(problem.code), Some(problem.text), Some(problem.hint));
    }
    Ok((status, Json(reply)).into_response())
}

fn begun(accepted: &Accepted) -> MessageReply {
    MessageReply {
        message: accepted.message.to_string(),
        session: accepted.session.to_string(),
        duplicate: accepted.duplicate,
        turn: None,
        reply: None,
        end: None,
        usage: None,
        code: None,
        text: None,
        hint: None,
    }
}
