//! What a collector gets: read with the types that OpenTelemetry publishes.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::time::Duration;

use hearth_contract::clock::{Clock, UnixMs};
use hearth_contract::event::{Event, EventKind};
use hearth_contract::id::{CallId, MessageId, TurnId};
use hearth_contract::provider::Usage;
use hearth_contract::store::TurnState;
use hearth_contract::task::Tasks;
use hearth_contract::transcript::ToolStatus;
use hearth_net::{Http, HttpSettings};
use hearth_telemetry::{Observer, TelemetryConfig};
use hearth_testkit::clock::TurnedClock;
use hearth_testkit::server::{Server, respond};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use tokio::sync::broadcast;

/// How long a batch waits for more, and a failed one for its repetition.
const BATCH_AFTER: Duration = Duration::from_secs(5);
const NOW: UnixMs = UnixMs(1_800_000_000_000);

/// An observer that watches, and the collector it sends to.
struct World {
    events: broadcast::Sender<Arc<Event>>,
    clock: TurnedClock,
    tasks: Tasks,
    server: Server,
    number: std::cell::Cell<u64>,
}

impl World {
    async fn new(answers: &'static [&'static str]) -> Self {
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let server = Server::start(move |_| {
            let at = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            respond(answers[at.min(answers.len() - 1)], "content-length: 2\r\n", "{}")
        })
        .await;
        let config = TelemetryConfig {
            otlp_url: server.url(""),
            otlp_headers: [("x-key".to_owned(), "k-1".to_owned())].into(),
            service_name: "home".into(),
        };
        let (clock, tasks) = (TurnedClock::new(NOW), Tasks::default());
        let http = Http::new(&HttpSettings::default(), Arc::new(clock.clone())).unwrap();
        let events = broadcast::Sender::new(8192);
        let observer = Observer::of(&config).unwrap().unwrap();
        observer.start(events.subscribe(), http, Arc::new(clock.clone()), &tasks);
        Self { events, clock, tasks, server, number: std::cell::Cell::new(0) }
    }

    fn tell(&self, kind: EventKind) {
        self.number.set(self.number.get() + 1);
        let session = Some("cli:me:default".parse().unwrap());
        let event = Event { number: self.number.get(), at: self.clock.now(), session, kind };
        self.events.send(Arc::new(event)).unwrap();
    }

    /// Turns the clock to when the next batch is sent.
    async fn due(&self) {
        self.clock.sleeper_within(BATCH_AFTER, 0).await;
        self.clock.advance(BATCH_AFTER).await;
    }

    /// The spans of the request of this number.
    fn spans(&self, request: usize) -> Vec<Span> {
        let seen = self.server.seen();
        let (head, body) = seen[request].split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("POST /v1/traces ") && head.contains("x-key: k-1"), "{head}");
        let request: ExportTraceServiceRequest = serde_json::from_str(body).unwrap();
        let resource = &request.resource_spans[0];
        let name = &resource.resource.as_ref().unwrap().attributes[0];
        assert_eq!((name.key.as_str(), of(name)), ("service.name", "home".to_owned()));
        resource.scope_spans[0].spans.clone()
    }
}

fn of(attribute: &opentelemetry_proto::tonic::common::v1::KeyValue) -> String {
    match attribute.value.as_ref().and_then(|value| value.value.clone()).unwrap() {
        Value::StringValue(text) => text,
        Value::IntValue(number) => number.to_string(),
        other => panic!("{other:?}"),
    }
}

fn attribute(span: &Span, key: &str) -> String {
    span.attributes.iter().find(|attribute| attribute.key == key).map(of).unwrap_or_default()
}

fn ended(turn: TurnId, state: TurnState) -> EventKind {
    let usage = Usage { prompt_tokens: 30, cached_tokens: 10, completion_tokens: 5 };
    EventKind::TurnEnded { turn, state, usage, duration_ms: 900 }
}

fn called(turn: TurnId, round: u32, error: &str) -> EventKind {
    EventKind::ModelCalled {
        turn,
        round,
        source: "main".into(),
        model: "m-1".into(),
        duration_ms: 400,
        usage: Usage { prompt_tokens: 30, cached_tokens: 10, completion_tokens: 5 },
        error: error.into(),
    }
}

#[tokio::test]
async fn a_turn_is_a_trace_with_its_model_and_tool_calls() {
    let world = World::new(&["200 OK"]).await;
    let (turn, call) = (TurnId::new(), CallId::from_text("call-1"));
    world.tell(EventKind::TurnStarted { turn, cause: MessageId::new(), attempt: 1 });
    world.tell(called(turn, 0, "overloaded"));
    world.tell(called(turn, 0, ""));
    world.tell(EventKind::ToolEnded {
        turn,
        call: call.clone(),
        tool: "read_file".into(),
        status: ToolStatus::Failed,
        result: "the secret text".into(),
        duration_ms: 7,
    });
    world.tell(ended(turn, TurnState::Done));
    world.due().await;
    world.server.asked(1).await;
    let spans = world.spans(0);
    let names: Vec<&str> = spans.iter().map(|span| span.name.as_str()).collect();
    assert_eq!(names, ["chat m-1", "chat m-1", "execute_tool read_file", "invoke_agent hearth"]);
    let root = &spans[3];
    assert_eq!(root.trace_id, turn.as_bytes());
    assert_eq!((root.parent_span_id.as_slice(), root.span_id.as_slice()), (&[][..], &turn.as_bytes()[8..]));
    assert!(
        spans[..3].iter().all(|span| span.trace_id == root.trace_id && span.parent_span_id == root.span_id)
    );
    let mut ids: Vec<_> = spans.iter().map(|span| span.span_id.clone()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 4, "each span has its own id");
    assert_eq!(root.end_time_unix_nano - root.start_time_unix_nano, 900_000_000);
    for (span, key, value) in [
        (&spans[1], "gen_ai.operation.name", "chat"),
        (&spans[1], "gen_ai.provider.name", "main"),
        (&spans[1], "gen_ai.request.model", "m-1"),
        (&spans[1], "gen_ai.usage.input_tokens", "30"),
        (&spans[1], "gen_ai.usage.output_tokens", "5"),
        (&spans[1], "error.type", ""),
        (&spans[0], "error.type", "overloaded"),
        (&spans[2], "gen_ai.tool.name", "read_file"),
        (&spans[2], "gen_ai.tool.call.id", &call.to_string()),
        (&spans[2], "error.type", "failed"),
        (root, "gen_ai.conversation.id", "cli:me:default"),
        (root, "gen_ai.operation.name", "invoke_agent"),
    ] {
        assert_eq!(attribute(span, key), value, "{} {key}", span.name);
    }
    assert!(!world.server.seen()[0].contains("secret text"), "what was said stays here");
}

#[tokio::test]
async fn a_collector_that_is_away_for_a_moment_loses_nothing() {
    let world = World::new(&["503 Service Unavailable", "200 OK"]).await;
    let turn = TurnId::new();
    world.tell(ended(turn, TurnState::Done));
    world.due().await;
    world.server.asked(1).await;
    world.tell(ended(TurnId::new(), TurnState::Failed));
    world.due().await;
    world.server.asked(2).await;
    let spans = world.spans(1);
    assert_eq!((spans.len(), spans[0].trace_id.as_slice()), (2, turn.as_bytes().as_slice()));
    assert_eq!(spans[1].status.as_ref().unwrap().message, "failed");
}

#[tokio::test]
async fn what_a_collector_refuses_is_not_sent_again() {
    let world = World::new(&["400 Bad Request", "200 OK"]).await;
    world.tell(ended(TurnId::new(), TurnState::Done));
    world.due().await;
    world.server.asked(1).await;
    let turn = TurnId::new();
    world.tell(ended(turn, TurnState::Done));
    world.due().await;
    world.server.asked(2).await;
    let spans = world.spans(1);
    assert_eq!((spans.len(), spans[0].trace_id.as_slice()), (1, turn.as_bytes().as_slice()));
}

#[tokio::test]
async fn what_is_left_is_sent_when_hearth_stops() {
    let world = World::new(&["200 OK"]).await;
    world.tell(ended(TurnId::new(), TurnState::Done));
    world.tasks.stop().await;
    assert_eq!(world.spans(0).len(), 1);
}

#[test]
fn a_section_that_cannot_be_used_is_told() {
    let config = |url: &str| TelemetryConfig { otlp_url: url.into(), ..TelemetryConfig::default() };
    assert!(Observer::of(&config("")).unwrap().is_none());
    assert_eq!(
        Observer::of(&config("localhost:4318")).unwrap_err().to_string(),
        "[telemetry] otlp_url must begin with http:// or https://"
    );
    let headers = [("bad name".to_owned(), "v".to_owned())].into();
    let config = TelemetryConfig { otlp_headers: headers, ..config("http://localhost:4318") };
    assert_eq!(
        Observer::of(&config).unwrap_err().to_string(),
        "[telemetry] otlp_headers: `bad name` is no header"
    );
}
