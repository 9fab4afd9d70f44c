//! Frames for tests.

use hearth_protocol::{Dialog, Message, ServerFrame};

/// The dialog of most tests.
pub(crate) const SESSION: &str = "cli:me:default";

/// 2026-11-30 14:03 UTC.
pub(crate) const NOON_MS: i64 = 1_796_047_380_000;

pub(crate) fn said(id: &str, text: &str) -> Message {
    Message {
        id: id.to_owned(),
        session: SESSION.to_owned(),
        direction: "in".to_owned(),
        sender: "me".to_owned(),
        text: text.to_owned(),
        at_ms: NOON_MS,
        turn: None,
        end: None,
        origin: "user".to_owned(),
        client_id: None,
    }
}

pub(crate) fn ended(id: &str, text: &str, end: &str) -> Message {
    Message { end: Some(end.to_owned()), ..said(id, text) }
}

pub(crate) fn answer(id: &str, turn: &str, text: &str) -> Message {
    let turn = (!turn.is_empty()).then(|| turn.to_owned());
    Message { direction: "out".to_owned(), sender: "Hearth".to_owned(), turn, ..said(id, text) }
}

pub(crate) fn watching(session: &str, title: &str) -> ServerFrame {
    ServerFrame::Watching { session: session.to_owned(), title: title.to_owned() }
}

pub(crate) fn accepted(id: &str, message: &str) -> ServerFrame {
    ServerFrame::Accepted {
        id: id.to_owned(),
        message: message.to_owned(),
        session: SESSION.to_owned(),
        duplicate: false,
    }
}

pub(crate) fn end(message: &str, end: &str) -> ServerFrame {
    ServerFrame::Ended { message: message.to_owned(), end: end.to_owned() }
}

pub(crate) fn turn_started(turn: &str) -> ServerFrame {
    ServerFrame::TurnStarted { turn: turn.to_owned(), attempt: 1 }
}

pub(crate) fn draft(turn: &str, text: &str) -> ServerFrame {
    ServerFrame::Draft { turn: turn.to_owned(), text: text.to_owned() }
}

pub(crate) fn reasoning(turn: &str, text: &str) -> ServerFrame {
    ServerFrame::Reasoning { turn: turn.to_owned(), text: text.to_owned() }
}

pub(crate) fn tool_started(turn: &str, call: &str, tool: &str, arguments: &str) -> ServerFrame {
    ServerFrame::ToolStarted {
        turn: turn.to_owned(),
        call: call.to_owned(),
        tool: tool.to_owned(),
        arguments: arguments.to_owned(),
    }
}

pub(crate) fn tool_ended(turn: &str, call: &str, tool: &str, status: &str, result: &str) -> ServerFrame {
    ServerFrame::ToolEnded {
        turn: turn.to_owned(),
        call: call.to_owned(),
        tool: tool.to_owned(),
        status: status.to_owned(),
        result: result.to_owned(),
        duration_ms: 312,
    }
}

pub(crate) fn turn_ended(turn: &str, state: &str) -> ServerFrame {
    ServerFrame::TurnEnded {
        turn: turn.to_owned(),
        state: state.to_owned(),
        prompt_tokens: 1_234,
        completion_tokens: 56,
        duration_ms: 3_450,
    }
}

pub(crate) fn dialog(name: &str, title: &str) -> Dialog {
    Dialog {
        session: format!("cli:me:{name}"),
        title: title.to_owned(),
        state: "active".to_owned(),
        current: name == "default",
        created_at_ms: NOON_MS,
        active_at_ms: NOON_MS,
    }
}
