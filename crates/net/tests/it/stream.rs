//! Streams and plain answers from endpoints of the config.

use std::sync::Arc;
use std::time::Duration;

use hearth_contract::clock::{Clock, SystemClock, UnixMs, timeout};
use hearth_net::{
    EventStream, Http, HttpError, HttpRequest, HttpSettings, Phase, ReplyLimits, StreamLimits, StreamReply,
};
use hearth_testkit::clock::TurnedClock;
use hearth_testkit::server::{Answer, Server, closed_port, respond};
use tokio_util::sync::CancellationToken;

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

fn http(clock: Arc<dyn Clock>) -> Http {
    Http::new(&HttpSettings::default(), clock).unwrap()
}

async fn open(http: &Http, url: &str, cancel: &CancellationToken) -> Result<EventStream, HttpError> {
    let limits = StreamLimits { event_bytes_max: 100, total_bytes_max: 400, ..StreamLimits::default() };
    let request = HttpRequest::post_json(url, &serde_json::json!({"q": "你好"}));
    match http.post_json_stream(request, &limits, cancel).await? {
        StreamReply::Events(events) => Ok(events),
        StreamReply::Whole(reply) => panic!("not a stream: {reply:?}"),
    }
}

#[tokio::test]
async fn events_come_as_they_are_sent() {
    let server = Server::start(|_| {
        let body = format!("{HEAD}data: 你好\n\n: ping\n\ndata: [DONE]");
        // Eight bytes at a time cuts characters in the middle.
        Answer::Close(body.as_bytes().chunks(8).map(<[u8]>::to_vec).collect())
    })
    .await;
    let cancel = CancellationToken::new();
    let mut events = open(&http(Arc::new(SystemClock)), &server.url("/"), &cancel).await.unwrap();
    assert_eq!(events.next().await.unwrap().unwrap().data, "你好");
    assert_eq!(events.next().await.unwrap().unwrap().data, "[DONE]");
    assert_eq!(events.next().await.unwrap(), None);
    assert!(server.seen()[0].contains("content-type: application/json"));
    assert!(server.seen()[0].contains("user-agent: hearth/"));
}

#[tokio::test]
async fn a_refusal_brings_status_headers_and_body() {
    let server =
        Server::start(|_| respond("429 Too Many Requests", "retry-after: 7\r\n", "{\"error\":\"慢\"}")).await;
    let error =
        open(&http(Arc::new(SystemClock)), &server.url("/"), &CancellationToken::new()).await.unwrap_err();
    let HttpError::Status(error) = error else { panic!("{error:?}") };
    assert_eq!((error.status.as_u16(), error.body.as_str()), (429, "{\"error\":\"慢\"}"));
    assert_eq!(error.headers["retry-after"], "7");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let other = Server::start(|_| respond("200 OK", "", "")).await;
    let target = other.url("/");
    let server =
        Server::start(move |_| respond("307 Temporary Redirect", &format!("location: {target}\r\n"), ""))
            .await;
    let error =
        open(&http(Arc::new(SystemClock)), &server.url("/"), &CancellationToken::new()).await.unwrap_err();
    assert!(matches!(error, HttpError::Status(error) if error.status.as_u16() == 307));
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn silence_before_the_answer_and_in_it_is_bounded() {
    for (sent, phase, seconds) in [("", Phase::Answer, 120), (HEAD, Phase::NextPiece, 60)] {
        let server = Server::start(move |_| Answer::Hold(vec![sent.as_bytes().to_vec()])).await;
        let clock = Arc::new(TurnedClock::new(UnixMs(0)));
        let http = http(clock.clone());
        let (url, cancel) = (server.url("/"), CancellationToken::new());
        let by = Duration::from_secs(seconds);
        let ask = async { open(&http, &url, &cancel).await?.next().await };
        let turn = async {
            server.asked(1).await;
            clock.sleeper_within(by, 0).await;
            clock.advance(by).await;
        };
        let (result, ()) = tokio::join!(ask, turn);
        let error = result.unwrap_err();
        assert!(matches!(error, HttpError::TimedOut { phase: found, .. } if found == phase), "{error:?}");
        server.left(1).await;
    }
}

#[tokio::test]
async fn a_stop_closes_the_connection() {
    let server = Server::start(|_| Answer::Hold(vec![HEAD.into(), b"data: x\n\n".to_vec()])).await;
    let cancel = CancellationToken::new();
    let mut events = open(&http(Arc::new(SystemClock)), &server.url("/"), &cancel).await.unwrap();
    assert_eq!(events.next().await.unwrap().unwrap().data, "x");
    let (result, ()) = tokio::join!(events.next(), async { cancel.cancel() });
    assert!(matches!(result, Err(HttpError::Cancelled)));
    drop(events);
    server.left(1).await;
}

#[tokio::test]
async fn endless_events_and_endless_answers_are_cut() {
    for (piece, limit) in [("data: xxxxxxxxxxxxxxxxxxxxxxxxxx\n", 100), ("data: x\n\n", 400)] {
        let server =
            Server::start(move |_| Answer::Hold(vec![HEAD.into(), piece.repeat(200).into_bytes()])).await;
        let mut events =
            open(&http(Arc::new(SystemClock)), &server.url("/"), &CancellationToken::new()).await.unwrap();
        let error = loop {
            if let Err(error) = events.next().await {
                break error;
            }
        };
        assert!(matches!(error, HttpError::TooLarge { limit_bytes } if limit_bytes == limit), "{error:?}");
    }
}

#[tokio::test]
async fn a_plain_answer_is_bounded() {
    let server = Server::start(|_| respond("200 OK", "", "0123456789")).await;
    let http = http(Arc::new(SystemClock));
    let ask = |body_bytes_max| {
        let (http, request) = (http.clone(), HttpRequest::get(server.url("/models")));
        async move {
            http.send(request, &ReplyLimits { body_bytes_max, total_ms: 20_000 }, &CancellationToken::new())
                .await
        }
    };
    assert_eq!(ask(10).await.unwrap().body.as_ref(), b"0123456789");
    assert!(matches!(ask(9).await, Err(HttpError::TooLarge { limit_bytes: 9 })));
}

#[tokio::test]
async fn an_unreachable_server_is_told_without_its_address() {
    let url = format!("http://127.0.0.1:{}/?key=hunter2hunter2", closed_port());
    let error = open(&http(Arc::new(SystemClock)), &url, &CancellationToken::new()).await.unwrap_err();
    let HttpError::Network { reason } = error else { panic!("{error:?}") };
    assert!(reason.starts_with("cannot connect"), "{reason}");
    assert!(!reason.contains("hunter2"), "{reason}");
}

#[tokio::test]
async fn a_plain_connection_is_not_kept() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
    let server = Server::start(|_| Answer::Hold(vec![head.to_vec()])).await;
    let http = http(Arc::new(SystemClock));
    let limits = ReplyLimits { body_bytes_max: 10, total_ms: 20_000 };
    let reply = http.send(HttpRequest::get(server.url("/")), &limits, &CancellationToken::new()).await;
    assert_eq!(reply.unwrap().body.as_ref(), b"ok");
    // The server would hold it for ever; only the client can close it. The limit only ends a test that failed.
    let closed = timeout(&SystemClock, Duration::from_secs(20), server.left(1)).await;
    assert!(closed.is_ok(), "the connection was kept");
}
