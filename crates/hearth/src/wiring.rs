//! Puts the concrete adapters together into a running Hearth. It decides nothing.

use std::path::Path;
use std::sync::Arc;

use hearth_contract::channel::Channel;
use hearth_contract::clock::Clock;
use hearth_contract::id::{ChatKey, TurnId};
use hearth_contract::inbox::{Acknowledge, Control, ControlError, Inbox};
use hearth_contract::language::Language;
use hearth_contract::message::{Arrival, ChatKind, Inbound, Origin, Segment, Sender};
use hearth_contract::provider::Provider;
use hearth_contract::store::{StoreError, Stores};
use hearth_contract::task::Tasks;
use hearth_gateway::{CallParts, DaemonInfo, Doors, Gateway, GatewayParts, Hub, MetricsAccess, Token};
use hearth_kernel::tool::OwnToolDeps;
use hearth_kernel::{Kernel, KernelConfig, Limits, Parts, TaskQueue};
use hearth_memory::PlainMemory;
use hearth_net::{GuardSettings, GuardedHttp, Http, SystemLookup};
use hearth_protocol::ChannelStatus;
use hearth_tools::{Changes, NetworkAccess, ShellSettings, ToolDeps};

use crate::adapters::{self, Shared};
use crate::command::Context;
use crate::config::{self, Config, KindSection, OFFLINE_SOURCE};
use crate::failure::Failure;
use crate::home::{self, Home};
use crate::settings::Settings;
use crate::starts::SafeMode;
use crate::words::{Words, words};

/// What programs started by tools find on their `PATH` when ours is not set.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Where the owner is told what concerns Hearth as a whole.
const NOTICE_CHAT: (&str, &str) = ("cli", "me");

/// A Hearth whose parts are put together.
pub(crate) struct Hearth {
    pub(crate) kernel: Kernel,
    pub(crate) hub: Arc<Hub>,
    pub(crate) tasks: Tasks,
    stores: Stores,
    pub(crate) settings: Arc<Settings>,
    changes: Changes,
    safe_mode: SafeMode,
    channels: Vec<Arc<dyn Channel>>,
    clock: Arc<dyn Clock>,
    http: Http,
}

/// Builds the kernel and everything it is given. Nothing runs yet.
pub(crate) async fn build(
    context: &Context,
    config: &Config,
    stores: Stores,
    safe_mode: SafeMode,
) -> Result<Hearth, Failure> {
    let home = &context.home;
    let failed = |problems| config::summary(problems, &home.config());
    let shared = Shared::new(home).map_err(failed)?;
    let clock = shared.clock.clone();
    let hub = Hub::new(clock.clone());
    let mut channels: Vec<Arc<dyn Channel>> = vec![hub.clone()];
    channels.extend(adapters::channels(config, &shared).map_err(failed)?);
    let tasks = Tasks::default();
    let memory = Arc::new(PlainMemory::new(stores.facts.clone()));
    let zone = jiff::tz::TimeZone::system();
    let guarded = GuardedHttp::new(&GuardSettings::default(), Arc::new(SystemLookup), clock.clone())
        .map_err(|error| Failure::new(Words::same(error.to_string()), Words::default()))?;
    let limits = Limits::default();
    let task_queue = TaskQueue::new(stores.clone(), clock.clone(), limits.clone(), Vec::new());
    let changes = Changes::new(home.workspace(), home.changes(), clock.clone());
    settle_left(&changes);
    let mut tools = hearth_tools::build_all(&ToolDeps {
        memory: memory.clone(),
        schedules: stores.schedules.clone(),
        messages: stores.messages.clone(),
        http: guarded,
        clock: clock.clone(),
        zone: zone.clone(),
        shell: shell(home, config)?,
        changes: changes.clone(),
    });
    let own = OwnToolDeps {
        task_queue: task_queue.clone(),
        stores: stores.clone(),
        tasks: tasks.clone(),
        limits: limits.clone(),
        clock: clock.clone(),
        zone: zone.clone(),
    };
    tools.extend(hearth_kernel::tool::ALL.iter().map(|entry| (entry.build)(&own)));
    let kernel = Kernel::new(Parts {
        memory,
        providers: providers(config, &shared).await.map_err(failed)?,
        tools,
        changes: Arc::new(changes.clone()),
        hooks: Vec::new(),
        channels: channels.clone(),
        clock: clock.clone(),
        zone,
        tasks: tasks.clone(),
        config: KernelConfig { agent: config.agent.clone(), rights: config.rights.clone() },
        limits,
        task_queue,
        persona: persona(home, config)?,
        workspace: home.workspace(),
        lease_owner: format!("{}@{}", std::process::id(), clock.now()),
        stores: stores.clone(),
    });
    let settings = Settings::new(context, stores.clone(), clock.clone());
    Ok(Hearth {
        kernel,
        hub,
        tasks,
        stores,
        settings,
        changes,
        safe_mode,
        channels,
        clock,
        http: shared.http,
    })
}

/// Asks the kernel, to see whether it answers.
pub(crate) struct Answering {
    kernel: Kernel,
    stores: Stores,
}

impl Answering {
    /// Returns when the kernel has read from the ledger and the ledger has taken a transaction.
    pub(crate) async fn check(&self) -> Result<(), StoreError> {
        self.stores.ledger.commit(Vec::new()).await?;
        match self.kernel.why(&TurnId::new().to_string(), Language::En).await {
            Err(ControlError::Store(error)) => Err(error),
            // That there is no such turn is an answer.
            Ok(_)
            | Err(
                ControlError::NotFound { .. } | ControlError::Invalid { .. } | ControlError::Refused { .. },
            ) => Ok(()),
        }
    }
}

impl Hearth {
    /// What a watchdog asks.
    pub(crate) fn answering(&self) -> Answering {
        Answering { kernel: self.kernel.clone(), stores: self.stores.clone() }
    }

    /// Opens the doors to a kernel that runs.
    pub(crate) async fn open_doors(
        &self,
        home: &Home,
        config: &Config,
        listen: Option<String>,
    ) -> Result<Gateway, Failure> {
        let status = |channel: &Arc<dyn Channel>| ChannelStatus {
            name: channel.info().name.clone(),
            kind: channel.info().kind.to_owned(),
        };
        let info = DaemonInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            started_at: self.clock.now(),
            address: String::new(),
            home: home.root().display().to_string(),
            channels: self.channels.iter().map(status).collect(),
            safe_mode: self.safe_mode.name().to_owned(),
        };
        let parts = GatewayParts {
            inbox: Arc::new(self.kernel.clone()),
            calls: CallParts {
                control: Arc::new(self.kernel.clone()),
                settings: self.settings.clone(),
                changes: Arc::new(self.changes.clone()),
                stores: self.stores.clone(),
                clock: self.clock.clone(),
                hub: self.hub.clone(),
                info,
            },
            events: self.kernel.events().subscribe(),
            channels: self.channels.clone(),
            tasks: self.tasks.clone(),
        };
        let observer = match self.safe_mode {
            SafeMode::Off => adapters::observer(config),
            SafeMode::Asked | SafeMode::Crashes(_) => Ok(None),
        };
        if let Some(observer) = observer.map_err(|problem| config::summary(vec![problem], &home.config()))? {
            let http = self.http.clone();
            observer.start(self.kernel.events().subscribe(), http, self.clock.clone(), &self.tasks);
        }
        let doors = Doors {
            listen,
            socket: Some(home.socket()),
            token: Token::new(&home::token(home)?),
            metrics: if config.gateway.metrics_open { MetricsAccess::Open } else { MetricsAccess::Token },
            hosts: Vec::new(),
        };
        hearth_gateway::open(parts, doors).await.map_err(|error| {
            Failure::new(Words::same(error.to_string()), Words::same(error.hint().to_owned()))
        })
    }

    /// Tells the owner something, in the chat of our own clients. Nobody answers it.
    pub(crate) async fn notice(&self, text: &str) {
        let (channel, chat) = NOTICE_CHAT;
        let inbound = Inbound {
            chat: ChatKey::new(channel, chat),
            chat_kind: ChatKind::Private,
            account: String::new(),
            dialog: None,
            platform_id: None,
            sender: Sender::agent(),
            segments: vec![Segment::text(text)],
            addressed: true,
            sent_at: self.clock.now(),
            origin: Origin::Notice,
            arrival: Arrival::default(),
        };
        if let Err(error) = self.kernel.accept(inbound, Acknowledge::WhenDurable).await {
            tracing::warn!(%error, "the owner could not be told");
        }
    }

    /// Whether nothing is to happen later.
    pub(crate) async fn has_nothing_to_come(&self) -> bool {
        self.stores.schedules.next(1).await.is_ok_and(|schedules| schedules.is_empty())
            && self.stores.tasks.open().await.is_ok_and(|tasks| tasks.is_empty())
            && self.stores.tasks.pending().await.is_ok_and(|tasks| tasks.is_empty())
    }

    /// Whether networks other than our own clients are listened to.
    pub(crate) fn has_networks(&self) -> bool {
        self.channels.len() > 1
    }
}

/// The sources for talking in the order they are asked: what `[purposes]` says; else the configured ones by name; with
/// none, what the environment or this machine offers. The offline model is the last in any case, unless `[purposes]`
/// leaves it out.
async fn providers(config: &Config, shared: &Shared) -> Result<Vec<Arc<dyn Provider>>, Vec<config::Problem>> {
    let mut sections = config.sources.clone();
    let mut names: Vec<String> = config.purposes.chat.clone();
    if names.is_empty() && sections.is_empty() {
        let environment = |name: &str| config.environment.filled(name).map(str::to_owned);
        for found in hearth_providers::detect(&environment, &shared.http).await {
            names.push(found.section.name.clone());
            let section =
                KindSection { kind: found.kind.to_owned(), values: found.section.values, line: None };
            sections.insert(found.section.name, section);
        }
        names.push(OFFLINE_SOURCE.to_owned());
    } else if names.is_empty() {
        names.extend(sections.keys().filter(|name| *name != OFFLINE_SOURCE).cloned());
        names.push(OFFLINE_SOURCE.to_owned());
    }
    let offline = KindSection { kind: OFFLINE_SOURCE.to_owned(), values: serde_json::Map::new(), line: None };
    sections.entry(OFFLINE_SOURCE.to_owned()).or_insert(offline);
    let built = names.iter().filter_map(|name| Some((name, sections.get(name)?)));
    built
        .map(|(name, section)| adapters::source(name, section, shared).map_err(|problem| vec![problem]))
        .collect()
}

/// Who the agent is; empty where the home has no such file, for the built-in one.
fn persona(home: &Home, config: &Config) -> Result<String, Failure> {
    let path = home.root().join(&config.agent.persona);
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(Failure::of_file(&path, &error)),
    }
}

/// Nothing runs yet, so what is open was left by a Hearth that was killed.
fn settle_left(changes: &Changes) {
    match changes.settle_left() {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "what calls changed before Hearth was killed is recorded"),
        Err(error) => {
            tracing::warn!(%error, "what calls changed before Hearth was killed is not recorded yet")
        }
    }
}

fn shell(home: &Home, config: &Config) -> Result<ShellSettings, Failure> {
    let launcher = std::env::current_exe().map_err(|error| {
        Failure::new(
            words!("cannot find this program's own file: {error}", "找不到本程序自身的文件：{error}"),
            words!("start it by its full path", "请用完整路径启动"),
        )
    })?;
    Ok(ShellSettings {
        launcher,
        home: home.root().to_owned(),
        home_id: home_id(home.root()),
        path: config.environment.filled("PATH").unwrap_or(DEFAULT_PATH).to_owned(),
        network: NetworkAccess::default(),
    })
}

/// A name of the home that stays the same over restarts.
pub(crate) fn home_id(root: &Path) -> String {
    root.display().to_string()
}
