//! What was said and done in the watched dialog, in the order in which it is shown.

use std::collections::VecDeque;
use std::time::Duration;

use hearth_protocol::Message;

use super::turn::{Block, Live, Segment, Tool, TurnEnd};

/// How many entries are kept; the oldest go first. They can be read again by scrolling up.
pub const ENTRIES_MAX: usize = 2_000;

/// Something that is shown.
#[derive(Debug)]
pub struct Entry {
    /// Names it as long as it exists.
    pub key: u64,
    /// Rises when it changes.
    pub version: u32,
    /// It.
    pub item: Item,
}

/// What an entry shows.
#[derive(Debug)]
pub enum Item {
    /// Somebody said something to Hearth.
    Said(Said),
    /// A part of a turn, between two things that were said to Hearth.
    Turn(Segment),
    /// Something to know.
    Note {
        /// It.
        text: String,
    },
}

/// Something said to Hearth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The message's id, once accepted.
    pub id: Option<String>,
    /// The id that a client gave it.
    pub client_id: Option<String>,
    /// `user`, `notice`, `schedule`, `task`.
    pub origin: String,
    /// What.
    pub text: String,
    /// When, in milliseconds since 1970 UTC, once known.
    pub at_ms: Option<i64>,
    /// How far it has come.
    pub state: SaidState,
}

/// How far something said has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SaidState {
    /// The daemon has not confirmed it.
    Sending,
    /// It is safe and waits for its end.
    Open,
    /// It has ended so.
    Ended(String),
    /// It has ended so while we watched: where a turn is below it, that shows how.
    EndedHere(String),
    /// The daemon has not taken it, for this reason.
    Refused(String),
}

impl Said {
    /// Its end is known.
    pub fn has_ended(&self) -> bool {
        matches!(self.state, SaidState::Ended(_) | SaidState::EndedHere(_))
    }
}

/// The dialog as it is shown.
#[derive(Debug, Default)]
pub struct Transcript {
    /// `channel:chat:dialog`; empty before the first `watching`.
    pub session: String,
    /// Its title.
    pub title: String,
    /// Oldest first.
    pub entries: VecDeque<Entry>,
    /// Said while a turn runs, and not taken up yet; shown below everything.
    pub queued: Vec<Said>,
    /// The turn that runs.
    pub live: Option<Live>,
    /// How the last turn ended.
    pub last_end: Option<TurnEnd>,
    /// Everything older has been read.
    pub is_complete: bool,
    keys: u64,
}

impl Transcript {
    /// An empty one.
    pub fn new(session: &str) -> Self {
        Self { session: session.to_owned(), ..Self::default() }
    }

    /// An empty one that takes the place of another. Its entries have keys that the other's never had, so that nothing
    /// that was laid out for those is taken for it.
    pub fn in_place_of(before: &Transcript, session: &str) -> Self {
        Self { keys: before.keys, ..Self::new(session) }
    }

    /// The first message that has an id.
    pub fn oldest_message(&self) -> Option<&str> {
        self.entries.iter().find_map(|entry| match &entry.item {
            Item::Said(said) => said.id.as_deref(),
            Item::Turn(segment) => segment.finals().next().map(|message| message.id.as_str()),
            Item::Note { .. } => None,
        })
    }

    /// Shows what the person has just said here.
    pub fn say(&mut self, client_id: &str, text: &str) {
        let said = Said {
            id: None,
            client_id: Some(client_id.to_owned()),
            origin: "user".to_owned(),
            text: text.to_owned(),
            at_ms: None,
            state: SaidState::Sending,
        };
        self.place(said);
    }

    /// Shows a note.
    pub fn note(&mut self, text: String) {
        self.push(Item::Note { text });
    }

    /// A message came: new, or again with more known about it.
    pub fn took(&mut self, message: Message) {
        if message.direction == "out" { self.took_answer(message) } else { self.took_said(message) }
    }

    /// Puts older messages before all others; `messages` are oldest first.
    pub fn prepend(&mut self, messages: Vec<Message>) {
        let mut older = Transcript::in_place_of(self, &self.session);
        for message in messages {
            older.took(message);
        }
        older.flush_queue();
        self.keys = older.keys;
        while let Some(entry) = older.entries.pop_back() {
            if self.entries.len() < ENTRIES_MAX {
                self.entries.push_front(entry);
            }
        }
    }

    /// The daemon has confirmed what was said.
    pub fn accepted(&mut self, client_id: &str, message: &str) {
        self.change_said(
            |said| said.client_id.as_deref() == Some(client_id),
            |said| {
                said.id.get_or_insert_with(|| message.to_owned());
                if said.state == SaidState::Sending {
                    said.state = SaidState::Open;
                }
            },
        );
    }

    /// The daemon has not taken what was said. Whether it was something said.
    pub fn refused(&mut self, client_id: &str, reason: &str) -> bool {
        let refused = self.change_said(
            |said| said.client_id.as_deref() == Some(client_id),
            |said| {
                said.state = SaidState::Refused(reason.to_owned());
            },
        );
        self.release(|said| matches!(said.state, SaidState::Refused(_)));
        refused.is_some()
    }

    /// A message has reached its end. What it said is returned if it was said here.
    pub fn ended(&mut self, message: &str, end: &str) -> Option<String> {
        let text = self.change_said(
            |said| said.id.as_deref() == Some(message),
            |said| {
                said.state = SaidState::EndedHere(end.to_owned());
            },
        );
        self.release(Said::has_ended);
        text
    }

    /// What Hearth said last, if nothing was said to it since.
    pub fn last_reply(&self) -> Option<String> {
        match &self.entries.back()?.item {
            Item::Turn(segment) => segment.finals().last().map(|message| message.text.clone()),
            Item::Said(_) | Item::Note { .. } => None,
        }
    }

    /// How much the daemon has not confirmed.
    pub fn unsent(&self) -> usize {
        let here = self
            .entries
            .iter()
            .filter(|entry| matches!(&entry.item, Item::Said(said) if said.state == SaidState::Sending));
        here.count() + self.queued.iter().filter(|said| said.state == SaidState::Sending).count()
    }

    /// Something said to Hearth has no end yet.
    pub fn has_open(&self) -> bool {
        let open = |said: &Said| matches!(said.state, SaidState::Sending | SaidState::Open);
        self.queued.iter().any(open)
            || self.entries.iter().any(|entry| matches!(&entry.item, Item::Said(said) if open(said)))
    }

    /// A turn began, or began again.
    pub fn turn_started(&mut self, turn: &str, attempt: u32, now: Duration) {
        if let Some(first) = (!self.queued.is_empty()).then(|| self.queued.remove(0)) {
            self.push(Item::Said(first));
        }
        self.restart_draft(turn);
        self.live = Some(Live { turn: turn.to_owned(), attempt, since: now });
    }

    /// More of the answer.
    pub fn draft(&mut self, turn: &str, piece: &str, now: Duration) {
        let is_known = self.join(turn, now);
        self.grow(turn, |segment| match segment.blocks.last_mut() {
            Some(Block::Draft { text, .. }) => text.push_str(piece),
            _ => segment.blocks.push(Block::Draft { text: piece.to_owned(), starts_late: !is_known }),
        });
    }

    /// More of what the model thinks.
    pub fn reasoning(&mut self, turn: &str, piece: &str, now: Duration) {
        self.join(turn, now);
        self.grow(turn, |segment| match segment.blocks.last_mut() {
            Some(Block::Thought { text }) => text.push_str(piece),
            _ => segment.blocks.push(Block::Thought { text: piece.to_owned() }),
        });
    }

    /// The draft is void.
    pub fn restart_draft(&mut self, turn: &str) {
        self.change_segments(turn, |segment| {
            segment.blocks.retain(|block| !matches!(block, Block::Draft { .. }))
        });
    }

    /// A tool runs.
    pub fn tool_started(&mut self, turn: &str, tool: Tool, now: Duration) {
        self.join(turn, now);
        let mut is_known = false;
        self.change_segments(turn, |segment| {
            is_known |= segment.tools().any(|known| known.call == tool.call);
        });
        if !is_known {
            self.grow(turn, |segment| segment.blocks.push(Block::Tool(tool)));
        }
    }

    /// A tool has ended.
    pub fn tool_ended(&mut self, turn: &str, ended: Tool, now: Duration) {
        let mut ended = Some(ended);
        self.change_segments(turn, |segment| {
            for block in &mut segment.blocks {
                if let Block::Tool(tool) = block
                    && ended.as_ref().is_some_and(|ended| ended.call == tool.call)
                    && let Some(ended) = ended.take()
                {
                    tool.state = ended.state;
                }
            }
        });
        if let Some(unknown) = ended {
            self.join(turn, now);
            self.grow(turn, |segment| segment.blocks.push(Block::Tool(unknown)));
        }
    }

    /// A turn ended.
    pub fn turn_ended(&mut self, turn: &str, end: TurnEnd) {
        self.change_segments(turn, Segment::close_tools);
        if end.state != "done" {
            self.grow(turn, |segment| segment.blocks.push(Block::End { state: end.state.clone() }));
        }
        self.last_end = Some(end);
        if self.live.as_ref().is_some_and(|live| live.turn == turn) {
            self.live = None;
        }
        self.touch_all_of(turn);
    }

    /// Takes over what was said and is not yet known to be in the dialog that was shown before.
    pub fn carry_unsent(&mut self, before: Transcript) {
        let left = before.entries.into_iter().filter_map(|entry| match entry.item {
            Item::Said(said) => Some(said),
            Item::Turn(_) | Item::Note { .. } => None,
        });
        for said in left.chain(before.queued).filter(|said| said.state == SaidState::Sending) {
            let is_here = |here: &Said| here.client_id == said.client_id;
            if self.change_said(is_here, |_| {}).is_none() {
                self.place(said);
            }
        }
    }

    /// After a reconnect: the daemon tells no more of a turn that ended meanwhile, and pieces of a running one are
    /// missing.
    pub fn resumed(&mut self) {
        let Some(live) = &self.live else { return };
        let turn = live.turn.clone();
        if self.has_open() {
            self.change_segments(&turn, |segment| {
                for block in &mut segment.blocks {
                    if let Block::Draft { starts_late, .. } = block {
                        *starts_late = true;
                    }
                }
            });
        } else {
            self.live = None;
            self.change_segments(&turn, Segment::close_tools);
            self.touch_all_of(&turn);
        }
    }

    fn took_said(&mut self, message: Message) {
        let state = match &message.end {
            Some(end) => SaidState::Ended(end.clone()),
            None => SaidState::Open,
        };
        let same = |said: &Said| {
            said.id.as_deref() == Some(message.id.as_str())
                || (message.client_id.is_some() && said.client_id == message.client_id)
        };
        let known = self.change_said(same, |said| {
            said.id = Some(message.id.clone());
            said.at_ms = Some(message.at_ms);
            said.text.clone_from(&message.text);
            if !said.has_ended() {
                said.state = state.clone();
            }
        });
        if known.is_some() {
            self.release(Said::has_ended);
            return;
        }
        self.place(Said {
            id: Some(message.id),
            client_id: message.client_id,
            origin: message.origin,
            text: message.text,
            at_ms: Some(message.at_ms),
            state,
        });
    }

    fn took_answer(&mut self, message: Message) {
        let turn = message.turn.clone().unwrap_or_default();
        let mut is_known = false;
        for entry in &mut self.entries {
            if let Item::Turn(segment) = &mut entry.item
                && segment.replace_final(&message)
            {
                entry.version += 1;
                is_known = true;
            }
        }
        if !is_known {
            if !turn.is_empty() {
                self.restart_draft(&turn);
            }
            self.grow(&turn, |segment| segment.blocks.push(Block::Final(message)));
            self.drop_empty_segments();
        }
    }

    /// What is said while a turn runs waits below it; otherwise it is the newest entry.
    fn place(&mut self, said: Said) {
        let waits = self.live.is_some() && matches!(said.state, SaidState::Sending | SaidState::Open);
        if waits { self.queued.push(said) } else { self.push(Item::Said(said)) }
    }

    /// Moves what need not wait any more into the order.
    fn release(&mut self, ready: impl Fn(&Said) -> bool) {
        let (ready, waiting): (Vec<Said>, Vec<Said>) =
            std::mem::take(&mut self.queued).into_iter().partition(ready);
        self.queued = waiting;
        for said in ready {
            self.push(Item::Said(said));
        }
    }

    fn flush_queue(&mut self) {
        self.release(|_| true);
    }

    /// Notes that this turn runs. Whether that was known.
    fn join(&mut self, turn: &str, now: Duration) -> bool {
        let is_known = self.live.as_ref().is_some_and(|live| live.turn == turn);
        if !is_known {
            self.live = Some(Live { turn: turn.to_owned(), attempt: 1, since: now });
        }
        is_known
    }

    /// Changes the part of the turn that grows: the newest entry, or a new one. What no turn said is never joined.
    fn grow(&mut self, turn: &str, change: impl FnOnce(&mut Segment)) {
        if let Some(Entry { item: Item::Turn(last), version, .. }) = self.entries.back_mut()
            && last.turn == turn
            && !turn.is_empty()
        {
            change(last);
            *version += 1;
            return;
        }
        let mut segment = Segment { turn: turn.to_owned(), blocks: Vec::new() };
        change(&mut segment);
        self.push(Item::Turn(segment));
    }

    fn change_segments(&mut self, turn: &str, mut change: impl FnMut(&mut Segment)) {
        for entry in &mut self.entries {
            if let Item::Turn(segment) = &mut entry.item
                && segment.turn == turn
            {
                change(segment);
                entry.version += 1;
            }
        }
    }

    fn touch_all_of(&mut self, turn: &str) {
        self.change_segments(turn, |_| {});
    }

    fn drop_empty_segments(&mut self) {
        self.entries.retain(|entry| !matches!(&entry.item, Item::Turn(segment) if segment.blocks.is_empty()));
    }

    /// Changes the thing said that fits, and returns its text.
    fn change_said(
        &mut self,
        fits: impl Fn(&Said) -> bool,
        change: impl FnOnce(&mut Said),
    ) -> Option<String> {
        if let Some(said) = self.queued.iter_mut().find(|said| fits(said)) {
            change(said);
            return Some(said.text.clone());
        }
        for entry in self.entries.iter_mut().rev() {
            if let Item::Said(said) = &mut entry.item
                && fits(said)
            {
                change(said);
                entry.version += 1;
                return Some(said.text.clone());
            }
        }
        None
    }

    fn push(&mut self, item: Item) {
        self.keys += 1;
        self.entries.push_back(Entry { key: self.keys, version: 0, item });
        if self.entries.len() > ENTRIES_MAX {
            self.entries.pop_front();
            self.is_complete = false;
        }
    }
}

#[cfg(test)]
mod tests;
