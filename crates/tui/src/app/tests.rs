//! Keys and frames in, effects out.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use hearth_protocol::{Call, ClientFrame, Language, Message, Problem, ServerFrame, Warning};
use jiff::tz::TimeZone;

use super::event::{Effect, Event};
use super::transcript::Item;
use super::{App, PAGE_MESSAGES, Target};
use crate::client::link::LinkEvent;
use crate::fixtures::{SESSION, accepted, answer, end, ended, said, turn_ended, turn_started, watching};

struct Desk {
    app: App,
}

impl Desk {
    fn new(target: &str) -> Self {
        let mut desk = Self { app: App::new(Target::parse(target), Language::En, TimeZone::UTC) };
        assert_eq!(desk.app.start(), [watch(target)]);
        desk.update(Event::Link(LinkEvent::Up { version: "9.9".to_owned() }));
        desk.frame(watching(SESSION, "title"));
        desk
    }

    fn update(&mut self, event: Event) -> Vec<Effect> {
        self.app.update(event, Duration::ZERO)
    }

    fn frame(&mut self, frame: ServerFrame) -> Vec<Effect> {
        self.update(Event::Link(LinkEvent::Frame(frame)))
    }

    fn press(&mut self, code: KeyCode) -> Vec<Effect> {
        self.update(Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
    }

    fn control(&mut self, c: char) -> Vec<Effect> {
        self.update(Event::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL)))
    }

    fn write(&mut self, text: &str) {
        self.update(Event::Paste(text.to_owned()));
    }

    /// Says something and returns its client id and where it goes.
    fn say(&mut self, text: &str) -> (String, Option<String>) {
        self.write(text);
        match &self.press(KeyCode::Enter)[..] {
            [Effect::Send(ClientFrame::Send { id, session, text: said, .. })] => {
                assert_eq!(said, text);
                (id.clone(), session.clone())
            }
            other => panic!("{other:?}"),
        }
    }

    fn texts(&self) -> Vec<String> {
        let mut texts = Vec::new();
        for entry in &self.app.transcript.entries {
            match &entry.item {
                Item::Said(said) => texts.push(said.text.clone()),
                Item::Turn(segment) => texts.extend(segment.finals().map(|message| message.text.clone())),
                Item::Note { text } => texts.push(text.clone()),
            }
        }
        texts
    }
}

fn listed(title: &str, session: &str) -> serde_json::Value {
    serde_json::json!([{
        "session": session, "title": title, "state": "active", "current": false,
        "created_at_ms": 1, "active_at_ms": 1,
    }])
}

#[test]
fn what_is_said_in_another_dialog_is_told_with_its_title() {
    let mut desk = Desk::new("cli:me");
    let reminder = Message { session: "cli:me:other".to_owned(), ..answer("m9", "", "stretch") };
    let effects = desk.frame(ServerFrame::Elsewhere(Box::new(reminder)));
    let [Effect::Send(ClientFrame::Call { id, call: Call::SessionList { chat, .. } })] = &effects[..] else {
        panic!("{effects:?}");
    };
    assert_eq!(chat.as_deref(), Some("cli:me"));
    desk.frame(ServerFrame::Result { id: id.clone(), value: listed("Sport", "cli:me:other") });
    assert_eq!(desk.texts(), ["In “Sport” (Ctrl+O goes there): stretch"]);
}

#[test]
fn what_was_said_elsewhere_is_not_told_where_it_stands() {
    let mut desk = Desk::new("cli:me");
    let effects = desk.frame(ServerFrame::Elsewhere(Box::new(answer("m9", "", "stretch"))));
    let [Effect::Send(ClientFrame::Call { id, .. })] = &effects[..] else { panic!("{effects:?}") };
    desk.frame(ServerFrame::Result { id: id.clone(), value: listed("Sport", SESSION) });
    assert!(desk.texts().is_empty());
}

#[test]
fn a_command_that_leads_elsewhere_is_confirmed_there() {
    let mut desk = Desk::new("cli:me");
    let (id, _) = desk.say("/archive");
    desk.frame(accepted(&id, "m1"));
    desk.frame(ServerFrame::Message(answer("m2", "", "Archived.")));
    assert_eq!(desk.frame(end("m1", "answered")), [watch("cli:me")]);
    desk.frame(watching("cli:me:next", ""));
    assert_eq!(desk.texts(), ["Archived."]);
}

#[test]
fn a_command_that_leads_nowhere_is_answered_once() {
    let mut desk = Desk::new("cli:me");
    let (id, _) = desk.say("/list");
    desk.frame(accepted(&id, "m1"));
    desk.frame(ServerFrame::Message(answer("m2", "", "1. title")));
    desk.frame(end("m1", "answered"));
    desk.frame(watching(SESSION, "title"));
    desk.frame(watching("cli:me:next", ""));
    assert!(desk.texts().is_empty(), "{:?}", desk.texts());
}

#[test]
fn a_warning_is_shown_once() {
    let mut desk = Desk::new("cli:me");
    let warning = Warning { code: "http".to_owned(), en: "no HTTP".to_owned(), zh: "没有 HTTP".to_owned() };
    desk.frame(ServerFrame::Warned(warning.clone()));
    desk.frame(ServerFrame::Warned(warning));
    assert_eq!(desk.texts(), ["⚠ no HTTP"]);
}

fn watch(session: &str) -> Effect {
    Effect::Send(ClientFrame::Watch { session: session.to_owned(), after: None })
}

#[test]
fn enter_sends_and_other_enters_write_lines() {
    let mut desk = Desk::new("cli:me");
    assert_eq!(desk.press(KeyCode::Enter), []);
    desk.write("one");
    desk.update(Event::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::ALT)));
    desk.write("two");
    desk.control('j');
    desk.write("three");
    let effects = desk.press(KeyCode::Enter);
    assert!(
        matches!(&effects[..], [Effect::Send(ClientFrame::Send { text, .. })] if text == "one\ntwo\nthree")
    );
    assert!(desk.app.input.is_empty());
}

#[test]
fn lines_go_to_the_chat_unless_a_dialog_was_named() {
    assert_eq!(Desk::new("cli:me").say("hi").1.as_deref(), Some("cli:me"));
    assert_eq!(Desk::new(SESSION).say("hi").1.as_deref(), Some(SESSION));
}

#[test]
fn ctrl_c_stops_the_turn_then_clears_the_line_then_leaves() {
    let mut desk = Desk::new("cli:me");
    desk.frame(turn_started("t"));
    desk.write("half a line");
    assert_eq!(desk.control('c'), [Effect::Send(ClientFrame::Stop)]);
    assert_eq!(desk.control('c'), [Effect::Send(ClientFrame::Stop)], "never the program while a turn runs");
    desk.frame(turn_ended("t", "cancelled"));
    assert_eq!(desk.control('c'), []);
    assert!(desk.app.input.is_empty());
    assert_eq!(desk.control('c'), []);
    assert!(desk.app.hint.is_some(), "it says how to leave");
    desk.press(KeyCode::Char('x'));
    desk.press(KeyCode::Backspace);
    assert_eq!(desk.control('c'), [], "another key in between begins anew");
    assert_eq!(desk.control('c'), [Effect::Quit]);
}

#[test]
fn ctrl_d_leaves_only_an_empty_line_and_asks_when_something_is_unsent() {
    let mut desk = Desk::new("cli:me");
    desk.write("x");
    assert_eq!(desk.control('d'), []);
    desk.press(KeyCode::Esc);
    assert_eq!(desk.control('d'), [Effect::Quit]);
    let (id, _) = desk.say("unsent");
    assert_eq!(desk.control('d'), []);
    assert_eq!(desk.control('d'), [Effect::Quit]);
    desk.frame(accepted(&id, "m1"));
    assert_eq!(desk.control('d'), [Effect::Quit]);
    desk.write("/quit");
    assert_eq!(desk.press(KeyCode::Enter), [Effect::Quit]);
}

#[test]
fn a_command_may_change_the_dialog_so_the_chat_is_watched_again() {
    let mut desk = Desk::new("cli:me");
    let (id, _) = desk.say("/new tea");
    desk.frame(accepted(&id, "m1"));
    assert_eq!(desk.frame(end("m1", "answered")), [watch("cli:me")]);
    // What comes of another dialog is shown when it is the watched one.
    let there = |message: Message| Message { session: "cli:me:d2".to_owned(), ..message };
    desk.frame(ServerFrame::Message(there(answer("m2", "", "a new dialog"))));
    assert_eq!(desk.texts(), ["/new tea"]);
    desk.frame(watching("cli:me:d2", "tea"));
    assert_eq!(desk.texts(), ["a new dialog"]);
    assert_eq!(desk.app.transcript.title, "tea");
    assert_eq!(desk.frame(end("m9", "answered")), [], "only for commands of ours");
}

#[test]
fn an_answer_from_elsewhere_moves_a_chat_but_not_a_named_dialog() {
    let elsewhere = |id: &str| ServerFrame::Accepted {
        id: id.to_owned(),
        message: "m1".to_owned(),
        session: "cli:me:d2".to_owned(),
        duplicate: false,
    };
    for (target, expected) in [("cli:me", vec![watch("cli:me")]), (SESSION, Vec::new())] {
        let mut desk = Desk::new(target);
        let (id, _) = desk.say("hi");
        assert_eq!(desk.frame(elsewhere(&id)), expected);
    }
}

#[test]
fn a_reconnect_doubles_nothing() {
    let mut desk = Desk::new("cli:me");
    for _ in 0..2 {
        desk.frame(ServerFrame::Message(said("m1", "hi")));
        desk.frame(ServerFrame::Message(answer("m2", "t", "hello")));
        desk.frame(watching(SESSION, "title"));
    }
    assert_eq!(desk.texts(), ["hi", "hello"]);
}

#[test]
fn scrolling_up_at_the_beginning_reads_older_messages_until_there_are_none() {
    let mut desk = Desk::new("cli:me");
    desk.frame(ServerFrame::Message(ended("m9", "newest", "answered")));
    let [Effect::Send(ClientFrame::Call { id, call: Call::SessionMessages { before, .. } })] =
        &desk.press(KeyCode::PageUp)[..]
    else {
        panic!("older messages were to be asked for")
    };
    assert_eq!(before.as_deref(), Some("m9"));
    assert_eq!(desk.press(KeyCode::PageUp), [], "they are asked for once");
    let older: Vec<Message> =
        (0..3).map(|at| ended(&format!("m{at}"), &format!("old {at}"), "answered")).collect();
    assert!(older.len() < PAGE_MESSAGES);
    desk.frame(ServerFrame::Result { id: id.clone(), value: serde_json::to_value(&older).unwrap() });
    assert_eq!(desk.texts(), ["old 0", "old 1", "old 2", "newest"]);
    assert_eq!(desk.press(KeyCode::PageUp), [], "that was all");
}

#[test]
fn what_fails_is_told() {
    let mut desk = Desk::new("cli:me");
    let (id, _) = desk.say("hi");
    let error =
        Problem { code: "full".to_owned(), text: "too much waits".to_owned(), hint: "wait".to_owned() };
    desk.frame(ServerFrame::Failed { id, error: error.clone() });
    assert_eq!(desk.app.hint, None, "it is shown with the line");
    desk.frame(ServerFrame::Failed { id: String::new(), error });
    assert_eq!(desk.app.hint.as_deref(), Some("too much waits — wait"));
    desk.press(KeyCode::Left);
    assert_eq!(desk.app.hint, None, "until the next key");
}

#[test]
fn a_title_that_was_missing_is_asked_for_after_a_turn() {
    let mut desk = Desk::new("cli:me");
    desk.frame(watching(SESSION, ""));
    let effects = desk.frame(turn_ended("t", "done"));
    let [_, Effect::Send(ClientFrame::Call { id, call: Call::SessionList { .. } })] = &effects[..] else {
        panic!("{effects:?}")
    };
    let list = [crate::fixtures::dialog("default", "about tea")];
    desk.frame(ServerFrame::Result { id: id.clone(), value: serde_json::to_value(list).unwrap() });
    assert_eq!(desk.app.transcript.title, "about tea");
}

#[test]
fn the_mouse_is_taken_and_given_back() {
    let mut desk = Desk::new("cli:me");
    assert_eq!(desk.press(KeyCode::F(2)), [Effect::TakeMouse]);
    assert_eq!(desk.press(KeyCode::F(2)), [Effect::LeaveMouse]);
    assert_eq!(desk.control('l'), [Effect::Redraw]);
}
