//! `spawn_child`: gives a task to a sub-agent, and waits for its answer or goes on without.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hearth_contract::id::TaskId;
use hearth_contract::message::Arrival;
use hearth_contract::rights::{Risk, Role};
use hearth_contract::store::{Lease, TaskNotice, TaskRecord, TaskState};
use hearth_contract::tool::{EffectClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::{OwnToolDeps, OwnToolEntry, child_result, parse, store_failed};
use crate::child::{self, ChildOrder};
use crate::dialogs::short_title;
use crate::task_queue::{PARENT, PutError};
use crate::turn::LAST_ANSWER_TIME;

pub(super) const ENTRY: OwnToolEntry =
    OwnToolEntry { name: "spawn_child", build: |deps| Arc::new(SpawnChild::new(deps)) };

/// Rounds when the model does not say how many.
const ROUNDS_USUAL: u32 = 5;
/// The most rounds.
const ROUNDS_MAX: u32 = 30;
/// Characters of an order.
const TASK_CHARS_MAX: usize = 20_000;
/// A call may outlast the sub-agent's time and its last answer by this much.
const SLACK: Duration = Duration::from_secs(30);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    task: String,
    #[serde(default)]
    tools: Vec<String>,
    max_rounds: Option<u32>,
    #[serde(default)]
    background: bool,
}

#[derive(Debug)]
struct SpawnChild {
    spec: ToolSpec,
    deps: OwnToolDeps,
    wait_max: Duration,
}

impl SpawnChild {
    fn new(deps: &OwnToolDeps) -> Self {
        let wait_max = deps.limits.child_time_max + LAST_ANSWER_TIME;
        let spec = ToolSpec {
            name: ENTRY.name.into(),
            description: "Gives a self-contained task to a sub-agent. It knows nothing of this talk: write into `task` \
                          all it needs. It has no tools but those in `tools`, and no memory. By default the call waits \
                          for its answer; with `background` it returns an id at once, and the answer comes later as a \
                          message of its own. Use it for work that would fill this talk with detail, or that can go \
                          on beside it. 把一项独立的任务交给子代理：它看不到这里的对话，任务要写完整；\
                          默认等它回答，background 为真时立即返回编号，结果稍后自己到来。"
                .into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "task": { "type": "string", "description": "What to do, with all that is needed for it." },
                    "tools": {
                        "type": "array", "items": { "type": "string" },
                        "description": "Names of your tools that it may use. None if left out."
                    },
                    "max_rounds": {
                        "type": "integer", "minimum": 1, "maximum": ROUNDS_MAX,
                        "description": "How often it may go on after using tools. 5 if left out."
                    },
                    "background": { "type": "boolean", "description": "Do not wait for the answer." }
                },
                "required": ["task"],
                "additionalProperties": false
            }),
            risk: Risk::Read,
            role: Role::Trusted,
            effect: EffectClass::Idempotent,
            timeout_ms: u64::try_from((wait_max + SLACK).as_millis()).unwrap_or(u64::MAX),
        };
        Self { spec, deps: deps.clone(), wait_max }
    }

    async fn record(&self, context: &ToolContext, arguments: Arguments) -> Result<TaskRecord, ToolError> {
        let task = arguments.task.trim().to_owned();
        if task.is_empty() || task.chars().count() > TASK_CHARS_MAX {
            let reason = format!("`task` must have 1 to {TASK_CHARS_MAX} characters");
            return Err(ToolError::InvalidArguments { reason });
        }
        let rounds_max = arguments.max_rounds.unwrap_or(ROUNDS_USUAL);
        if !(1..=ROUNDS_MAX).contains(&rounds_max) {
            let reason = format!("`max_rounds` must be from 1 to {ROUNDS_MAX}");
            return Err(ToolError::InvalidArguments { reason });
        }
        let asked = self.deps.stores.messages.get(context.cause).await.map_err(store_failed)?;
        let asked = asked
            .ok_or_else(|| ToolError::Failed { reason: "the message that led to this is gone".into() })?;
        let title = short_title(&task);
        let order = ChildOrder { task, tools: arguments.tools, rounds_max };
        let payload =
            serde_json::to_string(&order).map_err(|error| ToolError::Failed { reason: error.to_string() })?;
        // What this turn waits for is its own from the beginning, also over a crash.
        let notice = match arguments.background {
            true => TaskNotice::Nothing,
            false => TaskNotice::Claimed { turn: context.turn },
        };
        let now = self.deps.task_queue.now();
        Ok(TaskRecord {
            id: TaskId::new(),
            kind: child::KIND.name.into(),
            session: context.session.clone(),
            chat_kind: context.chat_kind,
            account: asked.account,
            sender: asked.sender,
            cause: context.cause,
            call: Some(context.call.clone()),
            title,
            payload,
            state: TaskState::Queued,
            attempts: 0,
            lease: Lease { owner: String::new(), fence: 0 },
            handle: String::new(),
            result: String::new(),
            arrival: Arrival::Steer,
            notice,
            notice_failures: 0,
            created_at: now,
            ended_at: None,
            notice_at: now,
        })
    }
}

#[async_trait]
impl Tool for SpawnChild {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(
        &self,
        context: &ToolContext,
        arguments: Map<String, Value>,
    ) -> Result<ToolOutput, ToolError> {
        let arguments: Arguments = parse(&self.spec, arguments)?;
        let in_background = arguments.background;
        let record = self.record(context, arguments).await?;
        let queue = &self.deps.task_queue;
        let id = queue.put(record).await.map_err(|error| match error {
            PutError::Full { .. } => ToolError::Failed { reason: error.to_string() },
            PutError::Store(error) => store_failed(error),
        })?;
        if in_background {
            let told = json!({ "status": "started", "id": id.to_string() });
            return Ok(ToolOutput::text(told.to_string()));
        }
        let awaited = queue.await_it(id);
        let tied = Tied::new(&self.deps, id, context.cancel.clone());
        let came = awaited.result(context.turn, self.wait_max).await;
        tied.release().await;
        child_result::told(came.map_err(store_failed)?)
    }
}

/// A sub-agent whose parent waits for it is stopped when the parent is. It is not when the parent is merely dropped,
/// as at a shutdown: both go on then at the next start.
struct Tied {
    released: CancellationToken,
    watch: tokio::task::JoinHandle<()>,
}

impl Tied {
    fn new(deps: &OwnToolDeps, task: TaskId, stopped: CancellationToken) -> Self {
        let released = CancellationToken::new();
        let (queue, until) = (deps.task_queue.clone(), released.clone());
        let watch = deps.tasks.spawn("tied sub-agent", async move {
            tokio::select! {
                biased;
                () = stopped.cancelled() => {
                    if let Err(error) = queue.cancel(task, PARENT).await {
                        tracing::error!(%task, %error, "a sub-agent could not be stopped");
                    }
                }
                () = until.cancelled() => {}
            }
        });
        Self { released, watch }
    }

    /// From now on the sub-agent goes on without its parent.
    async fn release(mut self) {
        self.released.cancel();
        // silent-ok: the watch only ends.
        let _ = (&mut self.watch).await;
    }
}

impl Drop for Tied {
    fn drop(&mut self) {
        self.released.cancel();
    }
}
