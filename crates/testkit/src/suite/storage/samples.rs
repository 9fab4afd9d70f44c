//! Records as the cases need them.

use hearth_contract::clock::UnixMs;
use hearth_contract::id::{
    CallId, ChatKey, DeliveryId, FactId, MessageId, ScheduleId, SessionKey, TaskId, TurnId,
};
use hearth_contract::message::{Arrival, ChatKind, Direction, MessageRecord, Origin, Segment, Sender};
use hearth_contract::provider::Usage;
use hearth_contract::rights::Role;
use hearth_contract::store::{
    Audience, Change, DeliveryRecord, DeliveryState, EffectRecord, EffectState, FactChange, FactRecord,
    Lease, MessageChange, ScheduleKind, ScheduleRecord, ScheduleState, Step, StepRecord, TaskNotice,
    TaskRecord, TaskState, TurnChange, TurnRecord, TurnState,
};
use hearth_contract::tool::EffectClass;

/// A time that the samples count from.
pub const START: UnixMs = UnixMs(1_790_000_000_000);

/// The first dialog of the owner's chat.
pub fn session() -> SessionKey {
    chat().dialog(SessionKey::DEFAULT_DIALOG)
}

/// The owner's chat.
pub fn chat() -> ChatKey {
    ChatKey::new("cli", "我")
}

/// Somebody who writes.
pub fn sender() -> Sender {
    Sender { id: "42".into(), name: "小明".into(), role: Role::Owner }
}

/// An incoming message with the network's id `platform_id` (none if empty).
pub fn incoming(session: &SessionKey, platform_id: &str, text: &str) -> MessageRecord {
    MessageRecord {
        id: MessageId::new(),
        session: session.clone(),
        chat_kind: ChatKind::Private,
        account: "bot".into(),
        direction: Direction::In,
        origin: Origin::User,
        sender: sender(),
        segments: vec![
            Segment::Mention { user: "1".into(), name: "Hearth".into() },
            Segment::text(text),
            Segment::Custom { kind: "face".into(), raw: serde_json::json!({"id": 3, "名": "笑"}) },
        ],
        text: text.into(),
        addressed: true,
        arrival: Arrival::Steer,
        platform_id: (!platform_id.is_empty()).then(|| platform_id.into()),
        sent_at: START,
        accepted_at: START,
        turn: None,
        end: None,
    }
}

/// What is said in a turn.
pub fn outgoing(session: &SessionKey, turn: TurnId, text: &str) -> MessageRecord {
    MessageRecord {
        direction: Direction::Out,
        sender: Sender::agent(),
        segments: vec![Segment::text(text)],
        turn: Some(turn),
        ..incoming(session, "", text)
    }
}

/// A turn that runs.
pub fn turn(session: &SessionKey, cause: MessageId) -> TurnRecord {
    TurnRecord {
        id: TurnId::new(),
        session: session.clone(),
        cause,
        state: TurnState::Running,
        attempt: 1,
        lease: Lease { owner: "a".into(), fence: 1 },
        started_at: START,
        ended_at: None,
        usage: Usage::default(),
        detail: String::new(),
    }
}

/// The end of a turn by the holder of `fence`.
pub fn end(turn: TurnId, fence: i64) -> TurnChange {
    TurnChange::End {
        turn,
        fence,
        state: TurnState::Done,
        at: UnixMs(START.0 + 5),
        usage: Usage { prompt_tokens: 10, cached_tokens: 4, completion_tokens: 3 },
        detail: String::new(),
    }
}

/// A step that only says something.
pub fn note(turn: TurnId, number: u32, text: &str) -> StepRecord {
    StepRecord { turn, number, at: START, step: Step::Note { text: text.into() } }
}

/// A prepared delivery.
pub fn delivery(message: &MessageRecord, number: u32) -> DeliveryRecord {
    DeliveryRecord {
        id: DeliveryId::new(),
        message: message.id,
        turn: message.turn,
        number,
        chat: message.session.chat.clone(),
        state: DeliveryState::Prepared,
        attempts: 0,
        may_be_duplicate: false,
        created_at: START,
        detail: String::new(),
    }
}

/// An intended effect.
pub fn effect(turn: TurnId, index: usize) -> EffectRecord {
    EffectRecord {
        call: CallId::at(turn, 0, index),
        turn,
        tool: "write_file".into(),
        class: EffectClass::Probeable,
        arguments: r#"{"path":"a"}"#.into(),
        state: EffectState::Intended,
        intended_at: START,
        settled_at: None,
    }
}

/// A schedule that is due once.
pub fn schedule(session: &SessionKey, due_at: UnixMs) -> ScheduleRecord {
    ScheduleRecord {
        id: ScheduleId::new(),
        session: session.clone(),
        chat_kind: ChatKind::Private,
        account: String::new(),
        sender: sender(),
        kind: ScheduleKind::At { due_at },
        text: "伸个懒腰".into(),
        cause: MessageId::new(),
        created_at: START,
        state: ScheduleState::Active,
        next_due_at: Some(due_at),
    }
}

/// A fact that holds from `valid_from` on.
pub fn fact(audience: Audience, text: &str, valid_from: UnixMs) -> FactRecord {
    FactRecord {
        id: FactId::new(),
        text: text.into(),
        key: None,
        importance: 0.5,
        audience,
        sources: vec![MessageId::new()],
        valid_from,
        valid_to: None,
        replaced_by: None,
    }
}

/// Puts a fact under its words.
pub fn put_fact(fact: &FactRecord, words: &str) -> Change {
    FactChange::Put { fact: fact.clone(), words: words.into() }.into()
}

/// Accepts a message.
pub fn accept(message: &MessageRecord) -> Change {
    MessageChange::Accept(message.clone()).into()
}

/// A background task that waits.
pub fn task(session: &SessionKey) -> TaskRecord {
    TaskRecord {
        id: TaskId::new(),
        kind: "look".into(),
        session: session.clone(),
        chat_kind: ChatKind::Private,
        account: "bot".into(),
        sender: sender(),
        cause: MessageId::new(),
        call: None,
        title: "查一查".into(),
        payload: r#"{"for":"it's"}"#.into(),
        state: TaskState::Queued,
        attempts: 0,
        lease: Lease { owner: String::new(), fence: 0 },
        handle: String::new(),
        result: String::new(),
        arrival: Arrival::Steer,
        notice: TaskNotice::Nothing,
        notice_failures: 0,
        created_at: START,
        ended_at: None,
        notice_at: START,
    }
}
