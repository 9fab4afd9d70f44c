//! The input box.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{HISTORY_MAX, INPUT_BYTES_MAX, Input};

fn press(input: &mut Input, code: KeyCode) {
    input.key(KeyEvent::new(code, KeyModifiers::NONE));
}

fn with_history() -> Input {
    let mut input = Input::default();
    for line in ["first", "第二行\nwith two lines", "third"] {
        input.remember(line);
    }
    input
}

#[test]
fn up_and_down_go_through_the_history_and_back_to_what_was_begun() {
    let mut input = with_history();
    assert!(input.paste("begun"));
    press(&mut input, KeyCode::Up);
    assert_eq!(input.text(), "third");
    press(&mut input, KeyCode::Up);
    assert_eq!(input.text(), "第二行\nwith two lines");
    // Within a text of several lines the cursor moves first.
    press(&mut input, KeyCode::Up);
    assert_eq!(input.text(), "第二行\nwith two lines");
    press(&mut input, KeyCode::Up);
    assert_eq!(input.text(), "first");
    press(&mut input, KeyCode::Up);
    assert_eq!(input.text(), "first");
    for expected in ["第二行\nwith two lines", "third", "begun", "begun"] {
        press(&mut input, KeyCode::Down);
        assert_eq!(input.text(), expected);
    }
}

#[test]
fn a_long_line_counts_as_the_rows_it_is_seen_in() {
    let mut input = with_history();
    input.paste("一二三四五六七八");
    assert_eq!(input.measure(8), (2, (1, 8)));
    press(&mut input, KeyCode::Up);
    assert_eq!(input.text(), "一二三四五六七八", "the cursor was on the second row");
    press(&mut input, KeyCode::Up);
    assert_eq!(input.text(), "third");
}

#[test]
fn rows_are_seen_around_the_cursor_and_none_is_left_empty() {
    let mut input = Input::default();
    input.paste("1\n2\n3\n4\n5");
    input.measure(20);
    assert_eq!(input.view(3).1, 2);
    press(&mut input, KeyCode::Up);
    assert_eq!(input.view(3).1, 1);
    press(&mut input, KeyCode::Up);
    press(&mut input, KeyCode::Up);
    assert_eq!(input.view(3).1, 0);
    assert_eq!(input.view(10).1, 1);
}

#[test]
fn a_cleared_line_can_be_had_back() {
    let mut input = Input::default();
    input.paste("precious");
    input.clear();
    assert!(input.is_empty());
    press(&mut input, KeyCode::Up);
    assert_eq!(input.text(), "precious");
}

#[test]
fn a_backslash_at_the_end_continues_the_line() {
    let mut input = Input::default();
    input.paste("一\\");
    assert!(input.continues());
    assert_eq!(input.text(), "一\n");
    assert!(!input.continues());
}

#[test]
fn a_search_finds_the_newest_and_then_older_ones() {
    let mut input = with_history();
    input.search_older();
    for typed in "第二".chars() {
        assert!(input.search_key(KeyEvent::new(KeyCode::Char(typed), KeyModifiers::NONE)));
    }
    assert_eq!(input.text(), "第二行\nwith two lines");
    input.search_key(KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE));
    input.search_key(KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE));
    input.search_key(KeyEvent::new(KeyCode::Char('i'), KeyModifiers::NONE));
    assert_eq!(input.text(), "third");
    input.search_older();
    input.search_older();
    assert_eq!(input.text(), "first");
    assert!(!input.search_key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE)));
    assert_eq!((input.text().as_str(), input.search.is_none()), ("first", true));
}

#[test]
fn lengths_are_bounded_and_pasted_controls_are_gone() {
    let mut input = Input::default();
    assert!(!input.paste(&"x".repeat(INPUT_BYTES_MAX + 1)));
    assert!(input.paste("a\u{1b}[31mb\r\nc"));
    assert_eq!(input.text(), "ab\nc");
    for number in 0..HISTORY_MAX + 10 {
        input.remember(&number.to_string());
    }
    assert_eq!((input.history.len(), input.history[0].as_str()), (HISTORY_MAX, "10"));
}
