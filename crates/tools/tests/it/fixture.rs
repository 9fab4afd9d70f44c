//! A workspace, and ports that remember what they were asked.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use hearth_contract::clock::UnixMs;
use hearth_contract::id::{CallId, ChatKey, FactId, MessageId, ScheduleId, SessionKey, TurnId};
use hearth_contract::memory::{ForgetRequest, Forgotten, Memory, NewFact, RecallQuery, Recalled};
use hearth_contract::message::{ChatKind, MessageRecord};
use hearth_contract::rights::Role;
use hearth_contract::store::{
    Change, FactChange, FactRecord, MessagePage, Messages, ScheduleRecord, Schedules, StoreError,
};
use hearth_contract::tool::{Tool, ToolContext, ToolError, ToolOutput};
use hearth_net::{Endpoint, GuardSettings, GuardedHttp, SystemLookup};
use hearth_testkit::clock::TurnedClock;
use hearth_tools::{Changes, NetworkAccess, ShellSettings, ToolDeps, build_all};
use jiff::tz::TimeZone;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// 2026-11-30T19:12:03+08:00, a Monday.
pub(crate) const NOW: UnixMs = UnixMs(1_796_037_123_000);

/// Everything a fake port was asked, and what it answers.
#[derive(Debug, Default)]
pub(crate) struct FakePorts {
    pub(crate) schedules: Mutex<Vec<ScheduleRecord>>,
    pub(crate) messages: Mutex<Vec<MessageRecord>>,
    pub(crate) facts: Mutex<Vec<FactRecord>>,
    pub(crate) recalls: Mutex<Vec<RecallQuery>>,
}

#[async_trait]
impl Schedules for FakePorts {
    async fn get(&self, id: ScheduleId) -> Result<Option<ScheduleRecord>, StoreError> {
        Ok(self.schedules.lock().unwrap().iter().find(|schedule| schedule.id == id).cloned())
    }

    async fn next(&self, limit: usize) -> Result<Vec<ScheduleRecord>, StoreError> {
        Ok(self.schedules.lock().unwrap().iter().take(limit).cloned().collect())
    }

    async fn active(&self, chat: Option<&ChatKey>) -> Result<Vec<ScheduleRecord>, StoreError> {
        let here = |schedule: &&ScheduleRecord| chat.is_none_or(|chat| schedule.session.chat == *chat);
        Ok(self.schedules.lock().unwrap().iter().filter(here).cloned().collect())
    }
}

#[async_trait]
impl Messages for FakePorts {
    async fn get(&self, id: MessageId) -> Result<Option<MessageRecord>, StoreError> {
        Ok(self.messages.lock().unwrap().iter().find(|message| message.id == id).cloned())
    }

    async fn page(
        &self,
        _session: &SessionKey,
        _page: MessagePage,
        _limit: usize,
    ) -> Result<Vec<MessageRecord>, StoreError> {
        panic!("no tool reads pages")
    }

    async fn open(&self) -> Result<Vec<MessageRecord>, StoreError> {
        panic!("no tool reads open messages")
    }

    async fn of_turn(&self, _turn: TurnId) -> Result<Vec<MessageRecord>, StoreError> {
        panic!("no tool reads the messages of a turn")
    }
}

#[async_trait]
impl Memory for FakePorts {
    async fn recall(&self, query: &RecallQuery) -> Result<Vec<Recalled>, StoreError> {
        self.recalls.lock().unwrap().push(query.clone());
        let facts = self.facts.lock().unwrap();
        let fits = |fact: &&FactRecord| fact.text.contains(&query.text);
        Ok(facts.iter().filter(fits).map(|fact| Recalled { fact: fact.clone(), score: 0.876 }).collect())
    }

    async fn remember(&self, fact: NewFact) -> Result<Vec<Change>, StoreError> {
        let record = FactRecord {
            id: FactId::new(),
            text: fact.text,
            key: fact.key,
            importance: fact.importance,
            audience: fact.viewer.audience(),
            sources: fact.sources,
            valid_from: fact.at,
            valid_to: None,
            replaced_by: None,
        };
        Ok(vec![FactChange::Put { fact: record, words: String::new() }.into()])
    }

    async fn forget(&self, request: &ForgetRequest) -> Result<Option<Forgotten>, StoreError> {
        let fact = self.facts.lock().unwrap().first().cloned();
        let close =
            |fact: &FactRecord| FactChange::Close { fact: fact.id, at: request.at, replaced_by: None };
        Ok(fact.map(|fact| Forgotten { changes: vec![close(&fact).into()], fact }))
    }
}

/// A workspace in a home, the tools, and a call that is under way.
pub(crate) struct Fixture {
    pub(crate) home: tempfile::TempDir,
    pub(crate) clock: TurnedClock,
    pub(crate) ports: Arc<FakePorts>,
    pub(crate) changes: Changes,
    pub(crate) context: ToolContext,
    tools: Vec<Arc<dyn Tool>>,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self::with(NetworkAccess::Refused, Vec::new())
    }

    pub(crate) fn with(network: NetworkAccess, allowed: Vec<Endpoint>) -> Self {
        let home = tempfile::tempdir().unwrap();
        let workspace = home.path().join("workspace");
        std::fs::create_dir(&workspace).unwrap();
        let clock = TurnedClock::new(NOW);
        let ports = Arc::new(FakePorts::default());
        let guard = GuardSettings { allowed, ..GuardSettings::default() };
        let changes = Changes::new(workspace.clone(), home.path().join("changes"), Arc::new(clock.clone()));
        let deps = ToolDeps {
            memory: ports.clone(),
            schedules: ports.clone(),
            messages: ports.clone(),
            changes: changes.clone(),
            http: GuardedHttp::new(&guard, Arc::new(SystemLookup), Arc::new(clock.clone())).unwrap(),
            clock: Arc::new(clock.clone()),
            zone: TimeZone::get("Asia/Shanghai").unwrap(),
            shell: ShellSettings {
                launcher: PathBuf::from(env!("CARGO_BIN_EXE_sandbox_launcher")),
                home: home.path().to_owned(),
                home_id: format!("test-{}", TurnId::new()),
                path: ShellSettings::DEFAULT_PATH.to_owned(),
                network,
            },
        };
        let turn = TurnId::new();
        let context = ToolContext {
            call: CallId::at(turn, 0, 0),
            turn,
            session: ChatKey::new("cli", "me").dialog("default"),
            chat_kind: ChatKind::Private,
            cause: MessageId::new(),
            caller: "me".into(),
            role: Role::Owner,
            workspace,
            cancel: CancellationToken::new(),
        };
        Self { home, clock, ports, changes, context, tools: build_all(&deps) }
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.context.workspace.clone()
    }

    pub(crate) fn tool(&self, name: &str) -> &dyn Tool {
        &**self.tools.iter().find(|tool| tool.spec().name == name).unwrap()
    }

    pub(crate) async fn call(&self, name: &str, arguments: Value) -> Result<ToolOutput, ToolError> {
        self.tool(name).call(&self.context, arguments.as_object().unwrap().clone()).await
    }

    /// The text of a call that works and changes nothing in the ledger.
    pub(crate) async fn text(&self, name: &str, arguments: Value) -> String {
        let output = self.call(name, arguments).await.unwrap();
        assert!(output.changes.is_empty(), "{:?}", output.changes);
        output.text
    }

    /// The words of a call that fails.
    pub(crate) async fn error(&self, name: &str, arguments: Value) -> String {
        self.call(name, arguments).await.unwrap_err().to_string()
    }
}
