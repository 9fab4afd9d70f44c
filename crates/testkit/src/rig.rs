//! A kernel on a fresh store, with one scripted source and one network, for tests that need more than a scenario says.

use std::path::Path;
use std::sync::Arc;

use hearth_contract::clock::{Clock, UnixMs};
use hearth_contract::id::ChatKey;
use hearth_contract::message::{Arrival, ChatKind, Inbound, Origin, Segment, Sender};
use hearth_contract::provider::Provider;
use hearth_contract::rights::Role;
use hearth_contract::store::Stores;
use hearth_contract::task::Tasks;
use hearth_kernel::{Kernel, KernelConfig, Limits, Parts, TaskQueue};
use hearth_memory::PlainMemory;
use hearth_storage::{Durability, Handle, StorageConfig};
use hearth_tools::Changes;
use jiff::tz::TimeZone;
use tempfile::TempDir;

use crate::clock::TurnedClock;
use crate::model::ScriptedModel;
use crate::network::FakeNetwork;
use crate::seen::Log;

/// Tests begin on Monday, 2026-11-30, 08:00 UTC.
pub const START: UnixMs = UnixMs(1_796_025_600_000);

/// A running kernel and what it stands on.
#[derive(Debug)]
pub struct Rig {
    /// The kernel.
    pub kernel: Kernel,
    /// Its store.
    pub stores: Stores,
    /// Its tasks.
    pub tasks: Tasks,
    /// Its clock.
    pub clock: TurnedClock,
    /// What the fakes have seen.
    pub log: Log,
    /// Its only source, `model`.
    pub model: Arc<ScriptedModel>,
    /// Its only network, `private`.
    pub network: Arc<FakeNetwork>,
    _handle: Handle,
    _home: TempDir,
}

impl Rig {
    /// Starts one with these bounds.
    pub async fn start(limits: Limits) -> anyhow::Result<Self> {
        let home = tempfile::tempdir()?;
        let (log, clock) = (Log::default(), TurnedClock::new(START));
        let opened = hearth_storage::open(&storage(), home.path())?;
        let model = Arc::new(ScriptedModel::new("model", log.clone()));
        let network = Arc::new(FakeNetwork::new("private", log.clone()));
        let usual = parts(&opened.stores, &clock, home.path(), &limits);
        let (stores, tasks) = (opened.stores, usual.tasks.clone());
        let kernel = Kernel::new(Parts {
            providers: vec![model.clone() as Arc<dyn Provider>],
            channels: vec![network.clone() as _],
            limits,
            ..usual
        });
        kernel.start().await?;
        Ok(Self { kernel, stores, tasks, clock, log, model, network, _handle: opened.handle, _home: home })
    }

    /// What `who` says in the private chat `chat`.
    pub fn says(&self, who: &str, chat: &str, text: &str) -> Inbound {
        Inbound {
            chat: ChatKey::new("private", chat),
            chat_kind: ChatKind::Private,
            account: String::new(),
            dialog: None,
            platform_id: None,
            sender: Sender { id: who.to_owned(), name: who.to_owned(), role: Role::Member },
            segments: vec![Segment::text(text)],
            addressed: true,
            sent_at: self.clock.now(),
            origin: Origin::User,
            arrival: Arrival::default(),
        }
    }
}

/// How stores of tests are kept: a test that is killed is not a power cut.
pub fn storage() -> StorageConfig {
    StorageConfig { durability: Durability::Process, ..StorageConfig::default() }
}

/// What tools change in the workspace of a home.
pub fn changes(clock: &TurnedClock, home: &Path) -> Changes {
    Changes::new(home.join("workspace"), home.join("changes"), Arc::new(clock.clone()))
}

/// The parts of a kernel that tests rarely change; without sources, tools, hooks and networks.
pub fn parts(stores: &Stores, clock: &TurnedClock, home: &Path, limits: &Limits) -> Parts {
    Parts {
        stores: stores.clone(),
        memory: Arc::new(PlainMemory::new(stores.facts.clone())),
        providers: Vec::new(),
        tools: Vec::new(),
        changes: Arc::new(changes(clock, home)),
        hooks: Vec::new(),
        channels: Vec::new(),
        clock: Arc::new(clock.clone()),
        zone: TimeZone::UTC,
        tasks: Tasks::default(),
        config: KernelConfig::default(),
        limits: limits.clone(),
        task_queue: TaskQueue::new(stores.clone(), Arc::new(clock.clone()), limits.clone(), Vec::new()),
        persona: String::new(),
        workspace: home.join("workspace"),
        lease_owner: "test".into(),
    }
}
