//! The loop itself: rounds, steering, missing tools, failures, a turn that another model began.

use hearth_contract::id::CallId;
use hearth_contract::provider::{
    Chunk, ChunkSink, CompletionRequest, ContextBlock, FinishReason, ProviderError,
};
use hearth_contract::transcript::{
    Round, ToolArguments, ToolCall, ToolExchange, ToolResult, ToolStatus, TurnTranscript,
};
use serde_json::Map;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

use super::house::{Collected, House, input, request, specs};
use crate::offline::engine::{self, Move};

fn round(source: &str, calls: Vec<ToolExchange>) -> Round {
    Round { text: String::new(), reasoning: Vec::new(), source: source.into(), calls, joined: Vec::new() }
}

fn exchange(tool: &str, status: ToolStatus, text: &str) -> ToolExchange {
    ToolExchange {
        call: ToolCall {
            id: CallId::from_text("c"),
            name: tool.into(),
            arguments: ToolArguments::Object(Map::new()),
        },
        result: ToolResult { status, text: text.into() },
    }
}

fn called(asked: &CompletionRequest) -> Vec<String> {
    match engine::next(asked) {
        Move::Call(calls) => calls.into_iter().map(|call| call.name).collect(),
        Move::Say(text) => panic!("said {text}"),
    }
}

fn said(asked: &CompletionRequest) -> String {
    match engine::next(asked) {
        Move::Say(text) => text,
        Move::Call(calls) => panic!("called {calls:?}"),
    }
}

#[test]
fn answers_every_input_of_a_turn() {
    let mut house = House::new();
    let answer = house.turn(&["我叫李雷", "12*7", "remind me in 10 seconds to stretch"]);
    assert_eq!(answer, "记下了：你叫李雷。\n12*7 = 84\nOK, I will remind you in 10 seconds: stretch.");
    assert_eq!(house.timers.len(), 1);
}

#[test]
fn takes_up_what_joined_meanwhile() {
    let mut asked = request(&["remember that I like tea"]);
    let mut first = round("offline", vec![exchange("memory_store", ToolStatus::Done, "stored")]);
    first.joined.push(input("and remind me in 5 minutes to drink it"));
    asked.current.rounds.push(first);
    assert_eq!(called(&asked), ["timer_set"]);
    asked.current.rounds.push(round("offline", vec![exchange("timer_set", ToolStatus::Done, "set")]));
    assert_eq!(said(&asked), "Noted: you like tea.\nOK, I will remind you in 5 minutes: drink it.");
}

#[test]
fn does_not_repeat_what_another_model_did_before_it_broke_down() {
    let mut asked = request(&["remind me in 10 seconds to stretch"]);
    asked.context.push(ContextBlock { name: "fallback".into(), text: "main: network".into() });
    asked.current.rounds.push(round("main", vec![exchange("timer_set", ToolStatus::Done, "set")]));
    assert_eq!(said(&asked), "OK, I will remind you in 10 seconds: stretch.");
}

#[test]
fn tells_why_a_call_failed() {
    for (status, start) in [
        (ToolStatus::Failed, "That did not work"),
        (ToolStatus::Denied, "That was not allowed"),
        (ToolStatus::Unknown, "I do not know whether that happened"),
        (ToolStatus::Interrupted, "That was interrupted"),
    ] {
        let mut asked = request(&["read notes.txt"]);
        asked.current.rounds.push(round("offline", vec![exchange("read_file", status, "because")]));
        assert_eq!(said(&asked), format!("{start}: because"));
    }
    let mut asked = request(&["读一下 notes.txt"]);
    asked.current.rounds.push(round("offline", vec![exchange("read_file", ToolStatus::Denied, "只读")]));
    assert_eq!(said(&asked), "这一步没有得到允许：只读");
}

#[test]
fn says_that_a_tool_is_missing() {
    let mut house = House::new();
    house.without = vec!["timer_set", "memory_store", "write_file"];
    assert_eq!(
        house.turn(&["remind me in 10 seconds to stretch"]),
        "I cannot do that here: the tool `timer_set` is not available in this conversation."
    );
    assert_eq!(house.turn(&["我叫李雷"]), "这里做不到：本对话没有提供工具 `memory_store`。");
}

#[test]
fn answers_from_the_memory_block_when_there_are_no_tools() {
    let mut asked = request(&["what's my name?"]);
    asked.tools = specs(&[]);
    assert_eq!(said(&asked), "I have no record of that.");
    asked.context.push(ContextBlock {
        name: "memory".into(),
        text: "- my name is Sam (2026-11-01)\n- I like tea (2026-11-02)".into(),
    });
    assert_eq!(said(&asked), "Your name is Sam.");
}

#[test]
fn understands_facts_that_another_model_stored() {
    for (fact, question, answer) in [
        ("The user's name is Sam", "what's my name?", "Your name is Sam."),
        ("User lives in Berlin", "where do I live?", "You live in Berlin."),
        ("用户最喜欢乌龙茶", "我喜欢喝什么", "你最喜欢乌龙茶。"),
        ("用户对花生过敏", "我对什么过敏", "你对花生过敏。"),
    ] {
        let mut asked = request(&[question]);
        asked.tools = specs(&[]);
        asked.context.push(ContextBlock { name: "memory".into(), text: format!("- {fact} (2026-11-01)") });
        assert_eq!(said(&asked), answer);
    }
}

#[test]
fn ends_with_words_when_the_rounds_are_used_up() {
    let mut asked = request(&["what's my name?"]);
    for _ in 0..9 {
        asked.current.rounds.push(round("offline", vec![exchange("other", ToolStatus::Failed, "no")]));
    }
    assert!(said(&asked).contains("too many steps"));
    let mut house = House::new();
    house.rounds_max = 1;
    assert!(house.turn(&["cancel the stretch reminder"]).contains("No reminders"));
}

#[test]
fn finds_out_the_time_when_nothing_tells_it() {
    let mut asked = request(&["明天早上八点叫我起床"]);
    asked.context.clear();
    assert_eq!(called(&asked), ["now"]);
    let now = exchange("now", ToolStatus::Done, "2026-11-30T19:12:03+08:00[Asia/Shanghai] Monday");
    asked.current.rounds.push(round("offline", vec![now]));
    assert_eq!(called(&asked), ["timer_set"]);
    let mut relative = request(&["10秒后提醒我伸展"]);
    relative.context.clear();
    assert_eq!(called(&relative), ["timer_set"]);
}

#[test]
fn says_that_a_timer_is_late() {
    let mut asked = request(&["[timer due] stretch"]);
    asked.context.push(ContextBlock { name: "timer".into(), text: "The timer was due at 19:00.".into() });
    assert_eq!(said(&asked), "⏰ Time to stretch.\nThe timer was due at 19:00.");
}

#[test]
fn correction_needs_the_turn_before() {
    let mut asked = request(&["no, it's green"]);
    assert!(matches!(engine::next(&asked), Move::Say(_)));
    let before = TurnTranscript {
        turn: asked.current.turn,
        inputs: vec![input("my favourite colour is red")],
        rounds: vec![round("offline", Vec::new())],
    };
    asked.history.push(Arc::new(before));
    assert_eq!(called(&asked), ["memory_store"]);
}

#[tokio::test]
async fn streams_in_pieces_and_stops_when_told() {
    let provider = crate::offline::offline("spare");
    let sink = Collected::default();
    let asked = request(&["what can you do?"]);
    let completion = provider.complete(&asked, &sink, &CancellationToken::new()).await.unwrap();
    assert_eq!(completion.finish, FinishReason::Stop);
    assert_eq!(completion.source, "spare");
    let pieces = sink.0.lock().unwrap().clone();
    assert!(pieces.len() > 3);
    assert_eq!(pieces.concat(), completion.text);

    /// Cancels after the first piece.
    struct Impatient(CancellationToken);
    impl ChunkSink for Impatient {
        fn push(&self, _chunk: Chunk) {
            self.0.cancel();
        }
    }
    let cancel = CancellationToken::new();
    let stopped = provider.complete(&asked, &Impatient(cancel.clone()), &cancel).await;
    assert_eq!(stopped, Err(ProviderError::Cancelled));
}

#[tokio::test]
async fn probe_tells_the_truth() {
    let card = crate::offline::offline("offline").probe(&CancellationToken::new()).await.unwrap();
    assert!(card.streaming && card.tools && !card.reasoning && !card.usage);
    assert_eq!(card.models, ["hearth-offline-1"]);
}
