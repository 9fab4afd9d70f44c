//! A connection that comes back: it reconnects, watches again from where it was, and says again what the daemon has
//! not confirmed.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use futures::future::BoxFuture;
use hearth_protocol::{Arrival, Call, ClientFrame, Language, Problem, ServerFrame};

use super::broken::Broken;
use super::{Client, new_id, unavailable};

/// How many lines may wait for the daemon.
pub const UNCONFIRMED_MAX: usize = 200;

/// The first wait between two attempts to connect; it doubles.
pub const BACKOFF_MIN: Duration = Duration::from_millis(100);

/// The longest wait between two attempts to connect.
pub const BACKOFF_MAX: Duration = Duration::from_secs(5);

/// Of so many attempts to connect that fail in a row, one asks to start the daemon: the first.
pub const START_EVERY: u32 = 8;

/// Starts the daemon, or says why it cannot. It is called when connecting fails, and again each [`START_EVERY`]
/// failures.
pub type Starter = Arc<dyn Fn() -> BoxFuture<'static, Result<()>> + Send + Sync>;

/// How long a link tries to connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// As long as it lives.
    Endless,
    /// So many attempts in a row; then it is [`LinkEvent::Gone`].
    Attempts(u32),
}

/// What a link reports.
#[derive(Debug, Clone, PartialEq)]
pub enum LinkEvent {
    /// Connected. What was watched and what was not confirmed has been asked for again.
    Up {
        /// The daemon's version.
        version: String,
    },
    /// Not connected; it tries again by itself.
    Down {
        /// Why.
        reason: String,
        /// When it tries again.
        retry_in: Duration,
    },
    /// The link has given up.
    Gone {
        /// Why.
        reason: String,
    },
    /// A frame of the daemon.
    Frame(ServerFrame),
}

enum State {
    Opening(Pin<Box<dyn Future<Output = Result<Client>> + Send>>),
    Open(Client),
    Gone(String),
}

/// A connection that comes back.
pub struct Link {
    socket: PathBuf,
    starter: Option<Starter>,
    patience: Patience,
    /// Of the reasons it reports.
    language: Language,
    state: State,
    failures: u32,
    /// Why the daemon could not be started when that was last tried; it is not tried each time.
    not_started: Option<String>,
    watch: Option<Watch>,
    /// Said and not confirmed, oldest first, by client id.
    unconfirmed: Vec<(String, ClientFrame)>,
    /// Asked and not answered.
    asked: HashSet<String>,
    /// Frames to be reported before anything else.
    due: VecDeque<LinkEvent>,
}

struct Watch {
    /// What was asked for: a dialog, or a chat for its current one.
    target: String,
    /// The dialog that it turned out to be.
    session: Option<String>,
    last_seen: Option<String>,
    /// Incoming messages without an end. After a reconnect everything from the first of them is asked for again,
    /// because an end that was reached meanwhile is told only with the message.
    open: BTreeSet<String>,
    /// The message before each open one, to be used as `after`.
    before_open: Option<String>,
}

impl Link {
    /// A link to the daemon at `socket`. It connects when [`Link::next`] is awaited.
    pub fn new(socket: &Path, starter: Option<Starter>, patience: Patience) -> Self {
        let mut link = Self {
            socket: socket.to_owned(),
            starter,
            patience,
            language: Language::En,
            state: State::Gone(String::new()),
            failures: 0,
            not_started: None,
            watch: None,
            unconfirmed: Vec::new(),
            asked: HashSet::new(),
            due: VecDeque::new(),
        };
        link.open_after(Duration::ZERO, None);
        link
    }

    /// Reports reasons in this language; English unless said.
    #[must_use]
    pub fn speaking(mut self, language: Language) -> Self {
        self.language = language;
        self
    }

    /// Watches a session (`channel:chat:dialog`, or `channel:chat` for its current dialog) from now on; `after` as in
    /// [`ClientFrame::Watch`].
    pub fn watch(&mut self, target: &str, after: Option<String>) {
        let frame = ClientFrame::Watch { session: target.to_owned(), after: after.clone() };
        self.watch = Some(Watch {
            target: target.to_owned(),
            session: None,
            last_seen: after.clone(),
            open: BTreeSet::new(),
            before_open: after,
        });
        self.write(&frame);
    }

    /// Says something; it is said again after a reconnect until the daemon has confirmed it. Returns the client id.
    ///
    /// # Errors
    /// More than [`UNCONFIRMED_MAX`] lines wait for the daemon.
    pub fn say(&mut self, session: Option<&str>, text: &str, arrival: Arrival) -> Result<String, Problem> {
        let id = new_id();
        let session = session.map(str::to_owned);
        self.send(ClientFrame::Send { id: id.clone(), session, text: text.to_owned(), arrival })?;
        Ok(id)
    }

    /// Sends any frame. A `send` waits for the connection; anything else is refused while there is none.
    ///
    /// # Errors
    /// Too much waits, or there is no connection.
    pub fn send(&mut self, frame: ClientFrame) -> Result<(), Problem> {
        match &frame {
            ClientFrame::Watch { session, after } => self.watch(session, after.clone()),
            ClientFrame::Send { id, .. } => {
                if self.unconfirmed.len() >= UNCONFIRMED_MAX {
                    return Err(Problem {
                        code: "full".to_owned(),
                        text: format!("{UNCONFIRMED_MAX} lines wait for the daemon already"),
                        hint: "wait until it is connected again".to_owned(),
                    });
                }
                self.unconfirmed.push((id.clone(), frame.clone()));
                self.write(&frame);
            }
            ClientFrame::Call { id, .. } if self.is_open() => {
                self.asked.insert(id.clone());
                self.write(&frame);
            }
            ClientFrame::Stop if self.is_open() => self.write(&frame),
            ClientFrame::Stop | ClientFrame::Call { .. } => {
                return Err(unavailable("the daemon is not connected"));
            }
        }
        Ok(())
    }

    /// Asks something and waits for the answer; waits for the connection first. What else arrives meanwhile is
    /// reported by the next [`Link::next`], in order.
    ///
    /// # Errors
    /// What the daemon answers; `unavailable` if the connection breaks or cannot be made.
    pub async fn call(&mut self, call: Call) -> Result<serde_json::Value, Problem> {
        let mut aside = std::mem::take(&mut self.due);
        let answer = self.call_aside(call, &mut aside).await;
        aside.append(&mut self.due);
        self.due = aside;
        answer
    }

    async fn call_aside(
        &mut self,
        call: Call,
        aside: &mut VecDeque<LinkEvent>,
    ) -> Result<serde_json::Value, Problem> {
        while !self.is_open() {
            match self.next().await {
                LinkEvent::Gone { reason } => return Err(unavailable(reason)),
                other => aside.push_back(other),
            }
        }
        let asked = new_id();
        self.send(ClientFrame::Call { id: asked.clone(), call })?;
        loop {
            match self.next().await {
                LinkEvent::Frame(ServerFrame::Result { id, value }) if id == asked => return Ok(value),
                LinkEvent::Frame(ServerFrame::Failed { id, error }) if id == asked => return Err(error),
                LinkEvent::Gone { reason } => return Err(unavailable(reason)),
                other => aside.push_back(other),
            }
        }
    }

    /// What happens next. Dropping the future loses nothing.
    pub async fn next(&mut self) -> LinkEvent {
        loop {
            if let Some(event) = self.due.pop_front() {
                return event;
            }
            match &mut self.state {
                State::Gone(reason) => {
                    let reason = reason.clone();
                    // Whoever asks again is answered again, but may do something else in between.
                    return LinkEvent::Gone { reason };
                }
                State::Opening(opening) => match opening.as_mut().await {
                    Ok(client) => return self.opened(client),
                    Err(error) => return self.lost(&error),
                },
                State::Open(client) => match client.next().await {
                    Ok(frame) => {
                        if let Some(frame) = self.took(frame) {
                            return LinkEvent::Frame(frame);
                        }
                    }
                    Err(error) => return self.lost(&error),
                },
            }
        }
    }

    /// Writes what waits, if connected. For a last word before the end.
    pub async fn flush(&mut self) {
        if let State::Open(client) = &mut self.state {
            // A broken connection has nobody left to tell; what was not confirmed is lost with this program.
            let _ = client.flush().await;
        }
    }

    /// Whether it is connected.
    pub fn is_open(&self) -> bool {
        matches!(self.state, State::Open(_))
    }

    /// Lines that the daemon has not confirmed.
    pub fn unconfirmed(&self) -> usize {
        self.unconfirmed.len()
    }

    fn is_unconfirmed(&self, id: &str) -> bool {
        self.unconfirmed.iter().any(|(waiting, _)| waiting == id)
    }

    fn opened(&mut self, client: Client) -> LinkEvent {
        let version = client.version().to_owned();
        self.state = State::Open(client);
        self.failures = 0;
        self.not_started = None;
        self.watch_again();
        for frame in self.unconfirmed.iter().map(|(_, frame)| frame.clone()).collect::<Vec<_>>() {
            self.write(&frame);
        }
        LinkEvent::Up { version }
    }

    fn watch_again(&mut self) {
        if let Some(watch) = &self.watch {
            let session = watch.session.clone().unwrap_or_else(|| watch.target.clone());
            let after =
                if watch.open.is_empty() { watch.last_seen.clone() } else { watch.before_open.clone() };
            self.write(&ClientFrame::Watch { session, after });
        }
    }

    fn lost(&mut self, error: &anyhow::Error) -> LinkEvent {
        let reason = match (error.downcast_ref::<Broken>(), &self.not_started) {
            (Some(Broken::NobodyThere { .. }), Some(cause)) => cause.clone(),
            (Some(broken), _) => broken.text(self.language),
            (None, _) => {
                let cause = format!("{error:#}");
                self.not_started = Some(cause.clone());
                cause
            }
        };
        self.failures += 1;
        for id in self.asked.drain() {
            self.due.push_back(LinkEvent::Frame(ServerFrame::Failed { id, error: unavailable(&reason) }));
        }
        if let Patience::Attempts(most) = self.patience
            && self.failures >= most
        {
            self.state = State::Gone(reason.clone());
            return LinkEvent::Gone { reason };
        }
        let retry_in = BACKOFF_MIN.saturating_mul(1 << (self.failures - 1).min(10)).min(BACKOFF_MAX);
        let starter = self.starter.clone().filter(|_| self.failures % START_EVERY == 1);
        self.open_after(retry_in, starter);
        LinkEvent::Down { reason, retry_in }
    }

    fn open_after(&mut self, wait: Duration, starter: Option<Starter>) {
        let socket = self.socket.clone();
        self.state = State::Opening(Box::pin(async move {
            if !wait.is_zero() {
                tokio::time::sleep(wait).await;
            }
            match (Client::connect(&socket).await, starter) {
                (Err(_), Some(start)) => {
                    start().await?;
                    Client::connect(&socket).await
                }
                (connected, _) => connected,
            }
        }));
    }

    /// Notes what a frame says about where we are. None if it is our own business.
    fn took(&mut self, frame: ServerFrame) -> Option<ServerFrame> {
        match &frame {
            ServerFrame::Watching { session, .. } => {
                if let Some(watch) = &mut self.watch {
                    watch.session = Some(session.clone());
                }
            }
            ServerFrame::Message(message) => {
                if let Some(watch) = &mut self.watch {
                    watch.saw(message);
                }
            }
            ServerFrame::Ended { message, .. } => {
                if let Some(watch) = &mut self.watch {
                    watch.open.remove(message);
                }
            }
            ServerFrame::Accepted { id, .. } => self.unconfirmed.retain(|(waiting, _)| waiting != id),
            // The daemon goes down: what it has not taken is said again to its successor.
            ServerFrame::Failed { id, error } if error.code == "stopping" && self.is_unconfirmed(id) => {
                return None;
            }
            ServerFrame::Failed { id, .. } => {
                self.asked.remove(id);
                self.unconfirmed.retain(|(waiting, _)| waiting != id);
            }
            ServerFrame::Result { id, .. } => {
                self.asked.remove(id);
            }
            ServerFrame::Lagged => self.watch_again(),
            _ => {}
        }
        Some(frame)
    }

    /// A frame that cannot be written now is written after the reconnect, or was refused before.
    fn write(&mut self, frame: &ClientFrame) {
        if let State::Open(client) = &mut self.state
            && let Err(error) = client.send(frame)
        {
            let text = error.to_string();
            if let ClientFrame::Send { id, .. } | ClientFrame::Call { id, .. } = frame {
                self.unconfirmed.retain(|(waiting, _)| waiting != id);
                self.asked.remove(id);
                let error = Problem { code: "too_large".to_owned(), text, hint: String::new() };
                self.due.push_back(LinkEvent::Frame(ServerFrame::Failed { id: id.clone(), error }));
            }
        }
    }
}

impl Watch {
    fn saw(&mut self, message: &hearth_protocol::Message) {
        if self.session.as_ref().is_some_and(|session| *session != message.session) {
            return;
        }
        if message.direction == "in" && message.end.is_none() {
            if self.open.is_empty() {
                self.before_open.clone_from(&self.last_seen);
            }
            self.open.insert(message.id.clone());
        } else {
            self.open.remove(&message.id);
        }
        if self.last_seen.as_ref().is_none_or(|last| *last < message.id) {
            self.last_seen = Some(message.id.clone());
        }
    }
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link")
            .field("socket", &self.socket)
            .field("open", &self.is_open())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
