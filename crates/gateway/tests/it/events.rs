//! `/api/events`: live, resumed, and with a gap that is told.

use hearth_contract::event::{EVENT_PATTERNS_MAX, EventKind};
use hearth_contract::id::TurnId;
use hearth_gateway::limits;
use serde_json::Value;

use super::http::{Sse, request};
use super::world::{World, session};

fn notice(text: &str) -> EventKind {
    EventKind::Notice { code: "test".into(), text: text.into() }
}

async fn open(world: &World, last: Option<&str>) -> Sse {
    open_at(world, "/api/events", last).await
}

async fn open_at(world: &World, path: &str, last: Option<&str>) -> Sse {
    let mut headers = vec![("authorization", "Bearer secret-token")];
    headers.extend(last.map(|last| ("last-event-id", last)));
    let mut sse = Sse::open(world.address, &request("GET", path, &headers, "")).await;
    assert_eq!(sse.block().await.as_deref(), Some("retry: 1000\n\n"));
    sse
}

async fn text(sse: &mut Sse) -> (String, String) {
    let (name, id, data) = sse.event().await.unwrap();
    assert_eq!(name, "notice", "{data}");
    let data: Value = serde_json::from_str(&data).unwrap();
    assert_eq!(data["type"], "notice");
    (data["text"].as_str().unwrap().to_owned(), id)
}

#[tokio::test]
async fn a_reader_sees_what_happens_from_now_on() {
    let world = World::new().await;
    world.kernel.emit(None, notice("before"));
    let mut sse = open(&world, None).await;
    assert!(sse.head.contains("text/event-stream"));
    world.kernel.emit(Some(&session("cli:me:default")), notice("after"));
    assert_eq!(text(&mut sse).await.0, "after");
}

#[tokio::test]
async fn a_reader_that_comes_back_misses_nothing() {
    let world = World::new().await;
    let mut sse = open(&world, None).await;
    world.kernel.emit(None, notice("one"));
    let (_, id) = text(&mut sse).await;
    drop(sse);
    for number in 2..600 {
        world.kernel.emit(None, notice(&number.to_string()));
    }
    let mut sse = open(&world, Some(&id)).await;
    for number in 2..600 {
        assert_eq!(text(&mut sse).await.0, number.to_string());
    }
}

#[tokio::test]
async fn what_is_no_longer_kept_is_told() {
    let world = World::new().await;
    let mut sse = open(&world, None).await;
    world.kernel.emit(None, notice("first"));
    let (_, id) = text(&mut sse).await;
    drop(sse);
    for number in 0..limits::RING_EVENTS_MAX + 10 {
        world.kernel.emit(None, notice(&number.to_string()));
        if number % 1000 == 0 {
            // Lets the gateway take them, so that none is lost before it.
            world.get("/metrics").await;
        }
    }
    let mut sse = open(&world, Some(&id)).await;
    let (name, _, data) = sse.event().await.unwrap();
    assert_eq!(name, "gap");
    assert_eq!(serde_json::from_str::<Value>(&data).unwrap()["missed"], 10);
    assert_eq!(text(&mut sse).await.0, "10");
}

#[tokio::test]
async fn an_id_of_another_run_is_a_gap_and_then_all_that_is_kept() {
    let world = World::new().await;
    world.kernel.emit(None, notice("kept"));
    for id in ["1-1", "nonsense", "1799999990000-99"] {
        let mut sse = open(&world, Some(id)).await;
        assert_eq!(sse.event().await.unwrap().0, "gap", "{id}");
        assert_eq!(text(&mut sse).await.0, "kept");
    }
}

#[tokio::test]
async fn events_lost_on_the_way_are_a_gap() {
    let world = World::with(super::world::Setting { events_max: 8, ..Default::default() }).await;
    let mut sse = open(&world, None).await;
    world.kernel.emit(None, notice("one"));
    text(&mut sse).await;
    // No other task runs between these, so the broadcast overflows.
    for number in 0..20 {
        world.kernel.emit(None, notice(&number.to_string()));
    }
    let (name, _, data) = sse.event().await.unwrap();
    assert_eq!(name, "gap");
    assert_eq!(serde_json::from_str::<Value>(&data).unwrap()["missed"], 12);
    assert_eq!(text(&mut sse).await.0, "12");
    let metrics = world.get("/metrics").await.body;
    assert!(metrics.contains("hearth_events_missed_total 12"), "{metrics}");
}

#[tokio::test]
async fn silence_is_filled_with_signs_of_life() {
    let world = World::new().await;
    let mut sse = open(&world, None).await;
    world.kernel.clock.somebody_sleeps(limits::KEEP_ALIVE).await;
    world.kernel.clock.turn(limits::KEEP_ALIVE);
    assert_eq!(sse.block().await.as_deref(), Some(": alive\n\n"));
}

#[tokio::test]
async fn the_stream_ends_when_hearth_stops() {
    let world = World::new().await;
    let mut sse = open(&world, None).await;
    world.tasks.shutdown().cancel();
    assert_eq!(sse.block().await, None);
}

#[tokio::test]
async fn a_reader_gets_only_what_it_asked_for_and_its_place_moves_all_the_same() {
    let world = World::new().await;
    let turn = || EventKind::TurnContinued { turn: TurnId::new() };
    let mut sse = open_at(&world, "/api/events?only=turn.*,tool.ended", None).await;
    world.kernel.emit(None, notice("not wanted"));
    world.kernel.emit(None, turn());
    assert_eq!(sse.event().await.unwrap().0, "turn_continued");
    world.kernel.emit(None, notice("not wanted either"));
    let moved = sse.block().await.unwrap();
    let place = moved.strip_prefix("id: ").unwrap().strip_suffix("\n\n").unwrap();
    drop(sse);
    world.kernel.emit(None, notice("after the place"));
    let mut sse = open(&world, Some(place)).await;
    assert_eq!(text(&mut sse).await.0, "after the place");
}

#[tokio::test]
async fn a_browser_shows_its_token_in_the_query() {
    let world = World::new().await;
    let path = "/api/events?token=secret-token&only=notice";
    let mut sse = Sse::open(world.address, &request("GET", path, &[], "")).await;
    assert_eq!(sse.block().await.as_deref(), Some("retry: 1000\n\n"));
    world.kernel.emit(None, notice("seen"));
    assert_eq!(text(&mut sse).await.0, "seen");
}

#[tokio::test]
async fn an_event_that_never_happens_cannot_be_waited_for() {
    let world = World::new().await;
    for list in ["tools.*", "turn", "notice,", &vec!["notice"; EVENT_PATTERNS_MAX + 1].join(",")] {
        let answer = world.get(&format!("/api/events?only={list}")).await;
        assert_eq!(answer.status, 400, "{list}");
        assert!(answer.json()["hint"].as_str().unwrap().contains("tool.*"), "{list}");
    }
}
