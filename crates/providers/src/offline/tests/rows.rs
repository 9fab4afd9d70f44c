//! The first move on one input, as a table: `said => made`. Made is the calls (`tool name=value …`, joined by ` ; `),
//! `cannot` for the honest refusal, `unsure` for a question that only memory could answer, or `: ` and what is said.

use hearth_contract::language::Language;
use hearth_contract::provider::RequestedCall;
use hearth_contract::transcript::ToolArguments;
use serde_json::Value;

use super::house::request;
use crate::offline::dialogue::Dialogue;
use crate::offline::engine::{self, Move};
use crate::offline::skills::Kind;
use crate::offline::{speak, split};

fn made(said: &str) -> String {
    let asked = request(&[said]);
    let tasks = split::tasks(said, &Dialogue::default());
    if tasks.iter().all(|task| task.job.kind() == Kind::Guess) {
        return "unsure".into();
    }
    match engine::next(&asked) {
        Move::Call(calls) => calls.iter().map(shown).collect::<Vec<_>>().join(" ; "),
        Move::Say(text) if text == speak::cannot(Language::Zh) || text == speak::cannot(Language::En) => {
            "cannot".into()
        }
        Move::Say(text) => format!(": {}", text.replace('\n', " | ")),
    }
}

fn shown(call: &RequestedCall) -> String {
    let ToolArguments::Object(arguments) = &call.arguments else { panic!("malformed arguments") };
    let mut parts = vec![call.name.clone()];
    for (name, value) in arguments {
        let value = value.as_str().map_or_else(|| value.to_string(), |text| text.replace('\n', "\\n"));
        if name != "importance" && name != "limit" {
            parts.push(format!("{name}={value}"));
        }
    }
    parts.join(" ")
}

fn check(table: &str) {
    let rows: Vec<(&str, &str)> = table
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|line| line.split_once(" => ").unwrap_or((line, "")))
        .collect();
    assert!(rows.len() >= 5, "a table with rows");
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(said, expected)| {
            let made = made(&said.replace("\\n", "\n"));
            (made != *expected).then(|| format!("{said} => {made}\n    expected: {expected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn remember() {
    check(include_str!("remember.txt"));
}

#[test]
fn recall() {
    check(include_str!("recall.txt"));
}

#[test]
fn timers() {
    check(include_str!("timers.txt"));
}

#[test]
fn files() {
    check(include_str!("files.txt"));
}

#[test]
fn time_and_sums() {
    check(include_str!("time.txt"));
}

#[test]
fn talk() {
    check(include_str!("talk.txt"));
}

#[test]
fn outside() {
    check(include_str!("outside.txt"));
}

#[test]
fn compound() {
    check(include_str!("compound.txt"));
}

/// No input, however odd, brings it down or makes it call a tool that is not there.
#[test]
fn odd_inputs() {
    for said in [
        "",
        " ",
        "?",
        "。",
        "记住",
        "remember",
        "提醒我",
        "remind me",
        "\u{0}",
        "🙂",
        "(((((",
        "把",
        "1/0",
        "\"",
        "“",
        "a: b: c",
        "[timer due]",
        "@",
        "[quote: x",
    ] {
        let _ = made(said);
    }
    let long = "我喜欢茶，".repeat(2_000);
    assert!(!made(&long).is_empty());
    let _ = Value::Null;
}
