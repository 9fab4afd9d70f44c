//! Servers that refuse, break, lie and fall silent, and what the caller is told to do.

use std::sync::Arc;
use std::time::Duration;

use hearth_contract::clock::{SystemClock, UnixMs};
use hearth_contract::provider::{Completion, ProviderError};
use hearth_testkit::clock::TurnedClock;
use hearth_testkit::server::{Answer, Server, closed_port, respond};
use tokio_util::sync::CancellationToken;

use crate::support::{KINDS, Pieces, STREAM, ask, question, short_answer, shown, source};

/// Asks a server that answers so; gives what came of it.
async fn outcome(
    kind: &str,
    answer: impl Fn(&str) -> Answer + Send + Sync + 'static,
) -> Result<Completion, ProviderError> {
    let server = Server::start(answer).await;
    let result = ask(source(kind, &server.url("/v1"), Arc::new(SystemClock), &[]).as_ref()).await;
    assert_eq!(server.seen().len(), 1, "one call is one attempt");
    result
}

async fn check_status(status: &'static str, headers: &'static str, body: &'static str, expected: &str) {
    for kind in KINDS {
        let error = outcome(kind, move |_| respond(status, headers, body)).await.unwrap_err();
        assert_eq!(shown(&error), expected, "{kind}: {status}");
        assert!(!error.to_string().contains("test-key-of-the-source"), "{error}");
    }
}

#[tokio::test]
async fn refusals_by_status() {
    check_status(
        "401 Unauthorized",
        "",
        r#"{"error":{"message":"bad key test-key-of-the-source"}}"#,
        "next auth",
    )
    .await;
    check_status("402 Payment Required", "", "", "next balance").await;
    check_status("404 Not Found", "", r#"{"error":{"message":"no such model"}}"#, "next invalid").await;
    check_status("429 Too Many Requests", "retry-after: 7\r\n", "", "retry rate_limit after 7000").await;
    check_status("429 Too Many Requests", "retry-after-ms: 1500\r\n", "", "retry rate_limit after 1500")
        .await;
    check_status(
        "429 Too Many Requests",
        "retry-after: Thu, 01 Jan 1970 00:00:00 GMT\r\n",
        "",
        "retry rate_limit after 0",
    )
    .await;
    check_status("529 Overloaded", "retry-after: 2\r\n", "", "retry overloaded after 2000").await;
    check_status("503 Service Unavailable", "", "", "retry overloaded").await;
    check_status("500 Internal Server Error", "", "<html>oops</html>", "retry server").await;
    check_status(
        "400 Bad Request",
        "",
        r#"{"error":{"message":"prompt is too long: 9 > 8"}}"#,
        "context_too_long",
    )
    .await;
    check_status("307 Temporary Redirect", "location: http://example.com/\r\n", "", "next invalid").await;
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_the_networks_fault() {
    for kind in KINDS {
        let half = &short_answer(kind).as_bytes()[..short_answer(kind).len() / 2];
        let answer = [STREAM.as_bytes(), half].concat();
        let error = outcome(kind, move |_| Answer::Close(vec![answer.clone()])).await.unwrap_err();
        assert_eq!(shown(&error), "retry network", "{kind}: {error}");
        // The same with a promised length, which the connection does not keep.
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 100000\r\n\r\n";
        let answer = [head.as_bytes(), half].concat();
        let error = outcome(kind, move |_| Answer::Close(vec![answer.clone()])).await.unwrap_err();
        assert_eq!(shown(&error), "retry network", "{kind}: {error}");
        let error = outcome(kind, |_| Answer::Close(Vec::new())).await.unwrap_err();
        assert_eq!(shown(&error), "retry network", "{kind}: {error}");
    }
}

#[tokio::test]
async fn garbage_is_the_servers_fault() {
    for kind in KINDS {
        for garbage in ["data: {\"half\n\n", "data: \u{0}\u{1}garbage\n\n"] {
            let error =
                outcome(kind, move |_| Answer::Close(vec![STREAM.into(), garbage.into()])).await.unwrap_err();
            assert_eq!(shown(&error), "retry server", "{kind}: {error}");
        }
        let json = "content-type: application/json\r\n";
        let error = outcome(kind, move |_| respond("200 OK", json, "[]")).await.unwrap_err();
        assert_eq!(shown(&error), "retry server", "{kind}: {error}");
        let html = "content-type: text/html\r\n";
        let error =
            outcome(kind, move |_| respond("200 OK", html, "<html>Please log in</html>")).await.unwrap_err();
        assert_eq!(shown(&error), "retry network", "{kind}: {error}");
    }
}

#[tokio::test]
async fn nobody_there_is_the_networks_fault() {
    for kind in KINDS {
        let url = format!("http://127.0.0.1:{}/v1", closed_port());
        let error = ask(source(kind, &url, Arc::new(SystemClock), &[]).as_ref()).await.unwrap_err();
        assert_eq!(shown(&error), "retry network");
        assert!(error.to_string().contains("cannot connect"), "{error}");
    }
}

#[tokio::test]
async fn silence_is_left_when_its_time_is_up() {
    for kind in KINDS {
        let begun = format!("{STREAM}{}", &short_answer(kind)[..200]);
        for (sent, seconds) in [(String::new(), 7), (begun, 3)] {
            let server = Server::start(move |_| Answer::Hold(vec![sent.clone().into_bytes()])).await;
            let clock = Arc::new(TurnedClock::new(UnixMs(0)));
            let more = [("answer_timeout_s", 7.into()), ("idle_timeout_s", 3.into())];
            let source = source(kind, &server.url("/v1"), clock.clone(), &more);
            let by = Duration::from_secs(seconds);
            let turn = async {
                server.asked(1).await;
                clock.sleeper_within(by, 0).await;
                clock.advance(by).await;
            };
            let (result, ()) = tokio::join!(ask(source.as_ref()), turn);
            assert_eq!(shown(&result.unwrap_err()), "retry network", "{kind}");
            server.left(1).await;
        }
    }
}

#[tokio::test]
async fn a_stop_and_a_dropped_question_close_the_connection() {
    for kind in KINDS {
        let server = Server::start(|_| Answer::Hold(vec![STREAM.into()])).await;
        let source = source(kind, &server.url("/v1"), Arc::new(SystemClock), &[]);
        let (request, pieces, cancel) = (question("hi"), Pieces::default(), CancellationToken::new());
        let (result, ()) = tokio::join!(source.complete(&request, &pieces, &cancel), async {
            server.asked(1).await;
            cancel.cancel();
        });
        assert_eq!(result.unwrap_err(), ProviderError::Cancelled);
        server.left(1).await;

        let never = CancellationToken::new();
        tokio::select! {
            biased;
            result = source.complete(&request, &pieces, &never) => panic!("{result:?}"),
            () = server.asked(2) => {}
        }
        server.left(2).await;
    }
}
