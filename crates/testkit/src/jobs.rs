//! A kind of background task that does nothing but what it is told, and the tool that makes one.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use hearth_contract::background::{HandleKeeper, TaskFailure, TaskKind};
use hearth_contract::clock::Clock;
use hearth_contract::id::TaskId;
use hearth_contract::message::Arrival;
use hearth_contract::rights::{Risk, Role};
use hearth_contract::store::{Lease, Messages, TaskChange, TaskNotice, TaskRecord, TaskState};
use hearth_contract::tool::{EffectClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::seen::Log;

/// The name of the kind, and of the tool.
const NAME: &str = "job";

/// The kind: `sleep` sleeps for `ms`; `hang` hangs once; `fail` fails; `panic` panics. A vendor gives each task a handle.
#[derive(Debug)]
pub struct FakeJobs {
    log: Log,
    clock: Arc<dyn Clock>,
    hung: Mutex<HashSet<TaskId>>,
}

impl FakeJobs {
    /// Nothing has been done yet.
    pub fn new(log: Log, clock: Arc<dyn Clock>) -> Self {
        Self { log, clock, hung: Mutex::default() }
    }
}

#[async_trait]
impl TaskKind for FakeJobs {
    fn name(&self) -> &'static str {
        NAME
    }

    async fn run(
        &self,
        task: &TaskRecord,
        handle: &dyn HandleKeeper,
        _cancel: &CancellationToken,
    ) -> Result<String, TaskFailure> {
        let order: Value = serde_json::from_str(&task.payload).unwrap_or_default();
        if task.handle.is_empty() {
            let kept = handle.keep("vendor-1").await;
            kept.map_err(|error| TaskFailure { reason: error.to_string() })?;
        }
        match order["do"].as_str().unwrap_or_default() {
            "sleep" => {
                self.clock.sleep(Duration::from_millis(order["ms"].as_u64().unwrap_or_default())).await
            }
            "hang" if self.hung.lock().unwrap_or_else(PoisonError::into_inner).insert(task.id) => {
                let _held = self.log.hold(NAME);
                std::future::pending::<()>().await;
            }
            "fail" => return Err(TaskFailure { reason: "it did not work".into() }),
            "panic" => panic!("a job that breaks"),
            _ => {}
        }
        Ok(format!("{} done, attempt {}, handle `{}`", task.title, task.attempts, task.handle))
    }
}

/// The tool `job`: makes a task with its arguments.
#[derive(Debug)]
pub struct JobTool {
    spec: ToolSpec,
    messages: Arc<dyn Messages>,
    clock: Arc<dyn Clock>,
}

impl JobTool {
    /// One on this ledger.
    pub fn new(messages: Arc<dyn Messages>, clock: Arc<dyn Clock>) -> Self {
        let spec = ToolSpec {
            name: NAME.into(),
            description: "Does something in the background.".into(),
            parameters: json!({ "type": "object" }),
            risk: Risk::Read,
            role: Role::Member,
            effect: EffectClass::Ledger,
            timeout_ms: 10_000,
        };
        Self { spec, messages, clock }
    }
}

#[async_trait]
impl Tool for JobTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(
        &self,
        context: &ToolContext,
        arguments: Map<String, Value>,
    ) -> Result<ToolOutput, ToolError> {
        let asked = self.messages.get(context.cause).await;
        let asked = asked.ok().flatten().ok_or_else(|| ToolError::Failed { reason: "no message".into() })?;
        let now = self.clock.now();
        let arrival = if arguments.contains_key("waits") { Arrival::Enqueue } else { Arrival::Steer };
        let task = TaskRecord {
            id: TaskId::new(),
            kind: NAME.into(),
            session: context.session.clone(),
            chat_kind: context.chat_kind,
            account: asked.account,
            sender: asked.sender,
            cause: context.cause,
            call: Some(context.call.clone()),
            title: arguments.get("title").and_then(Value::as_str).unwrap_or("job").to_owned(),
            payload: Value::Object(arguments).to_string(),
            state: TaskState::Queued,
            attempts: 0,
            lease: Lease { owner: String::new(), fence: 0 },
            handle: String::new(),
            result: String::new(),
            arrival,
            notice: TaskNotice::Nothing,
            notice_failures: 0,
            created_at: now,
            ended_at: None,
            notice_at: now,
        };
        let text = format!("started {}", task.id);
        Ok(ToolOutput { text, changes: vec![TaskChange::Put(Box::new(task)).into()] })
    }
}
