//! Who may come in, what is refused, and how doors open and close.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::channel::*;
use hearth_contract::inbox::Inbox;
use hearth_contract::task::Tasks;
use hearth_gateway::{Doors, GatewayError, MetricsAccess, Token, limits, open};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use super::http::{raw, request, whole};
use super::kernel::FakeKernel;
use super::world::{Setting, World, parts};

#[tokio::test]
async fn only_the_token_opens() {
    let world = World::new().await;
    for path in ["/api/status", "/metrics", "/v1/models", "/api/events", "/ws", "/api/openapi.json"] {
        let response = raw(world.address, &request("GET", path, &[], "")).await;
        assert_eq!(response.status, 401, "{path}");
        assert_eq!(response.header("www-authenticate"), Some("Bearer"));
        assert!(response.body.contains("hearth token"), "{path}: {}", response.body);
    }
    for path in ["/healthz", "/readyz", "/"] {
        assert_eq!(raw(world.address, &request("GET", path, &[], "")).await.status, 200, "{path}");
    }
    let query = raw(world.address, &request("GET", "/api/status?token=secret-token", &[], "")).await;
    assert_eq!(query.status, 200);
}

#[tokio::test]
async fn an_openai_client_is_refused_in_its_own_words() {
    let world = World::new().await;
    let response =
        raw(world.address, &request("GET", "/v1/models", &[("authorization", "Bearer x")], "")).await;
    assert_eq!(response.json()["error"]["code"], "invalid_api_key");
    assert_eq!(world.get("/v1/nothing").await.json()["error"]["type"], "invalid_request_error");
}

#[tokio::test]
async fn a_foreign_page_gets_nothing_from_a_browser() {
    let world = World::new().await;
    let status = async |headers: &[(&str, &str)]| {
        raw(world.address, &request("GET", "/api/status", headers, "")).await.status
    };
    let cookie = ("cookie", "hearth_token=secret-token");
    assert_eq!(status(&[cookie]).await, 200);
    // Its name was pointed to this machine.
    assert_eq!(status(&[cookie, ("host", "evil.example:8420")]).await, 403);
    assert_eq!(status(&[cookie, ("origin", "http://evil.example")]).await, 403);
    assert_eq!(status(&[cookie, ("origin", "http://localhost"), ("host", "localhost")]).await, 200);
    let page = raw(world.address, &request("GET", "/", &[("host", "evil.example")], "")).await;
    assert_eq!(page.status, 403);
    // A program that shows the token in a header may use any name: no page can do that.
    assert_eq!(status(&[("authorization", "Bearer secret-token"), ("host", "home.example")]).await, 200);
}

#[tokio::test]
async fn a_name_of_ours_is_allowed() {
    let setting = Setting { hosts: vec!["home.example".into()], ..Setting::default() };
    let world = World::with(setting).await;
    let page = raw(world.address, &request("GET", "/", &[("host", "Home.example:80")], "")).await;
    assert_eq!(page.status, 200);
}

#[tokio::test]
async fn unknown_paths_and_methods_are_told() {
    let world = World::new().await;
    let unknown = world.get("/api/nothing").await;
    assert_eq!((unknown.status, &unknown.json()["code"]), (404, &json!("not_found")));
    let method = world.send("PUT", "/api/status", "").await;
    assert_eq!((method.status, &method.json()["code"]), (405, &json!("method")));
    assert_eq!(world.get("/api/sessions/%FF/messages").await.json()["code"], "invalid");
    assert_eq!(world.get("/ws").await.json()["code"], "invalid");
}

#[tokio::test]
async fn a_body_that_is_too_large_is_told_so() {
    let world = World::new().await;
    let text = "x".repeat(limits::BODY_BYTES_MAX);
    let response = world.post("/api/messages", &json!({ "text": text }).to_string()).await;
    assert_eq!((response.status, &response.json()["code"]), (413, &json!("too_large")));
    let response = world.post("/v1/chat/completions", &json!({ "x": text }).to_string()).await;
    assert_eq!((response.status, &response.json()["error"]["code"]), (413, &json!("too_large")));
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let world = World::new().await;
    let mut stream = TcpStream::connect(world.address).await.unwrap();
    let head = "POST /api/messages HTTP/1.1\r\nhost: x\r\nauthorization: Bearer secret-token\r\n\
                content-length: 100\r\nconnection: close\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.unwrap();
    world.kernel.clock.somebody_sleeps(limits::BODY_TIME_MAX).await;
    world.kernel.clock.turn(limits::BODY_TIME_MAX);
    let response = whole(stream).await;
    assert_eq!((response.status, &response.json()["code"]), (408, &json!("timeout")));
}

#[tokio::test]
async fn the_page_says_what_this_is_in_both_languages_and_runs_nothing() {
    let world = World::new().await;
    let page = world.get("/").await;
    assert!(page.header("content-type").unwrap().starts_with("text/html"));
    assert!(page.body.contains("personal agent") && page.body.contains("个人智能体"));
    assert!(!page.body.contains("<script"));
}

#[tokio::test]
async fn the_description_names_every_route_and_each_answers() {
    let world = World::new().await;
    let document = world.get("/api/openapi.json").await.json();
    assert_eq!(document["openapi"], "3.1.0");
    let mut seen = 0;
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            if ["/api/events", "/channels/{channel}", "/channels/{channel}/{rest}"].contains(&path.as_str()) {
                continue;
            }
            let filled = path
                .replace("{session}", "cli:me:default")
                .replace("{id}", "hearth")
                .replace("{call}", "call_1");
            let response = world.send(&method.to_uppercase(), &filled, "").await;
            assert!(
                ![404, 405].contains(&response.status) || response.body.contains("there is no dialog"),
                "{method} {path}: {}",
                response.body
            );
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
    // Every reference leads somewhere.
    let text = document.to_string();
    for name in text.split("\"#/components/schemas/").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(document["components"]["schemas"].get(name).is_some(), "{name}");
    }
    let parameters = &document["paths"]["/api/sessions/{session}/messages"]["get"]["parameters"];
    assert_eq!(parameters.as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn metrics_count_what_happens() {
    let world = World::with(Setting { metrics: MetricsAccess::Open, ..Setting::default() }).await;
    let (_, ()) = tokio::join!(world.post("/api/messages", r#"{"text": "x"}"#), async {
        let taken = world.next().await;
        taken.start();
        taken.tool("now");
        taken.answer("y").await;
    });
    let metrics = raw(world.address, &request("GET", "/metrics", &[], "")).await;
    for line in [
        "hearth_messages_accepted_total 1",
        "hearth_messages_ended_total{end=\"answered\"} 1",
        "hearth_turns_total{state=\"done\"} 1",
        "hearth_tool_calls_total{tool=\"now\",status=\"done\"} 1",
        "hearth_turn_duration_seconds_bucket{le=\"0.02\"} 1",
        "hearth_turn_duration_seconds_bucket{le=\"0.005\"} 0",
        "hearth_turn_duration_seconds_sum 0.02",
        "hearth_clients 0",
        "hearth_uptime_seconds 10",
    ] {
        assert!(metrics.body.lines().any(|have| have == line), "{line}\n{}", metrics.body);
    }
}

#[derive(Debug)]
struct Echo(ChannelInfo);

#[async_trait]
impl Channel for Echo {
    fn info(&self) -> &ChannelInfo {
        &self.0
    }

    async fn run(&self, _inbox: Arc<dyn Inbox>, _shutdown: CancellationToken) {}

    async fn send(&self, _outbound: &Outbound) -> Result<Receipt, SendError> {
        Ok(Receipt::default())
    }

    fn web(&self) -> Option<&dyn WebDoor> {
        (self.0.name == "echo").then_some(self)
    }
}

#[async_trait]
impl WebDoor for Echo {
    async fn handle(&self, request: WebRequest, _inbox: Arc<dyn Inbox>) -> WebReply {
        let body = format!(
            "{} {} {} {:?} {}",
            request.method,
            request.path,
            request.query,
            request.header("x-test"),
            String::from_utf8_lossy(&request.body)
        );
        let headers = vec![("retry-after", "3".to_owned())];
        WebReply { status: 429, content_type: "text/plain", headers, body: body.into_bytes() }
    }
}

#[tokio::test]
async fn a_network_reaches_its_channel_without_our_token() {
    let channel = |name: &str| {
        let info = ChannelInfo {
            name: name.into(),
            kind: "echo",
            resend: ResendPolicy::Never,
            policy: None,
            reply: ReplyMode::Auto,
        };
        Arc::new(Echo(info)) as Arc<dyn Channel>
    };
    let channels = vec![channel("echo"), channel("mute")];
    let world = World::with(Setting { channels, ..Setting::default() }).await;
    let headers = [("X-Test", "yes"), ("host", "public.example")];
    let response = raw(world.address, &request("PUT", "/channels/echo/a/b?c=d", &headers, "body")).await;
    assert_eq!(response.status, 429);
    assert_eq!(response.header("retry-after"), Some("3"));
    assert_eq!(response.body, r#"PUT /a/b c=d Some("yes") body"#);
    let short = raw(world.address, &request("POST", "/channels/echo", &[], "x")).await;
    assert_eq!(short.body, "POST   None x");
    for path in ["/channels/mute", "/channels/nobody", "/channels/nobody/x"] {
        assert_eq!(raw(world.address, &request("POST", path, &[], "")).await.status, 404, "{path}");
    }
}

fn doors(listen: Option<String>, socket: Option<std::path::PathBuf>) -> Doors {
    Doors { listen, socket, token: Token::new("t"), metrics: MetricsAccess::Token, hosts: Vec::new() }
}

#[tokio::test]
async fn a_taken_address_is_told() {
    let world = World::new().await;
    let (kernel, _taken) = FakeKernel::new(8);
    let address = world.address.to_string();
    let error = open(parts(&kernel, Vec::new(), &Tasks::default()), doors(Some(address.clone()), None)).await;
    let error = error.unwrap_err();
    assert!(error.to_string().contains(&address), "{error}");
    assert!(!error.hint().is_empty());
}

#[tokio::test]
async fn the_socket_is_ours_alone_and_a_dead_one_is_replaced() {
    let world = World::new().await;
    let mode = std::fs::metadata(world.socket()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let (kernel, _taken) = FakeKernel::new(8);
    let second = open(parts(&kernel, Vec::new(), &Tasks::default()), doors(None, Some(world.socket()))).await;
    assert_eq!(second.unwrap_err(), GatewayError::SocketTaken { path: world.socket() });

    let stale = world.home.path().join("stale.sock");
    drop(std::os::unix::net::UnixListener::bind(&stale).unwrap());
    let tasks = Tasks::default();
    let third = open(parts(&kernel, Vec::new(), &tasks), doors(None, Some(stale.clone()))).await;
    assert_eq!(third.unwrap().address(), None);
    assert!(tokio::net::UnixStream::connect(&stale).await.is_ok());
    tasks.stop().await;
    assert!(!stale.exists());
}

#[tokio::test]
async fn at_the_end_waiting_callers_are_told() {
    let world = World::new().await;
    let (response, ()) = tokio::join!(world.post("/api/messages", r#"{"text": "x"}"#), async {
        let taken = world.next().await;
        world.tasks.shutdown().cancel();
        drop(taken);
    });
    assert_eq!((response.status, &response.json()["code"]), (503, &json!("stopping")));
    world.tasks.stop().await;
    assert!(TcpStream::connect(world.address).await.is_err());
}
