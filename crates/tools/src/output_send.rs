//! `output_send`: says something in the current chat at once.
//!
//! The tool sends nothing itself. It returns the message and its delivery as changes; once they are committed with the
//! result of the call, the outbox sends them. So it is said exactly if the ledger knows of it.

use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::clock::Clock;
use hearth_contract::id::{DeliveryId, MessageId};
use hearth_contract::message::{Arrival, Direction, MessageRecord, Origin, Segment, Sender};
use hearth_contract::rights::{Risk, Role};
use hearth_contract::store::{DeliveryChange, DeliveryRecord, DeliveryState, MessageChange, Messages};
use hearth_contract::tool::{EffectClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use serde::Deserialize;
use serde_json::json;

use crate::ToolDeps;
use crate::arguments::invalid;
use crate::frame::{TypedTool, framed};
use crate::ports::asked_by;

pub(crate) const NAME: &str = "output_send";

/// Characters of one message at most.
const TEXT_CHARS_MAX: usize = 16_000;

#[derive(Debug)]
struct OutputSend {
    messages: Arc<dyn Messages>,
    clock: Arc<dyn Clock>,
}

#[derive(Deserialize)]
struct Arguments {
    text: String,
}

pub(crate) fn build(deps: &ToolDeps) -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description: "Sends a message to the current chat at once, before your final answer (立即发送一条消息). Use it to \
            say that something will take a while, or where the final answer is not sent by itself. Do not repeat \
            in the final answer what was sent with it."
            .into(),
        parameters: json!({
            "type": "object",
            "properties": {
                "text": { "type": "string", "description": "The message, at most 16000 characters" }
            },
            "required": ["text"],
            "additionalProperties": false
        }),
        risk: Risk::Send,
        role: Role::Member,
        effect: EffectClass::Ledger,
        timeout_ms: 10_000,
    };
    framed(spec, OutputSend { messages: deps.messages.clone(), clock: deps.clock.clone() })
}

#[async_trait]
impl TypedTool for OutputSend {
    type Arguments = Arguments;

    async fn call(&self, context: &ToolContext, arguments: Arguments) -> Result<ToolOutput, ToolError> {
        if arguments.text.trim().is_empty() {
            return Err(invalid("`text` is empty: it must be the message to send"));
        }
        if arguments.text.chars().count() > TEXT_CHARS_MAX {
            return Err(invalid(format!(
                "`text` is longer than {TEXT_CHARS_MAX} characters: send it in parts"
            )));
        }
        let now = self.clock.now();
        let message = MessageRecord {
            id: MessageId::new(),
            session: context.session.clone(),
            chat_kind: context.chat_kind,
            account: asked_by(&*self.messages, context).await?.account,
            direction: Direction::Out,
            origin: Origin::User,
            sender: Sender::agent(),
            segments: vec![Segment::text(&arguments.text)],
            text: arguments.text,
            addressed: false,
            arrival: Arrival::default(),
            platform_id: None,
            sent_at: now,
            accepted_at: now,
            turn: Some(context.turn),
            end: None,
        };
        let delivery = DeliveryRecord {
            id: DeliveryId::new(),
            message: message.id,
            turn: Some(context.turn),
            // The kernel knows what else the turn has said and numbers it when it commits.
            number: 0,
            chat: context.session.chat.clone(),
            state: DeliveryState::Prepared,
            attempts: 0,
            may_be_duplicate: false,
            created_at: now,
            detail: String::new(),
        };
        let told = json!({ "status": "sent", "message": message.id.to_string() });
        Ok(ToolOutput {
            text: told.to_string(),
            changes: vec![MessageChange::Say(message).into(), DeliveryChange::Put(delivery).into()],
        })
    }
}
