//! `child_result`: what came of a sub-agent that works in the background.

use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::id::TaskId;
use hearth_contract::rights::{Risk, Role};
use hearth_contract::store::{TaskRecord, TaskState};
use hearth_contract::tool::{EffectClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{OwnToolDeps, OwnToolEntry, parse, store_failed};
use crate::task_queue::Came;

pub(super) const ENTRY: OwnToolEntry =
    OwnToolEntry { name: "child_result", build: |deps| Arc::new(ChildResult::new(deps)) };

/// A call may outlast its waiting by this much.
const SLACK_MS: u64 = 10_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: String,
}

#[derive(Debug)]
struct ChildResult {
    spec: ToolSpec,
    deps: OwnToolDeps,
}

impl ChildResult {
    fn new(deps: &OwnToolDeps) -> Self {
        let wait_ms = u64::try_from(deps.limits.task_wait_max.as_millis()).unwrap_or(u64::MAX);
        let spec = ToolSpec {
            name: ENTRY.name.into(),
            description: "Asks for the answer of a sub-agent that works in the background, by the id that spawn_child \
                          gave. Waits for it a few seconds. You need not ask: the answer comes by itself when there is \
                          one. 查询后台子代理的结果；不查也会自己到来。"
                .into(),
            parameters: json!({
                "type": "object",
                "properties": { "id": { "type": "string", "description": "The id that spawn_child gave." } },
                "required": ["id"],
                "additionalProperties": false
            }),
            risk: Risk::Read,
            role: Role::Trusted,
            effect: EffectClass::Idempotent,
            timeout_ms: wait_ms.saturating_add(SLACK_MS),
        };
        Self { spec, deps: deps.clone() }
    }
}

#[async_trait]
impl Tool for ChildResult {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(
        &self,
        context: &ToolContext,
        arguments: Map<String, Value>,
    ) -> Result<ToolOutput, ToolError> {
        let arguments: Arguments = parse(&self.spec, arguments)?;
        let id: TaskId = arguments
            .id
            .trim()
            .parse()
            .map_err(|error| ToolError::InvalidArguments { reason: format!("`id`: {error}") })?;
        let task = self.deps.stores.tasks.get(id).await.map_err(store_failed)?;
        if task.is_none_or(|task| task.session.chat != context.session.chat) {
            return Err(ToolError::Failed { reason: format!("there is no sub-agent `{id}` in this chat") });
        }
        let awaited = self.deps.task_queue.await_it(id);
        let came = awaited.result(context.turn, self.deps.limits.task_wait_max).await;
        told(came.map_err(store_failed)?)
    }
}

/// What the model is told of a task that it waited for.
pub(super) fn told(came: Came) -> Result<ToolOutput, ToolError> {
    let later = |task: TaskRecord, status: &str| {
        let told = json!({ "id": task.id.to_string(), "status": status });
        Ok(ToolOutput::text(told.to_string()))
    };
    let task = match came {
        Came::Ended(task) => task,
        Came::NotYet(task) => {
            return later(task, "it still works; the answer comes later as a message of its own");
        }
        Came::OnItsWay(task) => {
            return later(task, "it has ended; the answer is coming as a message of its own");
        }
        Came::Unknown => return Err(ToolError::Failed { reason: "there is no such sub-agent".into() }),
    };
    let TaskRecord { state, result, .. } = task;
    match state {
        TaskState::Cancelled => Err(ToolError::Failed { reason: format!("cancelled by {result}") }),
        TaskState::Failed => Err(ToolError::Failed { reason: result }),
        TaskState::Queued | TaskState::Running | TaskState::Done => Ok(ToolOutput::text(result)),
    }
}
