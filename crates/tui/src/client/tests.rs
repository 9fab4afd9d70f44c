//! The connection against a fake daemon.

use hearth_protocol::{Call, ClientFrame, FRAME_BYTES_MAX, PROTOCOL_VERSION, ServerFrame};

use super::Client;
use crate::fake::Fake;
use crate::fixtures::{draft, watching};

#[tokio::test]
async fn nobody_there_says_how_to_start_it() {
    let folder = tempfile::tempdir().unwrap();
    let error = Client::connect(&folder.path().join("none.sock")).await.unwrap_err();
    assert!(error.to_string().contains("hearth serve"), "{error}");
}

#[tokio::test]
async fn another_protocol_is_refused_with_both_numbers() {
    let fake = Fake::new();
    let serve = async {
        let mut peer = fake.accept_silently().await;
        peer.send(&ServerFrame::Welcome { protocol: PROTOCOL_VERSION + 1, version: "9.9".to_owned() }).await;
        peer
    };
    let (client, _peer) = tokio::join!(Client::connect(fake.path()), serve);
    let error = client.unwrap_err().to_string();
    assert!(error.contains("protocol 2") && error.contains("speaks 1"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_daemon_that_does_not_greet_is_not_waited_for() {
    let fake = Fake::new();
    let (client, _peer) = tokio::join!(Client::connect(fake.path()), fake.accept_silently());
    assert!(client.unwrap_err().to_string().contains("does not greet"));
}

#[tokio::test]
async fn frames_of_the_future_are_skipped_and_garbage_is_an_error() {
    let fake = Fake::new();
    let (client, mut peer) = tokio::join!(Client::connect(fake.path()), fake.accept());
    let mut client = client.unwrap();
    assert_eq!(client.version(), "9.9");
    peer.send_text(r#"{"type":"from_the_future","x":1}"#).await;
    peer.send_text("").await;
    peer.send_text(r#"{"type":"draft","turn":"t","text":"你好","new_field":true}"#).await;
    assert_eq!(client.next().await.unwrap(), draft("t", "你好"));
    peer.send_text("not a frame").await;
    assert!(client.next().await.unwrap_err().to_string().contains("no frame"));
}

#[tokio::test]
async fn a_call_keeps_what_comes_before_its_answer() {
    let fake = Fake::new();
    let (client, mut peer) = tokio::join!(Client::connect(fake.path()), fake.accept());
    let mut client = client.unwrap();
    let serve = async {
        let (id, call) = peer.expect_call().await;
        assert_eq!(call, Call::Status);
        peer.send(&draft("t", "a")).await;
        peer.send(&ServerFrame::Result { id: "another".to_owned(), value: 1.into() }).await;
        peer.send(&ServerFrame::Result { id, value: 2.into() }).await;
        peer.send(&draft("t", "b")).await;
    };
    let (answer, ()) = tokio::join!(client.call(Call::Status), serve);
    assert_eq!(answer.unwrap(), 2);
    assert_eq!(client.next().await.unwrap(), draft("t", "a"));
    assert!(matches!(client.next().await.unwrap(), ServerFrame::Result { .. }));
    assert_eq!(client.next().await.unwrap(), draft("t", "b"));
}

#[tokio::test]
async fn a_broken_connection_answers_a_call() {
    let fake = Fake::new();
    let (client, mut peer) = tokio::join!(Client::connect(fake.path()), fake.accept());
    let mut client = client.unwrap();
    let serve = async move {
        peer.expect_call().await;
    };
    let (answer, ()) = tokio::join!(client.call(Call::Status), serve);
    assert_eq!(answer.unwrap_err().code, "unavailable");
}

#[tokio::test]
async fn what_is_too_long_is_refused_and_nothing_else_is_lost() {
    let fake = Fake::new();
    let (client, mut peer) = tokio::join!(Client::connect(fake.path()), fake.accept());
    let mut client = client.unwrap();
    let watch = |session: String| ClientFrame::Watch { session, after: None };
    assert!(client.send(&watch("x".repeat(FRAME_BYTES_MAX))).is_err());
    client.send(&watch("cli:me".to_owned())).unwrap();
    client.flush().await.unwrap();
    assert_eq!(peer.expect_watch().await.0, "cli:me");
}

#[tokio::test]
async fn a_frame_in_pieces_survives_a_wait_that_is_given_up() {
    use futures::FutureExt;
    let fake = Fake::new();
    let (client, mut peer) = tokio::join!(Client::connect(fake.path()), fake.accept());
    let mut client = client.unwrap();
    let json = serde_json::to_string(&watching("cli:me:default", "标题")).unwrap();
    let (head, tail) = json.split_at(20);
    peer.send_bytes(head.as_bytes()).await;
    // Polled once and dropped: the half that was read must stay.
    tokio::task::yield_now().await;
    assert!(client.next().now_or_never().is_none());
    peer.send_text(tail).await;
    assert_eq!(client.next().await.unwrap(), watching("cli:me:default", "标题"));
}
