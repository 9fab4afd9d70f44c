//! The list of the chat's dialogs: go to one, rename, archive, restore, delete.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use hearth_protocol::{Call, Dialog};

use super::event::Effect;
use super::{App, Asked, Overlay, Target};

/// How many dialogs are listed.
pub const LISTED_MAX: usize = 200;

/// The list.
#[derive(Debug, Default)]
pub struct Dialogs {
    /// The dialogs; none until the daemon has answered.
    pub list: Option<Vec<Dialog>>,
    /// Which one the person looks at.
    pub selected: usize,
    /// What the person is doing with it.
    pub doing: Doing,
}

/// What a person is doing with the selected dialog.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub enum Doing {
    /// Choosing.
    #[default]
    Choosing,
    /// Giving it this title.
    Renaming(String),
    /// Asked whether it is really to be deleted.
    Deleting,
}

impl Dialogs {
    /// The dialog that is selected.
    pub fn chosen(&self) -> Option<&Dialog> {
        self.list.as_ref()?.get(self.selected)
    }

    pub(super) fn fill(&mut self, list: Vec<Dialog>, session: &str) {
        let was = self.chosen().map(|dialog| dialog.session.clone());
        let wanted = was.as_deref().unwrap_or(session);
        self.selected = list.iter().position(|dialog| dialog.session == wanted).unwrap_or(0);
        self.list = Some(list);
    }

    fn step(&mut self, by: isize) {
        let most = self.list.as_ref().map_or(0, Vec::len).saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(most);
    }
}

impl App {
    pub(super) fn open_dialogs(&mut self) -> Vec<Effect> {
        self.overlay = Overlay::Dialogs(Dialogs::default());
        vec![self.list_dialogs()]
    }

    pub(super) fn list_dialogs(&mut self) -> Effect {
        let chat = Some(self.chat());
        self.ask(Asked::List, Call::SessionList { chat, limit: Some(LISTED_MAX) })
    }

    pub(super) fn new_dialog(&mut self) -> Vec<Effect> {
        let chat = self.chat();
        vec![self.ask(Asked::GoTo, Call::SessionNew { chat, title: String::new() })]
    }

    pub(super) fn overlay_takes_text(&mut self, text: &str) {
        if let Overlay::Dialogs(Dialogs { doing: Doing::Renaming(title), .. }) = &mut self.overlay {
            title.push_str(&crate::clean::one_line(text));
        }
    }

    pub(super) fn dialogs_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        let Overlay::Dialogs(dialogs) = &mut self.overlay else { return Vec::new() };
        match &mut dialogs.doing {
            Doing::Renaming(title) => match key.code {
                KeyCode::Char('u') if key.modifiers.contains(KeyModifiers::CONTROL) => title.clear(),
                KeyCode::Char(typed) if !key.modifiers.contains(KeyModifiers::CONTROL) => title.push(typed),
                KeyCode::Backspace => {
                    title.pop();
                }
                KeyCode::Enter => {
                    let title = title.trim().to_owned();
                    dialogs.doing = Doing::Choosing;
                    return self.change_dialog(|session| Call::SessionRename { session, title });
                }
                _ => dialogs.doing = Doing::Choosing,
            },
            Doing::Deleting => {
                dialogs.doing = Doing::Choosing;
                if matches!(key.code, KeyCode::Char('y' | 'Y')) {
                    return self.change_dialog(|session| Call::SessionDelete { session });
                }
            }
            Doing::Choosing => return self.choosing_key(key),
        }
        Vec::new()
    }

    fn choosing_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        let Overlay::Dialogs(dialogs) = &mut self.overlay else { return Vec::new() };
        match key.code {
            KeyCode::Up | KeyCode::Char('k') => dialogs.step(-1),
            KeyCode::Down | KeyCode::Char('j') => dialogs.step(1),
            KeyCode::PageUp => dialogs.step(-10),
            KeyCode::PageDown => dialogs.step(10),
            KeyCode::Enter => return self.go_to_chosen(),
            KeyCode::Char('n') => {
                self.overlay = Overlay::None;
                return self.new_dialog();
            }
            KeyCode::Char('r') => {
                if let Some(title) = dialogs.chosen().map(|dialog| dialog.title.clone()) {
                    dialogs.doing = Doing::Renaming(title);
                }
            }
            KeyCode::Char('a') => {
                let is_active = dialogs.chosen().is_some_and(|dialog| dialog.state == "active");
                return self.change_dialog(|session| {
                    if is_active {
                        Call::SessionArchive { session }
                    } else {
                        Call::SessionRestore { session }
                    }
                });
            }
            KeyCode::Char('d') | KeyCode::Delete if dialogs.chosen().is_some() => {
                dialogs.doing = Doing::Deleting
            }
            KeyCode::Esc | KeyCode::Char('q' | 'o' | 'c') => self.overlay = Overlay::None,
            _ => {}
        }
        Vec::new()
    }

    fn go_to_chosen(&mut self) -> Vec<Effect> {
        let Overlay::Dialogs(dialogs) = &self.overlay else { return Vec::new() };
        let Some(session) = dialogs.chosen().map(|dialog| dialog.session.clone()) else { return Vec::new() };
        self.overlay = Overlay::None;
        if session == self.transcript.session {
            return Vec::new();
        }
        match self.target {
            // Whoever named a dialog looks at another one, and leaves the chat's current one as it is.
            Target::Dialog(_) => {
                self.target = Target::Dialog(session);
                vec![self.watch_target()]
            }
            Target::Chat(_) => vec![self.ask(Asked::GoTo, Call::SessionSwitch { session })],
        }
    }

    fn change_dialog(&mut self, call: impl FnOnce(String) -> Call) -> Vec<Effect> {
        let Overlay::Dialogs(dialogs) = &self.overlay else { return Vec::new() };
        let Some(session) = dialogs.chosen().map(|dialog| dialog.session.clone()) else { return Vec::new() };
        vec![self.ask(Asked::Changed, call(session))]
    }
}

#[cfg(test)]
mod tests;
