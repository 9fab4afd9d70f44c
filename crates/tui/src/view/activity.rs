//! What the running turn does, in a line above the input.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::style::{BUSY, DIM};
use super::tool::seconds;
use super::wrap::{columns, truncate};
use crate::app::App;
use crate::app::transcript::Item;
use crate::app::turn::{Block, Live};

/// The wheel that turns.
const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, app: &App) {
    let Some(live) = &app.transcript.live else { return };
    let elapsed = app.now.saturating_sub(live.since);
    let turned = usize::try_from(app.now.as_millis() / 100).unwrap_or(0);
    let wheel = FRAMES[turned % FRAMES.len()];
    let words = app.words();
    let mut text = format!("{wheel} {} · {}", doing(live, app), seconds(elapsed));
    if live.attempt > 1 {
        text.push_str(&format!(" · {}", words.attempt(live.attempt)));
    }
    let width = usize::from(area.width);
    let text = truncate(&text, width);
    let hint = format!(" · {}", words.stop_key);
    let mut spans = vec![Span::styled(text.clone(), BUSY)];
    if columns(&text) + columns(&hint) <= width {
        spans.push(Span::styled(hint, DIM));
    }
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
}

fn doing(live: &Live, app: &App) -> String {
    let words = app.words();
    let segments = app.transcript.entries.iter().rev().filter_map(|entry| match &entry.item {
        Item::Turn(segment) if segment.turn == live.turn => Some(segment),
        _ => None,
    });
    let mut last = None;
    for segment in segments {
        if let Some(tool) = segment.tools().find(|tool| tool.state.is_running()) {
            return format!("{} {}", words.using_tool, tool.name);
        }
        last = last.or(segment.blocks.last());
    }
    match last {
        Some(Block::Thought { .. }) => words.thinking,
        Some(Block::Draft { .. }) => words.writing,
        _ => words.waiting,
    }
    .to_owned()
}
