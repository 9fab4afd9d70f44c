//! `schedule_add`: wakes the agent again and again. `timer_list` shows and `timer_cancel` ends what it makes.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hearth_contract::clock::UnixMs;
use hearth_contract::id::ScheduleId;
use hearth_contract::message::Sender;
use hearth_contract::rights::{Risk, Role};
use hearth_contract::store::{ScheduleChange, ScheduleKind, ScheduleRecord, ScheduleState};
use hearth_contract::tool::{EffectClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{OwnToolDeps, OwnToolEntry, parse, store_failed};
use crate::schedules::{PER_CHAT_MAX, TEXT_CHARS_MAX};
use crate::{prompt, recurrence};

pub(super) const ENTRY: OwnToolEntry =
    OwnToolEntry { name: "schedule_add", build: |deps| Arc::new(ScheduleAdd::new(deps)) };

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    text: String,
    cron: Option<String>,
    every_seconds: Option<u64>,
    zone: Option<String>,
}

#[derive(Debug)]
struct ScheduleAdd {
    spec: ToolSpec,
    deps: OwnToolDeps,
}

impl ScheduleAdd {
    fn new(deps: &OwnToolDeps) -> Self {
        let spec = ToolSpec {
            name: ENTRY.name.into(),
            description: "Repeats something in this chat: each time it is due you are woken with its text and then tell \
                          the person or do what it says. Give exactly one of cron and every_seconds; for something that \
                          happens once use timer_set. timer_list shows schedules, timer_cancel ends them. \
                          重复的提醒或任务（每天、每周、每隔）。"
                .into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "text": {
                        "type": "string",
                        "description": "What is to be done or said each time, at most 2000 characters, understandable without this conversation"
                    },
                    "cron": {
                        "type": "string",
                        "description": "Minute, hour, day of the month, month, weekday: `0 8 * * *` is every day at 8 (每天8点), `30 9 * * 1` every Monday at 9:30 (每周一)"
                    },
                    "every_seconds": {
                        "type": "integer", "minimum": recurrence::EVERY_MIN.as_secs(),
                        "description": "After each such period, such as 7200 for every two hours (每两小时)"
                    },
                    "zone": {
                        "type": "string",
                        "description": "With cron: the IANA zone whose clock is meant, such as Asia/Shanghai. The local one if left out."
                    }
                },
                "required": ["text"],
                "additionalProperties": false
            }),
            risk: Risk::Write,
            role: Role::Trusted,
            effect: EffectClass::Ledger,
            timeout_ms: 10_000,
        };
        Self { spec, deps: deps.clone() }
    }

    fn kind(&self, arguments: Arguments, now: UnixMs) -> Result<ScheduleKind, ToolError> {
        let wrong = |reason: &str| Err(ToolError::InvalidArguments { reason: reason.into() });
        match (arguments.cron, arguments.every_seconds, arguments.zone) {
            (Some(cron), None, zone) => {
                let zone = zone.map(|zone| zone.trim().to_owned());
                let own = || self.deps.zone.iana_name().unwrap_or("UTC").to_owned();
                Ok(ScheduleKind::Cron { expression: cron.trim().to_owned(), zone: zone.unwrap_or_else(own) })
            }
            (None, Some(seconds), None) => {
                let every = Duration::from_secs(seconds);
                if !(recurrence::EVERY_MIN..=recurrence::EVERY_MAX).contains(&every) {
                    return wrong("`every_seconds` must be from 60 (a minute) to 316224000 (ten years)");
                }
                Ok(ScheduleKind::Every { every_ms: seconds * 1000, from: now })
            }
            (None, Some(_), Some(_)) => wrong("`zone` goes with `cron` only"),
            (Some(_), Some(_), _) | (None, None, _) => {
                wrong("give exactly one of `cron` and `every_seconds`")
            }
        }
    }
}

#[async_trait]
impl Tool for ScheduleAdd {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(
        &self,
        context: &ToolContext,
        arguments: Map<String, Value>,
    ) -> Result<ToolOutput, ToolError> {
        let arguments: Arguments = parse(&self.spec, arguments)?;
        let text = arguments.text.trim().to_owned();
        if text.is_empty() || text.chars().count() > TEXT_CHARS_MAX {
            let reason = format!("`text` must have 1 to {TEXT_CHARS_MAX} characters");
            return Err(ToolError::InvalidArguments { reason });
        }
        let now = self.deps.clock.now();
        let kind = self.kind(arguments, now)?;
        let next_due_at = recurrence::next_after(&kind, now)
            .map_err(|error| ToolError::InvalidArguments { reason: error.to_string() })?
            .ok_or_else(|| ToolError::InvalidArguments {
                reason: "`cron` is a date that never comes".into(),
            })?;
        let chat = &context.session.chat;
        let active = self.deps.stores.schedules.active(Some(chat)).await.map_err(store_failed)?;
        if active.len() >= PER_CHAT_MAX {
            let reason = format!(
                "{PER_CHAT_MAX} timers and schedules wait in this chat already; cancel some with timer_cancel"
            );
            return Err(ToolError::Failed { reason });
        }
        let cause = self.deps.stores.messages.get(context.cause).await.map_err(store_failed)?;
        let cause = cause
            .ok_or_else(|| ToolError::Failed { reason: "the message that led to this is gone".into() })?;
        let name = match cause.sender.id == context.caller {
            true => cause.sender.name,
            false => context.caller.clone(),
        };
        let record = ScheduleRecord {
            id: ScheduleId::new(),
            session: context.session.clone(),
            chat_kind: context.chat_kind,
            account: cause.account,
            sender: Sender { id: context.caller.clone(), name, role: context.role },
            kind,
            text,
            cause: context.cause,
            created_at: now,
            state: ScheduleState::Active,
            next_due_at: Some(next_due_at),
        };
        let told = json!({
            "status": "set",
            "id": record.id.to_string(),
            "text": record.text,
            "next": prompt::now_text(next_due_at, &self.deps.zone),
        });
        Ok(ToolOutput { text: told.to_string(), changes: vec![ScheduleChange::Put(Box::new(record)).into()] })
    }
}
