//! One message and its answer, for whoever waits for both.

use std::collections::{BTreeMap, HashSet};

use anyhow::{Result, bail};
use hearth_protocol::{Arrival, Call, Message, ServerFrame};

use super::link::{Link, LinkEvent};

/// How many messages are looked through for the one that was said and its answer.
const LOOKUP_MESSAGES_MAX: usize = 500;

/// What became of one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The message's id.
    pub message: String,
    /// The dialog it went to.
    pub session: String,
    /// The turn that took it up, if one did.
    pub turn: Option<String>,
    /// Its end, as in [`ServerFrame::Ended`].
    pub end: String,
    /// What was said in return; empty if nothing was.
    pub reply: String,
}

/// Says `text` in `session` (`channel:chat:dialog`, or `channel:chat` for its current dialog) and waits for the
/// message's end and the answer. `on_frame` sees every frame, also those of reconnects: a message may come twice.
///
/// A message that was steered into a running turn is answered by that turn.
///
/// # Errors
/// The daemon refuses the message, or the link has given up.
pub async fn say(
    link: &mut Link,
    session: &str,
    text: &str,
    mut on_frame: impl FnMut(&ServerFrame),
) -> Result<Outcome> {
    link.watch(session, None);
    let client_id = link.say(Some(session), text, Arrival::Steer).map_err(|problem| failure(&problem))?;
    let mut waiting = Waiting::new(client_id);
    loop {
        match link.next().await {
            LinkEvent::Gone { reason } => bail!("{reason}"),
            LinkEvent::Up { .. } | LinkEvent::Down { .. } => {}
            LinkEvent::Frame(frame) => {
                on_frame(&frame);
                waiting.took(&frame)?;
                if let Some(other) = waiting.other_session(&frame) {
                    link.watch(&other, None);
                }
            }
        }
        if waiting.lookup_due {
            let (session, after) = (waiting.session.clone(), waiting.message_before());
            let call =
                Call::SessionMessages { session, before: None, after, limit: Some(LOOKUP_MESSAGES_MAX) };
            waiting.lookup_due = false;
            match link.call(call).await {
                Ok(value) => waiting.looked_up(serde_json::from_value(value)?),
                // The connection broke; it is asked again when there is another one.
                Err(problem) if problem.code == "unavailable" => waiting.lookup_due = true,
                Err(problem) => return Err(failure(&problem)),
            }
        }
        if let Some(outcome) = waiting.outcome() {
            return Ok(outcome);
        }
    }
}

/// A problem as an error of one or two lines: what happened, and what to do.
pub fn failure(problem: &hearth_protocol::Problem) -> anyhow::Error {
    if problem.hint.is_empty() {
        anyhow::anyhow!("{}", problem.text)
    } else {
        anyhow::anyhow!("{}\n{}", problem.text, problem.hint)
    }
}

/// What is known of a message that was said.
struct Waiting {
    client_id: String,
    /// Empty until the message is accepted.
    message: String,
    session: String,
    watched: String,
    end: Option<String>,
    turn: Option<String>,
    /// The ledger is to be asked: frames tell what happens, but not in a fixed order, and some were missed if the
    /// connection broke. What the ledger says after the end is complete.
    lookup_due: bool,
    /// How often the ledger has answered since the end.
    lookups: u32,
    /// What was said to Hearth, by id: its turn and its end.
    incoming: BTreeMap<String, (Option<String>, Option<String>)>,
    /// What Hearth said, by id and so in order.
    outgoing: BTreeMap<String, Message>,
    turns_ended: HashSet<String>,
}

impl Waiting {
    fn new(client_id: String) -> Self {
        Self {
            client_id,
            message: String::new(),
            session: String::new(),
            watched: String::new(),
            end: None,
            turn: None,
            lookup_due: false,
            lookups: 0,
            incoming: BTreeMap::new(),
            outgoing: BTreeMap::new(),
            turns_ended: HashSet::new(),
        }
    }

    fn took(&mut self, frame: &ServerFrame) -> Result<()> {
        match frame {
            ServerFrame::Accepted { id, message, session, .. } if *id == self.client_id => {
                self.message.clone_from(message);
                self.session.clone_from(session);
                self.note_end();
            }
            ServerFrame::Failed { id, error } if *id == self.client_id => return Err(failure(error)),
            ServerFrame::Watching { session, .. } => {
                self.watched.clone_from(session);
                self.lookup_due = self.end.is_some();
            }
            ServerFrame::Message(message) => self.saw(message.clone()),
            ServerFrame::Ended { message, end } => {
                self.incoming.entry(message.clone()).or_default().1 = Some(end.clone());
                self.note_end();
                self.lookup_due = self.end.is_some();
            }
            ServerFrame::TurnEnded { turn, .. } => {
                self.turns_ended.insert(turn.clone());
                self.lookup_due = self.end.is_some();
            }
            _ => {}
        }
        Ok(())
    }

    fn saw(&mut self, message: Message) {
        if message.direction == "out" {
            self.outgoing.insert(message.id.clone(), message);
        } else {
            let known = self.incoming.entry(message.id).or_default();
            known.0 = message.turn.or(known.0.take());
            known.1 = message.end.or(known.1.take());
            self.note_end();
        }
    }

    fn looked_up(&mut self, messages: Vec<Message>) {
        self.lookups += 1;
        for message in messages {
            self.saw(message);
        }
    }

    fn note_end(&mut self) {
        if let Some((turn, end)) = self.incoming.get(&self.message) {
            self.turn = turn.clone().or(self.turn.take());
            let known = self.end.is_some();
            self.end = end.clone().or(self.end.take());
            self.lookup_due |= !known && self.end.is_some();
        }
    }

    /// The last message before ours that we know, so that the ledger is asked for ours and what followed only.
    fn message_before(&self) -> Option<String> {
        let to_hearth = self.incoming.range(..self.message.clone()).next_back().map(|(id, _)| id);
        let from_hearth = self.outgoing.range(..self.message.clone()).next_back().map(|(id, _)| id);
        to_hearth.max(from_hearth).cloned()
    }

    /// The dialog to watch, if the message went to another one than is watched.
    fn other_session(&self, frame: &ServerFrame) -> Option<String> {
        let decided = matches!(frame, ServerFrame::Accepted { .. } | ServerFrame::Watching { .. });
        let differs = !self.session.is_empty() && !self.watched.is_empty() && self.session != self.watched;
        (decided && differs).then(|| self.session.clone())
    }

    fn outcome(&self) -> Option<Outcome> {
        let end = self.end.clone()?;
        if self.lookup_due || self.lookups == 0 {
            return None;
        }
        let reply: Vec<&str> = self.replies().map(|message| message.text.as_str()).collect();
        let settled = match end.as_str() {
            // Nothing was said: either that is so, or it has not been recorded yet.
            "answered" | "failed_told" if reply.is_empty() => self.is_turn_seen_over() || self.lookups > 1,
            "joined" => self.is_turn_seen_over() || self.is_turn_recorded_over(),
            _ => true,
        };
        settled.then(|| Outcome {
            message: self.message.clone(),
            session: self.session.clone(),
            turn: self.turn.clone(),
            end,
            reply: reply.join("\n\n"),
        })
    }

    /// What the turn of the message said after it; without a turn (a command), what was said for no turn after it.
    fn replies(&self) -> impl Iterator<Item = &Message> {
        let after = self.message.as_str();
        self.outgoing.values().filter(move |message| {
            message.id.as_str() > after && message.turn == self.turn && message.session == self.session
        })
    }

    fn is_turn_seen_over(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| self.turns_ended.contains(turn))
    }

    /// The message that began the turn has its end.
    fn is_turn_recorded_over(&self) -> bool {
        self.incoming.values().any(|(turn, end)| {
            turn.is_some() && *turn == self.turn && end.as_ref().is_some_and(|end| end != "joined")
        })
    }
}

#[cfg(test)]
mod tests;
