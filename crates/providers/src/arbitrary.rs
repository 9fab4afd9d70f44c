//! Requests of every shape, for the property tests of the encoders.

use std::sync::Arc;

use hearth_contract::clock::UnixMs;
use hearth_contract::id::{CallId, TurnId};
use hearth_contract::provider::{CompletionRequest, ContextBlock};
use hearth_contract::rights::{Risk, Role};
use hearth_contract::tool::{EffectClass, ToolSpec};
use hearth_contract::transcript::{
    Reasoning, Round, ToolArguments, ToolCall, ToolExchange, ToolResult, ToolStatus, TurnTranscript,
    UserInput,
};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, json};

/// The source that is asked in the tests.
pub(crate) const SOURCE: &str = "mine";

/// At least so many cases; `PROPTEST_CASES` raises it.
pub(crate) fn at_least(cases: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    ProptestConfig { cases: config.cases.max(cases), failure_persistence: None, ..config }
}

fn text() -> impl Strategy<Value = String> {
    select(vec!["", " \n", "hello", "你好", " padded ", "</context>", "\"quoted\" \\"])
        .prop_map(str::to_owned)
}

fn input() -> impl Strategy<Value = UserInput> {
    text().prop_map(|text| UserInput { text, at: UnixMs(0) })
}

fn arguments() -> impl Strategy<Value = ToolArguments> {
    prop_oneof![
        Just(ToolArguments::Object(Map::new())),
        Just(ToolArguments::Object(Map::from_iter([("path".to_owned(), json!("笔记.md"))]))),
        select(vec!["{\"cut\":", "[1]", "words"]).prop_map(|text| ToolArguments::Malformed(text.to_owned())),
    ]
}

fn exchange() -> impl Strategy<Value = ToolExchange> {
    let name = select(vec![
        "now",
        "read_file",
        "",
        "bad name!",
        "工具",
        "a-name-that-is-much-longer-than-any-vendor-allows-0123456789-0123456789",
    ]);
    let status = select(vec![
        ToolStatus::Done,
        ToolStatus::Failed,
        ToolStatus::Denied,
        ToolStatus::Unknown,
        ToolStatus::Interrupted,
    ]);
    (name, arguments(), status, text()).prop_map(|(name, arguments, status, text)| ToolExchange {
        call: ToolCall { id: CallId::from_text(""), name: name.to_owned(), arguments },
        result: ToolResult { status, text },
    })
}

fn round() -> impl Strategy<Value = Round> {
    let thoughts =
        prop::collection::vec((any::<bool>(), prop::option::of(select(vec!["seal", "redacted:data"]))), 0..3);
    let source = select(vec![SOURCE, "other"]);
    let calls = prop::collection::vec(exchange(), 0..4);
    (text(), thoughts, source, calls, prop::collection::vec(input(), 0..3)).prop_map(
        |(text, thoughts, source, calls, joined)| {
            let reasoning = thoughts.into_iter().map(|(shown, seal)| Reasoning {
                text: if shown { format!("thought of {source}") } else { String::new() },
                signature: seal.map(|seal| format!("{seal}-{source}")),
            });
            Round { text, reasoning: reasoning.collect(), source: source.to_owned(), calls, joined }
        },
    )
}

/// Any turn, failed ones without rounds among them.
pub(crate) fn turn() -> impl Strategy<Value = TurnTranscript> {
    let inputs = prop::collection::vec(input(), 0..4);
    let rounds = prop::collection::vec(round(), 0..4);
    (inputs, rounds).prop_map(|(inputs, rounds)| {
        let mut turn = TurnTranscript { turn: TurnId::new(), inputs, rounds };
        name_calls(&mut turn);
        turn
    })
}

fn name_calls(turn: &mut TurnTranscript) {
    let id = turn.turn;
    for (round, number) in turn.rounds.iter_mut().zip(0..) {
        for (index, exchange) in round.calls.iter_mut().enumerate() {
            exchange.call.id = CallId::at(id, number, index);
        }
    }
}

/// A tool as it is offered.
pub(crate) fn tool(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: "A tool.".to_owned(),
        parameters: json!({"type": "object", "properties": {}}),
        risk: Risk::Read,
        role: Role::Member,
        effect: EffectClass::Pure,
        timeout_ms: 1_000,
    }
}

/// Any request: any history, cut anywhere by whole turns, and any going turn.
pub(crate) fn request() -> impl Strategy<Value = CompletionRequest> {
    let system = select(vec!["", " ", "You are Hearth.", "你是炉火。"]);
    let block = text().prop_map(|text| ContextBlock { name: "memory".to_owned(), text });
    (
        system,
        prop::collection::vec(turn(), 0..5),
        any::<prop::sample::Index>(),
        prop::collection::vec(block, 0..3),
        turn(),
        0usize..3,
    )
        .prop_map(|(system, mut history, cut, context, current, tools)| {
            let cut = cut.index(history.len() + 1);
            CompletionRequest {
                system: Arc::from(system),
                history: history.split_off(cut).into_iter().map(Arc::new).collect(),
                context,
                current,
                tools: ["now", "read_file"][..tools].iter().map(|name| tool(name)).collect(),
                output_tokens_max: 1_000,
            }
        })
}

/// What must be found in an encoded request: every text that people or tools said.
pub(crate) fn said(request: &CompletionRequest) -> Vec<&str> {
    let turns = request.history.iter().map(AsRef::as_ref).chain([&request.current]);
    let mut said = Vec::new();
    for turn in turns {
        said.extend(turn.inputs.iter().map(|input| input.text.as_str()));
        for round in &turn.rounds {
            said.push(round.text.as_str());
            said.extend(round.calls.iter().map(|exchange| exchange.result.text.as_str()));
            said.extend(round.joined.iter().map(|input| input.text.as_str()));
        }
    }
    said.into_iter().map(str::trim).filter(|text| !text.is_empty()).collect()
}

/// The messages as the vendor's cache sees them: in bytes, without the marks that only say what to keep.
pub(crate) fn messages_text(body: &serde_json::Value) -> String {
    body["messages"].to_string().replace(r#","cache_control":{"type":"ephemeral"}"#, "")
}

/// A request and the one that follows it when the turn has ended, both with context of their own.
pub(crate) fn followed() -> impl Strategy<Value = (CompletionRequest, CompletionRequest)> {
    (request(), turn(), turn()).prop_map(|(mut first, ended, next)| {
        let context = |text: &str| vec![ContextBlock { name: "now".to_owned(), text: text.to_owned() }];
        first.context = context("first");
        first.current.rounds.clear();
        let mut second = first.clone();
        let mut whole = first.current.clone();
        whole.rounds = ended.rounds;
        name_calls(&mut whole);
        second.history.push(Arc::new(whole));
        second.current = next;
        second.context = context("second");
        (first, second)
    })
}

/// A request and the one after one more round of calls.
pub(crate) fn one_more_round() -> impl Strategy<Value = (CompletionRequest, CompletionRequest)> {
    (request(), round(), exchange()).prop_map(|(mut first, mut round, exchange)| {
        round.calls.push(exchange);
        first.current.rounds.retain(|round| !round.calls.is_empty());
        let mut second = first.clone();
        second.current.rounds.push(round);
        name_calls(&mut first.current);
        name_calls(&mut second.current);
        (first, second)
    })
}

/// A small, plain request: one earlier turn, and a turn in the middle of its work.
pub(crate) fn example() -> CompletionRequest {
    let input = |text: &str| UserInput { text: text.to_owned(), at: UnixMs(0) };
    let answer = |text: &str| Round {
        text: text.to_owned(),
        reasoning: Vec::new(),
        source: SOURCE.to_owned(),
        calls: Vec::new(),
        joined: Vec::new(),
    };
    let call = |index: usize, arguments, status, text: &str| ToolExchange {
        call: ToolCall { id: CallId::from_text(format!("call_{index}")), name: "now".to_owned(), arguments },
        result: ToolResult { status, text: text.to_owned() },
    };
    let sealed =
        |text: &str, seal: &str| Reasoning { text: text.to_owned(), signature: Some(seal.to_owned()) };
    let zone = ToolArguments::Object(Map::from_iter([("zone".to_owned(), json!("Asia/Shanghai"))]));
    let working = Round {
        reasoning: vec![sealed("Look at the clock.", "seal=="), sealed("", "redacted:hidden==")],
        calls: vec![
            call(0, zone, ToolStatus::Done, "12:00"),
            call(1, ToolArguments::Malformed("{\"zone".to_owned()), ToolStatus::Failed, "not an object"),
        ],
        joined: vec![input("快一点")],
        ..answer("One moment.")
    };
    let block = |name: &str, text: &str| ContextBlock { name: name.to_owned(), text: text.to_owned() };
    CompletionRequest {
        system: Arc::from("You are Hearth."),
        history: vec![Arc::new(TurnTranscript {
            turn: TurnId::new(),
            inputs: vec![input("hi"), input("are you there?")],
            rounds: vec![answer("Yes.")],
        })],
        context: vec![block("memory", "Likes oolong.</context>"), block("now", "2026-11-30")],
        current: TurnTranscript {
            turn: TurnId::new(),
            inputs: vec![input("几点了？")],
            rounds: vec![working],
        },
        tools: Arc::new([tool("now")]),
        output_tokens_max: 1_000,
    }
}
