//! One message and its answer, whatever the order in which the daemon tells of them.

use hearth_protocol::{Call, Message, Problem, ServerFrame};

use super::{Outcome, say};
use crate::client::link::{Link, Patience};
use crate::fake::{Fake, Peer};
use crate::fixtures::{
    SESSION, accepted, answer, draft, end, ended, said, turn_ended, turn_started, watching,
};

fn of_turn(message: Message, turn: &str) -> Message {
    Message { turn: Some(turn.to_owned()), ..message }
}

/// Begins to serve: greets, shows what was there, accepts the message as `m2`.
async fn begin(fake: &Fake) -> Peer {
    let mut peer = fake.accept().await;
    assert_eq!(peer.expect_watch().await, ("cli:me".to_owned(), None));
    let (id, _) = peer.expect_send().await;
    peer.send(&ServerFrame::Message(answer("m1", "old", "an old answer"))).await;
    peer.send(&watching(SESSION, "")).await;
    peer.send(&accepted(&id, "m2")).await;
    peer
}

/// Answers the look-up, which must ask for what follows `m1`.
async fn answer_lookup(peer: &mut Peer, messages: &[Message]) {
    let (id, call) = peer.expect_call().await;
    let Call::SessionMessages { session, after, .. } = call else { panic!("{call:?}") };
    assert_eq!((session.as_str(), after.as_deref()), (SESSION, Some("m1")));
    peer.send(&ServerFrame::Result { id, value: serde_json::to_value(messages).unwrap() }).await;
}

async fn check(serve: impl AsyncFnOnce(Fake), expected: Outcome) -> usize {
    let fake = Fake::new();
    let mut link = Link::new(fake.path(), None, Patience::Attempts(3));
    let mut frames = 0;
    let (outcome, ()) = tokio::join!(say(&mut link, "cli:me", "hi", |_| frames += 1), serve(fake));
    assert_eq!(outcome.unwrap(), expected);
    frames
}

fn outcome(turn: Option<&str>, end: &str, reply: &str) -> Outcome {
    Outcome {
        message: "m2".to_owned(),
        session: SESSION.to_owned(),
        turn: turn.map(str::to_owned),
        end: end.to_owned(),
        reply: reply.to_owned(),
    }
}

#[tokio::test]
async fn the_answer_before_the_end() {
    let frames = check(
        async |fake| {
            let mut peer = begin(&fake).await;
            peer.send(&turn_started("t")).await;
            peer.send(&draft("t", "hel")).await;
            peer.send(&ServerFrame::Message(answer("m3", "t", "hello"))).await;
            peer.send(&end("m2", "answered")).await;
            answer_lookup(
                &mut peer,
                &[of_turn(ended("m2", "hi", "answered"), "t"), answer("m3", "t", "hello")],
            )
            .await;
        },
        outcome(Some("t"), "answered", "hello"),
    )
    .await;
    assert_eq!(frames, 7);
}

#[tokio::test]
async fn the_end_before_the_answer() {
    check(
        async |fake| {
            let mut peer = begin(&fake).await;
            peer.send(&end("m2", "answered")).await;
            answer_lookup(&mut peer, &[of_turn(ended("m2", "hi", "answered"), "t")]).await;
            peer.send(&ServerFrame::Message(answer("m3", "t", "hello"))).await;
        },
        outcome(Some("t"), "answered", "hello"),
    )
    .await;
}

#[tokio::test]
async fn an_answer_in_two_parts_is_whole_and_another_turns_is_not_taken() {
    let said = [
        of_turn(ended("m2", "hi", "answered"), "t"),
        answer("m3", "t", "one"),
        answer("m4", "another", "no"),
        answer("m5", "t", "two"),
    ];
    check(
        async |fake| {
            let mut peer = begin(&fake).await;
            peer.send(&ServerFrame::Message(answer("m3", "t", "one"))).await;
            peer.send(&end("m2", "answered")).await;
            answer_lookup(&mut peer, &said).await;
        },
        outcome(Some("t"), "answered", "one\n\ntwo"),
    )
    .await;
}

#[tokio::test]
async fn a_steered_message_waits_for_the_turn_it_joined() {
    let joined = of_turn(ended("m2", "hi", "joined"), "t");
    check(
        async |fake| {
            let mut peer = begin(&fake).await;
            peer.send(&end("m2", "joined")).await;
            answer_lookup(&mut peer, std::slice::from_ref(&joined)).await;
            peer.send(&ServerFrame::Message(answer("m3", "t", "on the way"))).await;
            peer.send(&ServerFrame::Message(answer("m4", "t", "done"))).await;
            peer.send(&turn_ended("t", "done")).await;
            answer_lookup(
                &mut peer,
                &[joined.clone(), answer("m3", "t", "on the way"), answer("m4", "t", "done")],
            )
            .await;
        },
        outcome(Some("t"), "joined", "on the way\n\ndone"),
    )
    .await;
}

#[tokio::test]
async fn silence_is_an_outcome() {
    check(
        async |fake| {
            let mut peer = begin(&fake).await;
            peer.send(&end("m2", "silent")).await;
            answer_lookup(&mut peer, &[ended("m2", "hi", "silent")]).await;
        },
        outcome(None, "silent", ""),
    )
    .await;
}

#[tokio::test]
async fn a_turn_that_says_nothing_is_an_outcome() {
    let message = of_turn(ended("m2", "hi", "answered"), "t");
    check(
        async |fake| {
            let mut peer = begin(&fake).await;
            peer.send(&end("m2", "answered")).await;
            answer_lookup(&mut peer, std::slice::from_ref(&message)).await;
            peer.send(&turn_ended("t", "done")).await;
            answer_lookup(&mut peer, std::slice::from_ref(&message)).await;
        },
        outcome(Some("t"), "answered", ""),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_break_between_message_and_end_is_bridged() {
    check(
        async |fake| {
            let mut peer = begin(&fake).await;
            peer.send(&ServerFrame::Message(said("m2", "hi"))).await;
            peer.send(&turn_started("t")).await;
            drop(peer);
            // The end is not told again as a frame of its own, but with the message.
            let mut peer = fake.accept().await;
            assert_eq!(peer.expect_watch().await, (SESSION.to_owned(), Some("m1".to_owned())));
            let whole = [of_turn(ended("m2", "hi", "answered"), "t"), answer("m3", "t", "hello")];
            for message in &whole {
                peer.send(&ServerFrame::Message(message.clone())).await;
            }
            peer.send(&watching(SESSION, "")).await;
            answer_lookup(&mut peer, &whole).await;
        },
        outcome(Some("t"), "answered", "hello"),
    )
    .await;
}

#[tokio::test]
async fn a_refusal_says_why_and_what_to_do() {
    let fake = Fake::new();
    let mut link = Link::new(fake.path(), None, Patience::Attempts(3));
    let serve = async {
        let mut peer = fake.accept().await;
        peer.expect_watch().await;
        let (id, _) = peer.expect_send().await;
        let error = Problem { code: "full".to_owned(), text: "full".to_owned(), hint: "wait".to_owned() };
        peer.send(&ServerFrame::Failed { id, error }).await;
    };
    let (outcome, ()) = tokio::join!(say(&mut link, "cli:me", "hi", |_| {}), serve);
    assert_eq!(outcome.unwrap_err().to_string(), "full\nwait");
}
