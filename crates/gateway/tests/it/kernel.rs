//! A kernel that does what a test says, step by step.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use hearth_contract::changes::{CallChanges, ChangeLog, ChangedPath, ChangesState, PathChange, UndoError};
use hearth_contract::channel::{Channel, Outbound};
use hearth_contract::clock::{Clock, UnixMs};
use hearth_contract::event::{Event, EventKind};
use hearth_contract::id::*;
use hearth_contract::inbox::*;
use hearth_contract::language::Language;
use hearth_contract::message::*;
use hearth_contract::provider::{Chunk, SourceInfo, Usage};
use hearth_contract::setting::{Setting, SettingChanges, SettingError, SettingRegistry};
use hearth_contract::store::{
    DialogRecord, DialogState, ScheduleKind, ScheduleRecord, ScheduleState, TaskRecord, TaskState, TurnState,
};
use hearth_contract::task::Tasks;
use hearth_contract::transcript::ToolStatus;
use hearth_gateway::Hub;
use tokio::sync::{broadcast, mpsc, oneshot, watch};

use super::store::FakeStore;

/// Settings that remember what they were told; only `agent.answer` may be anything. Setting `agent.stop` stops Hearth.
#[derive(Debug)]
pub(crate) struct FakeSettings {
    set: Mutex<Option<serde_json::Value>>,
    tasks: Tasks,
}

impl FakeSettings {
    pub(crate) fn new(tasks: Tasks) -> Self {
        Self { set: Mutex::default(), tasks }
    }
}

/// One call that changed a file; it can be undone.
#[derive(Debug)]
pub(crate) struct FakeChanges;

#[async_trait]
impl ChangeLog for FakeChanges {
    async fn list(&self, _limit: usize) -> Result<Vec<CallChanges>, UndoError> {
        let path = ChangedPath { path: "a.txt".into(), change: PathChange::Made, kept: true };
        Ok(vec![CallChanges {
            call: "call_1".into(),
            tool: "write_file".into(),
            session: "cli:me:default".into(),
            caller: "me".into(),
            at: UnixMs(1_800_000_000_000),
            state: ChangesState::Settled,
            paths: vec![path],
            paths_total: 1,
            undoes: None,
            undone_by: None,
        }])
    }

    async fn undo(&self, call: &str, by: &str, language: Language) -> Result<CallChanges, UndoError> {
        let done = self.list(1).await?.remove(0);
        match call {
            "call_1" => Ok(CallChanges {
                call: "undo_1".into(),
                caller: by.into(),
                undoes: Some(done.call.clone()),
                ..done
            }),
            "call_2" => Err(UndoError::Refused {
                what: language.pick("changed since", "又有改动").into(),
                hint: "by hand".into(),
            }),
            _ => Err(UndoError::NotFound { what: format!("no {call}"), hint: "list them".into() }),
        }
    }
}

#[async_trait]
impl SettingRegistry for FakeSettings {
    async fn list(&self, language: Language) -> Result<Vec<Setting>, SettingError> {
        let set = self.set.lock().unwrap().clone();
        Ok(vec![Setting {
            key: "agent.answer".into(),
            from: if set.is_some() { "setting" } else { "default" }.into(),
            value: set.unwrap_or_else(|| 41.into()),
            default: 41.into(),
            kind: "integer".into(),
            choices: Vec::new(),
            description: language.pick("What it is.", "它是什么").into(),
            changes: SettingChanges::AtRunTime,
        }])
    }

    async fn set(&self, key: &str, value: serde_json::Value, language: Language) -> Result<(), SettingError> {
        if key == "agent.stop" {
            self.tasks.shutdown().cancel();
            return Ok(());
        }
        if key != "agent.answer" {
            let what = language.pick(format!("unknown key `{key}`"), format!("未知的键 `{key}`"));
            return Err(SettingError::Invalid { what, hint: "agent.answer".into() });
        }
        *self.set.lock().unwrap() = Some(value);
        Ok(())
    }

    async fn unset(&self, _: &str, _: Language) -> Result<(), SettingError> {
        *self.set.lock().unwrap() = None;
        Ok(())
    }
}

/// A clock that stands still until it is turned.
#[derive(Debug)]
pub(crate) struct TurnedClock {
    now: watch::Sender<i64>,
    sleeping: watch::Sender<HashMap<u64, usize>>,
}

impl TurnedClock {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { now: watch::Sender::new(1_800_000_000_000), sleeping: watch::Sender::default() })
    }

    /// Waits until somebody sleeps for exactly this long.
    pub(crate) async fn somebody_sleeps(&self, duration: std::time::Duration) {
        let key = duration.as_millis() as u64;
        let mut sleeping = self.sleeping.subscribe();
        sleeping.wait_for(|sleeping| sleeping.get(&key).is_some_and(|count| *count > 0)).await.unwrap();
    }

    pub(crate) fn turn(&self, duration: std::time::Duration) {
        self.now.send_modify(|now| *now += duration.as_millis() as i64);
    }
}

struct Sleeping<'a>(&'a TurnedClock, u64);

impl Drop for Sleeping<'_> {
    fn drop(&mut self) {
        self.0.sleeping.send_modify(|sleeping| *sleeping.entry(self.1).or_default() -= 1);
    }
}

#[async_trait]
impl Clock for TurnedClock {
    fn now(&self) -> UnixMs {
        UnixMs(*self.now.borrow())
    }

    async fn sleep(&self, duration: std::time::Duration) {
        let until = self.now().plus(duration).0;
        let mut now = self.now.subscribe();
        self.sleeping.send_modify(|sleeping| *sleeping.entry(duration.as_millis() as u64).or_default() += 1);
        let _sleeping = Sleeping(self, duration.as_millis() as u64);
        now.wait_for(|now| *now >= until).await.unwrap();
    }
}

#[derive(Debug)]
pub(crate) struct FakeKernel {
    pub(crate) hub: Arc<Hub>,
    pub(crate) store: Arc<FakeStore>,
    pub(crate) clock: Arc<TurnedClock>,
    pub(crate) events: broadcast::Sender<Arc<Event>>,
    number: AtomicU64,
    taken: mpsc::UnboundedSender<Taken>,
    /// What `accept` answers instead of taking it.
    pub(crate) refuse: Mutex<Option<AcceptError>>,
    pub(crate) stopped: Mutex<Vec<(SessionKey, String)>>,
    pub(crate) load: Mutex<Load>,
}

/// A message that the kernel has taken and that the test works on.
#[derive(Debug)]
pub(crate) struct Taken {
    kernel: Arc<FakeKernel>,
    pub(crate) inbound: Inbound,
    pub(crate) acknowledge: Acknowledge,
    pub(crate) message: MessageId,
    pub(crate) session: SessionKey,
    pub(crate) turn: TurnId,
    ended: oneshot::Sender<Ended>,
}

pub(crate) const USAGE: Usage = Usage { prompt_tokens: 11, cached_tokens: 5, completion_tokens: 4 };

impl FakeKernel {
    pub(crate) fn new(events_max: usize) -> (Arc<Self>, mpsc::UnboundedReceiver<Taken>) {
        let clock = TurnedClock::new();
        let (taken, receiver) = mpsc::unbounded_channel();
        let kernel = Self {
            hub: Hub::new(clock.clone()),
            store: Arc::default(),
            clock,
            events: broadcast::Sender::new(events_max),
            number: AtomicU64::new(1),
            taken,
            refuse: Mutex::default(),
            stopped: Mutex::default(),
            load: Mutex::default(),
        };
        (Arc::new(kernel), receiver)
    }

    pub(crate) fn emit(&self, session: Option<&SessionKey>, kind: EventKind) {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let event = Event { number, at: self.clock.now(), session: session.cloned(), kind };
        self.events.send(Arc::new(event)).unwrap();
    }

    pub(crate) fn record(
        &self,
        inbound: &Inbound,
        message: MessageId,
        session: &SessionKey,
    ) -> MessageRecord {
        MessageRecord {
            id: message,
            session: session.clone(),
            chat_kind: inbound.chat_kind,
            account: inbound.account.clone(),
            direction: Direction::In,
            origin: inbound.origin.clone(),
            sender: inbound.sender.clone(),
            segments: inbound.segments.clone(),
            text: plain_text(&inbound.segments),
            addressed: inbound.addressed,
            arrival: inbound.arrival,
            platform_id: inbound.platform_id.clone(),
            sent_at: inbound.sent_at,
            accepted_at: self.clock.now(),
            turn: None,
            end: None,
        }
    }

    /// Something that Hearth said, in the ledger.
    pub(crate) fn store_said(&self, session: &SessionKey, turn: Option<TurnId>, text: &str) -> MessageId {
        let message = MessageId::new();
        let inbound = Inbound {
            chat: session.chat.clone(),
            chat_kind: ChatKind::Private,
            account: String::new(),
            dialog: None,
            platform_id: None,
            sender: Sender::agent(),
            segments: vec![Segment::text(text)],
            addressed: false,
            sent_at: self.clock.now(),
            origin: Origin::User,
            arrival: Arrival::Enqueue,
        };
        let record =
            MessageRecord { direction: Direction::Out, turn, ..self.record(&inbound, message, session) };
        self.store.rows().messages.push(record);
        message
    }

    /// Says something that no turn said, as the outbox does.
    pub(crate) async fn say(&self, session: &SessionKey, text: &str) -> MessageId {
        let message = self.store_said(session, None, text);
        self.tell_sent(session, None, message, text).await;
        message
    }

    async fn tell_sent(&self, session: &SessionKey, turn: Option<TurnId>, message: MessageId, text: &str) {
        let segments = vec![Segment::text(text)];
        self.emit(Some(session), EventKind::MessageSent { message, turn, segments: segments.clone() });
        let outbound = Outbound {
            delivery: DeliveryId::new(),
            message,
            turn,
            session: session.clone(),
            chat: session.chat.clone(),
            segments,
            may_be_duplicate: false,
        };
        self.hub.send(&outbound).await.unwrap();
    }
}

/// The kernel as an inbox.
pub(crate) struct FakeInbox(pub(crate) Arc<FakeKernel>);

#[async_trait]
impl Inbox for FakeInbox {
    async fn accept(&self, inbound: Inbound, acknowledge: Acknowledge) -> Result<Accepted, AcceptError> {
        if let Some(error) = self.0.refuse.lock().unwrap().clone() {
            return Err(error);
        }
        let dialog = inbound.dialog.clone().unwrap_or_else(|| SessionKey::DEFAULT_DIALOG.to_owned());
        let session = inbound.chat.dialog(dialog);
        let (ended, receiver) = oneshot::channel();
        let twin = self.0.store.rows().messages.iter().find_map(|record| {
            let same = record.platform_id.is_some()
                && record.platform_id == inbound.platform_id
                && record.session.chat == inbound.chat;
            same.then_some(record.id)
        });
        if let Some(message) = twin {
            return Ok(Accepted { message, session, duplicate: true, ended: receiver });
        }
        let message = MessageId::new();
        let record = self.0.record(&inbound, message, &session);
        let kind = EventKind::MessageAccepted {
            message,
            sender: record.sender.name.clone(),
            text: record.text.clone(),
            origin: record.origin.clone(),
            platform_id: record.platform_id.clone(),
        };
        self.0.store.rows().messages.push(record);
        self.0.emit(Some(&session), kind);
        let (kernel, turn) = (self.0.clone(), TurnId::new());
        let taken = Taken { kernel, inbound, acknowledge, message, session: session.clone(), turn, ended };
        self.0.taken.send(taken).unwrap();
        Ok(Accepted { message, session, duplicate: false, ended: receiver })
    }
}

impl Taken {
    pub(crate) fn text(&self) -> String {
        plain_text(&self.inbound.segments)
    }

    pub(crate) fn start(&self) {
        let kind = EventKind::TurnStarted { turn: self.turn, cause: self.message, attempt: 1 };
        self.kernel.emit(Some(&self.session), kind);
    }

    pub(crate) fn chunk(&self, chunk: Chunk) {
        self.kernel.hub.live().unwrap().push(&self.session, self.turn, chunk);
    }

    pub(crate) fn draft(&self, text: &str) {
        self.chunk(Chunk::Text(text.to_owned()));
    }

    pub(crate) fn tool(&self, tool: &str) {
        let (turn, call) = (self.turn, CallId::at(self.turn, 0, 0));
        let (tool, arguments) = (tool.to_owned(), "{}".to_owned());
        let started = EventKind::ToolStarted { turn, call: call.clone(), tool: tool.clone(), arguments };
        self.kernel.emit(Some(&self.session), started);
        let ended = EventKind::ToolEnded {
            turn,
            call,
            tool,
            status: ToolStatus::Done,
            result: "ok".to_owned(),
            duration_ms: 7,
        };
        self.kernel.emit(Some(&self.session), ended);
    }

    /// Says it through the outbox and ends.
    pub(crate) async fn answer(self, text: &str) {
        let said = self.kernel.store_said(&self.session, Some(self.turn), text);
        self.kernel.tell_sent(&self.session, Some(self.turn), said, text).await;
        self.end(MessageEnd::Answered, TurnState::Done, text);
    }

    pub(crate) fn end(self, end: MessageEnd, state: TurnState, reply: &str) {
        self.kernel.store.end(self.message, Some(self.turn), end.clone());
        let kind = EventKind::TurnEnded { turn: self.turn, state, usage: USAGE, duration_ms: 20 };
        self.kernel.emit(Some(&self.session), kind);
        let kind = EventKind::MessageEnded { message: self.message, end: end.clone() };
        self.kernel.emit(Some(&self.session), kind);
        let ended = Ended { end, turn: Some(self.turn), reply: reply.to_owned(), usage: USAGE };
        // The client may have left.
        let _ = self.ended.send(ended);
    }
}

#[async_trait]
impl Control for FakeKernel {
    async fn dialog(&self, chat: &ChatKey, op: DialogOp) -> Result<DialogRecord, ControlError> {
        let mut rows = self.store.rows();
        let now = self.clock.now();
        if let DialogOp::Create { title } = op {
            let dialog = format!("d{}", rows.dialogs.len() + 1);
            let (session, state) = (chat.dialog(dialog), DialogState::Active);
            let record =
                DialogRecord { session: session.clone(), title, state, created_at: now, active_at: now };
            rows.dialogs.push(record.clone());
            rows.current.insert(chat.clone(), session);
            return Ok(record);
        }
        let (dialog, state, title) = match op {
            DialogOp::Create { .. } => unreachable!(),
            DialogOp::Switch { dialog } => (dialog, None, None),
            DialogOp::Rename { dialog, title } => (dialog, None, Some(title)),
            DialogOp::Archive { dialog } => (dialog, Some(DialogState::Archived), None),
            DialogOp::Delete { dialog } => (dialog, Some(DialogState::Deleted), None),
            DialogOp::Restore { dialog } => (dialog, Some(DialogState::Active), None),
        };
        let session = chat.dialog(dialog);
        let Some(record) = rows.dialogs.iter_mut().find(|record| record.session == session) else {
            return Err(ControlError::NotFound { what: format!("there is no dialog {session}") });
        };
        record.state = state.unwrap_or(record.state);
        record.title = title.unwrap_or_else(|| record.title.clone());
        let record = record.clone();
        if state.is_none() {
            rows.current.insert(chat.clone(), session);
        }
        Ok(record)
    }

    async fn stop(&self, session: &SessionKey, by: &str) -> bool {
        self.stopped.lock().unwrap().push((session.clone(), by.to_owned()));
        session.dialog != "idle"
    }

    async fn cancel_task(&self, task: TaskId, by: &str) -> Result<(), ControlError> {
        let mut rows = self.store.rows();
        let open = |record: &&mut TaskRecord| record.id == task && !record.state.is_end();
        match rows.tasks.iter_mut().find(open) {
            Some(record) => {
                (record.state, record.result) = (TaskState::Cancelled, by.to_owned());
                Ok(())
            }
            None => Err(ControlError::NotFound { what: format!("there is no open task {task}") }),
        }
    }

    async fn cancel_schedule(&self, schedule: ScheduleId) -> Result<(), ControlError> {
        let mut rows = self.store.rows();
        let before = rows.schedules.len();
        rows.schedules.retain(|record| record.id != schedule);
        match rows.schedules.len() == before {
            true => Err(ControlError::NotFound { what: format!("there is no schedule {schedule}") }),
            false => Ok(()),
        }
    }

    async fn add_schedule(&self, request: NewSchedule) -> Result<ScheduleRecord, ControlError> {
        let NewDue::At(due_at) = request.due else {
            return Err(ControlError::Invalid { what: "too often".into(), hint: "seldom".into() });
        };
        let record = ScheduleRecord {
            id: ScheduleId::new(),
            session: request.session,
            chat_kind: ChatKind::Private,
            account: String::new(),
            sender: request.sender,
            kind: ScheduleKind::At { due_at },
            text: request.text,
            cause: MessageId::new(),
            created_at: due_at,
            state: ScheduleState::Active,
            next_due_at: Some(due_at),
        };
        self.store.rows().schedules.push(record.clone());
        Ok(record)
    }

    async fn run_schedule(&self, schedule: ScheduleId) -> Result<(), ControlError> {
        match self.store.rows().schedules.iter().any(|record| record.id == schedule) {
            true => Ok(()),
            false => Err(ControlError::NotFound { what: format!("there is no schedule {schedule}") }),
        }
    }

    async fn upcoming(
        &self,
        schedule: Option<ScheduleId>,
        limit: usize,
    ) -> Result<Vec<(ScheduleRecord, UnixMs)>, ControlError> {
        let rows = self.store.rows();
        let wanted = rows.schedules.iter().filter(|record| schedule.is_none_or(|id| record.id == id));
        let due = wanted.filter_map(|record| Some((record.clone(), record.next_due_at?)));
        Ok(due.take(limit).collect())
    }

    async fn why(&self, id: &str, language: Language) -> Result<Vec<ExplanationLine>, ControlError> {
        if id == "nothing" {
            return Err(ControlError::NotFound { what: "nothing begins with `nothing`".into() });
        }
        let text = language.pick(format!("{id} was taken"), format!("{id} 已收到"));
        Ok(vec![ExplanationLine { at: self.clock.now(), kind: "accepted".into(), text }])
    }

    fn load(&self) -> Load {
        *self.load.lock().unwrap()
    }

    fn sources(&self) -> Vec<(SourceInfo, String)> {
        let info = |name: &str| SourceInfo {
            name: name.to_owned(),
            kind: "offline",
            model: "m".to_owned(),
            window_tokens: 1,
            output_tokens_max: 1,
        };
        vec![(info("main"), String::new()), (info("spare"), "rate_limited".to_owned())]
    }
}
