//! The tools that look at or change only the ledger: time, timers, memory, sending.

use hearth_contract::clock::UnixMs;
use hearth_contract::id::{ChatKey, ScheduleId};
use hearth_contract::message::{Arrival, Direction, MessageRecord, Origin, Segment, Sender};
use hearth_contract::rights::Role;
use hearth_contract::store::{
    Change, DeliveryChange, DeliveryState, FactChange, MessageChange, ScheduleChange, ScheduleKind,
    ScheduleRecord, ScheduleState,
};
use serde_json::{Value, json};

use crate::fixture::{Fixture, NOW};

/// A fixture whose turn answers a message of 小明 on account `bot-2`.
fn asked() -> Fixture {
    let fixture = Fixture::new();
    fixture.ports.messages.lock().unwrap().push(MessageRecord {
        id: fixture.context.cause,
        session: fixture.context.session.clone(),
        chat_kind: fixture.context.chat_kind,
        account: "bot-2".into(),
        direction: Direction::In,
        origin: Origin::User,
        sender: Sender { id: "me".into(), name: "小明".into(), role: Role::Owner },
        segments: vec![Segment::text("hi")],
        text: "hi".into(),
        addressed: true,
        arrival: Arrival::default(),
        platform_id: None,
        sent_at: NOW,
        accepted_at: NOW,
        turn: None,
        end: None,
    });
    fixture
}

/// Sets a timer as the kernel would commit it.
async fn set(fixture: &Fixture, arguments: Value) -> ScheduleRecord {
    let output = fixture.call("timer_set", arguments).await.unwrap();
    let [Change::Schedule(ScheduleChange::Put(record))] = output.changes.as_slice() else {
        panic!("{:?}", output.changes)
    };
    fixture.ports.schedules.lock().unwrap().push(ScheduleRecord::clone(record));
    ScheduleRecord::clone(record)
}

#[tokio::test]
async fn now_is_told_in_the_zone_that_is_asked_for() {
    let fixture = Fixture::new();
    for (arguments, expected) in [
        (json!({}), "2026-11-30T19:12:03+08:00[Asia/Shanghai] Monday"),
        (json!({"zone": ""}), "2026-11-30T19:12:03+08:00[Asia/Shanghai] Monday"),
        (json!({"zone": "America/New_York"}), "2026-11-30T06:12:03-05:00[America/New_York] Monday"),
        (json!({"zone": "Pacific/Kiritimati"}), "2026-12-01T01:12:03+14:00[Pacific/Kiritimati] Tuesday"),
    ] {
        assert_eq!(fixture.text("now", arguments).await, expected);
    }
    let error = fixture.error("now", json!({"zone": "北京"})).await;
    assert!(error.contains("`zone` is `北京`") && error.contains("Asia/Shanghai"), "{error}");
}

#[tokio::test]
async fn a_timer_fires_where_it_was_set_with_the_rights_of_who_set_it() {
    let fixture = asked();
    let record = set(&fixture, json!({"text": " 起来走走 ", "in_seconds": 10})).await;
    assert_eq!(record.kind, ScheduleKind::At { due_at: UnixMs(NOW.0 + 10_000) });
    assert_eq!(record.next_due_at, Some(UnixMs(NOW.0 + 10_000)));
    assert_eq!(
        (record.text.as_str(), record.state, record.created_at),
        ("起来走走", ScheduleState::Active, NOW)
    );
    assert_eq!((&record.session, record.cause), (&fixture.context.session, fixture.context.cause));
    assert_eq!((record.account.as_str(), record.sender.name.as_str()), ("bot-2", "小明"));
    assert_eq!(record.sender.role, Role::Owner);
}

#[tokio::test]
async fn timers_are_set_at_local_and_at_absolute_times() {
    let fixture = asked();
    for (at, due_at) in [
        ("2026-12-01 08:30", 1_796_085_000_000),
        ("2026-12-01T08:30:00+08:00", 1_796_085_000_000),
        ("2026-12-01T00:30:00Z", 1_796_085_000_000),
    ] {
        let record = set(&fixture, json!({"text": "x", "at": at})).await;
        assert_eq!(record.next_due_at, Some(UnixMs(due_at)), "{at}");
    }
}

#[tokio::test]
async fn a_timer_that_cannot_be_meant_is_refused() {
    let fixture = asked();
    for (arguments, part) in [
        (json!({"text": "x"}), "exactly one of"),
        (json!({"text": "x", "in_seconds": 1, "at": "2027-01-01"}), "exactly one of"),
        (json!({"text": " ", "in_seconds": 1}), "`text` is empty"),
        (json!({"text": "x".repeat(2001), "in_seconds": 1}), "2000 characters"),
        (json!({"text": "x", "in_seconds": 0}), "at least 1"),
        (json!({"text": "x", "in_seconds": -5}), "at least 1"),
        (json!({"text": "x", "in_seconds": 400_000_000}), "10 years"),
        (json!({"text": "x", "in_seconds": u64::MAX}), "10 years"),
        (json!({"text": "x", "at": "2026-11-30 19:12"}), "not in the future; it is now 2026-11-30T19:12:03"),
        (json!({"text": "x", "at": "2040-01-01"}), "10 years"),
        (json!({"text": "x", "at": "tomorrow"}), "`at` is `tomorrow`"),
    ] {
        let error = fixture.error("timer_set", arguments.clone()).await;
        assert!(error.contains(part), "{arguments}: {error}");
    }
    for _ in 0..200 {
        set(&fixture, json!({"text": "x", "in_seconds": 5})).await;
    }
    let error = fixture.error("timer_set", json!({"text": "x", "in_seconds": 5})).await;
    assert!(error.contains("timer_cancel"), "{error}");
}

#[tokio::test]
async fn timers_are_listed_and_cancelled_only_in_their_chat_and_by_who_may() {
    let mut fixture = asked();
    let record = set(&fixture, json!({"text": "茶", "in_seconds": 60})).await;
    let id = record.id.to_string();
    let listed: Value = serde_json::from_str(&fixture.text("timer_list", json!({})).await).unwrap();
    let due = "2026-11-30T19:13:03+08:00[Asia/Shanghai] Monday";
    assert_eq!(listed, json!({"timers": [{"id": id, "text": "茶", "due": due}]}));

    for (id, part) in [("x", "no id of a timer"), (&*ScheduleId::new().to_string(), "no such timer")] {
        let error = fixture.error("timer_cancel", json!({"id": id})).await;
        assert!(error.contains(part), "{error}");
    }
    fixture.context.caller = "other".into();
    fixture.context.role = Role::Member;
    let error = fixture.error("timer_cancel", json!({"id": id})).await;
    assert!(error.starts_with("not allowed") && error.contains("小明"), "{error}");
    fixture.context.session.chat = ChatKey::new("cli", "elsewhere");
    assert!(fixture.error("timer_cancel", json!({"id": id})).await.contains("no such timer"));
    assert_eq!(fixture.text("timer_list", json!({})).await, r#"{"timers":[]}"#);

    fixture.context.session = record.session.clone();
    fixture.context.caller = "me".into();
    let output = fixture.call("timer_cancel", json!({"id": id})).await.unwrap();
    assert_eq!(output.changes, [Change::Schedule(ScheduleChange::Cancel { schedule: record.id })]);
    fixture.ports.schedules.lock().unwrap()[0].state = ScheduleState::Cancelled;
    assert!(fixture.error("timer_cancel", json!({"id": id})).await.contains("over already"));
}

#[tokio::test]
async fn facts_are_stored_with_their_source_and_recalled_as_json() {
    let fixture = asked();
    let output = fixture.call("memory_store", json!({"text": " 我最喜欢乌龙茶 "})).await.unwrap();
    let [Change::Fact(FactChange::Put { fact, .. })] = output.changes.as_slice() else {
        panic!("{:?}", output.changes)
    };
    assert_eq!((fact.text.as_str(), fact.importance, fact.valid_from), ("我最喜欢乌龙茶", 0.5, NOW));
    assert_eq!(fact.sources, [fixture.context.cause]);
    assert_eq!(output.text, json!({"status": "stored", "id": fact.id.to_string()}).to_string());

    fixture.ports.facts.lock().unwrap().push(fact.clone());
    let arguments = json!({"query": "乌龙", "since": "2026-11-01", "until": "2026-12-01T00:00:00Z"});
    let recalled: Value = serde_json::from_str(&fixture.text("memory_recall", arguments).await).unwrap();
    let since = "2026-11-30T19:12:03+08:00";
    let expected =
        json!({"id": fact.id.to_string(), "text": "我最喜欢乌龙茶", "since": since, "score": 0.88});
    assert_eq!(recalled, json!({ "facts": [expected] }));
    let asked = fixture.ports.recalls.lock().unwrap()[0].clone();
    assert_eq!(
        (asked.limit, asked.since, asked.until),
        (5, Some(UnixMs(1_793_462_400_000)), Some(UnixMs(1_796_083_200_000)))
    );
    assert_eq!(fixture.text("memory_recall", json!({"query": "咖啡"})).await, r#"{"facts":[]}"#);
}

#[tokio::test]
async fn forgetting_needs_one_name_of_a_fact_that_is_there() {
    let fixture = asked();
    for arguments in [json!({}), json!({"id": "a", "key": "b"})] {
        assert!(fixture.error("memory_forget", arguments).await.contains("exactly one"));
    }
    assert!(fixture.error("memory_forget", json!({"id": "a"})).await.contains("no id of a fact"));
    assert!(fixture.error("memory_forget", json!({"key": "a"})).await.contains("memory_recall"));
    let output = fixture.call("memory_store", json!({"text": "x", "key": "a"})).await.unwrap();
    let Change::Fact(FactChange::Put { fact, .. }) = &output.changes[0] else {
        panic!("{:?}", output.changes)
    };
    fixture.ports.facts.lock().unwrap().push(fact.clone());
    let output = fixture.call("memory_forget", json!({"key": "a"})).await.unwrap();
    let close = FactChange::Close { fact: fact.id, at: NOW, replaced_by: None };
    assert_eq!(output.changes, [Change::Fact(close)]);
}

#[tokio::test]
async fn what_is_sent_is_a_message_and_a_delivery_to_this_chat() {
    let fixture = asked();
    let output = fixture.call("output_send", json!({"text": "请稍等"})).await.unwrap();
    let [Change::Message(MessageChange::Say(message)), Change::Delivery(DeliveryChange::Put(delivery))] =
        output.changes.as_slice()
    else {
        panic!("{:?}", output.changes)
    };
    assert_eq!((message.text.as_str(), message.direction), ("请稍等", Direction::Out));
    assert_eq!((message.account.as_str(), &message.sender), ("bot-2", &Sender::agent()));
    assert_eq!((message.turn, &message.session), (Some(fixture.context.turn), &fixture.context.session));
    assert_eq!((delivery.message, delivery.turn), (message.id, Some(fixture.context.turn)));
    assert_eq!((&delivery.chat, delivery.state), (&fixture.context.session.chat, DeliveryState::Prepared));
    assert!(fixture.error("output_send", json!({"text": " \n"})).await.contains("`text` is empty"));
}
