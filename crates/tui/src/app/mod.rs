//! The terminal client without its terminal: events in, what to draw and what to do out.

pub mod dialogs;
pub mod event;
mod frames;
pub mod input;
mod keys;
pub mod scroll;
pub mod transcript;
pub mod turn;

use std::collections::HashMap;
use std::time::Duration;

use hearth_protocol::{Arrival, Call, ClientFrame, Language, Message, Status, Warning};
use jiff::tz::TimeZone;

use crate::client::link::LinkEvent;
use crate::client::new_id;
use crate::text::Words;
use dialogs::Dialogs;
use event::{Effect, Event};
use input::Input;
use scroll::Scroll;
use transcript::Transcript;

/// How many messages of a dialog that is not shown yet are kept until it is.
const STAGED_MAX: usize = 1_000;

/// How many older messages are read at once.
pub const PAGE_MESSAGES: usize = 100;

/// Whether the daemon is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Connection {
    /// Not yet connected, or not any more.
    Waiting {
        /// Why the last attempt failed, if one did.
        reason: Option<String>,
    },
    /// Connected.
    Up {
        /// The daemon's version.
        version: String,
    },
}

/// Which dialog is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The current dialog of this chat (`channel:chat`), whichever it is.
    Chat(String),
    /// This one (`channel:chat:dialog`).
    Dialog(String),
}

impl Target {
    /// From what a person wrote: two parts are a chat, three a dialog.
    pub fn parse(text: &str) -> Self {
        if text.matches(':').count() >= 2 {
            Self::Dialog(text.to_owned())
        } else {
            Self::Chat(text.to_owned())
        }
    }

    /// As the daemon is told.
    pub fn name(&self) -> &str {
        match self {
            Self::Chat(name) | Self::Dialog(name) => name,
        }
    }
}

/// How much of thoughts and tool results is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// A line of each.
    Folded,
    /// All that is known.
    Full,
}

/// What lies above the conversation.
#[derive(Debug)]
pub enum Overlay {
    /// Nothing.
    None,
    /// The keys, from this row on.
    Help(u16),
    /// The dialogs of the chat.
    Dialogs(Dialogs),
}

/// What a call was made for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Asked {
    Status,
    Older,
    List,
    Title,
    GoTo,
    Changed,
    /// The title of the dialog in which this was said.
    Elsewhere(Box<Message>),
}

/// The terminal client.
#[derive(Debug)]
pub struct App {
    /// Its language.
    pub language: Language,
    /// Where times are shown.
    pub zone: TimeZone,
    /// Which dialog is wanted.
    pub target: Target,
    /// Whether the daemon is there.
    pub connection: Connection,
    /// The dialog that is shown.
    pub transcript: Transcript,
    /// The input box.
    pub input: Input,
    /// Which part of the transcript is seen.
    pub scroll: Scroll,
    /// What lies above it.
    pub overlay: Overlay,
    /// How much is shown.
    pub detail: Detail,
    /// The daemon's state, when last asked.
    pub status: Option<Status>,
    /// A word to the person in the status line, until the next key.
    pub hint: Option<String>,
    /// The time of the last event, from any fixed moment on.
    pub now: Duration,
    /// The wheel scrolls; otherwise the mouse selects text.
    pub wheel_scrolls: bool,
    staged: Vec<Message>,
    asked: HashMap<String, Asked>,
    /// What was warned of and is shown, by code.
    warned: HashMap<String, Warning>,
    /// What the last command answered: it is told again where the command leads to another dialog.
    command_reply: Option<String>,
    leaves_next: bool,
}

impl App {
    /// A client that wants to show `target`.
    pub fn new(target: Target, language: Language, zone: TimeZone) -> Self {
        Self {
            language,
            zone,
            target,
            connection: Connection::Waiting { reason: None },
            transcript: Transcript::default(),
            input: Input::default(),
            scroll: Scroll::default(),
            overlay: Overlay::None,
            detail: Detail::Folded,
            status: None,
            hint: None,
            now: Duration::ZERO,
            wheel_scrolls: false,
            staged: Vec::new(),
            asked: HashMap::new(),
            warned: HashMap::new(),
            command_reply: None,
            leaves_next: false,
        }
    }

    /// What is to be done first.
    pub fn start(&self) -> Vec<Effect> {
        vec![self.watch_target()]
    }

    /// Takes what happened at `now` (from any fixed moment on) and says what is to be done.
    pub fn update(&mut self, event: Event, now: Duration) -> Vec<Effect> {
        self.now = now;
        match event {
            Event::Key(key) => self.key(key),
            Event::Paste(text) => self.paste(&text),
            Event::Wheel(lines) => self.scroll_by(lines),
            Event::Resized | Event::Tick => Vec::new(),
            Event::Link(LinkEvent::Frame(frame)) => self.frame(frame),
            Event::Link(LinkEvent::Up { version }) => {
                self.connection = Connection::Up { version };
                vec![self.ask(Asked::Status, Call::Status)]
            }
            Event::Link(LinkEvent::Down { reason, .. } | LinkEvent::Gone { reason }) => {
                self.connection = Connection::Waiting { reason: Some(reason) };
                Vec::new()
            }
        }
    }

    /// The words of its language.
    pub fn words(&self) -> &'static Words {
        Words::of(self.language)
    }

    /// Something moves by itself, so that time must be shown.
    pub fn is_busy(&self) -> bool {
        self.transcript.live.is_some()
    }

    /// The chat whose dialogs are listed.
    pub fn chat(&self) -> String {
        let session =
            if self.transcript.session.is_empty() { self.target.name() } else { &self.transcript.session };
        session.splitn(3, ':').take(2).collect::<Vec<_>>().join(":")
    }

    /// The source of models that is likely to answer: the first that has no error.
    pub fn source(&self) -> Option<&hearth_protocol::SourceStatus> {
        let sources = &self.status.as_ref()?.sources;
        sources.iter().find(|source| matches!(source.state.as_str(), "ok" | "untried")).or(sources.first())
    }

    fn ask(&mut self, purpose: Asked, call: Call) -> Effect {
        let id = new_id();
        self.asked.insert(id.clone(), purpose);
        Effect::Send(ClientFrame::Call { id, call })
    }

    fn watch_target(&self) -> Effect {
        Effect::Send(ClientFrame::Watch { session: self.target.name().to_owned(), after: None })
    }

    fn submit(&mut self) -> Vec<Effect> {
        let text = self.input.text();
        let text = text.trim();
        match text {
            "" => return Vec::new(),
            "/quit" | "/exit" => return vec![Effect::Quit],
            _ => {}
        }
        let text = text.to_owned();
        self.input.take();
        self.scroll.follow();
        let id = new_id();
        self.transcript.say(&id, &text);
        if matches!(text.as_str(), "/help" | "/帮助") {
            self.transcript.note(self.words().help());
        }
        let session = Some(self.target.name().to_owned());
        vec![Effect::Send(ClientFrame::Send { id, session, text, arrival: Arrival::Steer })]
    }

    fn paste(&mut self, text: &str) -> Vec<Effect> {
        self.overlay_takes_text(text);
        if matches!(self.overlay, Overlay::None) && !self.input.paste(text) {
            self.hint = Some(self.words().paste_too_long.to_owned());
        }
        Vec::new()
    }

    fn scroll_by(&mut self, lines: i32) -> Vec<Effect> {
        self.scroll.by(lines);
        self.older_if_at_top(lines)
    }

    /// Reads older messages when the person scrolls up at the top.
    fn older_if_at_top(&mut self, lines: i32) -> Vec<Effect> {
        let wants =
            lines < 0 && self.scroll.is_near_top() && !self.transcript.is_complete && self.is_connected();
        if !wants || self.asked.values().any(|asked| *asked == Asked::Older) {
            return Vec::new();
        }
        let Some(before) = self.transcript.oldest_message().map(str::to_owned) else { return Vec::new() };
        let session = self.transcript.session.clone();
        let limit = Some(PAGE_MESSAGES);
        vec![
            self.ask(
                Asked::Older,
                Call::SessionMessages { session, before: Some(before), after: None, limit },
            ),
        ]
    }

    fn is_connected(&self) -> bool {
        matches!(self.connection, Connection::Up { .. })
    }
}

#[cfg(test)]
mod tests;
