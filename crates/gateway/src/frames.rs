//! From the kernel's words to the frames of the protocol.

use std::sync::Arc;

use hearth_contract::channel::Outbound;
use hearth_contract::clock::UnixMs;
use hearth_contract::event::{Event, EventKind};
use hearth_contract::id::{MessageId, SessionKey, TurnId};
use hearth_contract::message::{Direction, MessageRecord, Origin, Sender, plain_text};
use hearth_contract::provider::Chunk;
use hearth_protocol::{FRAME_BYTES_MAX, Message, ServerFrame};

use crate::limits::CUT_TEXT_BYTES;

/// A frame for every watcher of a session, encoded once.
#[derive(Debug)]
pub(crate) struct Live {
    /// The frame.
    pub(crate) frame: ServerFrame,
    /// The same as JSON.
    pub(crate) json: String,
    /// The message it shows, of which a client gets one only.
    pub(crate) message: Option<MessageId>,
    /// Of a turn that starts: the message it answers.
    pub(crate) cause: Option<MessageId>,
}

impl Live {
    pub(crate) fn new(frame: ServerFrame) -> Arc<Self> {
        let json = encode(&frame);
        Arc::new(Self { frame, json, message: None, cause: None })
    }

    fn of_message(message: MessageId, frame: Message) -> Arc<Self> {
        let frame = fitting(frame);
        let json = encode(&frame);
        Arc::new(Self { frame, json, message: Some(message), cause: None })
    }
}

/// A frame as JSON on one line.
pub(crate) fn encode(frame: &ServerFrame) -> String {
    serde_json::to_string(frame).unwrap_or_else(|error| {
        tracing::error!(%error, "a frame could not be encoded");
        String::from(r#"{"type":"lagged"}"#)
    })
}

/// The message as a frame that a client will take: a text that is too long for one is cut.
pub(crate) fn fitting(mut message: Message) -> ServerFrame {
    // JSON writes a byte in at most six.
    if message.text.len() > FRAME_BYTES_MAX / 8 {
        let frame = ServerFrame::Message(message.clone());
        if encode(&frame).len() <= FRAME_BYTES_MAX {
            return frame;
        }
        let mut end = CUT_TEXT_BYTES.min(message.text.len());
        while !message.text.is_char_boundary(end) {
            end -= 1;
        }
        message.text.truncate(end);
        message.text.push_str(" …");
    }
    ServerFrame::Message(message)
}

/// What watchers see of an event; none if nothing.
pub(crate) fn of_event(event: &Event) -> Option<Arc<Live>> {
    let frame = match &event.kind {
        EventKind::MessageAccepted { message, .. } | EventKind::MessageSent { message, .. } => {
            return Some(Live::of_message(*message, message_of_event(event)?));
        }
        EventKind::TurnStarted { turn, cause, attempt } => {
            let frame = ServerFrame::TurnStarted { turn: turn.to_string(), attempt: *attempt };
            let json = encode(&frame);
            return Some(Arc::new(Live { frame, json, message: None, cause: Some(*cause) }));
        }
        EventKind::MessageEnded { message, end } => {
            ServerFrame::Ended { message: message.to_string(), end: end.name().to_owned() }
        }
        EventKind::TurnEnded { turn, state, usage, duration_ms } => ServerFrame::TurnEnded {
            turn: turn.to_string(),
            state: state.name().to_owned(),
            prompt_tokens: usage.prompt_tokens,
            completion_tokens: usage.completion_tokens,
            duration_ms: *duration_ms,
        },
        EventKind::ToolStarted { turn, call, tool, arguments } => ServerFrame::ToolStarted {
            turn: turn.to_string(),
            call: call.as_str().to_owned(),
            tool: tool.clone(),
            arguments: arguments.clone(),
        },
        EventKind::ToolEnded { turn, call, tool, status, result, duration_ms } => ServerFrame::ToolEnded {
            turn: turn.to_string(),
            call: call.as_str().to_owned(),
            tool: tool.clone(),
            status: status.name().to_owned(),
            result: result.clone(),
            duration_ms: *duration_ms,
        },
        EventKind::Notice { code, text } => ServerFrame::Notice { code: code.clone(), text: text.clone() },
        EventKind::ModelCalled { .. }
        | EventKind::DeliveryMoved { .. }
        | EventKind::ScheduleFired { .. }
        | EventKind::TaskMoved { .. }
        | EventKind::TurnSuspended { .. }
        | EventKind::TurnContinued { .. }
        | EventKind::HookFailed { .. } => return None,
    };
    Some(Live::new(frame))
}

/// The message of an event that tells of one.
pub(crate) fn message_of_event(event: &Event) -> Option<Message> {
    let session = event.session.as_ref()?;
    match &event.kind {
        EventKind::MessageAccepted { message, sender, text, origin, platform_id } => Some(Message {
            id: message.to_string(),
            session: session.to_string(),
            direction: "in".to_owned(),
            sender: sender.clone(),
            text: text.clone(),
            at_ms: event.at.0,
            turn: None,
            end: None,
            origin: origin_name(origin).to_owned(),
            client_id: platform_id.clone(),
        }),
        EventKind::MessageSent { message, turn, segments } => {
            Some(said(*message, session, plain_text(segments), event.at, *turn))
        }
        _ => None,
    }
}

/// What watchers see of something that is sent to our own clients.
pub(crate) fn of_outbound(outbound: &Outbound, at: UnixMs) -> Arc<Live> {
    let text = plain_text(&outbound.segments);
    Live::of_message(outbound.message, said(outbound.message, &outbound.session, text, at, outbound.turn))
}

/// What watchers of another dialog of the chat see of something that Hearth said in this one.
pub(crate) fn elsewhere(event: &Event) -> Option<Arc<Live>> {
    let EventKind::MessageSent { message, .. } = &event.kind else { return None };
    let ServerFrame::Message(shown) = fitting(message_of_event(event)?) else { return None };
    let frame = ServerFrame::Elsewhere(Box::new(shown));
    let json = encode(&frame);
    Some(Arc::new(Live { frame, json, message: Some(*message), cause: None }))
}

/// What watchers see of an answer that is being written.
pub(crate) fn of_chunk(turn: TurnId, chunk: Chunk) -> Arc<Live> {
    let turn = turn.to_string();
    Live::new(match chunk {
        Chunk::Text(text) => ServerFrame::Draft { turn, text },
        Chunk::Reasoning(text) => ServerFrame::Reasoning { turn, text },
        Chunk::Restart => ServerFrame::DraftRestart { turn },
    })
}

/// A message of the ledger.
pub(crate) fn of_record(record: &MessageRecord) -> Message {
    let incoming = record.direction == Direction::In;
    Message {
        id: record.id.to_string(),
        session: record.session.to_string(),
        direction: if incoming { "in" } else { "out" }.to_owned(),
        sender: if incoming { record.sender.name.clone() } else { Sender::agent().name },
        text: record.text.clone(),
        at_ms: record.accepted_at.0,
        turn: record.turn.map(|turn| turn.to_string()),
        end: record.end.as_ref().map(|end| end.name().to_owned()),
        origin: origin_name(&record.origin).to_owned(),
        client_id: if incoming { record.platform_id.clone() } else { None },
    }
}

fn said(message: MessageId, session: &SessionKey, text: String, at: UnixMs, turn: Option<TurnId>) -> Message {
    Message {
        id: message.to_string(),
        session: session.to_string(),
        direction: "out".to_owned(),
        sender: Sender::agent().name,
        text,
        at_ms: at.0,
        turn: turn.map(|turn| turn.to_string()),
        end: None,
        origin: "user".to_owned(),
        client_id: None,
    }
}

fn origin_name(origin: &Origin) -> &'static str {
    match origin {
        Origin::User => "user",
        Origin::Notice => "notice",
        Origin::Schedule { .. } => "schedule",
        Origin::Task { .. } => "task",
    }
}
