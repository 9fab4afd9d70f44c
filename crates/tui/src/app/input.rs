//! The input box: several lines, a history, a search in it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;
use ratatui_textarea::{CursorMove, TextArea, WrapMode};

/// How many lines that were said are remembered.
pub const HISTORY_MAX: usize = 500;

/// The longest text that can be said at once, in bytes. It leaves room for the frame around it.
pub const INPUT_BYTES_MAX: usize = 256 * 1024;

/// The input box.
#[derive(Debug)]
pub struct Input {
    /// The text and the cursor in it.
    pub area: TextArea<'static>,
    history: Vec<String>,
    /// The columns it has.
    width: u16,
    /// The first row that is seen.
    top: u16,
    /// Which line of the history is shown; none while a new one is written.
    shown: Option<usize>,
    /// What was being written before the history was looked through.
    unfinished: String,
    /// The search, while there is one.
    pub search: Option<Search>,
}

/// A search in what was said, from the newest back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// What is looked for.
    pub query: String,
    /// Where it was found.
    at: Option<usize>,
}

impl Default for Input {
    fn default() -> Self {
        Self {
            area: area_with(""),
            width: 80,
            top: 0,
            history: Vec::new(),
            shown: None,
            unfinished: String::new(),
            search: None,
        }
    }
}

impl Input {
    /// The text.
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Nothing is written.
    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// Takes the text out and remembers it.
    pub fn take(&mut self) -> String {
        let text = self.text();
        self.set("");
        self.shown = None;
        self.unfinished.clear();
        self.remember(&text);
        text
    }

    /// Empties it; the text can be had back from the history.
    pub fn clear(&mut self) {
        self.take();
    }

    /// Adds a line to the history, unless it is the last one already.
    pub fn remember(&mut self, text: &str) {
        if text.trim().is_empty() || self.history.last().is_some_and(|last| last == text) {
            return;
        }
        if self.history.len() >= HISTORY_MAX {
            self.history.remove(0);
        }
        self.history.push(text.to_owned());
    }

    /// Puts pasted text in at the cursor. Whether there was room.
    pub fn paste(&mut self, text: &str) -> bool {
        if self.text().len() + text.len() > INPUT_BYTES_MAX {
            return false;
        }
        self.area.insert_str(crate::clean::clean(text));
        true
    }

    /// Begins a new line at the cursor.
    pub fn newline(&mut self) {
        self.area.insert_newline();
    }

    /// The line ends with a backslash: Enter continues it. The backslash goes.
    pub fn continues(&mut self) -> bool {
        let (row, column) = (self.area.cursor().0, self.area.cursor().1);
        let line = &self.area.lines()[row];
        let continues = line.ends_with('\\') && column == line.chars().count();
        if continues {
            self.area.delete_char();
            self.newline();
        }
        continues
    }

    /// Takes a key that is no command.
    pub fn key(&mut self, key: KeyEvent) {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Up if key.modifiers.is_empty() && self.is_on_first_row() => self.older(),
            KeyCode::Down if key.modifiers.is_empty() && self.is_on_last_row() => self.newer(),
            KeyCode::Char('u') if control => {
                self.area.delete_line_by_head();
            }
            KeyCode::Char('z') if control => {
                self.area.undo();
            }
            KeyCode::Tab => {
                self.area.insert_str("    ");
            }
            _ if self.text().len() >= INPUT_BYTES_MAX && matches!(key.code, KeyCode::Char(_)) => {}
            _ => {
                self.area.input(key);
            }
        }
    }

    /// Looks further back in the history for the query, or begins a search.
    pub fn search_older(&mut self) {
        let Some(search) = &mut self.search else {
            self.search = Some(Search::default());
            return;
        };
        let before = search.at.unwrap_or(self.history.len());
        Self::find(search, &self.history, before);
        self.show_found();
    }

    /// Takes a key while there is a search. Whether the key was used; if not, the search is over.
    pub fn search_key(&mut self, key: KeyEvent) -> bool {
        let Some(search) = &mut self.search else { return false };
        match key.code {
            KeyCode::Char(typed) if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
                search.query.push(typed);
            }
            KeyCode::Backspace => {
                search.query.pop();
            }
            _ => {
                self.search = None;
                return false;
            }
        }
        Self::find(search, &self.history, self.history.len());
        self.show_found();
        true
    }

    /// The number of rows the text takes at this width, and where the cursor is among them: row, column.
    pub fn measure(&mut self, width: u16) -> (u16, (u16, u16)) {
        self.width = width.max(1);
        self.lay_out();
        let mut probe = self.area.clone();
        let cursor = probe.screen_cursor();
        let cursor = (small(cursor.row), small(cursor.col));
        probe.move_cursor(CursorMove::Bottom);
        probe.move_cursor(CursorMove::End);
        (small(probe.screen_cursor().row) + 1, cursor)
    }

    /// What is to be drawn on so many rows, and the row of these in which the cursor is. Rows move only when the cursor
    /// would leave them, and none is left empty while there is text for it.
    pub fn view(&mut self, rows: u16) -> (TextArea<'static>, u16) {
        let (total, (cursor, _)) = self.measure(self.width);
        let rows = rows.max(1);
        self.top = self.top.min(total.saturating_sub(rows)).clamp((cursor + 1).saturating_sub(rows), cursor);
        let mut drawn = self.area.clone();
        // The last lay-out had one row, that of the cursor. The copy's own cursor is not shown and may move.
        let up = i16::try_from(cursor - self.top).unwrap_or(i16::MAX);
        drawn.scroll((-up, 0));
        (drawn, cursor - self.top)
    }

    fn is_on_first_row(&self) -> bool {
        self.area.screen_cursor().row == 0
    }

    fn is_on_last_row(&self) -> bool {
        let mut probe = self.area.clone();
        probe.move_cursor(CursorMove::Bottom);
        probe.move_cursor(CursorMove::End);
        probe.screen_cursor().row == self.area.screen_cursor().row
    }

    fn older(&mut self) {
        let at = self.shown.unwrap_or(self.history.len());
        if at == 0 {
            return;
        }
        if self.shown.is_none() {
            self.unfinished = self.text();
        }
        self.shown = Some(at - 1);
        self.set(&self.history[at - 1].clone());
    }

    fn newer(&mut self) {
        let Some(at) = self.shown else { return };
        if let Some(text) = self.history.get(at + 1).cloned() {
            self.shown = Some(at + 1);
            self.set(&text);
        } else {
            self.shown = None;
            let text = std::mem::take(&mut self.unfinished);
            self.set(&text);
        }
    }

    fn find(search: &mut Search, history: &[String], before: usize) {
        let found = history[..before].iter().rposition(|line| line.contains(&search.query));
        if found.is_some() {
            search.at = found;
        }
    }

    fn show_found(&mut self) {
        if let Some(text) = self.search.as_ref().and_then(|search| self.history.get(search.at?)).cloned() {
            self.set(&text);
        }
    }

    fn set(&mut self, text: &str) {
        self.area = area_with(text);
        self.lay_out();
    }

    /// Tells the text area its width, which it learns only by being drawn.
    fn lay_out(&self) {
        let area = Rect::new(0, 0, self.width, 1);
        (&self.area).render(area, &mut Buffer::empty(area));
    }
}

fn area_with(text: &str) -> TextArea<'static> {
    let mut area = TextArea::new(text.split('\n').map(str::to_owned).collect());
    area.set_wrap_mode(WrapMode::WordOrGlyph);
    area.set_cursor_line_style(Style::default());
    // The terminal's own cursor is shown, because input methods put their windows there.
    area.set_cursor_style(Style::default());
    area.move_cursor(CursorMove::Bottom);
    area.move_cursor(CursorMove::End);
    area
}

fn small(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests;
