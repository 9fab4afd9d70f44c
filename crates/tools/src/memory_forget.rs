//! `memory_forget`: a remembered statement no longer holds.

use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::clock::Clock;
use hearth_contract::memory::{ForgetRequest, ForgetTarget, Memory};
use hearth_contract::rights::{Risk, Role};
use hearth_contract::tool::{EffectClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use serde::Deserialize;
use serde_json::json;

use crate::ToolDeps;
use crate::arguments::invalid;
use crate::frame::{TypedTool, framed};
use crate::ports::{store_failed, viewer};

pub(crate) const NAME: &str = "memory_forget";

#[derive(Debug)]
struct MemoryForget {
    memory: Arc<dyn Memory>,
    clock: Arc<dyn Clock>,
}

#[derive(Deserialize)]
struct Arguments {
    id: Option<String>,
    key: Option<String>,
}

pub(crate) fn build(deps: &ToolDeps) -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description:
            "Forgets one remembered fact (忘记、删除记忆). Find it with memory_recall first and give its id, \
            or give the key it was stored under; exactly one of the two."
                .into(),
        parameters: json!({
            "type": "object",
            "properties": {
                "id": { "type": "string", "description": "The id of the fact, as memory_recall shows it" },
                "key": { "type": "string", "description": "The key the fact was stored under" }
            },
            "additionalProperties": false
        }),
        risk: Risk::Write,
        role: Role::Trusted,
        effect: EffectClass::Ledger,
        timeout_ms: 10_000,
    };
    framed(spec, MemoryForget { memory: deps.memory.clone(), clock: deps.clock.clone() })
}

#[async_trait]
impl TypedTool for MemoryForget {
    type Arguments = Arguments;

    async fn call(&self, context: &ToolContext, arguments: Arguments) -> Result<ToolOutput, ToolError> {
        let which = match (arguments.id, arguments.key) {
            (Some(id), None) => ForgetTarget::Id(id.trim().parse().map_err(|_| {
                invalid(format!("`id` is `{id}`, which is no id of a fact; memory_recall shows the ids"))
            })?),
            (None, Some(key)) => ForgetTarget::Key(key.trim().to_owned()),
            (Some(_), Some(_)) | (None, None) => {
                return Err(invalid("give exactly one of `id` (from memory_recall) and `key`"));
            }
        };
        let request = ForgetRequest { which, viewer: viewer(context), at: self.clock.now() };
        match self.memory.forget(&request).await.map_err(store_failed)? {
            Some(forgotten) => Ok(ToolOutput {
                text: json!({
                    "status": "forgotten",
                    "id": forgotten.fact.id.to_string(),
                    "text": forgotten.fact.text,
                })
                .to_string(),
                changes: forgotten.changes,
            }),
            None => Err(ToolError::Failed {
                reason: "no such fact is remembered here; look it up with memory_recall".into(),
            }),
        }
    }
}
