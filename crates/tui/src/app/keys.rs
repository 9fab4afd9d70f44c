//! What keys do.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use hearth_protocol::ClientFrame;

use super::event::Effect;
use super::{App, Detail, Overlay};

/// How many rows of the list of keys are passed over at once.
const HELP_PAGE: u16 = 8;

/// Which of two presses in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Press {
    First,
    Second,
}

impl App {
    pub(super) fn key(&mut self, key: KeyEvent) -> Vec<Effect> {
        if key.kind == KeyEventKind::Release {
            return Vec::new();
        }
        self.hint = None;
        let press = if std::mem::take(&mut self.leaves_next) { Press::Second } else { Press::First };
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if control => return self.interrupt(press),
            KeyCode::Char('l') if control => return vec![Effect::Redraw],
            KeyCode::F(2) => return self.change_mouse(),
            _ => {}
        }
        match self.overlay {
            Overlay::None => self.conversation_key(key, press),
            Overlay::Help(top) => {
                self.overlay = match key.code {
                    KeyCode::Up => Overlay::Help(top.saturating_sub(1)),
                    KeyCode::Down => Overlay::Help(top.saturating_add(1)),
                    KeyCode::PageUp => Overlay::Help(top.saturating_sub(HELP_PAGE)),
                    KeyCode::PageDown => Overlay::Help(top.saturating_add(HELP_PAGE)),
                    _ => Overlay::None,
                };
                Vec::new()
            }
            Overlay::Dialogs(_) => self.dialogs_key(key),
        }
    }

    fn conversation_key(&mut self, key: KeyEvent, press: Press) -> Vec<Effect> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && key.code == KeyCode::Char('r') {
            self.input.search_older();
            return Vec::new();
        }
        if self.input.search.is_some() {
            let was_used = self.input.search_key(key);
            // Enter and Escape end the search and leave what was found to be changed.
            if was_used || matches!(key.code, KeyCode::Enter | KeyCode::Esc) {
                return Vec::new();
            }
        }
        if control { self.control_key(key, press) } else { self.plain_key(key) }
    }

    fn control_key(&mut self, key: KeyEvent, press: Press) -> Vec<Effect> {
        match key.code {
            KeyCode::Char('d') if self.input.is_empty() => return self.leave(press),
            KeyCode::Char('j') | KeyCode::Enter => self.input.newline(),
            KeyCode::Char('n') => return self.new_dialog(),
            KeyCode::Char('o') => return self.open_dialogs(),
            KeyCode::Char('t') => {
                self.detail = if self.detail == Detail::Folded { Detail::Full } else { Detail::Folded }
            }
            KeyCode::End => self.scroll.follow(),
            KeyCode::Home => {
                self.scroll.to_top();
                return self.older_if_at_top(-1);
            }
            _ => self.input.key(key),
        }
        Vec::new()
    }

    fn plain_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        let newline = KeyModifiers::ALT | KeyModifiers::SHIFT;
        match key.code {
            KeyCode::Enter if key.modifiers.intersects(newline) => self.input.newline(),
            KeyCode::Enter if self.input.continues() => {}
            KeyCode::Enter => return self.submit(),
            KeyCode::Esc if !self.input.is_empty() => self.input.clear(),
            KeyCode::Esc => self.scroll.follow(),
            KeyCode::F(1) => self.overlay = Overlay::Help(0),
            KeyCode::PageUp => {
                self.scroll.by_pages(-1);
                return self.older_if_at_top(-1);
            }
            KeyCode::PageDown => self.scroll.by_pages(1),
            KeyCode::Up if key.modifiers == KeyModifiers::SHIFT => return self.scroll_by(-1),
            KeyCode::Down if key.modifiers == KeyModifiers::SHIFT => return self.scroll_by(1),
            KeyCode::End if self.input.is_empty() => self.scroll.follow(),
            _ => self.input.key(key),
        }
        Vec::new()
    }

    /// Ctrl-C: what is nearest to be stopped.
    fn interrupt(&mut self, press: Press) -> Vec<Effect> {
        let words = self.words();
        if !matches!(self.overlay, Overlay::None) {
            self.overlay = Overlay::None;
        } else if self.input.search.is_some() {
            self.input.search = None;
        } else if self.transcript.live.is_some() {
            self.hint = Some(words.stopping.to_owned());
            return vec![Effect::Send(ClientFrame::Stop)];
        } else if !self.input.is_empty() {
            self.input.clear();
        } else if press == Press::Second {
            return self.leave(press);
        } else {
            self.leaves_next = true;
            self.hint = Some(words.leave_again.to_owned());
        }
        Vec::new()
    }

    /// Ends the program. What the daemon has not confirmed would be lost, so that is asked for once more.
    fn leave(&mut self, press: Press) -> Vec<Effect> {
        let unsent = self.transcript.unsent();
        if unsent == 0 || press == Press::Second {
            return vec![Effect::Quit];
        }
        self.leaves_next = true;
        self.hint = Some(self.words().unsent(unsent));
        Vec::new()
    }

    fn change_mouse(&mut self) -> Vec<Effect> {
        self.wheel_scrolls = !self.wheel_scrolls;
        let words = self.words();
        let (hint, effect) = if self.wheel_scrolls {
            (words.wheel_scrolls, Effect::TakeMouse)
        } else {
            (words.mouse_selects, Effect::LeaveMouse)
        };
        self.hint = Some(hint.to_owned());
        vec![effect]
    }
}
