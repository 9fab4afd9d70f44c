//! The order of what is shown.

use std::time::Duration;

use super::{ENTRIES_MAX, Item, SaidState, Transcript};
use crate::app::turn::{Block, Tool, ToolState, TurnEnd};
use crate::fixtures::{SESSION, answer, ended, said};

const NOW: Duration = Duration::ZERO;

/// The transcript in short: what was said after `>`, what was written before `_`, what waits after `?`.
fn shape(transcript: &Transcript) -> Vec<String> {
    let mut shape = Vec::new();
    for entry in &transcript.entries {
        match &entry.item {
            Item::Said(said) => shape.push(format!(">{}", said.text)),
            Item::Note { text } => shape.push(format!("!{text}")),
            Item::Turn(segment) => shape.extend(segment.blocks.iter().map(|block| match block {
                Block::Thought { text } => format!("({text})"),
                Block::Tool(tool) => {
                    format!("{}{}", tool.name, if tool.state.is_running() { "…" } else { "" })
                }
                Block::Draft { text, starts_late } => {
                    format!("{}{text}_", if *starts_late { "⋯" } else { "" })
                }
                Block::Final(message) => message.text.clone(),
                Block::End { state } => format!("[{state}]"),
            })),
        }
    }
    shape.extend(transcript.queued.iter().map(|said| format!("?{}", said.text)));
    shape
}

fn tool(call: &str, state: ToolState) -> Tool {
    Tool { call: call.to_owned(), name: format!("tool {call}"), arguments: String::new(), state }
}

fn running() -> ToolState {
    ToolState::Running { since: NOW }
}

fn done() -> ToolState {
    ToolState::Ended { status: "done".to_owned(), result: String::new(), duration_ms: 1 }
}

fn turn_end(state: &str) -> TurnEnd {
    TurnEnd { state: state.to_owned(), prompt_tokens: 1, completion_tokens: 1, duration_ms: 1 }
}

#[test]
fn the_final_text_replaces_the_draft_wherever_it_was() {
    let mut transcript = Transcript::new(SESSION);
    transcript.took(said("m1", "hi"));
    transcript.turn_started("t", 1, NOW);
    transcript.draft("t", "let me ", NOW);
    transcript.draft("t", "see", NOW);
    transcript.tool_started("t", tool("c", running()), NOW);
    transcript.tool_ended("t", tool("c", done()), NOW);
    transcript.draft("t", "answ", NOW);
    assert_eq!(shape(&transcript), [">hi", "let me see_", "tool c", "answ_"]);
    transcript.took(answer("m2", "t", "answer"));
    transcript.took(answer("m2", "t", "answer"));
    transcript.turn_ended("t", turn_end("done"));
    assert_eq!(shape(&transcript), [">hi", "tool c", "answer"]);
    assert!(transcript.live.is_none());
}

#[test]
fn a_final_text_that_comes_after_the_end_still_replaces_the_draft() {
    let mut transcript = Transcript::new(SESSION);
    transcript.draft("t", "answ", NOW);
    transcript.turn_ended("t", turn_end("done"));
    transcript.took(answer("m2", "t", "answer"));
    assert_eq!(shape(&transcript), ["answer"]);
}

#[test]
fn a_turn_that_begins_again_keeps_its_tools_and_drops_its_draft() {
    let mut transcript = Transcript::new(SESSION);
    transcript.turn_started("t", 1, NOW);
    transcript.tool_started("t", tool("c", running()), NOW);
    transcript.draft("t", "half", NOW);
    transcript.turn_started("t", 2, NOW);
    transcript.tool_started("t", tool("c", running()), NOW);
    assert_eq!(shape(&transcript), ["tool c…"]);
    assert_eq!(transcript.live.as_ref().map(|live| live.attempt), Some(2));
}

#[test]
fn what_is_said_during_a_turn_waits_and_then_stands_where_it_was_taken_up() {
    let mut transcript = Transcript::new(SESSION);
    transcript.took(said("m1", "one"));
    transcript.turn_started("t", 1, NOW);
    transcript.tool_started("t", tool("c", running()), NOW);
    transcript.say("x", "two");
    transcript.say("y", "three");
    transcript.accepted("x", "m2");
    assert_eq!(shape(&transcript), [">one", "tool c…", "?two", "?three"]);
    transcript.tool_ended("t", tool("c", done()), NOW);
    assert_eq!(transcript.ended("m2", "joined").as_deref(), Some("two"));
    transcript.draft("t", "ok", NOW);
    assert_eq!(shape(&transcript), [">one", "tool c", ">two", "ok_", "?three"]);
    transcript.took(answer("m4", "t", "okay"));
    transcript.turn_ended("t", turn_end("done"));
    transcript.turn_started("u", 1, NOW);
    assert_eq!(shape(&transcript), [">one", "tool c", ">two", "okay", ">three"]);
}

#[test]
fn the_same_message_by_any_of_its_ids_is_one() {
    let mut transcript = Transcript::new(SESSION);
    transcript.say("x", "hi");
    let mut arrived = said("m1", "hi");
    arrived.client_id = Some("x".to_owned());
    transcript.took(arrived.clone());
    transcript.accepted("x", "m1");
    transcript.took(ended("m1", "hi", "silent"));
    // Told again after a reconnect, with less known about it.
    transcript.took(arrived);
    assert_eq!(shape(&transcript), [">hi"]);
    let Item::Said(said) = &transcript.entries[0].item else { panic!() };
    assert_eq!(said.state, SaidState::Ended("silent".to_owned()));
    assert!(!transcript.has_open());
}

#[test]
fn a_refusal_is_shown_with_what_was_refused() {
    let mut transcript = Transcript::new(SESSION);
    transcript.turn_started("t", 1, NOW);
    transcript.say("x", "hi");
    assert!(transcript.refused("x", "full"));
    assert!(!transcript.refused("y", "full"));
    assert_eq!(shape(&transcript), [">hi"]);
    assert_eq!(transcript.unsent(), 0);
}

#[test]
fn a_stop_leaves_what_was_written_and_closes_tools() {
    let mut transcript = Transcript::new(SESSION);
    transcript.turn_started("t", 1, NOW);
    transcript.draft("t", "half", NOW);
    transcript.tool_started("t", tool("c", running()), NOW);
    transcript.turn_ended("t", turn_end("cancelled"));
    assert_eq!(shape(&transcript), ["half_", "tool c", "[cancelled]"]);
}

#[test]
fn after_a_reconnect_a_turn_goes_on_with_a_gap_or_is_over() {
    let mut transcript = Transcript::new(SESSION);
    transcript.took(said("m1", "hi"));
    transcript.turn_started("t", 1, NOW);
    transcript.draft("t", "begin", NOW);
    transcript.resumed();
    assert!(transcript.live.is_some());
    assert_eq!(shape(&transcript), [">hi", "⋯begin_"]);
    transcript.took(ended("m1", "hi", "answered"));
    transcript.resumed();
    assert!(transcript.live.is_none());
    // A piece of a turn whose beginning was not seen.
    transcript.draft("u", "tail", NOW);
    assert_eq!(shape(&transcript), [">hi", "⋯begin_", "⋯tail_"]);
}

#[test]
fn older_messages_go_before_and_what_is_not_sent_goes_along_to_another_dialog() {
    let mut transcript = Transcript::new(SESSION);
    transcript.took(ended("m5", "five", "answered"));
    transcript.prepend(vec![ended("m1", "one", "answered"), answer("m2", "t", "two"), said("m3", "three")]);
    assert_eq!(shape(&transcript), [">one", "two", ">three", ">five"]);
    assert_eq!(transcript.oldest_message(), Some("m1"));
    transcript.say("x", "unsent");
    let mut other = Transcript::new("cli:me:other");
    other.took(ended("m6", "there", "answered"));
    other.carry_unsent(transcript);
    assert_eq!(shape(&other), [">there", ">unsent"]);
}

#[test]
fn entries_are_bounded_and_keys_stay_unique() {
    let mut transcript = Transcript::new(SESSION);
    for number in 0..ENTRIES_MAX + 5 {
        transcript.took(answer(&format!("m{number:06}"), "", "x"));
    }
    assert_eq!(transcript.entries.len(), ENTRIES_MAX);
    assert_eq!(transcript.oldest_message(), Some("m000005"));
    let keys: std::collections::HashSet<u64> = transcript.entries.iter().map(|entry| entry.key).collect();
    assert_eq!(keys.len(), ENTRIES_MAX);
}
