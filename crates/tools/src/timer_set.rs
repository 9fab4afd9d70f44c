//! `timer_set`: wakes the agent once, later.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hearth_contract::clock::{Clock, UnixMs};
use hearth_contract::id::ScheduleId;
use hearth_contract::rights::{Risk, Role};
use hearth_contract::store::{
    Messages, ScheduleChange, ScheduleKind, ScheduleRecord, ScheduleState, Schedules,
};
use hearth_contract::tool::{EffectClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::json;

use crate::arguments::invalid;
use crate::frame::{TypedTool, framed};
use crate::ports::{asked_by, store_failed};
use crate::{ToolDeps, moment};

pub(crate) const NAME: &str = "timer_set";

/// Characters of a timer's text at most.
const TEXT_CHARS_MAX: usize = 2_000;
/// How far ahead a timer may be: ten years.
const AHEAD_MAX: Duration = Duration::from_secs(10 * 366 * 24 * 3600);
/// Timers that may wait in one chat.
const TIMERS_PER_CHAT_MAX: usize = 200;

#[derive(Debug)]
struct TimerSet {
    schedules: Arc<dyn Schedules>,
    messages: Arc<dyn Messages>,
    clock: Arc<dyn Clock>,
    zone: TimeZone,
}

#[derive(Deserialize)]
struct Arguments {
    text: String,
    in_seconds: Option<u64>,
    at: Option<String>,
}

pub(crate) fn build(deps: &ToolDeps) -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description:
            "Sets a timer or reminder in this chat (提醒、定时、闹钟). When it is due you are woken with its \
            text and then tell the person or do what it says. Give exactly one of in_seconds and at."
                .into(),
        parameters: json!({
            "type": "object",
            "properties": {
                "text": {
                    "type": "string",
                    "description": "What is to be done or said then, at most 2000 characters, understandable without this conversation"
                },
                "in_seconds": {
                    "type": "integer", "minimum": 1,
                    "description": "After this many seconds from now, such as 600 for ten minutes (10 分钟后)"
                },
                "at": {
                    "type": "string",
                    "description": "At this time: 2026-12-01T08:30:00+08:00, or 2026-12-01 08:30 for local time; call now first to know the date"
                }
            },
            "required": ["text"],
            "additionalProperties": false
        }),
        risk: Risk::Write,
        role: Role::Member,
        effect: EffectClass::Ledger,
        timeout_ms: 10_000,
    };
    framed(
        spec,
        TimerSet {
            schedules: deps.schedules.clone(),
            messages: deps.messages.clone(),
            clock: deps.clock.clone(),
            zone: deps.zone.clone(),
        },
    )
}

impl TimerSet {
    fn due_at(&self, arguments: &Arguments, now: UnixMs) -> Result<UnixMs, ToolError> {
        let due_at = match (arguments.in_seconds, arguments.at.as_deref()) {
            (Some(seconds), None) => now.plus(Duration::from_secs(seconds)),
            (None, Some(at)) => moment::parse("at", at, &self.zone)?,
            (Some(_), Some(_)) | (None, None) => {
                return Err(invalid("give exactly one of `in_seconds` and `at`"));
            }
        };
        if due_at <= now {
            return Err(invalid(format!(
                "`at` is {}, which is not in the future; it is now {}",
                moment::show(due_at, &self.zone),
                moment::show(now, &self.zone)
            )));
        }
        if due_at.since(now) > AHEAD_MAX {
            return Err(invalid("the time is more than 10 years ahead"));
        }
        Ok(due_at)
    }
}

#[async_trait]
impl TypedTool for TimerSet {
    type Arguments = Arguments;

    async fn call(&self, context: &ToolContext, arguments: Arguments) -> Result<ToolOutput, ToolError> {
        let text = arguments.text.trim();
        if text.is_empty() {
            return Err(invalid("`text` is empty: it must say what is to be done then"));
        }
        if text.chars().count() > TEXT_CHARS_MAX {
            return Err(invalid(format!("`text` is longer than {TEXT_CHARS_MAX} characters")));
        }
        let now = self.clock.now();
        let due_at = self.due_at(&arguments, now)?;
        let waiting = self.schedules.active(Some(&context.session.chat)).await.map_err(store_failed)?;
        if waiting.len() >= TIMERS_PER_CHAT_MAX {
            return Err(ToolError::Failed {
                reason: format!(
                    "{TIMERS_PER_CHAT_MAX} timers wait in this chat already; cancel some with timer_cancel"
                ),
            });
        }
        let asked_by = asked_by(&*self.messages, context).await?;
        let record = ScheduleRecord {
            id: ScheduleId::new(),
            session: context.session.clone(),
            chat_kind: context.chat_kind,
            account: asked_by.account,
            sender: asked_by.sender,
            kind: ScheduleKind::At { due_at },
            text: text.to_owned(),
            cause: context.cause,
            created_at: now,
            state: ScheduleState::Active,
            next_due_at: Some(due_at),
        };
        let told = json!({
            "status": "set",
            "id": record.id.to_string(),
            "text": record.text,
            "due": moment::show(due_at, &self.zone),
        });
        Ok(ToolOutput { text: told.to_string(), changes: vec![ScheduleChange::Put(Box::new(record)).into()] })
    }
}
