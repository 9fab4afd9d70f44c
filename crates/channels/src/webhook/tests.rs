//! Both directions of a webhook, against a program that does what the test says.

use std::sync::Mutex;

use bytes::Bytes;
use hearth_contract::clock::UnixMs;
use hearth_contract::id::{ChatKey, DeliveryId, MessageId, TurnId};
use hearth_contract::inbox::{AcceptError, Accepted, Acknowledge};
use hearth_contract::message::{ChatKind, Inbound, Segment};
use hearth_contract::rights::Role;
use hearth_net::{Http, HttpSettings};
use hearth_testkit::clock::TurnedClock;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::*;
use crate::entry::BuildError;
use crate::signature::sign;

fn try_build(section: Value) -> Result<(Arc<dyn Channel>, TurnedClock), BuildError> {
    let clock = TurnedClock::new(UnixMs(1_800_000_000_000));
    let http = Http::new(&HttpSettings::default(), Arc::new(clock.clone())).unwrap();
    let Value::Object(values) = section else { panic!() };
    let section = ChannelSection { name: "hook".into(), values };
    Ok((build(section, &Deps { http, clock: Arc::new(clock.clone()) })?, clock))
}

fn channel(section: Value) -> Arc<dyn Channel> {
    try_build(section).unwrap().0
}

// Building.

#[test]
fn a_section_says_how_it_behaves() {
    let section = json!({"url": "http://h/x", "secret": "s", "resend": "never", "policy": "standby", "reply": "explicit"});
    let channel = channel(section);
    assert_eq!(
        *channel.info(),
        ChannelInfo {
            name: "hook".into(),
            kind: "webhook",
            resend: ResendPolicy::Never,
            policy: Some(ReplyPolicy::Standby),
            reply: ReplyMode::Explicit,
        }
    );
    assert!(channel.lookup().is_none());
    assert_eq!(self::channel(json!({"url": "http://h/x", "token": "t"})).info().resend, ResendPolicy::Marked);
}

#[test]
fn a_section_that_cannot_be_meant_is_refused() {
    for (section, word) in [
        (json!({"url": "http://h/x"}), "secret"),
        (json!({"secret": "s"}), "url"),
        (json!({"url": "h/x", "secret": "s"}), "url"),
        (json!({"url": "ftp://h/x", "secret": "s"}), "url"),
        (json!({"url": "http://h/x", "secret": "s", "lookup_url": "nowhere"}), "lookup_url"),
        (json!({"url": "http://h/x", "token": "a\nb"}), "token"),
        (json!({"url": "http://h/x", "secret": "s", "sekret": "s"}), "sekret"),
        (json!({"url": "http://h/x", "secret": "s", "resend": "maybe"}), "maybe"),
    ] {
        let error = try_build(section.clone()).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("[channels.hook]") && error.contains(word), "{section}: {error}");
    }
}

#[test]
fn the_schema_is_that_of_the_section() {
    let schema = (ENTRY.schema)().to_value();
    let keys: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["url", "secret", "token", "lookup_url", "resend", "policy", "reply", "owner_ids"]);
    assert_eq!(schema["additionalProperties"], false);
}

// Inbound.

#[derive(Default)]
struct FakeInbox {
    taken: Mutex<Vec<(Inbound, Acknowledge)>>,
    refuse: Option<AcceptError>,
}

#[async_trait]
impl Inbox for FakeInbox {
    async fn accept(&self, inbound: Inbound, acknowledge: Acknowledge) -> Result<Accepted, AcceptError> {
        if let Some(error) = &self.refuse {
            return Err(error.clone());
        }
        let mut taken = self.taken.lock().unwrap();
        let duplicate = taken.iter().any(|(earlier, _)| earlier.platform_id == inbound.platform_id);
        let session = inbound.chat.dialog("default");
        taken.push((inbound, acknowledge));
        Ok(Accepted { message: MessageId::new(), session, duplicate, ended: oneshot::channel().1 })
    }
}

const BODY: &str = r#"{"id": "m1", "chat": "room", "sender": {"id": "u1", "name": "Ann"}, "text": "你好"}"#;

fn signed(body: &str) -> WebRequest {
    posted(body, &[("x-hearth-signature", &sign("key", body.as_bytes()))])
}

fn posted(body: &str, headers: &[(&str, &str)]) -> WebRequest {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    WebRequest {
        method: "POST".into(),
        path: String::new(),
        query: String::new(),
        headers: headers.collect(),
        body: Bytes::copy_from_slice(body.as_bytes()),
    }
}

async fn ask(inbox: &Arc<FakeInbox>, request: WebRequest) -> (WebReply, Value) {
    let channel = channel(json!({"url": "http://h/x", "secret": "key", "token": "tok", "owner_ids": ["u1"]}));
    let reply = channel.web().unwrap().handle(request, inbox.clone()).await;
    let body = serde_json::from_slice(&reply.body).unwrap();
    (reply, body)
}

#[tokio::test]
async fn a_signed_message_is_taken_when_it_is_safe() {
    let inbox = Arc::new(FakeInbox::default());
    let (reply, body) = ask(&inbox, signed(BODY)).await;
    assert_eq!(
        (reply.status, &body["duplicate"], &body["session"]),
        (200, &json!(false), &json!("hook:room:default"))
    );
    let (_, again) = ask(&inbox, signed(BODY)).await;
    assert_eq!(again["duplicate"], true);
    let (inbound, acknowledge) = inbox.taken.lock().unwrap()[0].clone();
    assert_eq!(acknowledge, Acknowledge::WhenDurable);
    assert_eq!((inbound.chat, inbound.dialog), (ChatKey::new("hook", "room"), None));
    assert_eq!((inbound.chat_kind, inbound.addressed), (ChatKind::Private, true));
    assert_eq!((inbound.sender.name.as_str(), inbound.sender.role), ("Ann", Role::Owner));
    assert_eq!(inbound.platform_id.as_deref(), Some("m1"));
    assert_eq!(inbound.segments, [Segment::text("你好")]);
    assert_eq!(inbound.sent_at, UnixMs(1_800_000_000_000));
}

#[tokio::test]
async fn in_a_group_it_is_addressed_when_it_says_so() {
    let inbox = Arc::new(FakeInbox::default());
    for (extra, addressed) in [("", false), (r#", "addressed": true"#, true)] {
        let body = format!(
            r#"{{"id": "{addressed}", "chat": "g", "chat_kind": "group", "sender": {{"id": "u2"}}, "text": "x", "sent_at_ms": 7{extra}}}"#
        );
        let headers = [("authorization", "Bearer tok")];
        assert_eq!(ask(&inbox, posted(&body, &headers)).await.0.status, 200);
        let (inbound, _) = inbox.taken.lock().unwrap().last().unwrap().clone();
        assert_eq!((inbound.chat_kind, inbound.addressed), (ChatKind::Group, addressed));
        assert_eq!((inbound.sender.name.as_str(), inbound.sender.role), ("u2", Role::Member));
        assert_eq!(inbound.sent_at, UnixMs(7));
    }
}

#[tokio::test]
async fn strangers_are_not_heard() {
    let inbox = Arc::new(FakeInbox::default());
    let wrong = sign("other", BODY.as_bytes());
    for headers in [
        vec![],
        vec![("authorization", "Bearer no")],
        vec![("authorization", "Bearer ")],
        vec![("authorization", "tok")],
        vec![("x-hearth-signature", wrong.as_str())],
        vec![("x-hearth-signature", wrong.as_str()), ("authorization", "Bearer tok")],
    ] {
        let (reply, body) = ask(&inbox, posted(BODY, &headers)).await;
        assert_eq!((reply.status, &body["code"]), (401, &json!("unauthorized")), "{headers:?}");
    }
    assert!(inbox.taken.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_secret_that_is_not_set_opens_nothing() {
    let inbox = Arc::new(FakeInbox::default());
    let channel = channel(json!({"url": "http://h/x", "token": "tok"}));
    let request = posted(BODY, &[("x-hearth-signature", &sign("", BODY.as_bytes()))]);
    assert_eq!(channel.web().unwrap().handle(request, inbox.clone()).await.status, 401);
}

#[tokio::test]
async fn what_cannot_be_read_is_told() {
    let inbox = Arc::new(FakeInbox::default());
    for (body, word) in [
        ("", "EOF"),
        (r#"{"id": "1", "chat": "c", "sender": {"id": "u"}, "text": "x", "txt": 1}"#, "txt"),
        (r#"{"id": "", "chat": "c", "sender": {"id": "u"}, "text": "x"}"#, "`id`"),
        (r#"{"id": "1", "chat": "c", "sender": {"id": ""}, "text": "x"}"#, "sender.id"),
        (r#"{"id": "1", "chat": "c", "sender": {"id": "u"}, "text": " "}"#, "`text`"),
        (r#"{"id": "1", "chat": "c", "chat_kind": "crowd", "sender": {"id": "u"}, "text": "x"}"#, "crowd"),
    ] {
        let (reply, answer) = ask(&inbox, signed(body)).await;
        assert_eq!(reply.status, 400, "{body}");
        assert!(answer["text"].as_str().unwrap().contains(word), "{body}: {answer}");
    }
    let (reply, _) = ask(&inbox, WebRequest { method: "GET".into(), ..signed(BODY) }).await;
    assert_eq!((reply.status, reply.headers), (405, vec![("allow", "POST".to_owned())]));
    assert_eq!(ask(&inbox, WebRequest { path: "/x".into(), ..signed(BODY) }).await.0.status, 404);
}

#[tokio::test]
async fn what_is_not_taken_can_come_again() {
    for (error, status, retry) in [
        (AcceptError::Full { retry_after_ms: 2500 }, 429, Some("3")),
        (AcceptError::Invalid { reason: "no".into() }, 400, None),
        (AcceptError::Stopping, 503, None),
    ] {
        let inbox = Arc::new(FakeInbox { refuse: Some(error), ..FakeInbox::default() });
        let (reply, _) = ask(&inbox, signed(BODY)).await;
        assert_eq!(reply.status, status);
        assert_eq!(reply.headers.first().map(|(_, value)| value.as_str()), retry);
    }
}

// Outbound.

fn outbound() -> Outbound {
    let chat = ChatKey::new("hook", "room");
    Outbound {
        delivery: DeliveryId::new(),
        message: MessageId::new(),
        turn: Some(TurnId::new()),
        session: chat.dialog("default"),
        chat,
        segments: vec![Segment::text("hello")],
        may_be_duplicate: true,
    }
}

/// A program that takes one request and answers with these bytes; none: it leaves without a word.
async fn program(answer: Option<&'static str>) -> (String, tokio::task::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/in", listener.local_addr().unwrap());
    #[allow(clippy::disallowed_methods, reason = "a test has no set of tasks")]
    let program = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut seen = Vec::new();
        let whole = |seen: &[u8]| {
            let text = String::from_utf8_lossy(seen).into_owned();
            let (head, body) = text.split_once("\r\n\r\n")?;
            let length = head
                .lines()
                .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            (body.len() >= length.unwrap_or(0)).then_some(())
        };
        while whole(&seen).is_none() {
            assert_ne!(stream.read_buf(&mut seen).await.unwrap(), 0);
        }
        if let Some(answer) = answer {
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
        String::from_utf8(seen).unwrap()
    });
    (url, program)
}

async fn send(answer: Option<&'static str>) -> (Result<Receipt, SendError>, String, Outbound) {
    let (url, program) = program(answer).await;
    let outbound = outbound();
    let result =
        channel(json!({"url": url, "secret": "key", "token": "the-long-token"})).send(&outbound).await;
    (result, program.await.unwrap(), outbound)
}

#[tokio::test]
async fn what_hearth_says_is_posted_and_signed() {
    let (result, seen, outbound) =
        send(Some("HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{\"id\":\"p1\"}")).await;
    assert_eq!(result, Ok(Receipt { platform_id: Some("p1".into()) }));
    let (head, body) = seen.split_once("\r\n\r\n").unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(body).unwrap(),
        json!({
            "delivery": outbound.delivery.to_string(), "message": outbound.message.to_string(),
            "chat": "room", "session": "hook:room:default", "turn": outbound.turn.unwrap().to_string(),
            "text": "hello", "segments": [{"type": "text", "text": "hello"}], "may_be_duplicate": true,
        })
    );
    let head = head.to_lowercase();
    for line in [
        "post /in http/1.1".to_owned(),
        "content-type: application/json".to_owned(),
        "authorization: bearer the-long-token".to_owned(),
        format!("idempotency-key: {}", outbound.delivery),
        format!("x-hearth-signature: {}", sign("key", body.as_bytes())),
    ] {
        assert!(head.lines().any(|have| have == line), "{line}\n{head}");
    }
}

#[tokio::test]
async fn every_answer_has_its_consequence() {
    let taken = Ok(Receipt::default());
    for answer in [
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 202 Accepted\r\ncontent-length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}",
    ] {
        assert_eq!(send(Some(answer)).await.0, taken, "{answer}");
    }
    for (answer, expected) in [
        ("HTTP/1.1 400 Bad\r\ncontent-length: 3\r\n\r\nbad", "refused: status 400: bad"),
        ("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", "refused: status 404"),
        ("HTTP/1.1 302 Found\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n", "refused: status 302"),
        ("HTTP/1.1 408 Timeout\r\ncontent-length: 0\r\n\r\n", "not sent: status 408"),
        (
            "HTTP/1.1 500 Oops\r\ncontent-length: 20\r\n\r\nthe-long-token fails",
            "outcome unknown: status 500: *** fails",
        ),
        ("HTTP/1.1 503 Busy\r\nretry-after: 5\r\ncontent-length: 0\r\n\r\n", "outcome unknown: status 503"),
    ] {
        let error = send(Some(answer)).await.0.unwrap_err();
        assert_eq!(error.to_string(), expected, "{answer}");
    }
    let busy = send(Some("HTTP/1.1 429 Busy\r\nretry-after: 5\r\ncontent-length: 0\r\n\r\n")).await.0;
    assert_eq!(busy, Err(SendError::Retry { retry_after_ms: Some(5000), reason: "status 429".into() }));
}

#[tokio::test]
async fn a_program_that_left_after_it_had_the_message_may_have_taken_it() {
    let (result, ..) = send(None).await;
    assert!(matches!(result, Err(SendError::Unknown { .. })), "{result:?}");
}

#[tokio::test]
async fn a_program_that_is_not_there_has_not_taken_it() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/in", listener.local_addr().unwrap());
    drop(listener);
    let result = channel(json!({"url": url, "secret": "key"})).send(&outbound()).await;
    assert!(matches!(result, Err(SendError::Retry { .. })), "{result:?}");
}

#[tokio::test]
async fn a_program_that_does_not_answer_may_have_taken_it() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/in", listener.local_addr().unwrap());
    let (channel, clock) = try_build(json!({"url": url, "secret": "key"})).unwrap();
    let outbound = outbound();
    let (result, _stream) = tokio::join!(channel.send(&outbound), async {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.read_u8().await.unwrap();
        clock.advance(std::time::Duration::from_secs(60)).await;
        stream
    });
    assert!(matches!(result, Err(SendError::Unknown { .. })), "{result:?}");
}

// Lookup.

async fn look(answer: &'static str) -> (Result<Option<Receipt>, SendError>, String, Outbound) {
    let (url, program) = program(Some(answer)).await;
    let outbound = outbound();
    let section = json!({"url": "http://127.0.0.1:1/", "secret": "key", "lookup_url": format!("{url}?a=b")});
    let channel = channel(section);
    let result = channel.lookup().unwrap().lookup(&outbound).await;
    (result, program.await.unwrap(), outbound)
}

#[tokio::test]
async fn a_program_is_asked_whether_something_arrived() {
    let (yes, seen, outbound) = look("HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n{\"id\":7}").await;
    assert_eq!(yes, Ok(Some(Receipt { platform_id: Some("7".into()) })));
    assert!(seen.starts_with(&format!("GET /in?a=b&delivery={} HTTP/1.1", outbound.delivery)), "{seen}");
    assert!(seen.contains(&sign("key", b"")), "{seen}");
    assert_eq!(look("HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n").await.0, Ok(None));
    let busy = look("HTTP/1.1 500 No\r\nretry-after: 2\r\ncontent-length: 0\r\n\r\n").await.0;
    assert_eq!(busy, Err(SendError::Retry { retry_after_ms: Some(2000), reason: "status 500".into() }));
}
