//! Whatever is cut is cut by whole turns, and a stored turn is whole wherever it broke off.

use hearth_contract::clock::UnixMs;
use hearth_contract::id::{CallId, ChatKey, MessageId, TurnId};
use hearth_contract::provider::{FinishReason, Usage};
use hearth_contract::store::{Lease, Step, StepRecord, TurnHistory, TurnRecord, TurnState};
use hearth_contract::transcript::{
    Round, ToolArguments, ToolCall, ToolResult, ToolStatus, TurnTranscript, UserInput,
};
use proptest::prelude::*;

use super::{Window, transcript_of};
use crate::tokens;

fn transcript(chars: usize) -> TurnTranscript {
    let inputs = vec![UserInput { text: "x".repeat(chars), at: UnixMs(0) }];
    let answer = Round {
        text: "y".into(),
        reasoning: Vec::new(),
        source: "main".into(),
        calls: Vec::new(),
        joined: Vec::new(),
    };
    TurnTranscript { turn: TurnId::new(), inputs, rounds: vec![answer] }
}

fn window(turns: &[TurnTranscript]) -> Window {
    let mut window = Window::default();
    turns.iter().for_each(|turn| window.push(turn.clone()));
    window
}

fn kept(window: &Window) -> Vec<TurnTranscript> {
    window.history().iter().map(|turn| turn.as_ref().clone()).collect()
}

proptest! {
    #[test]
    fn the_newest_turns_stay_and_they_stay_whole(
        sizes in prop::collection::vec(0..2_000usize, 0..40),
        room in 0..20_000u64,
    ) {
        let turns: Vec<TurnTranscript> = sizes.iter().map(|chars| transcript(*chars)).collect();
        let total: u64 = turns.iter().map(tokens::of_turn).sum();
        let mut window = window(&turns);
        window.fit(room);
        let kept = kept(&window);
        prop_assert_eq!(&turns[turns.len() - kept.len()..], kept.as_slice());
        let left: u64 = kept.iter().map(tokens::of_turn).sum();
        if total * 10 <= room * 7 {
            prop_assert_eq!(kept.len(), turns.len());
        } else {
            prop_assert!(left <= room / 2 + 1 || total <= room * 7 / 10 + 1, "{} of {} left", left, room);
        }
        // What fits is not cut again, so that the vendor's cache goes on hitting.
        window.fit(room);
        prop_assert_eq!(window.history().len(), kept.len());
    }

    #[test]
    fn shortening_ends(sizes in prop::collection::vec(0..500usize, 0..40)) {
        let turns: Vec<TurnTranscript> = sizes.iter().map(|chars| transcript(*chars)).collect();
        let mut window = window(&turns);
        let mut before = turns.len();
        while window.shorten() {
            let now = window.history().len();
            prop_assert!(now < before, "{} turns stayed", now);
            before = now;
        }
        prop_assert_eq!(before, 0);
    }

    #[test]
    fn a_turn_is_whole_wherever_it_broke_off(
        calls in prop::collection::vec(0..4usize, 1..5),
        written in 0..40usize,
    ) {
        let history = broken_off(&calls, written);
        let results = history.steps.iter().filter(|step| matches!(step.step, Step::ToolResult { .. })).count();
        let transcript = transcript_of(&history);
        let responses = history.steps.len() - results;
        prop_assert_eq!(transcript.rounds.len(), responses);
        let mut finished = 0;
        for (place, round) in transcript.rounds.iter().enumerate() {
            prop_assert_eq!(round.calls.len(), calls[place]);
            for exchange in &round.calls {
                match exchange.result.status {
                    ToolStatus::Done => finished += 1,
                    status => prop_assert_eq!(status, ToolStatus::Interrupted),
                }
            }
        }
        prop_assert_eq!(finished, results);
    }
}

/// A turn whose journal ends after so many steps.
fn broken_off(calls: &[usize], written: usize) -> TurnHistory {
    let id = TurnId::new();
    let mut steps = Vec::new();
    for (round, count) in calls.iter().enumerate() {
        let round = u32::try_from(round).unwrap();
        let calls: Vec<ToolCall> = (0..*count).map(|index| call(CallId::at(id, round, index))).collect();
        steps.push(Step::Response {
            round,
            text: "x".into(),
            reasoning: Vec::new(),
            calls: calls.clone(),
            finish: FinishReason::ToolCalls,
            usage: Usage::default(),
            source: "main".into(),
            model: "m".into(),
        });
        let result = ToolResult { status: ToolStatus::Done, text: "ok".into() };
        let results =
            calls.into_iter().map(|call| Step::ToolResult { round, call: call.id, result: result.clone() });
        steps.extend(results);
    }
    steps.truncate(written);
    let steps =
        steps.into_iter().zip(0..).map(|(step, number)| StepRecord { turn: id, number, at: UnixMs(0), step });
    TurnHistory { turn: record(id), messages: Vec::new(), steps: steps.collect() }
}

fn call(id: CallId) -> ToolCall {
    ToolCall { id, name: "tool".into(), arguments: ToolArguments::Object(serde_json::Map::new()) }
}

fn record(id: TurnId) -> TurnRecord {
    TurnRecord {
        id,
        session: ChatKey::new("cli", "me").dialog("default"),
        cause: MessageId::new(),
        state: TurnState::Failed,
        attempt: 1,
        lease: Lease { owner: "test".into(), fence: 1 },
        started_at: UnixMs(0),
        ended_at: None,
        usage: Usage::default(),
        detail: String::new(),
    }
}
