//! The list of dialogs: keys in, calls out.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use hearth_protocol::{Call, ClientFrame, Dialog, Language, ServerFrame};
use jiff::tz::TimeZone;

use crate::app::event::{Effect, Event};
use crate::app::{App, Overlay, Target};
use crate::client::link::LinkEvent;
use crate::fixtures::{SESSION, dialog, watching};

fn frame(app: &mut App, frame: ServerFrame) -> Vec<Effect> {
    app.update(Event::Link(LinkEvent::Frame(frame)), Duration::ZERO)
}

fn press(app: &mut App, code: KeyCode) -> Vec<Effect> {
    app.update(Event::Key(KeyEvent::new(code, KeyModifiers::NONE)), Duration::ZERO)
}

/// The only call among the effects.
fn call(effects: &[Effect]) -> (String, Call) {
    match effects {
        [Effect::Send(ClientFrame::Call { id, call })] => (id.clone(), call.clone()),
        other => panic!("one call was expected: {other:?}"),
    }
}

fn answer(app: &mut App, id: String, value: impl serde::Serialize) -> Vec<Effect> {
    frame(app, ServerFrame::Result { id, value: serde_json::to_value(value).unwrap() })
}

fn watch(session: &str) -> Effect {
    Effect::Send(ClientFrame::Watch { session: session.to_owned(), after: None })
}

/// With an open list of three dialogs.
fn open(target: &str) -> App {
    let mut app = App::new(Target::parse(target), Language::En, TimeZone::UTC);
    frame(&mut app, watching(SESSION, ""));
    let effects =
        app.update(Event::Key(KeyEvent::new(KeyCode::Char('o'), KeyModifiers::CONTROL)), Duration::ZERO);
    let (id, asked) = call(&effects);
    assert!(matches!(asked, Call::SessionList { chat: Some(chat), .. } if chat == "cli:me"));
    let archived = Dialog { state: "archived".to_owned(), ..dialog("d3", "c") };
    answer(&mut app, id, [dialog("default", "a"), dialog("d2", "b"), archived]);
    app
}

#[test]
fn going_to_another_one_switches_the_chat_and_watches_it() {
    let mut app = open("cli:me");
    press(&mut app, KeyCode::Down);
    let (id, asked) = call(&press(&mut app, KeyCode::Enter));
    assert_eq!(asked, Call::SessionSwitch { session: "cli:me:d2".to_owned() });
    assert!(matches!(app.overlay, Overlay::None));
    assert_eq!(answer(&mut app, id, dialog("d2", "b")), [watch("cli:me")]);
}

#[test]
fn whoever_named_a_dialog_looks_at_another_one_without_switching_the_chat() {
    let mut app = open(SESSION);
    press(&mut app, KeyCode::Down);
    assert_eq!(press(&mut app, KeyCode::Enter), [watch("cli:me:d2")]);
}

#[test]
fn going_to_the_one_that_is_shown_only_closes_the_list() {
    let mut app = open("cli:me");
    assert_eq!(press(&mut app, KeyCode::Enter), []);
    assert!(matches!(app.overlay, Overlay::None));
}

#[test]
fn deleting_asks_first() {
    let mut app = open("cli:me");
    press(&mut app, KeyCode::Char('d'));
    assert_eq!(press(&mut app, KeyCode::Enter), []);
    press(&mut app, KeyCode::Char('d'));
    let (id, asked) = call(&press(&mut app, KeyCode::Char('y')));
    assert_eq!(asked, Call::SessionDelete { session: SESSION.to_owned() });
    let effects = answer(&mut app, id, Dialog { state: "deleted".to_owned(), ..dialog("default", "a") });
    // The list is read again, and the chat's next dialog is shown.
    assert!(
        matches!(&effects[..], [Effect::Send(ClientFrame::Call { .. }), last] if *last == watch("cli:me"))
    );
}

#[test]
fn renaming_starts_from_the_old_title() {
    let mut app = open("cli:me");
    press(&mut app, KeyCode::Char('r'));
    press(&mut app, KeyCode::Char('茶'));
    let (_, asked) = call(&press(&mut app, KeyCode::Enter));
    assert_eq!(asked, Call::SessionRename { session: SESSION.to_owned(), title: "a茶".to_owned() });
    press(&mut app, KeyCode::Char('r'));
    assert_eq!(press(&mut app, KeyCode::Esc), []);
}

#[test]
fn the_archive_is_a_way_in_and_out() {
    let mut app = open("cli:me");
    let (_, asked) = call(&press(&mut app, KeyCode::Char('a')));
    assert_eq!(asked, Call::SessionArchive { session: SESSION.to_owned() });
    press(&mut app, KeyCode::PageDown);
    let (_, asked) = call(&press(&mut app, KeyCode::Char('a')));
    assert_eq!(asked, Call::SessionRestore { session: "cli:me:d3".to_owned() });
}

#[test]
fn a_new_one_is_gone_to() {
    let mut app = open("cli:me");
    let (id, asked) = call(&press(&mut app, KeyCode::Char('n')));
    assert_eq!(asked, Call::SessionNew { chat: "cli:me".to_owned(), title: String::new() });
    assert_eq!(answer(&mut app, id, dialog("d9", "")), [watch("cli:me")]);
}
