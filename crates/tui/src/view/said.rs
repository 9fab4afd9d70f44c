//! Something said to Hearth.

use jiff::Timestamp;
use ratatui::text::{Line, Span};

use super::style::{BAD, DIM, SAID};
use super::wrap::{Cut, Indent, columns, wrap_text};
use crate::app::App;
use crate::app::transcript::{Said, SaidState};
use crate::clean::clean;

/// Its rows.
pub(super) fn rows(said: &Said, app: &App, width: usize) -> Vec<Line<'static>> {
    let (mark, style) = match said.origin.as_str() {
        "schedule" => ("⏰ ", SAID),
        "notice" | "task" => ("· ", DIM),
        _ => ("› ", SAID),
    };
    let style = if said.state == SaidState::Sending { DIM } else { style };
    let mut rows =
        wrap_text(&clean(&said.text), style, width, &Indent::mark(Span::styled(mark, style)), Cut::Words);
    if let Some(first) = rows.first_mut()
        && let Some(time) = time(said, app)
    {
        put_right(first, &time, width);
    }
    let words = app.words();
    let below = match &said.state {
        SaidState::Sending => Some((words.sending.to_owned(), DIM)),
        SaidState::Refused(reason) => Some((format!("✗ {reason}"), BAD)),
        SaidState::EndedHere(end) if matches!(end.as_str(), "cancelled" | "failed_told") => None,
        SaidState::Ended(end) | SaidState::EndedHere(end) => {
            words.end(end).map(|text| (text.to_owned(), DIM))
        }
        SaidState::Open => None,
    };
    if let Some((text, style)) = below {
        rows.extend(wrap_text(&text, style, width, &Indent::spaces(2), Cut::Words));
    }
    rows
}

fn time(said: &Said, app: &App) -> Option<String> {
    let time = Timestamp::from_millisecond(said.at_ms?).ok()?.to_zoned(app.zone.clone()).time();
    Some(format!("{:02}:{:02}", time.hour(), time.minute()))
}

/// Puts a text at the right end of a row, if there is room.
fn put_right(row: &mut Line<'static>, text: &str, width: usize) {
    let used: usize = row.spans.iter().map(|span| columns(&span.content)).sum();
    if used + columns(text) + 2 <= width {
        row.spans.push(Span::raw(" ".repeat(width - used - columns(text))));
        row.spans.push(Span::styled(text.to_owned(), DIM));
    }
}
