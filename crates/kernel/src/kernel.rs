//! The kernel: what it is given, what it holds, and how it starts and stops.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hearth_contract::changes::ChangeLog;
use hearth_contract::channel::Channel;
use hearth_contract::clock::{Clock, UnixMs};
use hearth_contract::hook::Hook;
use hearth_contract::id::{ChatKey, DeliveryId, MessageId, ScheduleId, SessionKey, TaskId, TurnId};
use hearth_contract::inbox::{Control, ControlError, DialogOp, ExplanationLine, Load, NewSchedule};
use hearth_contract::language::Language;
use hearth_contract::memory::Memory;
use hearth_contract::message::{Arrival, Direction, MessageRecord, Origin, Segment, Sender, plain_text};
use hearth_contract::provider::{Provider, SourceInfo};
use hearth_contract::rights::Role;
use hearth_contract::store::{
    DeliveryRecord, DeliveryState, DialogRecord, ScheduleChange, ScheduleRecord, ScheduleState, StoreError,
    Stores,
};
use hearth_contract::task::Tasks;
use hearth_contract::tool::Tool;
use tokio::sync::{Semaphore, oneshot};

use crate::activity::Activity;
use crate::bus::Sessions;
use crate::config::{AgentConfig, RightsConfig};
use crate::dialogs::DialogBook;
use crate::draft::DraftSink;
use crate::ends::Ends;
use crate::events::Events;
use crate::heard::Mail;
use crate::limits::Limits;
use crate::models::Models;
use crate::outbox::Outbox;
use crate::pipeline::Pipeline;
use crate::scheduler::Scheduler;
use crate::task_queue::{TaskQueue, runner};
use crate::toolbox::Toolbox;
use crate::turn::{LAST_ANSWER_TIME, Turn};
use crate::{prompt, recovery, scheduler, schedules, tokens, why};

/// The share of a window that is kept free beside the history: this turn's input and what its tools bring.
const TURN_ROOM_SHARE: u64 = 3;

/// The kernel's config sections.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KernelConfig {
    /// `[agent]`
    pub agent: AgentConfig,
    /// `[rights]`
    pub rights: RightsConfig,
}

/// Everything a kernel is made of.
#[derive(Debug)]
pub struct Parts {
    /// The ledger.
    pub stores: Stores,
    /// What is known from earlier.
    pub memory: Arc<dyn Memory>,
    /// The sources of models for talking, in the order they are asked.
    pub providers: Vec<Arc<dyn Provider>>,
    /// What the model may call.
    pub tools: Vec<Arc<dyn Tool>>,
    /// What tools have changed in the workspace.
    pub changes: Arc<dyn ChangeLog>,
    /// What watches and bends turns.
    pub hooks: Vec<Arc<dyn Hook>>,
    /// The networks.
    pub channels: Vec<Arc<dyn Channel>>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// The zone in which the agent tells time.
    pub zone: jiff::tz::TimeZone,
    /// Where tasks are spawned.
    pub tasks: Tasks,
    /// The config.
    pub config: KernelConfig,
    /// The bounds.
    pub limits: Limits,
    /// The background tasks.
    pub task_queue: Arc<TaskQueue>,
    /// Who the agent is, in words.
    pub persona: String,
    /// The folder tools work in.
    pub workspace: PathBuf,
    /// The name of this running Hearth in leases.
    pub lease_owner: String,
}

/// A kernel. Cloning gives another handle of the same one.
#[derive(Debug, Clone)]
pub struct Kernel(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) stores: Stores,
    pub(crate) memory: Arc<dyn Memory>,
    pub(crate) models: Models,
    pub(crate) tools: Toolbox,
    pub(crate) changes: Arc<dyn ChangeLog>,
    pub(crate) pipeline: Arc<Pipeline>,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) events: Arc<Events>,
    pub(crate) ends: Arc<Ends>,
    pub(crate) sessions: Sessions,
    pub(crate) dialogs: DialogBook,
    pub(crate) scheduler: Scheduler,
    pub(crate) task_queue: Arc<TaskQueue>,
    pub(crate) activity: Activity,
    /// What is on its way to a session.
    pub(crate) mail: Activity,
    pub(crate) turn_permits: Semaphore,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) zone: jiff::tz::TimeZone,
    pub(crate) tasks: Tasks,
    pub(crate) config: KernelConfig,
    pub(crate) limits: Arc<Limits>,
    pub(crate) system: Arc<str>,
    pub(crate) workspace: PathBuf,
    pub(crate) lease_owner: String,
    channels: Vec<Arc<dyn Channel>>,
}

impl Kernel {
    /// Puts the parts together. Nothing runs until [`Kernel::start`].
    pub fn new(parts: Parts) -> Self {
        let limits = Arc::new(parts.limits);
        let events = Arc::new(Events::new(parts.clock.clone(), limits.events_max));
        let activity = parts.task_queue.activity.clone();
        let ends = Arc::new(Ends::new(activity.clone()));
        let pipeline =
            Arc::new(Pipeline::new(parts.hooks, parts.clock.clone(), events.clone(), limits.clone()));
        let outbox = Arc::new(Outbox::new(
            &parts.channels,
            parts.stores.clone(),
            ends.clone(),
            events.clone(),
            pipeline.clone(),
            parts.clock.clone(),
            parts.tasks.clone(),
            limits.clone(),
        ));
        let models = Models::new(parts.providers, parts.clock.clone(), events.clone(), limits.clone());
        let persona = if parts.persona.trim().is_empty() { prompt::DEFAULT_PERSONA } else { &parts.persona };
        Self(Arc::new(Inner {
            dialogs: DialogBook::new(parts.stores.clone(), parts.clock.clone()),
            stores: parts.stores,
            memory: parts.memory,
            models,
            tools: Toolbox::new(parts.tools, parts.config.rights.clone()),
            changes: parts.changes,
            pipeline,
            outbox,
            events,
            ends,
            sessions: Sessions::default(),
            scheduler: Scheduler::default(),
            task_queue: parts.task_queue,
            activity,
            mail: Activity::default(),
            turn_permits: Semaphore::new(limits.turns_running_max),
            clock: parts.clock,
            zone: parts.zone,
            tasks: parts.tasks,
            config: parts.config,
            system: prompt::system(persona),
            limits,
            workspace: parts.workspace,
            lease_owner: parts.lease_owner,
            channels: parts.channels,
        }))
    }

    /// Takes up what broke off when Hearth last stopped, then listens.
    pub async fn start(&self) -> Result<(), StoreError> {
        recovery::recover(&self.0).await?;
        self.0.tasks.spawn("scheduler", scheduler::run(self.0.clone()));
        self.0.tasks.spawn("task queue", runner::run(self.0.clone()));
        for channel in self.0.channels.clone() {
            let (inbox, shutdown) = (Arc::new(self.clone()), self.0.tasks.shutdown().clone());
            self.0.tasks.spawn("channel", async move { channel.run(inbox, shutdown).await });
        }
        Ok(())
    }

    /// What happens, from now on.
    pub fn events(&self) -> Arc<Events> {
        self.0.events.clone()
    }

    /// Returns when everything that was accepted has been heard by its session.
    pub async fn heard(&self) {
        self.0.mail.idle().await;
    }

    /// Returns when everything that was said has reached the end of its delivery.
    pub async fn delivered(&self) {
        self.0.outbox.empty().await;
    }

    /// Returns when no turn runs, nothing waits for one, and nothing is on its way out.
    pub async fn idle(&self) {
        self.0.activity.idle().await;
    }
}

#[async_trait]
impl Control for Kernel {
    async fn dialog(&self, chat: &ChatKey, op: DialogOp) -> Result<DialogRecord, ControlError> {
        self.0.dialogs.apply(chat, op).await
    }

    async fn stop(&self, session: &SessionKey, by: &str) -> bool {
        let Some(mailbox) = self.0.sessions.loaded(session) else { return false };
        let (told, stopped) = oneshot::channel();
        let sent = mailbox.sender.send(Mail::Stop { by: by.to_owned(), told }).await;
        sent.is_ok() && stopped.await.unwrap_or(false)
    }

    async fn cancel_schedule(&self, schedule: ScheduleId) -> Result<(), ControlError> {
        let stored = self.0.stores.schedules.get(schedule).await?;
        if stored.is_none_or(|stored| stored.state != ScheduleState::Active) {
            return Err(ControlError::NotFound { what: format!("there is no active schedule `{schedule}`") });
        }
        self.0.stores.ledger.commit(vec![ScheduleChange::Cancel { schedule }.into()]).await?;
        self.0.scheduler.wake();
        Ok(())
    }

    async fn add_schedule(&self, request: NewSchedule) -> Result<ScheduleRecord, ControlError> {
        schedules::add(&self.0, request).await
    }

    async fn run_schedule(&self, schedule: ScheduleId) -> Result<(), ControlError> {
        let kernel = self.0.clone();
        let running = async move { schedules::run_now(&kernel, schedule).await };
        let stopping = || ControlError::Refused { reason: "Hearth is stopping; start it again first".into() };
        self.0.tasks.spawn("run_schedule", running).await.unwrap_or_else(|_| Err(stopping()))
    }

    async fn upcoming(
        &self,
        schedule: Option<ScheduleId>,
        limit: usize,
    ) -> Result<Vec<(ScheduleRecord, UnixMs)>, ControlError> {
        schedules::upcoming(&self.0, schedule, limit).await
    }

    async fn cancel_task(&self, task: TaskId, by: &str) -> Result<(), ControlError> {
        if self.0.task_queue.cancel(task, by).await? {
            return Ok(());
        }
        Err(ControlError::NotFound {
            what: format!("there is no background task `{task}` that has not ended"),
        })
    }

    async fn why(&self, id: &str, language: Language) -> Result<Vec<ExplanationLine>, ControlError> {
        why::explain(&self.0, id, language).await
    }

    fn load(&self) -> Load {
        let turns_running = self.0.limits.turns_running_max - self.0.turn_permits.available_permits();
        Load { turns_running, messages_waiting: self.0.ends.count().saturating_sub(turns_running) }
    }

    fn sources(&self) -> Vec<(SourceInfo, String)> {
        self.0.models.list()
    }
}

impl Inner {
    /// How many tokens the earlier turns may take.
    pub(crate) fn history_room_tokens(&self) -> u64 {
        let Some(info) = self.models.preferred() else { return 0 };
        let fixed = tokens::of_text(&self.system) + tokens::of_tools(&self.tools.offered(Role::Owner));
        let window = u64::from(info.window_tokens);
        let free = window.saturating_sub(fixed + u64::from(info.output_tokens_max));
        free.saturating_sub(window / TURN_ROOM_SHARE)
    }

    /// How many tokens a model is asked to write at the most.
    pub(crate) fn output_tokens_max(&self) -> u32 {
        self.models.preferred().map_or(0, |info| info.output_tokens_max)
    }

    /// How long a model call of a turn may take.
    pub(crate) fn call_time_left(&self, turn: &Turn) -> Duration {
        let age = self.clock.now().since(turn.began_at);
        turn.terms.time_max.saturating_sub(age) + LAST_ANSWER_TIME
    }

    /// Where the pieces of an answer go while it is written. A guard must see the whole before anybody sees a piece.
    pub(crate) fn draft_sink(&self, session: &SessionKey, turn: TurnId) -> DraftSink {
        let channel = self.outbox.channel(&session.chat).filter(|_| !self.pipeline.has_output_guards());
        DraftSink { channel: channel.cloned(), session: session.clone(), turn }
    }

    /// What we say in return to a message: a row for what is said, and one for its sending, which follows at once.
    pub(crate) fn new_message(
        &self,
        in_return_to: &MessageRecord,
        segments: Vec<Segment>,
        place: Option<(TurnId, u32)>,
    ) -> (MessageRecord, DeliveryRecord) {
        let now = self.clock.now();
        let message = MessageRecord {
            id: MessageId::new(),
            session: in_return_to.session.clone(),
            chat_kind: in_return_to.chat_kind,
            account: in_return_to.account.clone(),
            direction: Direction::Out,
            origin: Origin::User,
            sender: Sender::agent(),
            text: plain_text(&segments),
            segments,
            addressed: false,
            arrival: Arrival::Enqueue,
            platform_id: None,
            sent_at: now,
            accepted_at: now,
            turn: place.map(|(turn, _)| turn),
            end: None,
        };
        let delivery = DeliveryRecord {
            id: DeliveryId::new(),
            message: message.id,
            turn: message.turn,
            number: place.map_or(0, |(_, number)| number),
            chat: message.session.chat.clone(),
            state: DeliveryState::Sending,
            attempts: 1,
            may_be_duplicate: false,
            created_at: now,
            detail: String::new(),
        };
        (message, delivery)
    }
}
