//! The conversation, and what waits below it.

use std::collections::HashMap;

use jiff::Timestamp;
use jiff::civil::Date;
use ratatui::Frame;
use ratatui::layout::{Alignment, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::style::{BUSY, DIM, SELECTED};
use super::wrap::{Indent, columns, truncate};
use super::{QUEUE_ROWS_MAX, said, turn, wrap};
use crate::app::transcript::{Entry, Item};
use crate::app::{App, Detail};

/// Entries that have been laid out.
#[derive(Debug, Default)]
pub struct Cache {
    width: usize,
    detail: Option<Detail>,
    entries: HashMap<u64, Laid>,
}

#[derive(Debug)]
struct Laid {
    version: u32,
    /// Changes with time while something in it moves; otherwise 0.
    beat: u64,
    day: Option<Date>,
    rows: Vec<Line<'static>>,
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, app: &mut App, cache: &mut Cache) {
    let width = usize::from(area.width);
    cache.lay_out(app, width);
    let heights: Vec<(u64, usize)> =
        app.transcript.entries.iter().map(|entry| (entry.key, cache.rows(entry.key).len())).collect();
    let top = app.scroll.resolve(&heights, usize::from(area.height));
    if heights.is_empty() {
        let text = wrap::wrap_text(app.words().empty, DIM, width, &Indent::default(), wrap::Cut::Words);
        frame.render_widget(Paragraph::new(text), area);
        return;
    }
    let rows: Vec<Line<'static>> = app
        .transcript
        .entries
        .iter()
        .flat_map(|entry| cache.rows(entry.key))
        .skip(top)
        .take(usize::from(area.height))
        .cloned()
        .collect();
    frame.render_widget(Paragraph::new(rows), area);
    if app.scroll.below() > 0 && area.height > 1 {
        let text = truncate(&app.words().below(app.scroll.below()), width);
        let row = Rect { y: area.bottom() - 1, height: 1, ..area };
        frame.render_widget(Paragraph::new(Span::styled(text, SELECTED)).alignment(Alignment::Right), row);
    }
}

pub(super) fn draw_queue(frame: &mut Frame<'_>, area: Rect, app: &App) {
    frame.render_widget(Paragraph::new(queue_rows(app, usize::from(area.width))), area);
}

/// What was said and waits for the running turn, a line each.
pub(super) fn queue_rows(app: &App, width: usize) -> Vec<Line<'static>> {
    let queued = &app.transcript.queued;
    let skipped = queued.len().saturating_sub(QUEUE_ROWS_MAX);
    queued
        .iter()
        .skip(skipped)
        .map(|said| {
            let mark = format!("› [{}] ", app.words().queued);
            let text = truncate(&crate::clean::one_line(&said.text), width.saturating_sub(columns(&mark)));
            Line::from(vec![Span::styled(mark, BUSY), Span::styled(text, DIM)])
        })
        .collect()
}

impl Cache {
    fn rows(&self, key: u64) -> &[Line<'static>] {
        self.entries.get(&key).map_or(&[], |laid| &laid.rows)
    }

    fn lay_out(&mut self, app: &App, width: usize) {
        if self.width != width || self.detail != Some(app.detail) {
            self.entries.clear();
            self.width = width;
            self.detail = Some(app.detail);
        }
        let mut days = Days::default();
        for entry in &app.transcript.entries {
            let day = days.new_day(entry, app);
            let beat = beat(entry, app);
            let fresh = self
                .entries
                .get(&entry.key)
                .is_some_and(|laid| laid.version == entry.version && laid.beat == beat && laid.day == day);
            if !fresh {
                let rows = rows_of(entry, app, width, day);
                self.entries.insert(entry.key, Laid { version: entry.version, beat, day, rows });
            }
        }
        if self.entries.len() > 2 * app.transcript.entries.len() + 100 {
            // Mostly entries of a dialog that is not shown any more.
            self.entries.clear();
            self.lay_out(app, width);
        }
    }
}

/// A number that changes while something in the entry moves by itself.
fn beat(entry: &Entry, app: &App) -> u64 {
    match &entry.item {
        Item::Turn(segment) if segment.is_running() => {
            u64::try_from(app.now.as_millis() / 100).unwrap_or(0) + 1
        }
        // The cursor at the end of a draft goes when its turn ends.
        Item::Turn(segment) => {
            u64::from(app.transcript.live.as_ref().is_some_and(|live| live.turn == segment.turn))
        }
        Item::Said(_) | Item::Note { .. } => 0,
    }
}

fn rows_of(entry: &Entry, app: &App, width: usize, day: Option<Date>) -> Vec<Line<'static>> {
    let mut rows = Vec::new();
    if let Some(day) = day {
        let label = format!(" {day} ");
        let side = "─".repeat(width.saturating_sub(columns(&label)) / 2);
        rows.push(Line::from(Span::styled(format!("{side}{label}{side}"), DIM)));
    }
    match &entry.item {
        Item::Said(said) => rows.extend(said::rows(said, app, width)),
        Item::Turn(segment) => rows.extend(turn::rows(segment, app, width)),
        Item::Note { text } => {
            let indent = Indent::mark(Span::styled("! ", BUSY));
            rows.extend(wrap::wrap_text(&crate::clean::clean(text), BUSY, width, &indent, wrap::Cut::Words));
        }
    }
    if !rows.is_empty() {
        rows.push(Line::default());
    }
    rows
}

/// Finds where a new day begins.
#[derive(Default)]
struct Days {
    last: Option<Date>,
    follows_said: bool,
}

impl Days {
    fn new_day(&mut self, entry: &Entry, app: &App) -> Option<Date> {
        let follows_said = std::mem::replace(&mut self.follows_said, matches!(entry.item, Item::Said(_)));
        let at_ms = match &entry.item {
            Item::Said(said) => said.at_ms,
            // An answer belongs below what it answers, whatever day it is.
            Item::Turn(segment) if !follows_said => segment.finals().next().map(|message| message.at_ms),
            Item::Turn(_) | Item::Note { .. } => None,
        }?;
        let day = Timestamp::from_millisecond(at_ms).ok()?.to_zoned(app.zone.clone()).date();
        let is_new = self.last != Some(day);
        self.last = Some(day);
        is_new.then_some(day)
    }
}
