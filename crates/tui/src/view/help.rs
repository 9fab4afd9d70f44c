//! The keys.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};

use super::style::SAID;
use super::wrap::{Cut, Indent, columns, wrap};
use crate::app::App;

pub(super) fn draw(frame: &mut Frame<'_>, screen: Rect, app: &App, top: u16) {
    let words = app.words();
    let widest = words.key_list.iter().map(|(key, _)| columns(key)).max().unwrap_or(0);
    let inner = usize::from(screen.width.saturating_sub(4)).min(76);
    let is_narrow = inner < widest + 16;
    let mut rows: Vec<Line<'static>> = Vec::new();
    for (key, meaning) in words.key_list {
        let text = [Span::raw(*meaning)];
        if is_narrow {
            rows.extend(wrap(&[Span::styled(*key, SAID)], inner, &Indent::default(), Cut::Words));
            rows.extend(wrap(&text, inner, &Indent::spaces(2), Cut::Words));
        } else {
            let pad = " ".repeat(widest - columns(key) + 2);
            let mark = Indent::mark(Span::styled(format!("{key}{pad}"), SAID));
            rows.extend(wrap(&text, inner, &mark, Cut::Words));
        }
    }
    let area = centered(screen, inner + 4, rows.len() + 2);
    let hidden = rows.len().saturating_sub(usize::from(area.height.saturating_sub(2)));
    let top = top.min(u16::try_from(hidden).unwrap_or(u16::MAX));
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(rows).scroll((top, 0)).block(frame_block(words.keys)), area);
}

/// A frame with a title.
pub(super) fn frame_block(title: &str) -> Block<'static> {
    Block::bordered().title(format!(" {title} ")).padding(ratatui::widgets::Padding::horizontal(1))
}

/// A part of the screen, in its middle.
pub(super) fn centered(screen: Rect, width: usize, height: usize) -> Rect {
    let width = u16::try_from(width).unwrap_or(u16::MAX).min(screen.width);
    let height = u16::try_from(height).unwrap_or(u16::MAX).min(screen.height);
    Rect {
        x: screen.x + (screen.width - width) / 2,
        y: screen.y + (screen.height - height) / 2,
        width,
        height,
    }
}
