//! The list of dialogs.

use hearth_protocol::Dialog;
use jiff::Timestamp;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph};

use super::help::{centered, frame_block};
use super::style::{BUSY, DIM, GOOD, SELECTED};
use super::wrap::{Cut, Indent, columns, truncate, wrap_text};
use crate::app::App;
use crate::app::dialogs::{Dialogs, Doing};
use crate::clean::one_line;

pub(super) fn draw(frame: &mut Frame<'_>, screen: Rect, app: &App, dialogs: &Dialogs) {
    let words = app.words();
    let inner = usize::from(screen.width.saturating_sub(4)).min(76);
    let foot = foot(app, dialogs, inner);
    let list = dialogs.list.as_deref().unwrap_or_default();
    let wanted = list.len().max(1) + foot.len() + 3;
    let area = centered(screen, inner + 4, wanted);
    let block = frame_block(words.dialogs);
    let inside = block.inner(area);
    frame.render_widget(Clear, area);
    frame.render_widget(block, area);
    let foot_rows = u16::try_from(foot.len()).unwrap_or(0).min(inside.height);
    let list_area = Rect { height: inside.height.saturating_sub(foot_rows + 1), ..inside };
    let foot_area = Rect { y: inside.bottom() - foot_rows, height: foot_rows, ..inside };
    if list.is_empty() {
        let text = if dialogs.list.is_none() { words.loading } else { words.no_dialogs };
        frame.render_widget(Paragraph::new(Span::styled(text, DIM)), list_area);
    } else {
        let seen = usize::from(list_area.height).max(1);
        let first = (dialogs.selected + 1).saturating_sub(seen);
        let rows: Vec<Line<'static>> = (first..list.len())
            .take(seen)
            .map(|at| {
                row(&list[at], app, inner, if at == dialogs.selected { Mark::Selected } else { Mark::None })
            })
            .collect();
        frame.render_widget(Paragraph::new(rows), list_area);
    }
    if let Doing::Renaming(title) = &dialogs.doing {
        let column = columns(words.rename) + 2 + columns(title);
        let column = u16::try_from(column).unwrap_or(u16::MAX).min(foot_area.width.saturating_sub(1));
        frame.set_cursor_position(Position { x: foot_area.x + column, y: foot_area.y });
    }
    frame.render_widget(Paragraph::new(foot), foot_area);
}

enum Mark {
    Selected,
    None,
}

fn row(dialog: &Dialog, app: &App, width: usize, mark: Mark) -> Line<'static> {
    let words = app.words();
    let when = when(dialog, app);
    let state = match dialog.state.as_str() {
        "archived" => format!(" [{}]", words.archived),
        "deleted" => format!(" [{}]", words.deleted),
        _ => String::new(),
    };
    let start = if dialog.current { "● " } else { "  " };
    let room = width.saturating_sub(2 + columns(&state) + columns(&when) + 1);
    let title = truncate(&title(dialog, app), room);
    let pad = " ".repeat(room - columns(&title) + 1);
    let spans = vec![
        Span::styled(start, GOOD),
        Span::raw(title),
        Span::styled(state, DIM),
        Span::raw(pad),
        Span::styled(when, DIM),
    ];
    match mark {
        Mark::Selected => Line::from(spans).style(SELECTED),
        Mark::None => Line::from(spans),
    }
}

fn foot(app: &App, dialogs: &Dialogs, width: usize) -> Vec<Line<'static>> {
    let words = app.words();
    let (text, style) = match &dialogs.doing {
        Doing::Choosing => (words.dialog_keys.to_owned(), DIM),
        Doing::Renaming(title) => (format!("{}: {title}", words.rename), BUSY),
        Doing::Deleting => {
            let title = dialogs.chosen().map(|dialog| title(dialog, app)).unwrap_or_default();
            (words.really_delete(&truncate(&title, 30)), BUSY)
        }
    };
    wrap_text(&text, style, width, &Indent::default(), Cut::Words)
}

fn title(dialog: &Dialog, app: &App) -> String {
    match one_line(&dialog.title) {
        title if title.is_empty() => {
            let name = dialog.session.rsplit(':').next().unwrap_or_default();
            format!("{} ({})", app.words().untitled, one_line(name))
        }
        title => title,
    }
}

fn when(dialog: &Dialog, app: &App) -> String {
    Timestamp::from_millisecond(dialog.active_at_ms)
        .map(|at| at.to_zoned(app.zone.clone()).strftime("%m-%d %H:%M").to_string())
        .unwrap_or_default()
}
