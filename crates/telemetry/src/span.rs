//! What an event is as a span, by OpenTelemetry's conventions for generative AI (`gen_ai.*`, semantic conventions 1.37).
//!
//! A turn is a trace of its own, whose id is the turn's: what `hearth why` names is found in the collector, and no state is
//! kept between the events of a turn. What people and models said is not in it.

use std::hash::{DefaultHasher, Hash, Hasher};

use hearth_contract::clock::UnixMs;
use hearth_contract::event::{Event, EventKind};
use hearth_contract::provider::Usage;
use hearth_contract::store::TurnState;
use hearth_contract::transcript::ToolStatus;
use serde_json::Value;

use crate::otlp::{CLIENT, INTERNAL, Span, Status, number, text};

/// The span that this event ends; none if it ends none.
pub(crate) fn of_event(event: &Event) -> Option<Span> {
    let conversation = event.session.as_ref().map(ToString::to_string).unwrap_or_default();
    let mut attributes = vec![text("gen_ai.conversation.id", &conversation)];
    let (turn, parts) = match &event.kind {
        EventKind::TurnEnded { turn, state, usage, duration_ms } => {
            attributes.push(text("gen_ai.operation.name", "invoke_agent"));
            attributes.push(text("gen_ai.agent.name", "hearth"));
            attributes.push(text("hearth.turn.state", state.name()));
            attributes.extend(of_usage(*usage));
            let error = match state {
                TurnState::Failed => state.name(),
                _ => "",
            };
            let turn = turn.as_bytes();
            let ids = (low(turn), 0);
            (turn, Parts { ids, name: "invoke_agent hearth".into(), kind: INTERNAL, duration_ms, error })
        }
        EventKind::ModelCalled { turn, round, source, model, duration_ms, usage, error } => {
            attributes.push(text("gen_ai.operation.name", "chat"));
            attributes.push(text("gen_ai.provider.name", source));
            attributes.push(text("gen_ai.request.model", model));
            attributes.push(number("hearth.round", u64::from(*round)));
            attributes.extend(of_usage(*usage));
            let turn = turn.as_bytes();
            let ids = (below(turn, (round, event.number)), low(turn));
            (turn, Parts { ids, name: format!("chat {model}"), kind: CLIENT, duration_ms, error })
        }
        EventKind::ToolEnded { turn, call, tool, status, duration_ms, .. } => {
            attributes.push(text("gen_ai.operation.name", "execute_tool"));
            attributes.push(text("gen_ai.tool.name", tool));
            attributes.push(text("gen_ai.tool.call.id", &call.to_string()));
            let error = match status {
                ToolStatus::Done => "",
                other => other.name(),
            };
            let turn = turn.as_bytes();
            let ids = (below(turn, call.to_string()), low(turn));
            (turn, Parts { ids, name: format!("execute_tool {tool}"), kind: INTERNAL, duration_ms, error })
        }
        _ => return None,
    };
    if !parts.error.is_empty() {
        attributes.push(text("error.type", parts.error));
    }
    let (id, parent) = parts.ids;
    Some(Span {
        trace_id: hex(turn),
        span_id: hex(&id.to_be_bytes()),
        parent_span_id: if parent == 0 { String::new() } else { hex(&parent.to_be_bytes()) },
        name: parts.name,
        kind: parts.kind,
        start_time_unix_nano: nanos(event.at, *parts.duration_ms),
        end_time_unix_nano: nanos(event.at, 0),
        attributes,
        status: Status::of_error(parts.error),
    })
}

/// What differs between the kinds of spans. `ids` are the span's and its parent's.
struct Parts<'a> {
    ids: (u64, u64),
    name: String,
    kind: u8,
    duration_ms: &'a u64,
    error: &'a str,
}

fn of_usage(usage: Usage) -> [Value; 3] {
    [
        number("gen_ai.usage.input_tokens", usage.prompt_tokens),
        number("gen_ai.usage.output_tokens", usage.completion_tokens),
        number("gen_ai.usage.cache_read.input_tokens", usage.cached_tokens),
    ]
}

/// The half of an id that is chance.
fn low(id: &[u8; 16]) -> u64 {
    id[8..].iter().fold(0, |low, byte| low << 8 | u64::from(*byte))
}

/// The id of a span below a turn's. A failed model call and its repetition have the same round, but not the same event.
fn below(turn: &[u8; 16], part: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    (turn, part).hash(&mut hasher);
    hasher.finish().max(1)
}

fn hex(id: &[u8]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn nanos(at: UnixMs, before_ms: u64) -> String {
    let millis = u64::try_from(at.0).unwrap_or(0).saturating_sub(before_ms);
    (u128::from(millis) * 1_000_000).to_string()
}
