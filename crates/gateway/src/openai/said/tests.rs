//! What a streaming client is told.

use super::*;

/// What is done to an answer.
enum Step {
    Push(&'static str),
    Restart,
    Next,
    Finish(&'static str),
}
use Step::{Finish, Next, Push, Restart};

fn check(steps: &[Step], expected: &[&str]) {
    let mut said = Said::default();
    let mut told = Vec::new();
    for step in steps {
        match step {
            Push(text) => told.push(said.push(text)),
            Restart => said.restart(),
            Next => said.next(),
            Finish(text) => told.push(said.finish(text)),
        }
    }
    told.retain(|text| !text.is_empty());
    assert_eq!(told, expected);
}

#[test]
fn pieces_pass_and_the_end_adds_what_is_missing() {
    check(&[Push("It"), Push(" is"), Finish("It is")], &["It", " is"]);
    check(&[Push("It"), Finish("It is")], &["It", " is"]);
    check(&[Finish("whole")], &["whole"]);
    check(&[Finish("")], &[]);
}

#[test]
fn what_is_written_again_is_not_told_again() {
    check(&[Push("Hel"), Restart, Push("H"), Push("ello"), Finish("Hello")], &["Hel", "lo"]);
    check(&[Push("Hello"), Restart, Push("Hel"), Finish("Hello!")], &["Hello", "!"]);
}

#[test]
fn another_course_is_a_paragraph_of_its_own() {
    check(
        &[Push("Hello"), Restart, Push("Good"), Push(" day"), Finish("Good day")],
        &["Hello", "\n\nGood", " day"],
    );
    check(&[Push("draft"), Finish("a hook's text")], &["draft", "\n\na hook's text"]);
}

#[test]
fn texts_before_and_after_tools_are_paragraphs() {
    let steps = [Push("Let me look."), Next, Push("No"), Push("on"), Finish("Noon.")];
    check(&steps, &["Let me look.", "\n\nNo", "on", "."]);
    check(&[Push("A"), Next, Finish("B")], &["A", "\n\nB"]);
    check(&[Next, Push("B"), Finish("B")], &["B"]);
}

#[test]
fn a_final_text_of_all_parts_is_recognised() {
    let steps = [Push("A"), Next, Push("B"), Finish("A\n\nB!")];
    check(&steps, &["A", "\n\nB", "!"]);
}

#[test]
fn a_shorter_final_text_cannot_take_anything_back() {
    check(&[Push("Hello world"), Finish("Hello")], &["Hello world"]);
}

#[test]
fn lost_pieces_are_made_good_at_the_end() {
    check(&[Push("一"), Finish("一二三")], &["一", "二三"]);
}
