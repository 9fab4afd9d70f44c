//! `timer_cancel`: a timer that waits in this chat is no longer wanted.

use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::id::ScheduleId;
use hearth_contract::rights::{Risk, Role};
use hearth_contract::store::{ScheduleChange, ScheduleState, Schedules};
use hearth_contract::tool::{EffectClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use serde::Deserialize;
use serde_json::json;

use crate::ToolDeps;
use crate::arguments::invalid;
use crate::frame::{TypedTool, framed};
use crate::ports::store_failed;

pub(crate) const NAME: &str = "timer_cancel";

#[derive(Debug)]
struct TimerCancel {
    schedules: Arc<dyn Schedules>,
}

#[derive(Deserialize)]
struct Arguments {
    id: String,
}

pub(crate) fn build(deps: &ToolDeps) -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description: "Cancels a timer or reminder of this chat (取消提醒). timer_list shows the ids.".into(),
        parameters: json!({
            "type": "object",
            "properties": {
                "id": { "type": "string", "description": "The id of the timer, as timer_list shows it" }
            },
            "required": ["id"],
            "additionalProperties": false
        }),
        risk: Risk::Write,
        role: Role::Member,
        effect: EffectClass::Ledger,
        timeout_ms: 10_000,
    };
    framed(spec, TimerCancel { schedules: deps.schedules.clone() })
}

#[async_trait]
impl TypedTool for TimerCancel {
    type Arguments = Arguments;

    async fn call(&self, context: &ToolContext, arguments: Arguments) -> Result<ToolOutput, ToolError> {
        let id: ScheduleId = arguments.id.trim().parse().map_err(|_| {
            invalid(format!(
                "`id` is `{}`, which is no id of a timer; timer_list shows the ids",
                arguments.id
            ))
        })?;
        let found = self.schedules.get(id).await.map_err(store_failed)?;
        let Some(timer) = found.filter(|timer| timer.session.chat == context.session.chat) else {
            return Err(ToolError::Failed {
                reason: "there is no such timer in this chat; timer_list shows those that wait".into(),
            });
        };
        if timer.state != ScheduleState::Active {
            return Err(ToolError::Failed { reason: "this timer is over already".into() });
        }
        if timer.sender.id != context.caller && context.role < Role::Trusted {
            return Err(ToolError::Denied {
                reason: format!(
                    "this timer was set by {}; only they or the owner can cancel it",
                    timer.sender.name
                ),
            });
        }
        let told = json!({ "status": "cancelled", "id": id.to_string(), "text": timer.text });
        Ok(ToolOutput {
            text: told.to_string(),
            changes: vec![ScheduleChange::Cancel { schedule: id }.into()],
        })
    }
}
