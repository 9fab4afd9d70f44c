//! The world of a scenario: a daemon that can be stopped and killed, and what survives it.
//!
//! The daemon lives in a runtime of one thread that runs only while a step of the scenario waits for it. So nothing
//! happens between two steps, and dropping the runtime is a kill: every task is gone at once, the ledger file stays.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use async_trait::async_trait;
use hearth_contract::background::TaskKind;
use hearth_contract::clock::{Clock, UnixMs};
use hearth_contract::id::{ChatKey, MessageId};
use hearth_contract::inbox::{AcceptError, Accepted, Acknowledge, Control, Inbox};
use hearth_contract::language::Language;
use hearth_contract::memory::Memory;
use hearth_contract::message::{Arrival, ChatKind, Inbound, MessageEnd, Origin, Segment, Sender};
use hearth_contract::provider::{Chunk, Provider};
use hearth_contract::rights::Role;
use hearth_contract::store::{Stores, TaskNotice, TaskRecord};
use hearth_contract::task::Tasks;
use hearth_contract::tool::Tool;
use hearth_kernel::tool::OwnToolDeps;
use hearth_kernel::{Kernel, KernelConfig, Parts, TaskQueue};
use hearth_net::{GuardSettings, GuardedHttp, Lookup};
use hearth_storage::Handle;
use hearth_tools::{Changes, NetworkAccess, ShellSettings, ToolDeps};
use jiff::tz::TimeZone;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::Guard;
use super::config::{NetworkSetup, Setup};
use super::line::{Line, escape};
use super::told::{Told, steady};
use crate::clock::TurnedClock;
use crate::hooks::FakeHook;
use crate::jobs::{FakeJobs, JobTool};
use crate::model::{CHILD, ScriptedModel};
use crate::network::FakeNetwork;
use crate::rig;
use crate::seen::{Log, Seen};
use crate::tools;

/// How often the ledger is asked without anything happening before the world counts as still.
const STILL_LOOKS: usize = 5;

/// The world of one scenario.
pub(super) struct World {
    setup: Setup,
    home: TempDir,
    clock: TurnedClock,
    log: Log,
    sources: Vec<Arc<ScriptedModel>>,
    networks: Vec<Arc<FakeNetwork>>,
    hooks: Vec<Arc<FakeHook>>,
    tool_world: Arc<tools::World>,
    jobs: Arc<FakeJobs>,
    daemon: Option<Daemon>,
    heard: Vec<Heard>,
    /// Lines that were written while a step ran.
    notes: Vec<String>,
    told: Told,
    /// Sleepers from here on are new.
    mark: u64,
}

struct Daemon {
    runtime: Runtime,
    kernel: Kernel,
    tasks: Tasks,
    stores: Stores,
    handle: Handle,
}

/// A message of the script.
struct Heard {
    who: String,
    chat: ChatKey,
    message: MessageId,
    has_ended: bool,
}

impl World {
    pub(super) fn start(setup: Setup) -> anyhow::Result<Self> {
        let log = Log::default();
        let clock = TurnedClock::new(rig::START);
        let source =
            |name: &String| Arc::new(ScriptedModel::new(name, log.clone()).with_window(setup.window_tokens));
        let hook = |name: &String| {
            let hook = FakeHook::parse(name, log.clone());
            hook.map(Arc::new).with_context(|| format!("there is no hook `{name}`"))
        };
        let mut world = Self {
            sources: setup.sources.iter().map(source).collect(),
            networks: vec![
                Arc::new(network("private", &setup.private, &log)),
                Arc::new(network("group", &setup.group, &log)),
            ],
            hooks: setup.hooks.iter().map(hook).collect::<anyhow::Result<_>>()?,
            tool_world: tools::World::new(log.clone(), Arc::new(clock.clone())),
            jobs: Arc::new(FakeJobs::new(log.clone(), Arc::new(clock.clone()))),
            home: tempfile::tempdir()?,
            setup,
            clock,
            log,
            daemon: None,
            heard: Vec::new(),
            notes: Vec::new(),
            told: Told::default(),
            mark: 0,
        };
        std::fs::create_dir(world.home.path().join("workspace"))?;
        world.daemon = Some(world.start_daemon()?);
        Ok(world)
    }

    fn start_daemon(&self) -> anyhow::Result<Daemon> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let opened = hearth_storage::open(&rig::storage(), self.home.path())?;
        let stores = opened.stores;
        let limits = self.setup.limits.limits();
        let usual = rig::parts(&stores, &self.clock, self.home.path(), &limits);
        let tasks = usual.tasks.clone();
        let changes = rig::changes(&self.clock, self.home.path());
        changes.settle_left()?;
        let deps = self.tool_deps(&stores, usual.memory.clone(), &changes)?;
        let kinds = vec![self.jobs.clone() as Arc<dyn TaskKind>];
        let task_queue = TaskQueue::new(stores.clone(), Arc::new(self.clock.clone()), limits.clone(), kinds);
        let own = OwnToolDeps {
            task_queue: task_queue.clone(),
            stores: stores.clone(),
            tasks: tasks.clone(),
            limits,
            clock: Arc::new(self.clock.clone()),
            zone: usual.zone.clone(),
        };
        let kernel = Kernel::new(Parts {
            providers: self.sources.iter().map(|source| source.clone() as Arc<dyn Provider>).collect(),
            tools: self.tools(&deps, &own)?,
            changes: Arc::new(changes),
            task_queue,
            hooks: self.hooks.iter().map(|hook| hook.clone() as _).collect(),
            channels: self.networks.iter().map(|network| network.clone() as _).collect(),
            config: KernelConfig { agent: self.setup.agent.clone(), rights: self.setup.rights.clone() },
            ..usual
        });
        runtime.block_on(kernel.start())?;
        Ok(Daemon { runtime, kernel, tasks, stores, handle: opened.handle })
    }

    fn tool_deps(
        &self,
        stores: &Stores,
        memory: Arc<dyn Memory>,
        changes: &Changes,
    ) -> anyhow::Result<ToolDeps> {
        let clock: Arc<dyn Clock> = Arc::new(self.clock.clone());
        Ok(ToolDeps {
            memory,
            schedules: stores.schedules.clone(),
            messages: stores.messages.clone(),
            http: GuardedHttp::new(&GuardSettings::default(), Arc::new(NoInternet), clock.clone())?,
            clock,
            zone: TimeZone::UTC,
            shell: ShellSettings {
                launcher: self.home.path().join("no-launcher"),
                home: self.home.path().to_owned(),
                home_id: "scenario".into(),
                path: "/usr/bin:/bin".into(),
                network: NetworkAccess::Refused,
            },
            changes: changes.clone(),
        })
    }

    fn tools(&self, deps: &ToolDeps, own: &OwnToolDeps) -> anyhow::Result<Vec<Arc<dyn Tool>>> {
        let tool = |name: &String| {
            if let Some(fake) = self.tool_world.tool(name) {
                return Ok(fake);
            }
            if name == "job" {
                let job = JobTool::new(deps.messages.clone(), deps.clock.clone());
                return Ok(Arc::new(job) as Arc<dyn Tool>);
            }
            if let Some(entry) = hearth_kernel::tool::ALL.iter().find(|entry| entry.name == name) {
                return Ok((entry.build)(own));
            }
            let entry = hearth_tools::ALL.iter().find(|entry| entry.name == name);
            let entry = entry.with_context(|| format!("there is no tool `{name}`"))?;
            Ok(entry.build(deps))
        };
        self.setup.tools.iter().map(tool).collect()
    }

    /// Follows one line, and lets what comes of it come to rest.
    pub(super) fn run<F: Fn() -> String>(
        &mut self,
        guard: Guard<F>,
        line: &Line,
        next: Option<&Line>,
    ) -> anyhow::Result<()> {
        let unrest = matches!(next, Some(Line::Kill { at_once: true, .. }));
        let asked_before = self.asked();
        let mark = self.clock.mark();
        match line {
            Line::Say { who, chat, platform_id, text, arrival } => {
                let inbound = self.inbound(who, chat, platform_id.clone(), text, *arrival);
                let accepted = self.accept(&guard, inbound)?;
                self.mark = mark;
                if !unrest {
                    let wait =
                        self.wait_after(text, chat.channel == "private", *arrival, accepted, asked_before);
                    return self.settle(&guard, wait, next);
                }
                return Ok(());
            }
            Line::Reply { source, reply } if source == CHILD => {
                self.sources.first().context("there is no source")?.push_child(reply.clone());
            }
            Line::Reply { source, reply } => {
                let found = self.sources.iter().find(|known| known.info().name == *source);
                found.with_context(|| format!("there is no source `{source}`"))?.push(reply.clone());
            }
            Line::Clock(span) => {
                let (clock, daemon) = (&self.clock, self.daemon()?);
                daemon.runtime.block_on(guard.bound(|| self.state(), clock.advance(*span)))?;
            }
            Line::Restart => self.restart(&guard)?,
            Line::Kill { away, .. } => self.kill(*away)?,
            Line::Network(behaviour) => {
                let last = self.heard.last().map_or("private", |heard| heard.chat.channel.as_str());
                let network = self.networks.iter().find(|network| network_name(network) == last);
                network.context("no such network")?.push(behaviour.clone());
            }
            Line::Why { chinese } => self.explain(*chinese)?,
            Line::Tasks => self.list_tasks()?,
            Line::CancelTask => self.cancel_task(&guard)?,
        }
        self.mark = mark;
        if unrest {
            return Ok(());
        }
        self.settle(&guard, Wait::Rest, next)
    }

    fn inbound(
        &self,
        who: &str,
        chat: &ChatKey,
        platform_id: Option<String>,
        text: &str,
        arrival: Arrival,
    ) -> Inbound {
        let is_private = chat.channel == "private";
        let (addressed, text) = match text.strip_prefix("@bot") {
            Some(text) => (true, text.trim_start()),
            None => (is_private, text),
        };
        let role = match who {
            "owner" | "主人" => Role::Owner,
            "trusted" => Role::Trusted,
            "blocked" => Role::Blocked,
            _ => Role::Member,
        };
        Inbound {
            chat: chat.clone(),
            chat_kind: if is_private { ChatKind::Private } else { ChatKind::Group },
            account: String::new(),
            dialog: None,
            platform_id,
            sender: Sender { id: who.to_owned(), name: who.to_owned(), role },
            segments: vec![Segment::text(text)],
            addressed,
            sent_at: self.clock.now(),
            origin: Origin::User,
            arrival,
        }
    }

    fn accept<F: Fn() -> String>(
        &mut self,
        guard: &Guard<F>,
        inbound: Inbound,
    ) -> anyhow::Result<Option<Accepted>> {
        let (who, chat) = (inbound.sender.name.clone(), inbound.chat.clone());
        let daemon = self.daemon()?;
        let accepting = daemon.kernel.accept(inbound, Acknowledge::WhenDurable);
        let accepted: Result<Accepted, AcceptError> =
            daemon.runtime.block_on(guard.bound(|| self.state(), accepting))?;
        match accepted {
            Ok(accepted) if accepted.duplicate => {
                self.notes.push(format!("{who}@{chat} ~ arrived before"));
                Ok(None)
            }
            Ok(accepted) => {
                self.heard.push(Heard { who, chat, message: accepted.message, has_ended: false });
                Ok(Some(accepted))
            }
            Err(error) => {
                self.notes.push(format!("{who}@{chat} ~ refused: {error}"));
                Ok(None)
            }
        }
    }

    fn wait_after(
        &self,
        text: &str,
        is_private: bool,
        arrival: Arrival,
        accepted: Option<Accepted>,
        asked: usize,
    ) -> Wait {
        let model_thinks = self.log.holding().iter().any(|who| self.setup.sources.contains(who));
        let (addressed, text) = match text.strip_prefix("@bot") {
            Some(text) => (true, text.trim_start()),
            None => (is_private, text),
        };
        let first_word = text.strip_prefix('/').and_then(|rest| rest.split_whitespace().next());
        let command = first_word.filter(|name| addressed && name.chars().all(char::is_alphabetic));
        let stops = command.is_some_and(|name| ["stop", "停止", "停"].contains(&name));
        match accepted {
            // Whether the turn that runs makes room is the kernel's to decide.
            Some(_) if arrival.suspends() => Wait::Still,
            Some(_) if model_thinks && (arrival.urgency() > 0 || stops) => Wait::AskedAnew(asked),
            Some(accepted) if command.is_some() => Wait::Ended(accepted),
            _ => Wait::Rest,
        }
    }

    /// Waits until nothing more happens by itself.
    fn settle<F: Fn() -> String>(
        &self,
        guard: &Guard<F>,
        wait: Wait,
        next: Option<&Line>,
    ) -> anyhow::Result<()> {
        let daemon = self.daemon()?;
        let at_rest = async {
            daemon.kernel.heard().await;
            if let Wait::Ended(accepted) = wait {
                tokio::select! {
                    _ = accepted.ended => {}
                    () = self.log.until(|| self.log.holding().iter().any(|who| who == "network")) => {}
                    () = self.due(daemon, next) => {}
                }
            } else if let Wait::Still = wait {
                self.still(daemon).await;
            } else if let Wait::AskedAnew(before) = wait {
                tokio::select! {
                    () = daemon.kernel.idle() => {}
                    () = self.log.until(|| self.asked() > before || self.left_alone()) => {}
                }
            }
            self.log.until(|| self.sources.iter().all(|source| source.unasked() == 0)).await;
            tokio::select! {
                () = daemon.kernel.idle() => {}
                () = self.log.until(|| !self.log.holding().is_empty()) => {}
                () = self.due(daemon, next) => {}
            }
            if self.setup.has_background() {
                self.still(daemon).await;
            }
            // While a model or a tool is held up, what was said before still leaves.
            tokio::select! {
                () = daemon.kernel.delivered() => {}
                () = self.log.until(|| self.log.holding().iter().any(|who| who == "network")) => {}
                () = self.due(daemon, next) => {}
            }
        };
        daemon.runtime.block_on(guard.bound(|| self.state(), at_rest))
    }

    /// Returns when somebody waits for the time that the next line lets pass, and nothing else goes on; never if it
    /// lets none pass.
    async fn due(&self, daemon: &Daemon, next: Option<&Line>) {
        let Some(Line::Clock(span)) = next else { return std::future::pending().await };
        // What goes on beside a turn may have fallen asleep long before.
        let mark = if self.setup.has_background() { 0 } else { self.mark };
        self.clock.sleeper_within(*span, mark).await;
        self.still(daemon).await;
    }

    /// Returns when nothing happens but what is held up.
    async fn still(&self, daemon: &Daemon) {
        loop {
            let before = self.signs(daemon).await;
            let looks = if self.setup.has_background() { STILL_LOOKS * 4 } else { STILL_LOOKS };
            for _ in 0..looks {
                // What was asked of the ledger before is answered with this. An error is the kernel's to meet.
                drop(daemon.stores.ledger.commit(Vec::new()).await);
                drop(daemon.stores.messages.open().await);
                tokio::task::yield_now().await;
            }
            if before == self.signs(daemon).await {
                return;
            }
        }
    }

    /// What differs when something has happened.
    async fn signs(&self, daemon: &Daemon) -> (usize, u64, usize, Vec<TaskRecord>) {
        let tasks = daemon.stores.tasks.list(None, usize::MAX).await.unwrap_or_default();
        (self.log.count(), self.clock.mark(), self.asked(), tasks)
    }

    fn restart<F: Fn() -> String>(&mut self, guard: &Guard<F>) -> anyhow::Result<()> {
        let daemon = self.daemon.take().context("no daemon runs")?;
        daemon.runtime.block_on(guard.bound(|| self.state(), daemon.tasks.stop()))?;
        daemon.runtime.block_on(daemon.handle.close())?;
        drop(daemon);
        self.daemon = Some(self.start_daemon()?);
        Ok(())
    }

    fn kill(&mut self, away: Duration) -> anyhow::Result<()> {
        let Daemon { runtime, kernel, tasks, stores, handle } =
            self.daemon.take().context("no daemon runs")?;
        drop(runtime);
        drop((kernel, tasks, stores));
        tokio::runtime::Builder::new_current_thread().build()?.block_on(handle.close())?;
        self.clock.set_forward(away);
        self.daemon = Some(self.start_daemon()?);
        Ok(())
    }

    fn explain(&mut self, chinese: bool) -> anyhow::Result<()> {
        let last = self.heard.last().context("nothing was said yet")?.message;
        let language = if chinese { Language::Zh } else { Language::En };
        let daemon = self.daemon()?;
        let lines = daemon.runtime.block_on(async {
            daemon.stores.ledger.commit(Vec::new()).await?;
            daemon.kernel.why(&last.to_string(), language).await
        })?;
        self.notes.extend(lines.iter().map(|line| format!("why > {}: {}", line.kind, escape(&line.text))));
        Ok(())
    }

    fn list_tasks(&mut self) -> anyhow::Result<()> {
        let daemon = self.daemon()?;
        let tasks = daemon.runtime.block_on(async {
            daemon.stores.ledger.commit(Vec::new()).await?;
            daemon.stores.tasks.list(None, usize::MAX).await
        })?;
        let line = |task: &TaskRecord| {
            let notice = match task.notice {
                TaskNotice::Nothing => "nothing to show",
                TaskNotice::Pending => "pending",
                TaskNotice::Announced { .. } => "announced",
                TaskNotice::Claimed { .. } => "claimed",
                TaskNotice::Shown { .. } => "shown",
            };
            let (state, attempts, title) = (task.state.name(), task.attempts, escape(&task.title));
            format!("tasks > {state}, {notice}, attempts {attempts}: {title}")
        };
        self.notes.extend(tasks.iter().rev().map(line));
        Ok(())
    }

    fn cancel_task<F: Fn() -> String>(&self, guard: &Guard<F>) -> anyhow::Result<()> {
        let daemon = self.daemon()?;
        let cancelling = async {
            let open = daemon.stores.tasks.open().await?;
            let last = open.last().context("no task is open")?;
            Ok(daemon.kernel.cancel_task(last.id, "owner").await?)
        };
        daemon.runtime.block_on(guard.bound(|| self.state(), cancelling))?
    }

    /// What has been seen since the last call, as lines.
    pub(super) fn flush(&mut self) -> anyhow::Result<Vec<String>> {
        let mut lines = Vec::new();
        for seen in self.log.take() {
            match seen {
                Seen::Asked { source, request, reply } => {
                    lines.extend(self.told.news(&request).iter().map(|news| format!("{source} > {news}")));
                    lines.push(reply);
                }
                Seen::Arrived(outbound) => {
                    let mark = if outbound.may_be_duplicate { "(may be a duplicate) " } else { "" };
                    let text = hearth_contract::message::plain_text(&outbound.segments);
                    lines.push(format!("agent@{} > {mark}{}", outbound.chat, escape(&text)));
                }
                Seen::Draft { session, chunk, .. } => {
                    let text = match chunk {
                        Chunk::Text(text) => escape(&text),
                        Chunk::Reasoning(text) => format!("[thinks] {}", escape(&text)),
                        Chunk::Restart => "[begins anew]".into(),
                    };
                    lines.push(format!("draft@{} > {text}", session.chat));
                }
            }
        }
        lines.append(&mut self.notes);
        lines.extend(self.ends()?);
        Ok(lines.iter().map(|line| steady(line)).collect())
    }

    /// The ends of messages since the last call, but not those that were answered.
    fn ends(&mut self) -> anyhow::Result<Vec<String>> {
        let Some(daemon) = &self.daemon else { return Ok(Vec::new()) };
        let mut lines = Vec::new();
        // What was recorded before is committed with this.
        daemon.runtime.block_on(daemon.stores.ledger.commit(Vec::new()))?;
        for heard in self.heard.iter_mut().filter(|heard| !heard.has_ended) {
            let stored = daemon.runtime.block_on(daemon.stores.messages.get(heard.message))?;
            let Some(end) = stored.context("a message is lost")?.end else { continue };
            heard.has_ended = true;
            if end != MessageEnd::Answered {
                lines.push(format!("{}@{} ~ {}", heard.who, heard.chat, words(&end)));
            }
        }
        Ok(lines)
    }

    /// Waits until everything is done, and proves that nothing was lost.
    pub(super) fn end<F: Fn() -> String>(mut self, guard: Guard<F>) -> anyhow::Result<Vec<String>> {
        let daemon = self.daemon()?;
        daemon.runtime.block_on(guard.bound(|| self.state(), daemon.kernel.idle()))?;
        let lines = self.flush()?;
        if let Some(network) = self.networks.iter().find(|network| network.unmet() > 0) {
            bail!("nothing was sent for {} of the `network <` lines", network.unmet());
        }
        let daemon = self.daemon()?;
        let proof = daemon.runtime.block_on(daemon.stores.prover.prove(UnixMs(0), self.clock.now()))?;
        let on_their_way = ["prepared", "sending"].iter().any(|state| proof.deliveries.contains_key(*state));
        let tasks_open = ["queued", "running", "pending", "unexplained"]
            .iter()
            .any(|state| proof.tasks.contains_key(*state));
        if proof.unexplained > 0 || proof.open > 0 || on_their_way || tasks_open {
            bail!("not everything has come to its end: {proof:?}");
        }
        Ok(lines)
    }

    /// How often models were asked.
    fn asked(&self) -> usize {
        self.sources.iter().map(|source| source.requests().len()).sum()
    }

    /// Whether only what goes on beside the turns is held up.
    fn left_alone(&self) -> bool {
        let holding = self.log.holding();
        self.setup.has_background() && !holding.iter().any(|who| self.setup.sources.contains(who))
    }

    fn state(&self) -> String {
        let unasked: usize = self.sources.iter().map(|source| source.unasked()).sum();
        format!(
            "holding: {:?}; replies nobody asked for: {unasked}; sleepers due in ms: {:?}",
            self.log.holding(),
            self.clock.sleepers_ms()
        )
    }

    fn daemon(&self) -> anyhow::Result<&Daemon> {
        match &self.daemon {
            Some(daemon) => Ok(daemon),
            None => bail!("no daemon runs"),
        }
    }
}

/// What must have happened before a step can come to rest.
enum Wait {
    /// Nothing in particular.
    Rest,
    /// The message has ended.
    Ended(Accepted),
    /// Nothing happens any more.
    Still,
    /// A model was asked more often than this, or nothing goes on.
    AskedAnew(usize),
}

fn network(name: &str, setup: &NetworkSetup, log: &Log) -> FakeNetwork {
    let mut network = FakeNetwork::new(name, log.clone())
        .with_resend(setup.resend.into())
        .with_policy(setup.policy)
        .with_reply(setup.reply);
    if setup.lookup {
        network = network.with_lookup();
    }
    if setup.drafts {
        network = network.with_drafts();
    }
    network
}

fn network_name(network: &FakeNetwork) -> &str {
    use hearth_contract::channel::Channel;
    &network.info().name
}

fn words(end: &MessageEnd) -> String {
    match end {
        MessageEnd::Silent { rule } => format!("silent: {rule}"),
        MessageEnd::Cancelled { by } => format!("cancelled by {by}"),
        MessageEnd::FailedTold { code } => format!("failed_told: {code}"),
        MessageEnd::DeadLettered { reason } => format!("dead_lettered: {reason}"),
        other => other.name().to_owned(),
    }
}

/// There is no internet in a scenario.
#[derive(Debug)]
struct NoInternet;

#[async_trait]
impl Lookup for NoInternet {
    async fn lookup(&self, _host: &str) -> std::io::Result<Vec<std::net::SocketAddr>> {
        Err(std::io::Error::other("there is no internet here"))
    }
}
