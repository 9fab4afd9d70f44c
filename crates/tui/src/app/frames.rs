//! What the daemon says.

use hearth_protocol::{Call, Dialog, Message, Problem, ServerFrame, Status, Warning};

use super::event::Effect;
use super::transcript::Transcript;
use super::turn::{Tool, ToolState, TurnEnd};
use super::{App, Asked, Overlay, PAGE_MESSAGES, STAGED_MAX, Target};
use crate::clean::one_line;

impl App {
    pub(super) fn frame(&mut self, frame: ServerFrame) -> Vec<Effect> {
        let now = self.now;
        match frame {
            ServerFrame::Message(message) => self.message(message),
            ServerFrame::Watching { session, title } => self.watching(&session, title),
            ServerFrame::Accepted { id, message, session, .. } => {
                self.transcript.accepted(&id, &message);
                return self.follow(&session);
            }
            ServerFrame::Ended { message, end } => return self.ended(&message, &end),
            ServerFrame::TurnStarted { turn, attempt } => self.transcript.turn_started(&turn, attempt, now),
            ServerFrame::Draft { turn, text } => self.transcript.draft(&turn, &text, now),
            ServerFrame::Reasoning { turn, text } => self.transcript.reasoning(&turn, &text, now),
            ServerFrame::DraftRestart { turn } => self.transcript.restart_draft(&turn),
            ServerFrame::ToolStarted { turn, call, tool, arguments } => {
                let state = ToolState::Running { since: now };
                self.transcript.tool_started(&turn, Tool { call, name: tool, arguments, state }, now);
            }
            ServerFrame::ToolEnded { turn, call, tool, status, result, duration_ms } => {
                let state = ToolState::Ended { status, result, duration_ms };
                self.transcript.tool_ended(
                    &turn,
                    Tool { call, name: tool, arguments: String::new(), state },
                    now,
                );
            }
            ServerFrame::TurnEnded { turn, state, prompt_tokens, completion_tokens, duration_ms } => {
                let end = TurnEnd { state, prompt_tokens, completion_tokens, duration_ms };
                return self.turn_ended(&turn, end);
            }
            ServerFrame::Elsewhere(message) => return self.elsewhere(message),
            ServerFrame::Warned(warning) => self.warned(&warning),
            ServerFrame::Notice { text, .. } => self.transcript.note(text),
            ServerFrame::Result { id, value } => return self.result(&id, value),
            ServerFrame::Failed { id, error } => self.failed(&id, &error),
            ServerFrame::Welcome { .. } | ServerFrame::Lagged => {}
        }
        Vec::new()
    }

    fn message(&mut self, message: Message) {
        if message.session == self.transcript.session {
            self.transcript.took(message);
        } else if self.staged.len() < STAGED_MAX {
            self.staged.push(message);
        }
    }

    /// Something was said in another dialog of this chat: it is told here once its title is known.
    fn elsewhere(&mut self, message: Box<Message>) -> Vec<Effect> {
        let chat = Some(self.chat());
        vec![self.ask(Asked::Elsewhere(message), Call::SessionList { chat, limit: None })]
    }

    fn note_elsewhere(&mut self, message: &Message, list: &[Dialog]) {
        // Its dialog has come onto the screen meanwhile.
        if message.session == self.transcript.session {
            return;
        }
        let title = list.iter().find(|dialog| dialog.session == message.session).map(|dialog| &dialog.title);
        let title = title.filter(|title| !title.is_empty()).map_or(message.session.as_str(), String::as_str);
        let note = self.words().elsewhere(&one_line(title), &message.text);
        self.transcript.note(note);
    }

    /// Each warning is shown once.
    fn warned(&mut self, warning: &Warning) {
        if self.warned.get(&warning.code) != Some(warning) {
            self.transcript.note(format!("⚠ {}", warning.in_language(self.language)));
            self.warned.insert(warning.code.clone(), warning.clone());
        }
    }

    fn took_status(&mut self, status: Status) {
        // One that is over may come again, and is told again.
        self.warned.retain(|code, _| status.warnings.iter().any(|warning| warning.code == *code));
        for warning in &status.warnings {
            self.warned(warning);
        }
        self.status = Some(status);
    }

    fn watching(&mut self, session: &str, title: String) {
        if session == self.transcript.session {
            self.transcript.resumed();
            self.command_reply = None;
        } else {
            let mut transcript = Transcript::in_place_of(&self.transcript, session);
            std::mem::swap(&mut self.transcript, &mut transcript);
            for message in std::mem::take(&mut self.staged) {
                if message.session == session {
                    if message.direction == "in" && message.origin == "user" {
                        self.input.remember(&message.text);
                    }
                    self.transcript.took(message);
                }
            }
            if let Some(reply) = self.command_reply.take() {
                self.transcript.note(reply);
            }
            self.transcript.carry_unsent(transcript);
            self.scroll.follow();
        }
        self.staged.clear();
        self.transcript.title = title;
    }

    /// Goes where the chat's current dialog has gone.
    fn follow(&mut self, session: &str) -> Vec<Effect> {
        let is_elsewhere = !self.transcript.session.is_empty() && session != self.transcript.session;
        if is_elsewhere && matches!(self.target, Target::Chat(_)) {
            vec![self.watch_target()]
        } else {
            Vec::new()
        }
    }

    fn ended(&mut self, message: &str, end: &str) -> Vec<Effect> {
        let said = self.transcript.ended(message, end);
        // A command may have changed the chat's current dialog, or the title of this one.
        if !said.is_some_and(|text| text.starts_with(['/', '／'])) {
            return Vec::new();
        }
        self.command_reply = self.transcript.last_reply();
        vec![self.watch_target()]
    }

    fn turn_ended(&mut self, turn: &str, end: TurnEnd) -> Vec<Effect> {
        self.transcript.turn_ended(turn, end);
        if self.hint.as_deref() == Some(self.words().stopping) {
            self.hint = None;
        }
        let mut effects = vec![self.ask(Asked::Status, Call::Status)];
        if self.transcript.title.is_empty() {
            let chat = Some(self.chat());
            effects.push(self.ask(Asked::Title, Call::SessionList { chat, limit: None }));
        }
        effects
    }

    fn result(&mut self, id: &str, value: serde_json::Value) -> Vec<Effect> {
        let Some(asked) = self.asked.remove(id) else { return Vec::new() };
        let taken = match asked {
            Asked::Status => serde_json::from_value(value).map(|status| self.took_status(status)),
            Asked::Elsewhere(message) => {
                serde_json::from_value::<Vec<Dialog>>(value).map(|list| self.note_elsewhere(&message, &list))
            }
            Asked::Older => serde_json::from_value(value).map(|messages| self.older(messages)),
            Asked::List => serde_json::from_value(value).map(|list| self.listed(list)),
            Asked::Title => serde_json::from_value::<Vec<Dialog>>(value).map(|list| self.titled(&list)),
            Asked::GoTo => match serde_json::from_value::<Dialog>(value) {
                Ok(dialog) => return self.went_to(dialog),
                Err(error) => Err(error),
            },
            Asked::Changed => match serde_json::from_value::<Dialog>(value) {
                Ok(dialog) => return self.changed(&dialog),
                Err(error) => Err(error),
            },
        };
        if let Err(error) = taken {
            self.hint = Some(format!("{}: {error}", self.words().bad_answer));
        }
        Vec::new()
    }

    fn failed(&mut self, id: &str, error: &Problem) {
        let text = match error.hint.as_str() {
            "" => error.text.clone(),
            hint => format!("{} — {hint}", error.text),
        };
        if self.transcript.refused(id, &text) {
            return;
        }
        match self.asked.remove(id) {
            // Nobody asked for these by hand.
            Some(Asked::Status | Asked::Title) => {}
            Some(Asked::Elsewhere(message)) => self.note_elsewhere(&message, &[]),
            Some(Asked::List) if matches!(self.overlay, Overlay::Dialogs(_)) => {
                self.overlay = Overlay::None;
                self.hint = Some(text);
            }
            _ => self.hint = Some(text),
        }
    }

    fn older(&mut self, messages: Vec<Message>) {
        if messages.len() < PAGE_MESSAGES {
            self.transcript.is_complete = true;
        }
        let fits = messages.first().is_none_or(|message| message.session == self.transcript.session);
        if fits {
            self.transcript.prepend(messages);
        }
    }

    fn listed(&mut self, list: Vec<Dialog>) {
        self.titled(&list);
        if let Overlay::Dialogs(dialogs) = &mut self.overlay {
            dialogs.fill(list, &self.transcript.session);
        }
    }

    fn titled(&mut self, list: &[Dialog]) {
        if let Some(dialog) = list.iter().find(|dialog| dialog.session == self.transcript.session) {
            self.transcript.title.clone_from(&dialog.title);
        }
    }

    fn went_to(&mut self, dialog: Dialog) -> Vec<Effect> {
        if let Target::Dialog(_) = self.target {
            self.target = Target::Dialog(dialog.session);
        }
        vec![self.watch_target()]
    }

    fn changed(&mut self, dialog: &Dialog) -> Vec<Effect> {
        let mut effects = vec![self.list_dialogs()];
        // The dialog on the screen was put away: the chat has another current one.
        if dialog.session == self.transcript.session
            && dialog.state != "active"
            && matches!(self.target, Target::Chat(_))
        {
            effects.push(self.watch_target());
        }
        effects
    }
}
