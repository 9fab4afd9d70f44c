//! `/api/…`: saying something, and every question.

use hearth_contract::id::{MessageId, ScheduleId, TaskId, TurnId};
use hearth_contract::inbox::{AcceptError, Acknowledge};
use hearth_contract::message::{Arrival, ChatKind, InterruptLevel, MessageEnd, Sender};
use hearth_contract::rights::Role;
use hearth_contract::store::{
    Lease, ScheduleKind, ScheduleRecord, ScheduleState, TaskNotice, TaskRecord, TaskState, TurnState,
};
use serde_json::json;

use super::world::{World, session};

#[tokio::test]
async fn a_message_is_answered() {
    let world = World::new().await;
    let (response, taken) = tokio::join!(
        world.post("/api/messages", r#"{"session": "cli:me:default", "text": "hello", "id": "a1"}"#),
        async {
            let taken = world.next().await;
            assert_eq!(taken.text(), "hello");
            assert_eq!(taken.acknowledge, Acknowledge::WhenTaken);
            assert_eq!(taken.inbound.platform_id.as_deref(), Some("a1"));
            assert_eq!(taken.inbound.arrival, Arrival::Steer);
            assert_eq!(
                taken.inbound.sender,
                Sender { id: "me".into(), name: "me".into(), role: Role::Owner }
            );
            assert_eq!((taken.inbound.chat_kind, taken.inbound.addressed), (ChatKind::Private, true));
            let ids = (taken.message, taken.turn);
            taken.answer("你好").await;
            ids
        }
    );
    assert_eq!(response.status, 200);
    assert_eq!(
        response.json(),
        json!({
            "message": taken.0.to_string(), "session": "cli:me:default", "duplicate": false,
            "turn": taken.1.to_string(), "reply": "你好", "end": "answered",
            "usage": {"prompt_tokens": 11, "completion_tokens": 4},
        })
    );
}

#[tokio::test]
async fn without_waiting_it_is_only_safe() {
    let world = World::new().await;
    let response =
        world.post("/api/messages", r#"{"text": "hello", "wait": false, "arrival": "enqueue"}"#).await;
    let taken = world.next().await;
    assert_eq!(taken.acknowledge, Acknowledge::WhenDurable);
    assert_eq!(taken.inbound.arrival, Arrival::Enqueue);
    assert_eq!(response.status, 202);
    let body = response.json();
    assert_eq!(body["message"], taken.message.to_string());
    assert_eq!(body["session"], "cli:api:default");
    assert_eq!((&body["reply"], &body["end"]), (&json!(null), &json!(null)));
}

#[tokio::test]
async fn an_interrupt_has_a_level() {
    let world = World::new().await;
    for (body, level) in [
        (r#""interrupt""#, InterruptLevel::Joins),
        (r#"{"interrupt": 1}"#, InterruptLevel::Joins),
        (r#"{"interrupt": 2}"#, InterruptLevel::Urgent),
        (r#"{"interrupt": 3}"#, InterruptLevel::Highest),
        (r#"{"interrupt": 4}"#, InterruptLevel::Highest),
    ] {
        let body = format!(r#"{{"text": "now", "wait": false, "arrival": {body}}}"#);
        assert_eq!(world.post("/api/messages", &body).await.status, 202);
        assert_eq!(world.next().await.inbound.arrival, Arrival::Interrupt(level), "{body}");
    }
    let wrong = world.post("/api/messages", r#"{"text": "x", "arrival": {"interrupt": "now"}}"#).await;
    assert_eq!(wrong.status, 400);
}

#[tokio::test]
async fn a_chat_without_a_dialog_is_the_current_one() {
    let world = World::new().await;
    let (_, ()) = tokio::join!(world.post("/api/messages", r#"{"session": "cli:me", "text": "x"}"#), async {
        let taken = world.next().await;
        assert_eq!(taken.inbound.dialog, None);
        taken.answer("y").await;
    });
}

#[tokio::test]
async fn a_second_arrival_gets_the_first_ones_answer() {
    let world = World::new().await;
    let body = r#"{"text": "hello", "id": "same"}"#;
    let (first, ()) = tokio::join!(world.post("/api/messages", body), async {
        let taken = world.next().await;
        let turn = taken.turn;
        world.kernel.store.rows().turns.push(turn_record(turn, taken.message));
        taken.answer("hi").await;
    });
    // The fake kernel tells nobody of an end that is past, so the answer can only come from the ledger.
    let second = world.post("/api/messages", body).await;
    assert_eq!(second.status, 200);
    let (first, second) = (first.json(), second.json());
    assert_eq!(first["message"], second["message"]);
    assert_eq!(second["duplicate"], true);
    assert_eq!(second["reply"], "hi");
    assert_eq!(second["turn"], first["turn"]);
}

fn turn_record(turn: hearth_contract::id::TurnId, cause: MessageId) -> hearth_contract::store::TurnRecord {
    hearth_contract::store::TurnRecord {
        id: turn,
        session: session("cli:api:default"),
        cause,
        state: TurnState::Done,
        attempt: 1,
        lease: hearth_contract::store::Lease { owner: "x".into(), fence: 1 },
        started_at: hearth_contract::clock::UnixMs(0),
        ended_at: None,
        usage: super::kernel::USAGE,
        detail: String::new(),
    }
}

#[tokio::test]
async fn every_end_has_its_status() {
    let ends = [
        (MessageEnd::Silent { rule: "standby".into() }, 200, None),
        (MessageEnd::FailedTold { code: "rate_limited".into() }, 502, Some("failed")),
        (MessageEnd::DeadLettered { reason: "no channel".into() }, 502, Some("failed")),
        (MessageEnd::Cancelled { by: "me".into() }, 409, Some("cancelled")),
        (MessageEnd::Stale, 409, Some("stale")),
        (MessageEnd::Erased, 410, Some("erased")),
    ];
    let world = World::new().await;
    for (end, status, code) in ends {
        let (response, ()) = tokio::join!(world.post("/api/messages", r#"{"text": "x"}"#), async {
            world.next().await.end(end.clone(), TurnState::Failed, "told");
        });
        let body = response.json();
        assert_eq!(response.status, status, "{end:?}");
        assert_eq!(body["end"], end.name());
        assert_eq!(body["reply"], "told");
        assert_eq!(body.get("code").and_then(|code| code.as_str()), code, "{end:?}");
    }
}

#[tokio::test]
async fn what_is_not_taken_says_why_and_what_to_do() {
    let world = World::new().await;
    let refusals = [
        (AcceptError::Full { retry_after_ms: 1500 }, 429, "full"),
        (AcceptError::Invalid { reason: "too long".into() }, 400, "invalid"),
        (AcceptError::Stopping, 503, "stopping"),
    ];
    for (error, status, code) in refusals {
        *world.kernel.refuse.lock().unwrap() = Some(error);
        let response = world.post("/api/messages", r#"{"text": "x"}"#).await;
        assert_eq!(response.status, status);
        assert_eq!(response.json()["code"], code);
        assert_ne!(response.json()["hint"], "");
        assert_eq!(response.header("retry-after"), (status == 429).then_some("2"));
    }
}

#[tokio::test]
async fn a_body_that_cannot_be_meant_names_the_field() {
    let world = World::new().await;
    for (body, word) in [
        (r#"{"text": "x", "sesion": "cli:me:default"}"#, "sesion"),
        (r#"{"text": 5}"#, "string"),
        (r#"{"text": ""}"#, "text"),
        (r#"{"text": " \n"}"#, "nothing"),
        (r#"{"text": "x", "session": "me"}"#, "me"),
        (r#"{"text": "x", "session": "qq:1:default"}"#, "qq:1"),
        (r#"{"text": "x", "id": ""}"#, "id"),
        (r#"{"text": "x", "segments": [{"type": "image"}]}"#, "image"),
        ("nonsense", "expected"),
    ] {
        let response = world.post("/api/messages", body).await;
        assert_eq!(response.status, 400, "{body}");
        let problem = response.json();
        assert_eq!(problem["code"], "invalid");
        assert!(problem["text"].as_str().unwrap().contains(word), "{body}: {problem}");
        assert_ne!(problem["hint"], "", "{body}");
    }
}

#[tokio::test]
async fn dialogs_are_made_listed_and_changed() {
    let world = World::new().await;
    let made = world.post("/api/sessions", r#"{"chat": "cli:me", "title": "茶"}"#).await.json();
    assert_eq!((&made["session"], &made["current"]), (&json!("cli:me:d1"), &json!(true)));
    world.post("/api/sessions", r#"{"chat": "cli:me"}"#).await;
    world.post("/api/sessions", r#"{"chat": "cli:you"}"#).await;
    let all = world.get("/api/sessions").await.json();
    assert_eq!(all.as_array().unwrap().len(), 3);
    assert_eq!(world.get("/api/sessions?limit=1").await.json().as_array().unwrap().len(), 1);
    let mine = world.get("/api/sessions?chat=cli:me").await.json();
    assert_eq!((&mine[0]["current"], &mine[1]["current"]), (&json!(false), &json!(true)));

    let path = "/api/sessions/cli:me:d1";
    assert_eq!(world.post(&format!("{path}/switch"), "").await.json()["current"], true);
    assert_eq!(world.post(&format!("{path}/rename"), r#"{"title": "tea"}"#).await.json()["title"], "tea");
    assert_eq!(world.post(&format!("{path}/archive"), "").await.json()["state"], "archived");
    assert_eq!(world.send("DELETE", path, "").await.json()["state"], "deleted");
    assert_eq!(world.post(&format!("{path}/restore"), "").await.json()["state"], "active");
    let unknown = world.post("/api/sessions/cli:me:nowhere/switch", "").await;
    assert_eq!((unknown.status, &unknown.json()["code"]), (404, &json!("not_found")));
}

#[tokio::test]
async fn messages_are_read_in_pages() {
    let world = World::new().await;
    let me = session("cli:me:default");
    let ids: Vec<String> =
        (0..5).map(|n| world.kernel.store_said(&me, None, &format!("m{n}")).to_string()).collect();
    let texts = async |query: &str| {
        let page = world.get(&format!("/api/sessions/cli:me:default/messages{query}")).await.json();
        let texts: Vec<String> = page
            .as_array()
            .unwrap()
            .iter()
            .map(|message| message["text"].as_str().unwrap().to_owned())
            .collect();
        texts
    };
    assert_eq!(texts("").await, ["m0", "m1", "m2", "m3", "m4"]);
    assert_eq!(texts("?limit=2").await, ["m3", "m4"]);
    assert_eq!(texts(&format!("?after={}", ids[2])).await, ["m3", "m4"]);
    assert_eq!(texts(&format!("?before={}&limit=1", ids[2])).await, ["m1"]);
    assert_eq!(world.get("/api/sessions/cli%3Ame/messages").await.json().as_array().unwrap().len(), 5);
    assert_eq!(world.get("/api/sessions/cli:me:default/messages?after=x").await.status, 400);
    assert_eq!(world.get("/api/sessions/cli:me:default/messages?limit=x").await.status, 400);
    assert_eq!(world.get("/api/sessions/cli:me:default/messages?limt=1").await.status, 400);
    assert_eq!(world.get("/api/sessions/cli:me:nowhere/messages").await.status, 404);
    assert_eq!(world.get("/api/sessions/cli:new:default/messages").await.json(), json!([]));
}

#[tokio::test]
async fn the_other_questions_are_answered() {
    let world = World::new().await;
    let status = world.get("/api/status").await.json();
    assert_eq!(status["version"], "9.9.9");
    assert_eq!(status["address"], world.address.to_string());
    assert_eq!(status["uptime_ms"], 10_000);
    assert_eq!(status["sources"][0]["state"], "untried");
    assert_eq!(status["sources"][1]["state"], "rate_limited");

    assert_eq!(world.get("/api/why/abcd").await.json()["lines"][0]["text"], "abcd was taken");
    assert_eq!(world.get("/api/why/abcd?language=zh").await.json()["lines"][0]["text"], "abcd 已收到");
    assert_eq!(world.get("/api/why/nothing").await.status, 404);
    assert_eq!(world.get("/api/prove?since_ms=7").await.json()["answered"], 7);
    let usage = world.get("/api/usage?since_ms=5&session=cli:me:default").await.json();
    assert_eq!((&usage[0]["day"], &usage[0]["model"]), (&json!("since 5"), &json!("cli:me:default")));
    assert_eq!(usage[0]["cached_tokens"], 10);

    world.post("/api/sessions/cli:me:default/stop", "").await;
    assert_eq!(*world.kernel.stopped.lock().unwrap(), [(session("cli:me:default"), "me".to_owned())]);
    assert_eq!(world.post("/api/sessions/cli:me:idle/stop", "").await.status, 404);
}

#[tokio::test]
async fn what_a_call_changed_is_listed_and_undone() {
    let world = World::new().await;
    let listed = world.get("/api/changes?limit=5").await.json();
    assert_eq!(
        listed,
        json!([{"call": "call_1", "tool": "write_file", "session": "cli:me:default", "caller": "me",
            "at_ms": 1_800_000_000_000_i64, "state": "settled", "paths_total": 1,
            "paths": [{"path": "a.txt", "change": "made", "kept": true}]}])
    );
    let done = world.post("/api/changes/call_1/undo", "").await.json();
    assert_eq!((&done["undoes"], &done["caller"]), (&json!("call_1"), &json!("cli")));
    let refused = world.post("/api/changes/call_2/undo?language=zh", "").await;
    assert_eq!((refused.status, refused.json()["text"].as_str()), (409, Some("又有改动")));
    assert_eq!(world.post("/api/changes/call_3/undo", "").await.status, 404);
}

#[tokio::test]
async fn background_tasks_are_listed_and_cancelled() {
    let world = World::new().await;
    let at = hearth_contract::clock::UnixMs(99);
    let task = |title: &str, state, notice| TaskRecord {
        id: TaskId::new(),
        kind: "child".into(),
        session: session("cli:me:default"),
        chat_kind: ChatKind::Private,
        account: String::new(),
        sender: Sender::agent(),
        cause: MessageId::new(),
        call: None,
        title: title.into(),
        payload: String::new(),
        state,
        attempts: 2,
        lease: Lease { owner: String::new(), fence: 2 },
        handle: String::new(),
        result: String::new(),
        arrival: Arrival::Steer,
        notice,
        notice_failures: 0,
        created_at: at,
        ended_at: None,
        notice_at: at,
    };
    let claimed = TaskNotice::Claimed { turn: TurnId::new() };
    let (ended, open) =
        (task("a", TaskState::Done, claimed), task("b", TaskState::Running, TaskNotice::Nothing));
    let id = open.id.to_string();
    world.kernel.store.rows().tasks.extend([ended.clone(), open]);
    let listed = world.get("/api/tasks?chat=cli:me&limit=1").await.json();
    assert_eq!(
        listed,
        json!([{"id": id, "kind": "child", "session": "cli:me:default", "title": "b", "state": "running",
            "notice": "nothing", "attempts": 2, "result": "", "created_at_ms": 99}])
    );
    let listed = world.get("/api/tasks").await.json();
    assert_eq!((&listed[1]["title"], &listed[1]["notice"]), (&json!("a"), &json!("pending")));
    assert_eq!(world.get("/api/tasks?chat=cli:you").await.json(), json!([]));
    assert_eq!(world.send("DELETE", &format!("/api/tasks/{id}"), "").await.json(), json!({}));
    assert_eq!(world.get("/api/tasks").await.json()[0]["result"], "cli");
    for (id, status) in [(id, 404), (ended.id.to_string(), 404), ("x".into(), 400)] {
        assert_eq!(world.send("DELETE", &format!("/api/tasks/{id}"), "").await.status, status);
    }
}

#[tokio::test]
async fn schedules_are_listed_and_cancelled() {
    let world = World::new().await;
    let id = ScheduleId::new();
    let due_at = hearth_contract::clock::UnixMs(99);
    world.kernel.store.rows().schedules.push(ScheduleRecord {
        id,
        session: session("cli:me:default"),
        chat_kind: ChatKind::Private,
        account: String::new(),
        sender: Sender::agent(),
        kind: ScheduleKind::At { due_at },
        text: "stretch".into(),
        cause: MessageId::new(),
        created_at: due_at,
        state: ScheduleState::Active,
        next_due_at: Some(due_at),
    });
    let listed = world.get("/api/schedules?chat=cli:me").await.json();
    assert_eq!(
        listed,
        json!([{"id": id.to_string(), "session": "cli:me:default", "text": "stretch", "due_at_ms": 99}])
    );
    assert_eq!(world.get("/api/schedules?chat=cli:you").await.json(), json!([]));
    assert_eq!(world.get(&format!("/api/schedules/next?id={id}")).await.json(), listed);
    assert_eq!(world.get("/api/schedules/next?limit=0").await.json(), json!([]));
    assert_eq!(world.get("/api/schedules/next?id=x").await.status, 400);
    world.kernel.store.rows().schedules[0].kind =
        ScheduleKind::Cron { expression: "0 8 * * *".into(), zone: "Asia/Shanghai".into() };
    let repeats = &world.get("/api/schedules").await.json()[0]["repeats"];
    assert_eq!(*repeats, json!({"kind": "cron", "expression": "0 8 * * *", "zone": "Asia/Shanghai"}));
    assert_eq!(world.send("POST", &format!("/api/schedules/{id}/run"), "").await.json(), json!({}));
    assert_eq!(world.send("DELETE", &format!("/api/schedules/{id}"), "").await.json(), json!({}));
    assert_eq!(world.send("POST", &format!("/api/schedules/{id}/run"), "").await.status, 404);
    assert_eq!(world.send("DELETE", &format!("/api/schedules/{id}"), "").await.status, 404);
    assert_eq!(world.send("DELETE", "/api/schedules/x", "").await.status, 400);
}

#[tokio::test]
async fn schedules_are_made_in_sessions_of_our_own() {
    let world = World::new().await;
    let wanted =
        |session: &str, due: &str| format!(r#"{{"session":"{session}","text":"stretch","due":{due}}}"#);
    let at = r#"{"kind":"at","at_ms":99}"#;
    let made = world.send("POST", "/api/schedules", &wanted("cli:me:default", at)).await.json();
    assert_eq!((made["text"].as_str(), made["due_at_ms"].as_i64()), (Some("stretch"), Some(99)));
    assert_eq!(world.get("/api/schedules").await.json(), json!([made]));
    assert_eq!(world.kernel.store.rows().schedules[0].sender.id, "me");
    let often = wanted("cli:me:default", r#"{"kind":"every","every_ms":1}"#);
    let often = world.send("POST", "/api/schedules", &often).await;
    assert_eq!(often.status, 400);
    assert!(often.json().to_string().contains("seldom"));
    for (session, status) in [("qq:1:default", 400), ("cli:me:nowhere", 404), ("x", 400)] {
        assert_eq!(
            world.send("POST", "/api/schedules", &wanted(session, at)).await.status,
            status,
            "{session}"
        );
    }
}

#[tokio::test]
async fn a_broken_ledger_is_told() {
    let world = World::new().await;
    assert_eq!(world.get("/readyz").await.status, 200);
    world.kernel.store.rows().broken = Some("disk full".into());
    let response = world.get("/api/sessions").await;
    assert_eq!((response.status, &response.json()["code"]), (503, &json!("unavailable")));
    assert!(response.body.contains("disk full"));
    assert_eq!(world.get("/readyz").await.status, 503);
    assert_eq!(world.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn settings_are_listed_set_and_taken_back() {
    let world = World::new().await;
    let listed = world.get("/api/settings").await.json();
    assert_eq!(
        listed,
        json!([{"key": "agent.answer", "value": 41, "from": "default", "default": 41, "kind": "integer",
            "choices": [], "description": "What it is.", "at_run_time": true}])
    );
    assert_eq!(world.send("PUT", "/api/settings/agent.answer", r#"{"value": 42}"#).await.json(), json!({}));
    let listed = world.get("/api/settings?language=zh").await.json();
    let shown = (&listed[0]["value"], &listed[0]["from"], &listed[0]["description"]);
    assert_eq!(shown, (&json!(42), &json!("setting"), &json!("它是什么")));
    assert_eq!(world.send("DELETE", "/api/settings/agent.answer", "").await.json(), json!({}));
    assert_eq!(world.get("/api/settings").await.json()[0]["value"], json!(41));
    let refused = world.send("PUT", "/api/settings/agent.no?language=zh", r#"{"value": 1}"#).await;
    assert_eq!((refused.status, refused.json()["text"].as_str()), (400, Some("未知的键 `agent.no`")));
}
