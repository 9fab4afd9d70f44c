//! A tool call: what it is, how it goes, what came of it.

use std::time::Duration;

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use serde_json::Value;

use super::style::{BAD, BOLD, BUSY, DIM, GOOD};
use super::wrap::{Cut, Indent, columns, truncate, wrap_text};
use crate::app::turn::{Tool, ToolState};
use crate::app::{App, Detail};
use crate::clean::{clean, one_line};

/// How many rows of a result are shown in full detail.
const RESULT_ROWS_MAX: usize = 30;

/// Its rows.
pub(super) fn rows(tool: &Tool, app: &App, width: usize) -> Vec<Line<'static>> {
    let (mark, style, tail) = match &tool.state {
        ToolState::Running { since } => ("⚙", BUSY, running_time(app.now.saturating_sub(*since))),
        ToolState::Ended { status, duration_ms, .. } => ended(status, *duration_ms, app),
    };
    let mut rows = vec![head(tool, mark, style, &tail, width)];
    if let ToolState::Ended { status, result, .. } = &tool.state {
        rows.extend(outcome(tool, status, result, app, width));
    }
    rows
}

fn head(tool: &Tool, mark: &str, style: Style, tail: &str, width: usize) -> Line<'static> {
    let name = one_line(&tool.name);
    let start = format!("{mark} ");
    let tail = if tail.is_empty() { String::new() } else { format!("  {tail}") };
    let name_room = width.saturating_sub(columns(&start) + columns(&tail));
    let name = truncate(&name, name_room);
    let room = name_room.saturating_sub(columns(&name) + 1);
    let arguments = truncate(&arguments(&tool.arguments), room);
    let mut spans = vec![Span::styled(start, style), Span::styled(name, BOLD)];
    if !arguments.is_empty() {
        spans.push(Span::styled(format!(" {arguments}"), DIM));
    }
    spans.push(Span::styled(tail, style.patch(DIM)));
    Line::from(spans)
}

fn ended(status: &str, duration_ms: u64, app: &App) -> (&'static str, Style, String) {
    let time = seconds(Duration::from_millis(duration_ms));
    let word = app.words().tool_end(status);
    match status {
        "done" => ("✓", GOOD, time),
        "denied" => ("⊘", BAD, word.to_owned()),
        "interrupted" => ("◼", DIM, word.to_owned()),
        "unknown" => ("?", BUSY, word.to_owned()),
        _ => ("✗", BAD, time),
    }
}

fn outcome(tool: &Tool, status: &str, result: &str, app: &App, width: usize) -> Vec<Line<'static>> {
    let style = if status == "done" { DIM } else { BAD.patch(DIM) };
    let result = clean(result.trim_end());
    if app.detail == Detail::Folded {
        // A result that went well is folded away; a reason is what one wants to see.
        let line = truncate(&one_line(&result), width.saturating_sub(4));
        if status == "done" || line.is_empty() {
            return Vec::new();
        }
        return vec![Line::from(vec![Span::styled("  └ ", DIM), Span::styled(line, style)])];
    }
    let indent = Indent { first: vec![Span::styled("  └ ", DIM)], rest: vec![Span::raw("    ")] };
    let mut rows = Vec::new();
    if !tool.arguments.is_empty() {
        let all = Indent::spaces(4);
        rows.extend(wrap_text(&clean(&tool.arguments), DIM, width, &all, Cut::Anywhere));
    }
    if !result.is_empty() {
        rows.extend(wrap_text(&result, style, width, &indent, Cut::Anywhere));
    }
    let hidden = rows.len().saturating_sub(RESULT_ROWS_MAX);
    if hidden > 0 {
        rows.truncate(RESULT_ROWS_MAX);
        rows.push(Line::from(Span::styled(format!("    {}", app.words().hidden(hidden)), DIM)));
    }
    rows
}

/// The arguments as a person reads them: of one argument its value, otherwise names and values. Cut JSON stays as it is.
fn arguments(json: &str) -> String {
    let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(json) else { return one_line(json) };
    let value = |value: &Value| match value {
        Value::String(text) => one_line(text),
        other => other.to_string(),
    };
    if fields.len() == 1 {
        return fields.values().map(value).collect();
    }
    fields.iter().map(|(name, of)| format!("{name}={}", value(of))).collect::<Vec<_>>().join(" ")
}

fn running_time(time: Duration) -> String {
    // A call that is over at once needs no clock.
    if time < Duration::from_secs(1) { "…".to_owned() } else { format!("… {} s", time.as_secs()) }
}

/// A time as a person reads it.
pub(super) fn seconds(time: Duration) -> String {
    let tenths = time.as_millis() / 100;
    match time.as_secs() {
        0..10 => format!("{}.{} s", tenths / 10, tenths % 10),
        seconds @ 10..60 => format!("{seconds} s"),
        seconds => format!("{}:{:02} min", seconds / 60, seconds % 60),
    }
}
