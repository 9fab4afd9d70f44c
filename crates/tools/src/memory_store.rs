//! `memory_store`: remembers a statement.

use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::clock::Clock;
use hearth_contract::memory::{Memory, NewFact};
use hearth_contract::rights::{Risk, Role};
use hearth_contract::store::{Change, FactChange};
use hearth_contract::tool::{EffectClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use serde::Deserialize;
use serde_json::json;

use crate::ToolDeps;
use crate::arguments::invalid;
use crate::frame::{TypedTool, framed};
use crate::ports::{store_failed, viewer};

pub(crate) const NAME: &str = "memory_store";

/// Characters of a statement at most: a fact is one statement, not a document.
const TEXT_CHARS_MAX: usize = 2_000;
/// Characters of a key at most.
const KEY_CHARS_MAX: usize = 100;
/// How important a fact is of which nothing is said.
const IMPORTANCE_DEFAULT: f64 = 0.5;

#[derive(Debug)]
struct MemoryStore {
    memory: Arc<dyn Memory>,
    clock: Arc<dyn Clock>,
}

#[derive(Deserialize)]
struct Arguments {
    text: String,
    key: Option<String>,
    importance: Option<f64>,
}

pub(crate) fn build(deps: &ToolDeps) -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description: "Remembers one statement for later conversations (记住). Use it when somebody asks you to remember \
            something, or tells a lasting fact about themselves. One call for each fact; write it so that it is \
            understood without this conversation, in the language it was said in."
            .into(),
        parameters: json!({
            "type": "object",
            "properties": {
                "text": {
                    "type": "string",
                    "description": "The statement, at most 2000 characters, such as: 用户最喜欢的饮料是乌龙茶"
                },
                "key": {
                    "type": "string",
                    "description": "A stable name when there can be only one such fact, such as favourite_drink; a newer fact with the same key replaces the older one"
                },
                "importance": {
                    "type": "number", "minimum": 0, "maximum": 1,
                    "description": "From 0 (trivia) to 1 (vital); 0.5 if not given"
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
    framed(spec, MemoryStore { memory: deps.memory.clone(), clock: deps.clock.clone() })
}

#[async_trait]
impl TypedTool for MemoryStore {
    type Arguments = Arguments;

    async fn call(&self, context: &ToolContext, arguments: Arguments) -> Result<ToolOutput, ToolError> {
        let text = arguments.text.trim();
        if text.is_empty() {
            return Err(invalid("`text` is empty: it must be the statement to remember"));
        }
        if text.chars().count() > TEXT_CHARS_MAX {
            return Err(invalid(format!(
                "`text` is longer than {TEXT_CHARS_MAX} characters: store its facts one by one, or write a file"
            )));
        }
        let key = arguments.key.as_deref().map(str::trim).filter(|key| !key.is_empty());
        if key.is_some_and(|key| key.chars().count() > KEY_CHARS_MAX) {
            return Err(invalid(format!("`key` is longer than {KEY_CHARS_MAX} characters")));
        }
        let fact = NewFact {
            text: text.to_owned(),
            key: key.map(str::to_owned),
            importance: arguments.importance.unwrap_or(IMPORTANCE_DEFAULT),
            viewer: viewer(context),
            sources: vec![context.cause],
            at: self.clock.now(),
        };
        let changes = self.memory.remember(fact).await.map_err(store_failed)?;
        Ok(ToolOutput { text: told(&changes), changes })
    }
}

/// What the model is told: whether it is new, took the place of an older fact, or was known.
fn told(changes: &[Change]) -> String {
    let mut stored = None;
    let mut replaced = None;
    for change in changes {
        match change {
            Change::Fact(FactChange::Put { fact, .. }) => stored = Some(fact.id),
            Change::Fact(FactChange::Close { fact, .. }) => replaced = Some(*fact),
            _ => {}
        }
    }
    match (stored, replaced) {
        (Some(id), Some(old)) => {
            json!({"status": "replaced", "id": id.to_string(), "replaced": old.to_string()}).to_string()
        }
        (Some(id), None) => json!({"status": "stored", "id": id.to_string()}).to_string(),
        (None, _) => json!({"status": "known", "note": "this was already remembered"}).to_string(),
    }
}
