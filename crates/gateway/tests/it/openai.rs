//! The OpenAI-compatible door, as its bytes are. `tests/sdk` drives it with the official client.

use hearth_contract::inbox::AcceptError;
use hearth_contract::message::{Arrival, MessageEnd};
use hearth_contract::provider::Chunk;
use hearth_contract::store::TurnState;
use hearth_gateway::limits;
use serde_json::{Value, json};

use super::http::{Sse, request};
use super::world::World;

const PATH: &str = "/v1/chat/completions";

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

#[tokio::test]
async fn an_answer_in_one_piece() {
    let world = World::new().await;
    let body = json!({"model": "gpt-4o", "messages": [user("hello")], "temperature": 0.1, "max_tokens": 5});
    let body = body.to_string();
    let (response, message) = tokio::join!(world.post(PATH, &body), async {
        let taken = world.next().await;
        assert_eq!(taken.text(), "hello");
        assert_eq!(taken.session.to_string(), "cli:api:default");
        assert_eq!(taken.inbound.arrival, Arrival::Enqueue);
        let message = taken.message.to_string();
        taken.answer("你好").await;
        message
    });
    assert_eq!(response.status, 200);
    assert_eq!(response.header("x-hearth-session"), Some("cli:api:default"));
    assert_eq!(response.header("x-hearth-message"), Some(message.as_str()));
    assert_eq!(
        response.json(),
        json!({
            "id": format!("chatcmpl-{message}"), "object": "chat.completion", "created": 1_800_000_000,
            "model": "hearth",
            "choices": [{
                "index": 0, "message": {"role": "assistant", "content": "你好", "refusal": null},
                "logprobs": null, "finish_reason": "stop",
            }],
            "usage": {
                "prompt_tokens": 11, "completion_tokens": 4, "total_tokens": 15,
                "prompt_tokens_details": {"cached_tokens": 5},
            },
        })
    );
}

async fn taken_of(headers: &[(&str, &str)], body: Value) -> (String, String, Option<String>) {
    let world = World::new().await;
    let body = body.to_string();
    let (_, taken) = tokio::join!(world.send_with("POST", PATH, headers, &body), async {
        let taken = world.next().await;
        let seen = (taken.text(), taken.session.to_string(), taken.inbound.platform_id.clone());
        taken.answer("x").await;
        seen
    });
    taken
}

#[tokio::test]
async fn only_what_is_new_is_said() {
    let talk = json!({"messages": [
        {"role": "system", "content": "Be brief."},
        user("one"), {"role": "assistant", "content": "1"},
        user("two"), {"role": "user", "content": [{"type": "text", "text": "three"}]},
    ]});
    assert_eq!(taken_of(&[], talk).await.0, "two\n\nthree");
    let first = json!({"messages": [{"role": "developer", "content": "Be brief."}, user("one")]});
    let text = taken_of(&[], first).await.0;
    assert!(text.contains("Be brief.") && text.ends_with("\n\none"), "{text}");
}

#[tokio::test]
async fn the_session_is_the_headers_or_the_persons_or_the_common_one() {
    let body = json!({"messages": [user("x")], "user": "ann"});
    assert_eq!(taken_of(&[], body.clone()).await.1, "cli:ann:default");
    assert_eq!(taken_of(&[("X-Hearth-Session", "cli:me:work")], body.clone()).await.1, "cli:me:work");
    let key = [("Idempotency-Key", "k1")];
    assert_eq!(taken_of(&key, body).await.2.as_deref(), Some("k1"));
}

#[tokio::test]
async fn what_cannot_be_kept_is_refused() {
    let world = World::new().await;
    for (body, word) in [
        (json!({}), "messages"),
        (json!({"messages": []}), "messages"),
        (json!({"messages": [user("x")], "n": 2}), "n"),
        (json!({"messages": [user("x")], "tools": [{"type": "function"}]}), "tools"),
        (json!({"messages": [user("x")], "response_format": {"type": "json_object"}}), "response_format"),
        (json!({"messages": [{"role": "bard", "content": "x"}]}), "bard"),
        (json!({"messages": [user("x"), {"role": "assistant", "content": "y"}]}), "user"),
        (json!({"messages": [user(" ")]}), "nothing"),
        (json!({"messages": "x"}), "sequence"),
    ] {
        let response = world.post(PATH, &body.to_string()).await;
        assert_eq!(response.status, 400, "{body}");
        let error = &response.json()["error"];
        assert_eq!(error["type"], "invalid_request_error");
        assert!(error["message"].as_str().unwrap().contains(word), "{body}: {error}");
    }
    let response = world
        .send_with("POST", PATH, &[("x-hearth-session", "me")], &json!({"messages": [user("x")]}).to_string())
        .await;
    assert_eq!(response.status, 400);
}

#[tokio::test]
async fn a_failed_turn_is_an_error_that_is_not_tried_again() {
    let world = World::new().await;
    let body = json!({"messages": [user("x")]}).to_string();
    let (response, ()) = tokio::join!(world.post(PATH, &body), async {
        let end = MessageEnd::FailedTold { code: "rate_limited".into() };
        world.next().await.end(end, TurnState::Failed, "Sorry, the model is busy.");
    });
    assert_eq!(response.status, 502);
    assert_eq!(response.header("x-should-retry"), Some("false"));
    let error = &response.json()["error"];
    assert_eq!((&error["type"], &error["code"]), (&json!("server_error"), &json!("failed")));
    assert!(error["message"].as_str().unwrap().contains("the model is busy"), "{error}");

    *world.kernel.refuse.lock().unwrap() = Some(AcceptError::Full { retry_after_ms: 10 });
    let response = world.post(PATH, &body).await;
    assert_eq!((response.status, response.header("retry-after")), (429, Some("1")));
    assert_eq!(response.json()["error"]["type"], "rate_limit_error");
}

#[tokio::test]
async fn the_agent_is_the_model() {
    let world = World::new().await;
    let list = world.get("/v1/models").await.json();
    assert_eq!(list["object"], "list");
    assert_eq!(list["data"][0]["id"], "hearth");
    assert_eq!(world.get("/v1/models/hearth").await.json(), list["data"][0]);
    let unknown = world.get("/v1/models/gpt-4o").await;
    assert_eq!((unknown.status, &unknown.json()["error"]["code"]), (404, &json!("model_not_found")));
}

async fn open(world: &World, body: Value) -> Sse {
    let headers = [("authorization", "Bearer secret-token")];
    Sse::open(world.address, &request("POST", PATH, &headers, &body.to_string())).await
}

/// All pieces up to `[DONE]`.
async fn pieces(sse: &mut Sse) -> Vec<Value> {
    let mut pieces = Vec::new();
    loop {
        let (_, _, data) = sse.event().await.expect("[DONE]");
        if data == "[DONE]" {
            assert!(sse.block().await.is_none());
            return pieces;
        }
        pieces.push(serde_json::from_str(&data).unwrap());
    }
}

fn content(pieces: &[Value]) -> Vec<String> {
    let texts = pieces.iter().filter_map(|piece| piece["choices"][0]["delta"]["content"].as_str());
    texts.filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

#[tokio::test]
async fn an_answer_comes_in_pieces() {
    let world = World::new().await;
    let body = json!({"messages": [user("x")], "stream": true, "stream_options": {"include_usage": true}});
    let (mut sse, taken) = tokio::join!(open(&world, body), world.next());
    taken.start();
    taken.chunk(Chunk::Reasoning("hm".into()));
    for piece in ["It", " is", " noon"] {
        taken.draft(piece);
    }
    taken.answer("It is noon.").await;
    let pieces = pieces(&mut sse).await;
    assert_eq!(pieces[0]["choices"][0]["delta"], json!({"role": "assistant", "content": ""}));
    assert_eq!(pieces[1]["choices"][0]["delta"], json!({"reasoning_content": "hm"}));
    assert_eq!(content(&pieces), ["It", " is", " noon", "."]);
    let [.., last, usage] = pieces.as_slice() else { panic!() };
    assert_eq!(
        last["choices"][0],
        json!({"index": 0, "delta": {}, "logprobs": null, "finish_reason": "stop"})
    );
    assert_eq!((&usage["choices"], &usage["usage"]["total_tokens"]), (&json!([]), &json!(15)));
    assert!(
        pieces
            .iter()
            .all(|piece| piece["object"] == "chat.completion.chunk" && piece["id"] == pieces[0]["id"])
    );
    assert_eq!(last["usage"], Value::Null);
}

#[tokio::test]
async fn without_usage_wanted_no_piece_has_it() {
    let world = World::new().await;
    let (mut sse, taken) =
        tokio::join!(open(&world, json!({"messages": [user("x")], "stream": true})), world.next());
    taken.answer("whole").await;
    let pieces = pieces(&mut sse).await;
    assert_eq!(content(&pieces), ["whole"]);
    assert!(pieces.iter().all(|piece| piece.get("usage").is_none()));
}

#[tokio::test]
async fn tools_and_new_beginnings_are_smoothed_over() {
    let world = World::new().await;
    let (mut sse, taken) =
        tokio::join!(open(&world, json!({"messages": [user("x")], "stream": true})), world.next());
    taken.start();
    taken.draft("Let me ");
    taken.chunk(Chunk::Restart);
    taken.draft("Let me look.");
    taken.tool("now");
    taken.draft("Noon");
    taken.answer("Noon!").await;
    assert_eq!(content(&pieces(&mut sse).await).concat(), "Let me look.\n\nNoon!");
}

#[tokio::test]
async fn another_turn_of_the_session_is_not_heard() {
    let world = World::new().await;
    let (mut sse, mine) =
        tokio::join!(open(&world, json!({"messages": [user("x")], "stream": true})), world.next());
    let other = json!({"text": "y", "wait": false}).to_string();
    let (_, theirs) = tokio::join!(world.post("/api/messages", &other), world.next());
    theirs.start();
    theirs.draft("theirs");
    theirs.answer("theirs").await;
    mine.start();
    mine.draft("mine");
    mine.answer("mine").await;
    assert_eq!(content(&pieces(&mut sse).await), ["mine"]);
}

#[tokio::test]
async fn a_failure_in_the_stream_is_an_error_piece() {
    let world = World::new().await;
    let (mut sse, taken) =
        tokio::join!(open(&world, json!({"messages": [user("x")], "stream": true})), world.next());
    taken.start();
    taken.draft("Hal");
    taken.end(MessageEnd::Cancelled { by: "me".into() }, TurnState::Cancelled, "");
    let pieces = pieces(&mut sse).await;
    assert_eq!(pieces.last().unwrap()["error"]["code"], "cancelled");
}

#[tokio::test]
async fn a_client_that_leaves_does_not_stop_the_turn() {
    let world = World::new().await;
    let (sse, taken) =
        tokio::join!(open(&world, json!({"messages": [user("x")], "stream": true})), world.next());
    drop(sse);
    taken.start();
    let message = taken.message;
    taken.answer("still said").await;
    let rows = world.kernel.store.rows();
    assert!(
        rows.messages.iter().any(|record| record.id == message && record.end == Some(MessageEnd::Answered))
    );
    assert!(world.kernel.stopped.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_long_silence_is_filled() {
    let world = World::new().await;
    let (mut sse, taken) =
        tokio::join!(open(&world, json!({"messages": [user("x")], "stream": true})), world.next());
    assert!(sse.event().await.is_some());
    world.kernel.clock.somebody_sleeps(limits::KEEP_ALIVE).await;
    world.kernel.clock.turn(limits::KEEP_ALIVE);
    assert_eq!(sse.block().await.as_deref(), Some(": alive\n\n"));
    taken.answer("x").await;
    assert_eq!(content(&pieces(&mut sse).await), ["x"]);
}
