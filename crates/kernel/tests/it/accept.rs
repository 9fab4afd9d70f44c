//! Taking messages: whatever the caller does, a message is lost by nobody and taken once.

use hearth_contract::inbox::{AcceptError, Acknowledge, Inbox};
use hearth_contract::message::{Inbound, MessageEnd};
use hearth_kernel::Limits;
use hearth_testkit::model::Reply;
use hearth_testkit::rig::Rig;

#[tokio::test]
async fn a_message_is_answered_though_its_caller_gave_up_while_it_was_taken() {
    let rig = Rig::start(Limits::default()).await.unwrap();
    rig.model.push(Reply::text("hi"));
    let mut accepting =
        Box::pin(rig.kernel.accept(rig.says("alice", "a", "hello"), Acknowledge::WhenDurable));
    // The caller looks once and goes away, wherever the message is by then.
    let looked = futures::poll!(accepting.as_mut());
    assert!(looked.is_pending());
    drop(accepting);
    rig.log.until(|| rig.model.unasked() == 0).await;
    rig.kernel.idle().await;
    assert_eq!(rig.network.tries(), 1);
}

#[tokio::test]
async fn a_second_arrival_learns_how_the_first_ended() {
    let rig = Rig::start(Limits::default()).await.unwrap();
    let says = || Inbound { platform_id: Some("7".into()), ..rig.says("alice", "a", "hello") };
    let first = rig.kernel.accept(says(), Acknowledge::WhenTaken).await.unwrap();
    let second = rig.kernel.accept(says(), Acknowledge::WhenTaken).await.unwrap();
    assert!(!first.duplicate && second.duplicate);
    rig.model.push(Reply::text("hi"));
    for accepted in [first, second] {
        let ended = accepted.ended.await.unwrap();
        assert_eq!((ended.end, ended.reply.as_str()), (MessageEnd::Answered, "hi"));
    }
    rig.kernel.idle().await;
    let third = rig.kernel.accept(says(), Acknowledge::WhenTaken).await.unwrap();
    let ended = third.ended.await.unwrap();
    assert_eq!((ended.end, ended.reply.as_str()), (MessageEnd::Answered, "hi"));
    assert_eq!(rig.network.tries(), 1);
}

#[tokio::test]
async fn too_many_open_messages_are_refused_and_counted_by_nobody() {
    let rig = Rig::start(Limits { messages_open_max: 1, ..Limits::default() }).await.unwrap();
    let first = rig.kernel.accept(rig.says("alice", "a", "one"), Acknowledge::WhenDurable).await.unwrap();
    let refused = rig.kernel.accept(rig.says("bob", "b", "two"), Acknowledge::WhenDurable).await;
    assert!(matches!(refused, Err(AcceptError::Full { .. })), "{refused:?}");
    rig.model.push(Reply::text("hi"));
    assert_eq!(first.ended.await.unwrap().end, MessageEnd::Answered);
    rig.kernel.idle().await;
    let proof = rig.stores.prover.prove(hearth_contract::clock::UnixMs(0), hearth_testkit::rig::START).await;
    assert_eq!(proof.unwrap().accepted, 1);
}

#[tokio::test]
async fn a_kernel_that_stops_takes_nothing_more() {
    let rig = Rig::start(Limits::default()).await.unwrap();
    rig.tasks.stop().await;
    let refused = rig.kernel.accept(rig.says("alice", "a", "one"), Acknowledge::WhenDurable).await;
    assert!(matches!(refused, Err(AcceptError::Stopping)), "{refused:?}");
}
