//! What is printed.

use hearth_protocol::{Language, ServerFrame};

use super::Printer;
use crate::fixtures::{SESSION, answer, draft, ended, tool_ended, tool_started, turn_started, watching};
use crate::text::Words;

fn print(frames: &[ServerFrame], for_terminal: bool) -> (String, String) {
    let (mut out, mut side) = (Vec::new(), Vec::new());
    let mut printer = Printer::new(&mut out, &mut side, Words::of(Language::En), for_terminal);
    for frame in frames {
        printer.frame(frame).unwrap();
    }
    (String::from_utf8(out).unwrap(), String::from_utf8(side).unwrap())
}

fn message(id: &str, turn: &str, text: &str) -> ServerFrame {
    ServerFrame::Message(answer(id, turn, text))
}

#[test]
fn what_was_there_before_is_not_printed_and_nothing_twice() {
    let frames = [
        message("m1", "", "old"),
        watching(SESSION, ""),
        message("m2", "", "new"),
        ServerFrame::Message(ended("m3", "said", "answered")),
        message("m1", "", "old"),
        message("m2", "", "new"),
        watching(SESSION, ""),
        message("m4", "", "newer"),
    ];
    assert_eq!(print(&frames, false).0, "new\nnewer\n");
}

#[test]
fn a_streamed_answer_is_completed_by_what_is_missing() {
    let frames = [
        watching(SESSION, ""),
        turn_started("t"),
        draft("t", "你"),
        draft("t", "好"),
        message("m2", "t", "你好！"),
    ];
    assert_eq!(print(&frames, false).0, "你好！\n");
}

#[test]
fn an_answer_that_was_changed_is_printed_whole() {
    let frames = [watching(SESSION, ""), draft("t", "secret"), message("m2", "t", "[redacted]")];
    assert_eq!(print(&frames, false).0, "secret\n[redacted]\n");
    let again = ServerFrame::DraftRestart { turn: "t".to_owned() };
    let frames =
        [watching(SESSION, ""), draft("t", "on"), again, draft("t", "one"), message("m2", "t", "one")];
    assert_eq!(print(&frames, false).0, "on\none\n");
}

#[test]
fn tools_and_notices_go_aside() {
    let notice = ServerFrame::Notice { code: "x".to_owned(), text: "look\nhere".to_owned() };
    let frames = [
        tool_started("t", "c", "run_shell", r#"{"command":"ls"}"#),
        tool_ended("t", "c", "run_shell", "denied", "not by you"),
        notice,
    ];
    let (out, side) = print(&frames, false);
    assert_eq!(out, "");
    assert_eq!(side, "⚙ run_shell {\"command\":\"ls\"}\n✗ run_shell not allowed not by you\n! look here\n");
}

#[test]
fn only_a_terminal_is_kept_from_control_sequences() {
    let frames = [watching(SESSION, ""), message("m2", "", "\u{1b}[31mred")];
    assert_eq!(print(&frames, true).0, "red\n");
    assert_eq!(print(&frames, false).0, "\u{1b}[31mred\n");
}
