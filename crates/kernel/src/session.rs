//! One task a session: it owns the session's state, and one turn at a time runs in it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hearth_contract::clock::timeout;
use hearth_contract::event::EventKind;
use hearth_contract::id::{SessionKey, TurnId};
use hearth_contract::message::{Direction, MessageEnd, MessageRecord};
use hearth_contract::store::{DialogChange, MessagePage, StoreError, TurnHistory, TurnState};
use hearth_contract::transcript::TurnTranscript;
use tokio::sync::mpsc;

use crate::dialogs::short_title;
use crate::heard::{Heard, Mail, Work};
use crate::kernel::Inner;
use crate::running::{Left, Running, TurnHandle};
use crate::terms::Terms;
use crate::turn::{FallenBack, Turn};
use crate::window::Window;
use crate::{recovery, texts, trigger};

/// A session, as its turns see it.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) key: SessionKey,
    state: Mutex<State>,
}

/// What is known of the dialog.
#[derive(Debug)]
struct State {
    /// The earlier turns in view.
    window: Window,
    /// The window is not what the ledger holds: it is read again before the next turn.
    is_stale: bool,
    /// The source whose absence the people here were told of.
    told_away: Option<String>,
    has_title: bool,
}

/// Lives until nothing has come for a while.
pub(crate) async fn run_session(kernel: Arc<Inner>, key: SessionKey, mut mailbox: mpsc::Receiver<Mail>) {
    let session = Arc::new(Session::unread(key));
    let mut heard = Heard::default();
    while let Some(work) = wait_for_work(&kernel, &session.key, &mut heard, &mut mailbox).await {
        let _busy = kernel.activity.begin();
        // Closed only when the kernel is dropped.
        let Ok(_permit) = kernel.turn_permits.acquire().await else { return };
        let mut next = Some(work);
        let mut under_way = Vec::new();
        while let Some(work) = next {
            take_the_floor(&kernel, &session, &mut heard, &mut under_way, work).await;
            if !under_way.is_empty() {
                run(&kernel, &session, &mut heard, &mut mailbox, &mut under_way).await;
            }
            // Other sessions have their turn before this one's next, but not before those of it that stand still.
            next = under_way
                .last()
                .map(|standing: &Running| standing.handle.urgency)
                .and_then(|urgency| heard.next(Some(urgency)));
        }
    }
}

/// Waits for something to do. None when the session is to leave memory.
async fn wait_for_work(
    kernel: &Arc<Inner>,
    key: &SessionKey,
    heard: &mut Heard,
    mailbox: &mut mpsc::Receiver<Mail>,
) -> Option<Work> {
    loop {
        if let Some(work) = heard.next(None) {
            return Some(work);
        }
        match timeout(kernel.clock.as_ref(), kernel.limits.session_idle, mailbox.recv()).await {
            Ok(Some(mail)) => heard.take(kernel, mail, &[]).await,
            Ok(None) => return None,
            // What was heard and not answered is read from the ledger when the session comes back.
            Err(_) if kernel.sessions.let_go(key, mailbox) => return None,
            Err(_) => {}
        }
    }
}

/// Puts the turn that is next on top of those under way, unless it has ended without being run.
async fn take_the_floor(
    kernel: &Arc<Inner>,
    session: &Arc<Session>,
    heard: &mut Heard,
    under_way: &mut Vec<Running>,
    work: Work,
) {
    if let (Work::GoOn, Some(standing)) = (&work, under_way.last()) {
        kernel.events.emit(Some(&session.key), EventKind::TurnContinued { turn: standing.id });
        return standing.handle.control.go_on();
    }
    if let Err(error) = session.refresh(kernel, &mut heard.background).await {
        tracing::error!(session = %session.key, %error, "the dialog could not be read; going on without its history");
    }
    let turn = match work {
        Work::Answer(messages) => Some(begin_turn(kernel, &session.key, &mut heard.background, messages)),
        Work::Resume(history) => recovery::resume_turn(kernel, *history).await,
        Work::GoOn => None,
    };
    match turn {
        Some(turn) => under_way.push(Running::new(kernel.clone(), session.clone(), turn)),
        // It has ended without being run, and the window does not hold it.
        None => session.forget(),
    }
}

/// Runs the turn on top, and hears meanwhile what is said. It stays on top if it is to stand still.
async fn run(
    kernel: &Arc<Inner>,
    session: &Arc<Session>,
    heard: &mut Heard,
    mailbox: &mut mpsc::Receiver<Mail>,
    under_way: &mut Vec<Running>,
) {
    let handles: Vec<TurnHandle> = under_way.iter().map(|turn| turn.handle.clone()).collect();
    let Some(mut top) = under_way.pop() else { return };
    let left = loop {
        tokio::select! {
            biased;
            // What was said before the turn goes on is heard before it.
            Some(mail) = mailbox.recv() => heard.take(kernel, mail, &handles).await,
            left = top.work() => break left,
        }
    };
    match left {
        Left::Stands => {
            kernel.events.emit(Some(&session.key), EventKind::TurnSuspended { turn: top.id });
            return under_way.push(top);
        }
        Left::Ended => {}
        Left::Broke => {
            session.forget();
            if let Some(history) = broken_off(kernel, top.id).await {
                heard.broke_off(history);
            }
        }
    }
    heard.came_too_late(top.handle.control.take_joining());
    session.give_title(kernel, &top.cause);
}

/// A turn broke (something in it panicked): it is taken up from its last step, as after a crash and as often.
async fn broken_off(kernel: &Arc<Inner>, id: TurnId) -> Option<TurnHistory> {
    tracing::error!(turn = %id, "a turn broke");
    let read = || async {
        // What was recorded until then is committed with this.
        kernel.stores.ledger.commit(Vec::new()).await?;
        kernel.stores.turns.get(id).await
    };
    match recovery::insist(kernel, read).await {
        Ok(history) => history.filter(|history| history.turn.state == TurnState::Running),
        Err(error) => {
            tracing::error!(turn = %id, %error, "a turn that broke waits for the next start");
            None
        }
    }
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
    let terms = Terms::of_person(kernel, cause.sender.role);
    let turn = Turn::fresh(session.clone(), cause, inputs, terms, kernel.clock.now());
    kernel.stores.ledger.record(turn.start_changes(&kernel.lease_owner));
    turn
}

impl Session {
    /// One whose dialog has not been read yet.
    fn unread(key: SessionKey) -> Self {
        let state = State { window: Window::default(), is_stale: true, told_away: None, has_title: false };
        Self { key, state: Mutex::new(state) }
    }

    /// One without a past, which nobody gives a title.
    pub(crate) fn of_child(key: SessionKey) -> Self {
        let state = State { window: Window::default(), is_stale: false, told_away: None, has_title: true };
        Self { key, state: Mutex::new(state) }
    }

    /// The earlier turns for a turn that begins. One that is taken up again does not see those that began after it.
    pub(crate) fn history(&self, turn: &Turn, room_tokens: u64) -> Vec<Arc<TurnTranscript>> {
        let mut state = self.lock();
        state.window.fit(room_tokens);
        let mut history = state.window.history();
        if turn.attempt > 1 {
            history.retain(|earlier| earlier.turn < turn.id);
        }
        history
    }

    /// Lets the older half of the turns in view go, here and in `history`, because the model found the prompt too
    /// long. False when there is nothing to let go.
    pub(crate) fn shorten(&self, history: &mut Vec<Arc<TurnTranscript>>) -> bool {
        let mut state = self.lock();
        let had_some = !history.is_empty() && state.window.shorten();
        let left = state.window.history();
        history.retain(|turn| left.iter().any(|one| one.turn == turn.turn));
        had_some
    }

    /// A turn has ended.
    pub(crate) fn remember(&self, turn: TurnTranscript) {
        self.lock().window.push(turn);
    }

    /// What is known of the dialog is not to be trusted: it is read again before the next turn.
    pub(crate) fn forget(&self) {
        self.lock().is_stale = true;
    }

    /// The notice that another source than the preferred one answers: once for each absence.
    pub(crate) fn fallback_notice(&self, turn: &Turn) -> Option<String> {
        let mut state = self.lock();
        let Some(FallenBack { preferred, code, answering }) = &turn.fallen_back else {
            state.told_away = None;
            return None;
        };
        if state.told_away.as_ref() == Some(preferred) {
            return None;
        }
        state.told_away = Some(preferred.clone());
        Some(texts::fallen_back(turn.language(), preferred, code, answering))
    }

    /// Reads from the ledger what is to be known of the dialog, when it is not known.
    async fn refresh(
        &self,
        kernel: &Arc<Inner>,
        background: &mut VecDeque<MessageRecord>,
    ) -> Result<(), StoreError> {
        if !self.lock().is_stale {
            return Ok(());
        }
        let window = Window::load(&kernel.stores, &self.key, kernel.history_room_tokens()).await?;
        let dialog = kernel.stores.dialogs.get(&self.key).await?;
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
        let mut state = self.lock();
        state.window = window;
        state.has_title = dialog.is_some_and(|dialog| !dialog.title.is_empty());
        state.is_stale = false;
        Ok(())
    }

    /// A dialog is called after what was first said in it, until somebody gives it another name.
    fn give_title(&self, kernel: &Inner, cause: &MessageRecord) {
        if std::mem::replace(&mut self.lock().has_title, true) {
            return;
        }
        let name = DialogChange::Name { session: self.key.clone(), title: short_title(&cause.text) };
        kernel.stores.ledger.record(vec![name.into()]);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
