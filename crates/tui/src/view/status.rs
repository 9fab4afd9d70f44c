//! The last line: where we are, who answers, what the last turn took.

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::style::{BAD, BOLD, BUSY, DIM};
use super::tool::seconds;
use super::wrap::{columns, truncate};
use crate::app::{App, Connection};
use crate::clean::one_line;

/// Between two parts.
const BETWEEN: &str = " · ";

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, app: &App) {
    let width = usize::from(area.width);
    let line = match &app.hint {
        Some(hint) => Line::from(Span::styled(truncate(&one_line(hint), width), BUSY)),
        None => parts(app, width),
    };
    frame.render_widget(Paragraph::new(line), area);
}

/// The parts that have room, the most important first.
fn parts(app: &App, width: usize) -> Line<'static> {
    let words = app.words();
    let title = match one_line(&app.transcript.title) {
        title if title.is_empty() => words.untitled.to_owned(),
        title => title,
    };
    let mut left: Vec<Span<'static>> = Vec::new();
    if let Connection::Waiting { reason } = &app.connection {
        let (text, style) = match reason {
            None => (words.connecting.to_owned(), BUSY),
            Some(reason) => (format!("{} {}", words.reconnecting, one_line(reason)), BAD),
        };
        left.push(Span::styled(truncate(&text, width), style));
    } else {
        left.push(Span::styled(truncate(&title, (width / 2).max(10)), BOLD));
    }
    let mut used: usize = left.iter().map(|span| columns(&span.content)).sum();
    let help_room = columns(words.help_key) + 2;
    for part in [source(app), last_turn(app)].into_iter().flatten() {
        if used + columns(BETWEEN) + columns(&part) + help_room <= width {
            used += columns(BETWEEN) + columns(&part);
            left.push(Span::styled(BETWEEN, DIM));
            left.push(Span::styled(part, DIM));
        }
    }
    if used + help_room <= width {
        left.push(Span::raw(" ".repeat(width - used - columns(words.help_key))));
        left.push(Span::styled(words.help_key, DIM));
    }
    Line::from(left)
}

fn source(app: &App) -> Option<String> {
    let source = app.source()?;
    let name = if source.model.is_empty() { &source.name } else { &source.model };
    let state = match source.state.as_str() {
        "ok" | "untried" => String::new(),
        error => format!(" ({error})"),
    };
    Some(one_line(&format!("{name}{state}")))
}

fn last_turn(app: &App) -> Option<String> {
    if app.transcript.live.is_some() {
        return None;
    }
    let end = app.transcript.last_end.as_ref()?;
    let time = seconds(Duration::from_millis(end.duration_ms));
    // A model that counts no tokens has nothing to show.
    if end.prompt_tokens + end.completion_tokens == 0 {
        return Some(time);
    }
    Some(format!("{time} ↑{} ↓{}", count(end.prompt_tokens), count(end.completion_tokens)))
}

fn count(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..10_000 => format!("{}.{}k", tokens / 1_000, tokens % 1_000 / 100),
        _ => format!("{}k", tokens / 1_000),
    }
}
