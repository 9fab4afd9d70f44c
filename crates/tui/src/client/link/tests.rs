//! Reconnecting, against a fake daemon that goes away. The clock is turned, so no wait is real.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures::FutureExt;
use hearth_protocol::{Arrival, Call, ClientFrame, Problem, ServerFrame};

use super::{Link, LinkEvent, Patience};
use crate::fake::{Fake, Peer};
use crate::fixtures::{SESSION, accepted, answer, end, ended, said, watching};

/// The next frame; how the connection fares is passed over.
async fn next_frame(link: &mut Link) -> ServerFrame {
    loop {
        if let LinkEvent::Frame(frame) = link.next().await {
            return frame;
        }
    }
}

async fn connect(link: &mut Link, fake: &Fake) -> Peer {
    let (event, peer) = tokio::join!(link.next(), fake.accept());
    assert_eq!(event, LinkEvent::Up { version: "9.9".to_owned() });
    peer
}

#[tokio::test(start_paused = true)]
async fn after_a_break_it_watches_from_the_last_message_and_says_again_what_was_not_confirmed() {
    let fake = Fake::new();
    let mut link = Link::new(fake.path(), None, Patience::Endless);
    link.watch("cli:me", None);
    let mut peer = connect(&mut link, &fake).await;
    let first = link.say(None, "一", Arrival::Steer).unwrap();
    let second = link.say(None, "二", Arrival::Steer).unwrap();
    let serve = async {
        assert_eq!(peer.expect_watch().await, ("cli:me".to_owned(), None));
        peer.send(&ServerFrame::Message(ended("m1", "before", "answered"))).await;
        peer.send(&watching(SESSION, "")).await;
        assert_eq!(peer.expect_send().await, (first.clone(), "一".to_owned()));
        peer.send(&accepted(&first, "m2")).await;
        peer
    };
    let (_, peer) = tokio::join!(
        async {
            for _ in 0..3 {
                next_frame(&mut link).await;
            }
        },
        serve
    );
    drop(peer);
    assert!(matches!(link.next().await, LinkEvent::Down { .. }));
    let mut peer = connect(&mut link, &fake).await;
    let serve = async {
        // The dialog that the chat's current one turned out to be, from the last message on.
        assert_eq!(peer.expect_watch().await, (SESSION.to_owned(), Some("m1".to_owned())));
        assert_eq!(peer.expect_send().await, (second.clone(), "二".to_owned()));
        peer.send(&watching(SESSION, "")).await;
    };
    tokio::join!(next_frame(&mut link), serve);
    assert_eq!(link.unconfirmed(), 1);
}

#[tokio::test(start_paused = true)]
async fn after_a_break_it_watches_from_before_the_first_message_without_an_end() {
    let fake = Fake::new();
    let mut link = Link::new(fake.path(), None, Patience::Endless);
    link.watch(SESSION, None);
    let mut peer = connect(&mut link, &fake).await;
    for message in [ended("m1", "a", "answered"), said("m2", "b"), said("m3", "c"), answer("m4", "t", "d")] {
        peer.send(&ServerFrame::Message(message)).await;
    }
    peer.send(&end("m3", "answered")).await;
    for _ in 0..5 {
        next_frame(&mut link).await;
    }
    drop(peer);
    assert!(matches!(link.next().await, LinkEvent::Down { .. }));
    let mut peer = connect(&mut link, &fake).await;
    link.flush().await;
    assert_eq!(peer.expect_watch().await, (SESSION.to_owned(), Some("m1".to_owned())));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_was_too_slow_watches_again_from_where_it_was() {
    let fake = Fake::new();
    let mut link = Link::new(fake.path(), None, Patience::Endless);
    link.watch(SESSION, None);
    let mut peer = connect(&mut link, &fake).await;
    peer.send(&ServerFrame::Message(answer("m5", "", "x"))).await;
    peer.send(&ServerFrame::Lagged).await;
    next_frame(&mut link).await;
    assert_eq!(next_frame(&mut link).await, ServerFrame::Lagged);
    link.flush().await;
    assert_eq!(peer.expect_watch().await, (SESSION.to_owned(), None));
    assert_eq!(peer.expect_watch().await, (SESSION.to_owned(), Some("m5".to_owned())));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_loses_its_connection_fails_and_is_not_repeated() {
    let fake = Fake::new();
    let mut link = Link::new(fake.path(), None, Patience::Endless);
    let mut peer = connect(&mut link, &fake).await;
    link.send(ClientFrame::Call { id: "c".to_owned(), call: Call::Status }).unwrap();
    let serve = async move {
        assert_eq!(peer.expect_call().await.0, "c");
    };
    let (event, ()) = tokio::join!(link.next(), serve);
    assert!(matches!(event, LinkEvent::Down { .. }));
    let failed = next_frame(&mut link).await;
    assert!(matches!(failed, ServerFrame::Failed { id, error } if id == "c" && error.code == "unavailable"));
    let refused = link.send(ClientFrame::Call { id: "d".to_owned(), call: Call::Status });
    assert_eq!(refused.unwrap_err().code, "unavailable");
}

#[tokio::test(start_paused = true)]
async fn a_line_refused_by_a_daemon_that_stops_is_said_to_the_next_one() {
    let fake = Fake::new();
    let mut link = Link::new(fake.path(), None, Patience::Endless);
    let mut peer = connect(&mut link, &fake).await;
    let id = link.say(None, "hello", Arrival::Steer).unwrap();
    let serve = async move {
        let (id, _) = peer.expect_send().await;
        let error = Problem { code: "stopping".to_owned(), text: String::new(), hint: String::new() };
        peer.send(&ServerFrame::Failed { id, error }).await;
    };
    let (event, ()) = tokio::join!(link.next(), serve);
    assert!(matches!(event, LinkEvent::Down { .. }), "the refusal is not shown: {event:?}");
    let mut peer = connect(&mut link, &fake).await;
    link.flush().await;
    assert_eq!(peer.expect_send().await, (id, "hello".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn it_starts_the_daemon_when_connecting_fails_and_gives_up_when_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let starts = Arc::new(AtomicU32::new(0));
    let counted = starts.clone();
    let starter = Arc::new(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        async { anyhow::bail!("no such program") }.boxed()
    });
    let mut link = Link::new(&folder.path().join("none.sock"), Some(starter), Patience::Attempts(10));
    let (mut downs, mut reasons) = (0, Vec::new());
    let reason = loop {
        match link.next().await {
            LinkEvent::Down { reason, .. } => {
                downs += 1;
                reasons.push(reason);
            }
            LinkEvent::Gone { reason } => break reason,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(downs, 9);
    assert_eq!(starts.load(Ordering::Relaxed), 2, "at the first and the ninth failure");
    assert!(reasons[1..].iter().all(|told| told == "no such program"), "the cause stays: {reasons:?}");
    assert_eq!(reason, "no such program");
    let answer = link.call(Call::Status).await;
    assert_eq!(answer.unwrap_err().code, "unavailable");
}
