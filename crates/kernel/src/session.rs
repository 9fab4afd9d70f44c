//! One task a session: it owns the session's state, and one turn at a time runs in it.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use hearth_contract::clock::timeout;
use hearth_contract::id::{SessionKey, TurnId};
use hearth_contract::inbox::Ended;
use hearth_contract::message::{Arrival, Direction, MessageEnd, MessageRecord};
use hearth_contract::provider::Usage;
use hearth_contract::store::{DialogChange, MessageChange, MessagePage, StoreError, TurnHistory, TurnState};
use tokio::sync::{mpsc, oneshot};

use crate::activity::ActivityGuard;
use crate::control::TurnControl;
use crate::dialogs::short_title;
use crate::kernel::Inner;
use crate::outbox::Closing;
use crate::trigger::{Decision, decide};
use crate::turn::{FallenBack, Turn, run_turn};
use crate::window::Window;
use crate::{command, recovery, texts, trigger};

/// What reaches a session.
#[derive(Debug)]
pub(crate) enum Mail {
    /// Something was said in it; it is in the ledger.
    Message(Box<MessageRecord>, ActivityGuard),
    /// A turn broke off when Hearth stopped.
    Resume(Box<TurnHistory>),
    /// Somebody wants its turn to end. Told whether one ran.
    Stop { by: String, told: oneshot::Sender<bool> },
}

/// The state of a session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) key: SessionKey,
    /// The earlier turns in view.
    pub(crate) window: Window,
    /// The window is not what the ledger holds: it is read again before the next turn.
    pub(crate) is_stale: bool,
    /// The source whose absence the people here were told of.
    told_away: Option<String>,
    has_title: bool,
}

/// What was heard and has not led to a turn yet.
#[derive(Debug, Default)]
struct Heard {
    /// Turns to be taken up again.
    broken_off: VecDeque<TurnHistory>,
    /// Messages to be answered.
    waiting: VecDeque<MessageRecord>,
    /// Messages that are not answered; the next turn sees them.
    background: VecDeque<MessageRecord>,
}

/// What a session does next.
enum Work {
    Answer(Vec<MessageRecord>),
    Resume(Box<TurnHistory>),
}

/// Lives until nothing has come for a while.
pub(crate) async fn run_session(kernel: Arc<Inner>, key: SessionKey, mut mailbox: mpsc::Receiver<Mail>) {
    let window = Window::default();
    let mut session = Session { key, window, is_stale: true, told_away: None, has_title: false };
    let mut heard = Heard::default();
    while let Some(work) = next_work(&kernel, &session.key, &mut heard, &mut mailbox).await {
        let _busy = kernel.activity.begin();
        // Closed only when the kernel is dropped.
        let Ok(_permit) = kernel.turn_permits.acquire().await else { return };
        if let Err(error) = session.refresh(&kernel, &mut heard.background).await {
            tracing::error!(session = %session.key, %error, "the dialog could not be read; going on without its history");
        }
        let turn = match work {
            Work::Answer(messages) => {
                Some(begin_turn(&kernel, &session.key, &mut heard.background, messages))
            }
            Work::Resume(history) => recovery::resume_turn(&kernel, *history).await,
        };
        if let Some(turn) = turn {
            let cause = turn.cause.clone();
            run(&kernel, &mut session, &mut heard, &mut mailbox, turn).await;
            session.give_title(&kernel, &cause);
        } else {
            // It has ended without being run, and the window does not hold it.
            session.is_stale = true;
        }
    }
}

/// Waits for something to do. None when the session is to leave memory.
async fn next_work(
    kernel: &Arc<Inner>,
    key: &SessionKey,
    heard: &mut Heard,
    mailbox: &mut mpsc::Receiver<Mail>,
) -> Option<Work> {
    loop {
        if let Some(history) = heard.broken_off.pop_front() {
            return Some(Work::Resume(Box::new(history)));
        }
        if !heard.waiting.is_empty() {
            return Some(Work::Answer(heard.take_waiting()));
        }
        match timeout(kernel.clock.as_ref(), kernel.limits.session_idle, mailbox.recv()).await {
            Ok(Some(mail)) => heard.take(kernel, mail, None).await,
            Ok(None) => return None,
            // What was heard and not answered is read from the ledger when the session comes back.
            Err(_) if kernel.sessions.let_go(key, mailbox) => return None,
            Err(_) => {}
        }
    }
}

/// Runs one turn, and hears meanwhile what is said.
async fn run(
    kernel: &Arc<Inner>,
    session: &mut Session,
    heard: &mut Heard,
    mailbox: &mut mpsc::Receiver<Mail>,
    turn: Turn,
) {
    let control = TurnControl::default();
    let id = turn.id;
    let ran = {
        let turn = AssertUnwindSafe(run_turn(kernel, session, turn, &control)).catch_unwind();
        let mut running = std::pin::pin!(turn);
        loop {
            tokio::select! {
                biased;
                // What was said before the turn goes on is heard before it.
                Some(mail) = mailbox.recv() => heard.take(kernel, mail, Some(&control)).await,
                ran = &mut running => break ran,
            }
        }
    };
    if ran.is_err() {
        session.is_stale = true;
        heard.broken_off.extend(broken_off(kernel, id).await);
    }
    // What came too late to join is answered next, before what waited for itself.
    for message in control.take_joining().into_iter().rev() {
        heard.waiting.push_front(message);
    }
}

/// A turn broke (something in it panicked): it is taken up from its last step, as after a crash and as often.
async fn broken_off(kernel: &Arc<Inner>, id: TurnId) -> Option<TurnHistory> {
    tracing::error!(turn = %id, "a turn broke");
    let read = async {
        // What was recorded until then is committed with this.
        kernel.stores.ledger.commit(Vec::new()).await?;
        kernel.stores.turns.get(id).await
    };
    match read.await {
        Ok(history) => history.filter(|history| history.turn.state == TurnState::Running),
        Err(error) => {
            tracing::error!(turn = %id, %error, "a turn that broke waits for the next start");
            None
        }
    }
}

impl Heard {
    async fn take(&mut self, kernel: &Arc<Inner>, mail: Mail, running: Option<&TurnControl>) {
        match mail {
            Mail::Resume(history) => self.broken_off.push_back(*history),
            Mail::Stop { by, told } => {
                if let Some(control) = running {
                    control.stop(&by);
                }
                // silent-ok: who asked may have gone.
                let _ = told.send(running.is_some());
            }
            Mail::Message(message, _on_its_way) => self.take_message(kernel, *message, running).await,
        }
    }

    async fn take_message(
        &mut self,
        kernel: &Arc<Inner>,
        message: MessageRecord,
        running: Option<&TurnControl>,
    ) {
        let policy = kernel.outbox.channel(&message.session.chat).and_then(|channel| channel.info().policy);
        let decision = decide(&message, policy);
        if let Decision::Reply { .. } = decision
            && let Some(line) = command::parse(&kernel.config.agent.command_prefixes, &message)
        {
            return command::run(kernel, &message, line, running).await;
        }
        match decision {
            Decision::Ignore { rule } => {
                not_answered(kernel, message, rule);
            }
            Decision::Record { rule } => {
                self.background.push_back(not_answered(kernel, message, rule));
                if self.background.len() > kernel.limits.background_max {
                    self.background.pop_front();
                }
            }
            Decision::Reply { .. } => match (running, message.arrival) {
                (None, _) | (Some(_), Arrival::Enqueue) => self.waiting.push_back(message),
                (Some(control), Arrival::Steer) => control.steer(message),
                (Some(control), Arrival::Interrupt) => control.interrupt(message),
            },
        }
    }

    /// What the next turn answers: one message that waited for itself, or all that came to join.
    fn take_waiting(&mut self) -> Vec<MessageRecord> {
        let waits_alone = |message: &MessageRecord| message.arrival == Arrival::Enqueue;
        let mut taken: Vec<MessageRecord> = self.waiting.pop_front().into_iter().collect();
        if taken.iter().any(waits_alone) {
            return taken;
        }
        while self.waiting.front().is_some_and(|message| !waits_alone(message)) {
            taken.extend(self.waiting.pop_front());
        }
        taken
    }
}

/// A message that is not answered has reached its end.
fn not_answered(kernel: &Inner, mut message: MessageRecord, rule: &str) -> MessageRecord {
    let end = MessageEnd::Silent { rule: rule.to_owned() };
    kernel.stores.ledger.record(vec![MessageChange::End { message: message.id, end: end.clone() }.into()]);
    let ended = Ended { end: end.clone(), turn: None, reply: String::new(), usage: Usage::default() };
    kernel.outbox.announce(&message.session, vec![Closing { message: message.id, ended }]);
    message.end = Some(end);
    message
}

/// Whether a message without a turn is one that the next turn sees: read, and not answered.
fn was_heard(message: &MessageRecord) -> bool {
    match &message.end {
        Some(MessageEnd::Silent { rule }) => rule != trigger::BLOCKED_USER,
        Some(MessageEnd::Stale) => true,
        _ => false,
    }
}

/// A turn that takes up what is to be answered, and what was heard before it.
fn begin_turn(
    kernel: &Arc<Inner>,
    session: &SessionKey,
    background: &mut VecDeque<MessageRecord>,
    messages: Vec<MessageRecord>,
) -> Turn {
    let cause = messages[0].clone();
    let mut inputs: Vec<MessageRecord> = background.drain(..).chain(messages).collect();
    inputs.sort_by_key(|message| message.id);
    let turn = Turn::fresh(session.clone(), cause, inputs, kernel.clock.now());
    kernel.stores.ledger.record(turn.start_changes(&kernel.lease_owner));
    turn
}

impl Session {
    /// The notice that another source than the preferred one answers: once for each absence.
    pub(crate) fn fallback_notice(&mut self, turn: &Turn) -> Option<String> {
        let Some(FallenBack { preferred, code, answering }) = &turn.fallen_back else {
            self.told_away = None;
            return None;
        };
        if self.told_away.as_ref() == Some(preferred) {
            return None;
        }
        self.told_away = Some(preferred.clone());
        Some(texts::fallen_back(turn.language(), preferred, code, answering))
    }

    /// Reads from the ledger what is to be known of the dialog, when it is not known.
    async fn refresh(
        &mut self,
        kernel: &Arc<Inner>,
        background: &mut VecDeque<MessageRecord>,
    ) -> Result<(), StoreError> {
        if !self.is_stale {
            return Ok(());
        }
        self.window = Window::load(&kernel.stores, &self.key, kernel.history_room_tokens()).await?;
        let dialog = kernel.stores.dialogs.get(&self.key).await?;
        self.has_title = dialog.is_some_and(|dialog| !dialog.title.is_empty());
        let newest =
            kernel.stores.messages.page(&self.key, MessagePage::Newest, kernel.limits.background_max).await?;
        let taken_up = newest.iter().rposition(|message| message.turn.is_some()).map_or(0, |place| place + 1);
        let unanswered = newest.into_iter().skip(taken_up).filter(|message| {
            let is_known = background.iter().any(|known| known.id == message.id);
            message.direction == Direction::In && was_heard(message) && !is_known
        });
        let unanswered: Vec<MessageRecord> = unanswered.collect();
        for message in unanswered.into_iter().rev() {
            background.push_front(message);
        }
        self.is_stale = false;
        Ok(())
    }

    /// A dialog is called after what was first said in it, until somebody gives it another name.
    fn give_title(&mut self, kernel: &Inner, cause: &MessageRecord) {
        if self.has_title {
            return;
        }
        self.has_title = true;
        let name = DialogChange::Name { session: self.key.clone(), title: short_title(&cause.text) };
        kernel.stores.ledger.record(vec![name.into()]);
    }
}
