//! The lines of a chat in a scenario.

use std::time::Duration;

use anyhow::{Context, bail};
use hearth_contract::id::ChatKey;
use hearth_contract::message::{Arrival, InterruptLevel};
use hearth_contract::provider::{ProviderError, ProviderErrorCode, RequestedCall};
use hearth_contract::transcript::ToolArguments;
use serde_json::{Map, Value};

use crate::model::{Reply, Said};
use crate::network::Behaviour;

/// A line that the runner follows.
#[derive(Debug)]
pub(super) struct ScriptLine {
    /// From 1.
    pub(super) number: usize,
    /// As it stands in the transcript.
    pub(super) text: String,
    pub(super) line: Line,
}

/// What a line wants.
#[derive(Debug)]
pub(super) enum Line {
    Say { who: String, chat: ChatKey, platform_id: Option<String>, text: String, arrival: Arrival },
    Reply { source: String, reply: Reply },
    Clock(Duration),
    Restart,
    Kill { at_once: bool, away: Duration },
    Network(Behaviour),
    Why { chinese: bool },
    Tasks,
    CancelTask,
}

/// Whether a line of the file belongs to the chat.
pub(super) fn is_chat(line: &str) -> bool {
    line.starts_with("    ") && !line.trim().is_empty()
}

/// The lines to be followed; those that the runner writes are left out.
pub(super) fn parse(source: &str) -> anyhow::Result<Vec<ScriptLine>> {
    let mut lines = Vec::new();
    let mut in_fence = false;
    for (place, line) in source.lines().enumerate() {
        if line.starts_with("```") {
            in_fence = !in_fence;
        }
        if in_fence || !is_chat(line) {
            continue;
        }
        let number = place + 1;
        let parsed = script_line(line.trim()).with_context(|| format!("line {number}: {}", line.trim()))?;
        lines.extend(parsed.map(|(text, line)| ScriptLine { number, text, line }));
    }
    if lines.is_empty() {
        bail!("the scenario has no line to follow");
    }
    Ok(lines)
}

const MARKS: [&str; 8] = [">>", ">!", ">!2", ">!3", ">", "<", "!", "~"];

fn script_line(line: &str) -> anyhow::Result<Option<(String, Line)>> {
    let (head, rest) = line.split_once(char::is_whitespace).context("no mark (`>`, `<`, `!`, `~`)")?;
    let (mut head, mut rest) = (head.to_owned(), rest.trim_start());
    let mut platform_id = None;
    if let Some(tagged) = rest.strip_prefix('#') {
        let (id, after) = tagged.split_once(' ').context("no mark after the platform id")?;
        platform_id = Some(id.to_owned());
        head = format!("{head} #{id}");
        rest = after.trim_start();
    }
    let (mark, body) = rest.split_once(' ').unwrap_or((rest, ""));
    if !MARKS.contains(&mark) {
        bail!("`{mark}` is no mark");
    }
    let body = body.trim_start();
    let text = format!("{head} {mark} {body}").trim_end().to_owned();
    let speaker = head.split(' ').next().unwrap_or_default();
    let line = match (speaker, mark) {
        (_, "~") | ("why" | "tasks", ">") => return Ok(None),
        ("clock", ">") => Line::Clock(duration(body.trim_start_matches('+'))?),
        ("daemon", ">") => daemon(body)?,
        ("network", "<") => Line::Network(behaviour(body)?),
        ("tasks", "<") if body == "list" => Line::Tasks,
        ("tasks", "<") if body == "cancel" => Line::CancelTask,
        ("why", "<") => Line::Why { chinese: body == "zh" },
        (source, "<") => {
            Line::Reply { source: source.to_owned(), reply: Reply { script: text.clone(), ..reply(body)? } }
        }
        (source, "!") => {
            Line::Reply { source: source.to_owned(), reply: Reply { script: text.clone(), ..failure(body)? } }
        }
        (speaker, _) => match speaker.split_once('@') {
            None | Some(("agent" | "draft", _)) => return Ok(None),
            Some((who, place)) => {
                let (channel, chat) = place.split_once(':').context("write name@channel:chat")?;
                let arrival = match mark {
                    ">>" => Arrival::Enqueue,
                    ">!" => Arrival::Interrupt(InterruptLevel::Joins),
                    ">!2" => Arrival::Interrupt(InterruptLevel::Urgent),
                    ">!3" => Arrival::Interrupt(InterruptLevel::Highest),
                    _ => Arrival::Steer,
                };
                let (who, chat) = (who.to_owned(), ChatKey::new(channel, chat));
                Line::Say { who, chat, platform_id, text: unescape(body), arrival }
            }
        },
    };
    Ok(Some((text, line)))
}

fn daemon(body: &str) -> anyhow::Result<Line> {
    Ok(match body {
        "restart" => Line::Restart,
        "kill" => Line::Kill { at_once: false, away: Duration::ZERO },
        "kill at once" => Line::Kill { at_once: true, away: Duration::ZERO },
        other => {
            let away =
                other.strip_prefix("kill +").context("write restart, kill, kill at once or kill +TIME")?;
            Line::Kill { at_once: false, away: duration(away)? }
        }
    })
}

fn behaviour(body: &str) -> anyhow::Result<Behaviour> {
    Ok(match body {
        "retry" => Behaviour::Retry { retry_after_ms: None },
        "unknown arrived" => Behaviour::UnknownArrived,
        "unknown lost" => Behaviour::UnknownLost,
        "hang" => Behaviour::Hang,
        other => match (other.strip_prefix("retry "), other.strip_prefix("refuse: ")) {
            (Some(after), _) => Behaviour::Retry { retry_after_ms: Some(millis(after)?) },
            (_, Some(reason)) => Behaviour::Refuse { reason: reason.to_owned() },
            (None, None) => bail!("a network cannot do that"),
        },
    })
}

/// `[tool {…}] [tool {…}] text`.
fn reply(body: &str) -> anyhow::Result<Reply> {
    let (mut rest, mut calls) = (body, Vec::new());
    while let Some(call) = rest.strip_prefix('[') {
        let end = call.find([' ', ']']).context("a call has no end")?;
        let (name, after) = (call[..end].to_owned(), call[end..].trim_start());
        let mut values = serde_json::Deserializer::from_str(after).into_iter::<Map<String, Value>>();
        let (arguments, after) = match (after.starts_with('{'), values.next()) {
            (true, Some(Ok(object))) => (ToolArguments::Object(object), &after[values.byte_offset()..]),
            _ => {
                let end = after.find(']').context("a call has no end")?;
                let arguments = match after[..end].trim() {
                    "" => ToolArguments::Object(Map::new()),
                    text => ToolArguments::Malformed(text.to_owned()),
                };
                (arguments, &after[end..])
            }
        };
        calls.push(RequestedCall { name, arguments });
        rest = after.strip_prefix(']').context("a call has no end")?.trim_start();
    }
    let text = unescape(rest);
    let chunks = if text.is_empty() { Vec::new() } else { vec![text.clone()] };
    Ok(Reply { chunks, result: Ok(Said { text, calls }), breaks: false, script: String::new() })
}

fn failure(body: &str) -> anyhow::Result<Reply> {
    let (body, chunks) = match body.split_once(" after ") {
        Some((body, text)) => (body, vec![unescape(text)]),
        None => (body, Vec::new()),
    };
    let (code, after) = body.split_once(' ').unwrap_or((body, ""));
    let retry_after_ms = if after.is_empty() { None } else { Some(millis(after)?) };
    let reason = "scripted".to_owned();
    let retry = |code| ProviderError::Retry { code, retry_after_ms, reason: reason.clone() };
    let next = |code| ProviderError::NextSource { code, reason: reason.clone() };
    let error = match code {
        "rate_limit" => retry(ProviderErrorCode::RateLimit),
        "overloaded" => retry(ProviderErrorCode::Overloaded),
        "server" | "panic" => retry(ProviderErrorCode::Server),
        "network" => retry(ProviderErrorCode::Network),
        "auth" => next(ProviderErrorCode::Auth),
        "balance" => next(ProviderErrorCode::Balance),
        "content_filter" => next(ProviderErrorCode::ContentFilter),
        "invalid" => next(ProviderErrorCode::Invalid),
        "context_too_long" => ProviderError::ContextTooLong { reason: reason.clone() },
        other => bail!("a model cannot fail with `{other}`"),
    };
    Ok(Reply { chunks, result: Err(error), breaks: code == "panic", script: String::new() })
}

fn duration(text: &str) -> anyhow::Result<Duration> {
    Ok(Duration::from_millis(millis(text)?))
}

/// `250ms`, `2s`, `5m`, `1h`.
fn millis(text: &str) -> anyhow::Result<u64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit()).context("a time needs a unit (ms, s, m, h)")?;
    let number: u64 = text[..end].parse().with_context(|| format!("`{text}` is no time"))?;
    Ok(match &text[end..] {
        "ms" => number,
        "s" => number * 1_000,
        "m" => number * 60_000,
        "h" => number * 3_600_000,
        unit => bail!("`{unit}` is no unit of time"),
    })
}

pub(super) fn unescape(text: &str) -> String {
    text.replace("\\n", "\n")
}

pub(super) fn escape(text: &str) -> String {
    text.replace('\n', "\\n")
}
