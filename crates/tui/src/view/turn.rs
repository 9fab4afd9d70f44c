//! A part of a turn.

use ratatui::text::{Line, Span};

use super::style::{BAD, BUSY, DIM, THOUGHT};
use super::wrap::{Cut, Indent, columns, truncate, wrap_text};
use super::{markdown, tool};
use crate::app::turn::{Block, Segment};
use crate::app::{App, Detail};
use crate::clean::{clean, one_line};

/// Its rows.
pub(super) fn rows(segment: &Segment, app: &App, width: usize) -> Vec<Line<'static>> {
    let is_live = app.transcript.live.as_ref().is_some_and(|live| live.turn == segment.turn);
    let mut rows: Vec<Line<'static>> = Vec::new();
    for (at, block) in segment.blocks.iter().enumerate() {
        let is_growing = is_live && at + 1 == segment.blocks.len();
        let is_text = matches!(block, Block::Draft { .. } | Block::Final(_));
        if !rows.is_empty()
            && (is_text || matches!(segment.blocks[at - 1], Block::Draft { .. } | Block::Final(_)))
        {
            rows.push(Line::default());
        }
        match block {
            Block::Thought { text } => rows.extend(thought(text, app, width, is_growing)),
            Block::Tool(call) => rows.extend(tool::rows(call, app, width)),
            Block::Draft { text, starts_late } => {
                if *starts_late {
                    rows.push(Line::from(Span::styled("⋯", DIM)));
                }
                rows.extend(markdown::render(text, width));
                if is_growing {
                    put_cursor(&mut rows, width);
                }
            }
            Block::Final(message) => rows.extend(markdown::render(&message.text, width)),
            Block::End { state } => rows.push(end(state, app)),
        }
    }
    rows
}

fn thought(text: &str, app: &App, width: usize, is_growing: bool) -> Vec<Line<'static>> {
    let mark = Indent::mark(Span::styled("✻ ", DIM));
    if app.detail == Detail::Full {
        return wrap_text(clean(text).trim(), THOUGHT, width, &mark, Cut::Words);
    }
    let line = if is_growing {
        last_line(text, width.saturating_sub(2))
    } else {
        truncate(&app.words().thought(text.trim().chars().count()), width.saturating_sub(2))
    };
    vec![Line::from(vec![Span::styled("✻ ", DIM), Span::styled(line, THOUGHT)])]
}

/// The end of what is being thought, as much as fits on a row.
fn last_line(text: &str, most: usize) -> String {
    let line = one_line(text.trim_end().lines().last().unwrap_or_default());
    if columns(&line) <= most {
        return line;
    }
    let mut kept: Vec<char> = Vec::new();
    let mut used = 1;
    for c in line.chars().rev() {
        used += columns(c.encode_utf8(&mut [0; 4]));
        if used > most {
            break;
        }
        kept.push(c);
    }
    kept.push('…');
    kept.iter().rev().collect()
}

fn put_cursor(rows: &mut Vec<Line<'static>>, width: usize) {
    let cursor = Span::styled("▌", BUSY);
    match rows.last_mut() {
        Some(row) if row.spans.iter().map(|span| columns(&span.content)).sum::<usize>() < width => {
            row.spans.push(cursor);
        }
        _ => rows.push(Line::from(cursor)),
    }
}

fn end(state: &str, app: &App) -> Line<'static> {
    let words = app.words();
    match state {
        "cancelled" => Line::from(Span::styled(format!("◼ {}", words.stopped), DIM)),
        _ => Line::from(Span::styled(format!("✗ {}", words.failed), BAD)),
    }
}
