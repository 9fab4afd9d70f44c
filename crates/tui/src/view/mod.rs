//! Draws the [`App`]. One file a part of the screen.

mod activity;
mod dialogs;
mod help;
mod history;
mod input;
mod markdown;
mod said;
mod status;
mod style;
mod table;
mod tool;
mod turn;
mod wrap;

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::app::{App, Overlay};
pub use history::Cache;

/// How many lines of what waits in the queue are shown.
const QUEUE_ROWS_MAX: usize = 4;

/// Draws everything. `cache` keeps what need not be laid out again.
pub fn draw(frame: &mut Frame<'_>, app: &mut App, cache: &mut Cache) {
    let area = frame.area();
    if area.width < 4 || area.height < 3 {
        return;
    }
    let areas = split(area, app);
    history::draw(frame, areas.history, app, cache);
    history::draw_queue(frame, areas.queue, app);
    activity::draw(frame, areas.activity, app);
    input::draw(frame, areas.rule, areas.input, app);
    status::draw(frame, areas.status, app);
    match &app.overlay {
        Overlay::None => {}
        Overlay::Help(top) => help::draw(frame, area, app, *top),
        Overlay::Dialogs(list) => dialogs::draw(frame, area, app, list),
    }
}

struct Areas {
    history: Rect,
    queue: Rect,
    activity: Rect,
    rule: Rect,
    input: Rect,
    status: Rect,
}

/// From the bottom up: status, input, a rule, what the turn does, what waits; the history has the rest.
fn split(area: Rect, app: &mut App) -> Areas {
    let mut left = area.height;
    let mut take = |wanted: u16, keep: u16| {
        let rows = wanted.min(left.saturating_sub(keep));
        left -= rows;
        Rect { y: area.y + left, height: rows, ..area }
    };
    let input_rows = input::rows(area, app);
    let queue_rows = history::queue_rows(app, usize::from(area.width)).len();
    let status = take(1, 1);
    let input = take(input_rows, 0);
    let rule = take(1, 3);
    let activity = take(u16::from(app.transcript.live.is_some()), 2);
    let queue = take(u16::try_from(queue_rows).unwrap_or(0), 3);
    let history = Rect { height: left, ..area };
    Areas { history, queue, activity, rule, input, status }
}

#[cfg(test)]
mod tests;
