//! In a pipe: lines in, answers out, the rest aside.

use std::process::Stdio;

use hearth_protocol::{Call, ClientFrame, Message, ServerFrame};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::PROGRAM;
use crate::fake::{Fake, Peer};
use crate::fixtures::{
    SESSION, accepted, answer, draft, end, ended, tool_ended, tool_started, turn_ended, turn_started,
    watching,
};

/// What is said next; until then each watch is answered. There is one before each line, and one before the connection
/// is made if that is slow.
async fn next_send(peer: &mut Peer, old: &[Message]) -> (String, String) {
    loop {
        match peer.next().await.expect("the program has gone") {
            ClientFrame::Watch { .. } => {
                for message in old {
                    peer.send(&ServerFrame::Message(message.clone())).await;
                }
                peer.send(&watching(SESSION, "")).await;
            }
            ClientFrame::Send { id, text, .. } => return (id, text),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn each_line_is_answered_and_the_end_of_the_input_is_the_end() {
    let fake = Fake::new();
    let mut child = Command::new(PROGRAM)
        .arg(fake.path())
        .args(["cli:me", "en"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all("one\n\n二\n".as_bytes()).await.unwrap();
    drop(input);
    let serve = async {
        let mut peer = fake.accept().await;
        let old = [ended("m01", "before", "answered"), answer("m02", "t0", "an old answer")];
        for (at, (text, reply)) in [("one", "first answer"), ("二", "第二个回答")].into_iter().enumerate()
        {
            let (id, said) = next_send(&mut peer, &old).await;
            assert_eq!(said, text);
            let (message, reply_id, turn) = (format!("m{at}1x"), format!("m{at}2x"), format!("t{at}"));
            peer.send(&accepted(&id, &message)).await;
            peer.send(&turn_started(&turn)).await;
            peer.send(&tool_started(&turn, "c", "now", "{}")).await;
            peer.send(&tool_ended(&turn, "c", "now", "done", "")).await;
            peer.send(&draft(&turn, &reply[..6])).await;
            peer.send(&ServerFrame::Message(answer(&reply_id, &turn, reply))).await;
            peer.send(&end(&message, "answered")).await;
            let (id, call) = peer.expect_call().await;
            assert!(matches!(call, Call::SessionMessages { .. }));
            let mut whole = ended(&message, text, "answered");
            whole.turn = Some(turn.clone());
            let value = serde_json::to_value([whole, answer(&reply_id, &turn, reply)]).unwrap();
            peer.send(&ServerFrame::Result { id, value }).await;
            peer.send(&turn_ended(&turn, "done")).await;
        }
        peer
    };
    let (output, _peer) = tokio::join!(child.wait_with_output(), serve);
    let output = output.unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "first answer\n第二个回答\n");
    assert_eq!(errors.matches("⚙ now").count(), 2, "{errors}");
}

#[tokio::test]
async fn a_refusal_is_an_error() {
    let fake = Fake::new();
    let mut child = Command::new(PROGRAM)
        .arg(fake.path())
        .args(["cli:me", "en"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"one\n").await.unwrap();
    let serve = async {
        let mut peer = fake.accept().await;
        let (id, _) = next_send(&mut peer, &[]).await;
        let error = hearth_protocol::Problem {
            code: "full".to_owned(),
            text: "too much waits".to_owned(),
            hint: String::new(),
        };
        peer.send(&ServerFrame::Failed { id, error }).await;
        peer
    };
    let (output, _peer) = tokio::join!(child.wait_with_output(), serve);
    let output = output.unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8(output.stderr).unwrap().contains("too much waits"));
}
