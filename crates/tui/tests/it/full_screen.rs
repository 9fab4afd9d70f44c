//! Full screen, in tmux.

use hearth_protocol::{ClientFrame, Message, ServerFrame};

use crate::PROGRAM;
use crate::fake::{Fake, Peer};
use crate::fixtures::{
    SESSION, accepted, answer, dialog, draft, end, ended, said, tool_ended, tool_started, turn_ended,
    turn_started, watching,
};
use crate::tmux::Tmux;

async fn start(fake: &Fake, width: u16, height: u16) -> (Tmux, Peer) {
    let mut tmux = Tmux::new(width, height);
    tmux.wait_for_text("ready$").await;
    // The shell's process id becomes the program's, so that a signal can be sent to it.
    let pid = tmux.file("pid");
    tmux.command(&format!(
        "sh -c 'echo $$ > {}; exec {} {} cli:me zh'",
        pid.display(),
        PROGRAM,
        fake.path().display()
    ));
    let mut peer = fake.accept().await;
    assert_eq!(peer.expect_watch().await, ("cli:me".to_owned(), None));
    peer.send(&watching(SESSION, "茶")).await;
    tmux.wait_for_text("F1 帮助").await;
    tmux.wait_for_text("说点什么").await;
    (tmux, peer)
}

/// The next frame of the kind that is wanted; calls in between are not answered.
async fn next<T>(peer: &mut Peer, wanted: impl Fn(&ClientFrame) -> Option<T>) -> T {
    loop {
        let frame = peer.next().await.expect("the program has gone");
        if let Some(found) = wanted(&frame) {
            return found;
        }
        assert!(matches!(frame, ClientFrame::Call { .. }), "{frame:?}");
    }
}

async fn next_send(peer: &mut Peer) -> (String, String) {
    next(peer, |frame| match frame {
        ClientFrame::Send { id, text, .. } => Some((id.clone(), text.clone())),
        _ => None,
    })
    .await
}

/// The program has gone, the terminal shows what it showed before and reads lines again.
async fn assert_restored(tmux: &mut Tmux) {
    tmux.wait_until(|tmux| tmux.value("#{alternate_on}") == "0", "the normal screen").await;
    tmux.wait_for(|screen| screen.trim_end().ends_with("ready$"), "the shell").await;
    assert_eq!(tmux.value("#{cursor_flag}"), "1", "the cursor is shown");
    tmux.command("stty -a | tr ' ;' '\\n\\n' | grep -c -x -e icanon -e echo -e isig");
    tmux.wait_for(|screen| screen.lines().any(|line| line == "3"), "a terminal that reads lines").await;
}

#[tokio::test]
async fn a_conversation_in_chinese_with_tools_a_stop_and_a_leave() {
    let fake = Fake::new();
    let (mut tmux, mut peer) = start(&fake, 80, 24).await;

    tmux.type_text("记住我最喜欢乌龙茶");
    tmux.wait_for_text("› 记住我最喜欢乌龙茶").await;
    let cursor = |tmux: &Tmux| tmux.value("#{cursor_x}");
    tmux.wait_until(|tmux| cursor(tmux) == "20", "the cursor behind nine wide characters").await;
    tmux.press("Enter");
    let (id, text) = next_send(&mut peer).await;
    assert_eq!(text, "记住我最喜欢乌龙茶");
    peer.send(&accepted(&id, "m1")).await;
    peer.send(&ServerFrame::Message(Message { client_id: Some(id), ..said("m1", &text) })).await;
    peer.send(&turn_started("t1")).await;
    peer.send(&tool_started("t1", "c1", "memory_store", r#"{"text":"喜欢乌龙茶"}"#)).await;
    tmux.wait_for_text("⚙ memory_store 喜欢乌龙茶").await;
    peer.send(&tool_ended("t1", "c1", "memory_store", "done", "ok")).await;
    tmux.wait_for_text("✓ memory_store 喜欢乌龙茶  0.3 s").await;
    peer.send(&draft("t1", "好的，我**记住")).await;
    tmux.wait_for_text("好的，我**记住▌").await;
    peer.send(&ServerFrame::Message(answer("m2", "t1", "好的，我**记住**了。"))).await;
    peer.send(&end("m1", "answered")).await;
    peer.send(&turn_ended("t1", "done")).await;
    tmux.wait_for_text("好的，我记住了。").await;

    tmux.type_text("写一首长诗");
    tmux.press("Enter");
    let (id, _) = next_send(&mut peer).await;
    peer.send(&accepted(&id, "m3")).await;
    peer.send(&turn_started("t2")).await;
    peer.send(&draft("t2", "床前明月光")).await;
    tmux.wait_for_text("床前明月光▌").await;
    tmux.press("C-c");
    next(&mut peer, |frame| (*frame == ClientFrame::Stop).then_some(())).await;
    peer.send(&end("m3", "cancelled")).await;
    peer.send(&turn_ended("t2", "cancelled")).await;
    tmux.wait_for_text("◼ 已停止").await;
    tmux.type_text("还在");
    tmux.wait_for_text("› 还在").await;

    tmux.press("Escape");
    tmux.wait_for_text("说点什么").await;
    tmux.press("C-d");
    assert_restored(&mut tmux).await;
}

#[tokio::test]
async fn pasted_lines_stay_one_message_and_the_screen_is_redrawn_at_another_size() {
    let fake = Fake::new();
    let (mut tmux, mut peer) = start(&fake, 60, 16).await;
    tmux.run(&["set-buffer", "第一行\n第二行"]);
    tmux.run(&["paste-buffer", "-p"]);
    tmux.wait_for(|screen| screen.contains("› 第一行\n  第二行"), "both lines in the input").await;
    tmux.press("Enter");
    let (id, text) = next_send(&mut peer).await;
    assert_eq!(text, "第一行\n第二行");
    peer.send(&accepted(&id, "m1")).await;
    peer.send(&ServerFrame::Message(answer("m2", "", "很长的回答要在窄的终端里换行才能看全"))).await;
    tmux.wait_for_text("很长的回答要在窄的终端里换行才能看全").await;
    tmux.run(&["resize-window", "-x", "21", "-y", "16"]);
    let wrapped = |screen: &str| screen.contains("很长的回答要在窄的终\n端里换行才能看全");
    tmux.wait_for(wrapped, "the answer in two rows").await;
    tmux.press("C-d");
    assert_restored(&mut tmux).await;
}

#[tokio::test]
async fn what_lay_below_a_list_is_whole_when_it_closes() {
    let fake = Fake::new();
    let (mut tmux, mut peer) = start(&fake, 60, 14).await;
    for number in 0..12 {
        peer.send(&ServerFrame::Message(answer(
            &format!("m{number:02}"),
            "",
            "宽字符铺满这一行宽字符铺满这一行",
        )))
        .await;
    }
    peer.send(&ServerFrame::Message(ended("m99", "最后", "silent"))).await;
    let before = tmux.wait_for_text("已记录").await;
    tmux.press("C-o");
    let id = next(&mut peer, |frame| match frame {
        ClientFrame::Call { id, call: hearth_protocol::Call::SessionList { .. } } => Some(id.clone()),
        _ => None,
    })
    .await;
    let list = serde_json::to_value([dialog("default", "茶"), dialog("d2", "a short one")]).unwrap();
    peer.send(&ServerFrame::Result { id, value: list }).await;
    tmux.wait_for_text("a short one").await;
    tmux.press("d");
    tmux.wait_for_text("30 天内可以恢复").await;
    tmux.press("x");
    tmux.wait_for_text("Enter 进入").await;
    tmux.press("Escape");
    tmux.wait_for(|screen| screen == before, "the screen of before").await;
    tmux.press("C-d");
    assert_restored(&mut tmux).await;
}

#[tokio::test]
async fn a_terminated_program_leaves_the_terminal_as_it_was() {
    let fake = Fake::new();
    let (mut tmux, _peer) = start(&fake, 60, 12).await;
    let pid = std::fs::read_to_string(tmux.file("pid")).unwrap();
    let killed = std::process::Command::new("kill").args(["-TERM", pid.trim()]).status().unwrap();
    assert!(killed.success());
    assert_restored(&mut tmux).await;
}

#[tokio::test]
async fn a_daemon_that_goes_and_comes_is_found_again() {
    let fake = Fake::new();
    let (mut tmux, peer) = start(&fake, 60, 12).await;
    drop(peer);
    tmux.wait_for_text("正在重连").await;
    let mut peer = fake.accept().await;
    assert_eq!(peer.expect_watch().await.0, SESSION);
    peer.send(&watching(SESSION, "茶")).await;
    tmux.wait_for(|screen| !screen.contains("正在重连"), "the connection").await;
    tmux.press("C-c");
    tmux.wait_for_text("再按一次 Ctrl-C").await;
    tmux.press("C-c");
    assert_restored(&mut tmux).await;
}
