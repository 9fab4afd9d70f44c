//! `memory_recall`: looks up what is known from earlier.

use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::memory::{Memory, RecallQuery};
use hearth_contract::rights::{Risk, Role};
use hearth_contract::tool::{EffectClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::frame::{TypedTool, framed};
use crate::ports::{store_failed, viewer};
use crate::{ToolDeps, moment};

pub(crate) const NAME: &str = "memory_recall";

/// Facts in one answer, unless the model says otherwise.
const LIMIT_DEFAULT: usize = 5;

#[derive(Debug)]
struct MemoryRecall {
    memory: Arc<dyn Memory>,
    zone: TimeZone,
}

#[derive(Deserialize)]
struct Arguments {
    query: String,
    limit: Option<usize>,
    since: Option<String>,
    until: Option<String>,
}

pub(crate) fn build(deps: &ToolDeps) -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description:
            "Looks up what is remembered from earlier conversations (回忆、查记忆). Use it before answering \
            anything about a person, their preferences, plans or past that is not in this conversation. \
            No facts in the answer means: nothing is known about it."
                .into(),
        parameters: json!({
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "description": "What is wanted, in words, in the language of the conversation; empty for the newest facts"
                },
                "limit": {
                    "type": "integer", "minimum": 1, "maximum": 50,
                    "description": "At most this many facts; 5 if not given"
                },
                "since": {
                    "type": "string",
                    "description": "Only facts told at or after this time, such as 2026-11-30 or 2026-11-30T08:00:00+08:00"
                },
                "until": {
                    "type": "string",
                    "description": "Only facts told before this time"
                }
            },
            "required": ["query"],
            "additionalProperties": false
        }),
        risk: Risk::Read,
        role: Role::Member,
        effect: EffectClass::Pure,
        timeout_ms: 10_000,
    };
    framed(spec, MemoryRecall { memory: deps.memory.clone(), zone: deps.zone.clone() })
}

#[async_trait]
impl TypedTool for MemoryRecall {
    type Arguments = Arguments;

    async fn call(&self, context: &ToolContext, arguments: Arguments) -> Result<ToolOutput, ToolError> {
        let time = |field: &str, text: &Option<String>| {
            text.as_deref()
                .filter(|text| !text.trim().is_empty())
                .map(|text| moment::parse(field, text, &self.zone))
                .transpose()
        };
        let query = RecallQuery {
            since: time("since", &arguments.since)?,
            until: time("until", &arguments.until)?,
            text: arguments.query,
            viewer: viewer(context),
            limit: arguments.limit.unwrap_or(LIMIT_DEFAULT),
        };
        let found = self.memory.recall(&query).await.map_err(store_failed)?;
        let facts: Vec<Value> = found
            .iter()
            .map(|recalled| {
                json!({
                    "id": recalled.fact.id.to_string(),
                    "text": recalled.fact.text,
                    "since": moment::rfc3339(recalled.fact.valid_from, &self.zone),
                    "score": (recalled.score * 100.0).round() / 100.0,
                })
            })
            .collect();
        Ok(ToolOutput::text(json!({ "facts": facts }).to_string()))
    }
}
