//! The input box with the rule above it.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::style::{BUSY, DIM, SAID};
use super::wrap::{columns, truncate};
use crate::app::{App, Overlay};

/// The most rows of input that are seen at once.
const ROWS_MAX: u16 = 10;

/// Before the first line.
const MARK: &str = "› ";

/// How many rows the input takes on a screen of this size.
pub(super) fn rows(screen: Rect, app: &mut App) -> u16 {
    let (rows, _) = app.input.measure(text_width(screen));
    rows.clamp(1, ROWS_MAX.min((screen.height / 3).max(1)))
}

pub(super) fn draw(frame: &mut Frame<'_>, rule: Rect, area: Rect, app: &mut App) {
    draw_rule(frame, rule, app);
    frame.render_widget(Paragraph::new(Span::styled(MARK, SAID)), area);
    let text_area = Rect { x: area.x + 2, width: text_width(area), ..area };
    let (_, (_, column)) = app.input.measure(text_width(area));
    let (drawn, row) = app.input.view(text_area.height);
    frame.render_widget(&drawn, text_area);
    if app.input.is_empty() {
        let width = usize::from(text_area.width);
        let text = truncate(app.words().placeholder, width);
        frame.render_widget(Paragraph::new(Span::styled(text, DIM)), text_area);
    }
    if matches!(app.overlay, Overlay::None) && text_area.height > 0 {
        frame.set_cursor_position(Position {
            x: text_area.x + column.min(text_area.width),
            y: text_area.y + row,
        });
    }
}

/// One column is kept free for the cursor behind the last character.
fn text_width(area: Rect) -> u16 {
    area.width.saturating_sub(3).max(1)
}

fn draw_rule(frame: &mut Frame<'_>, area: Rect, app: &App) {
    let width = usize::from(area.width);
    let line = match &app.input.search {
        Some(search) => {
            let text = truncate(&format!("─ {}: {} ", app.words().search, search.query), width);
            let rest = "─".repeat(width.saturating_sub(columns(&text)));
            Line::from(vec![Span::styled(text, BUSY), Span::styled(rest, DIM)])
        }
        None => Line::from(Span::styled("─".repeat(width), DIM)),
    };
    frame.render_widget(Paragraph::new(line), area);
}
