//! `timer_list`: which timers wait in this chat.

use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::rights::{Risk, Role};
use hearth_contract::store::{ScheduleKind, Schedules};
use hearth_contract::tool::{EffectClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::frame::{TypedTool, framed};
use crate::ports::store_failed;
use crate::{ToolDeps, moment};

pub(crate) const NAME: &str = "timer_list";

#[derive(Debug)]
struct TimerList {
    schedules: Arc<dyn Schedules>,
    zone: TimeZone,
}

#[derive(Deserialize)]
struct Arguments {}

pub(crate) fn build(deps: &ToolDeps) -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description:
            "Lists the timers and reminders that wait in this chat, the soonest first (查看提醒、定时器列表)."
                .into(),
        parameters: json!({ "type": "object", "properties": {}, "additionalProperties": false }),
        risk: Risk::Read,
        role: Role::Member,
        effect: EffectClass::Pure,
        timeout_ms: 10_000,
    };
    framed(spec, TimerList { schedules: deps.schedules.clone(), zone: deps.zone.clone() })
}

#[async_trait]
impl TypedTool for TimerList {
    type Arguments = Arguments;

    async fn call(&self, context: &ToolContext, _arguments: Arguments) -> Result<ToolOutput, ToolError> {
        let waiting = self.schedules.active(Some(&context.session.chat)).await.map_err(store_failed)?;
        let timers: Vec<Value> = waiting
            .iter()
            .filter_map(|schedule| {
                let due_at = schedule.next_due_at?;
                let mut told = json!({
                    "id": schedule.id.to_string(),
                    "text": schedule.text,
                    "due": moment::show(due_at, &self.zone),
                });
                match &schedule.kind {
                    ScheduleKind::At { .. } => {}
                    ScheduleKind::Every { every_ms, .. } => told["every_seconds"] = json!(every_ms / 1000),
                    ScheduleKind::Cron { expression, zone } => {
                        told["cron"] = json!(expression);
                        told["zone"] = json!(zone);
                    }
                }
                Some(told)
            })
            .collect();
        Ok(ToolOutput::text(json!({ "timers": timers }).to_string()))
    }
}
