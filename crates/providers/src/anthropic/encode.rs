//! The neutral transcript as a request of the Messages API.

use std::collections::BTreeSet;

use hearth_contract::provider::CompletionRequest;
use hearth_contract::transcript::{Reasoning, ToolExchange, ToolStatus};
use serde_json::{Map, Value, json};

use crate::arguments;
use crate::dialog::{Dialog, Message, ModelMessage, UserMessage, result_text, tool_name};

/// Before the data of a redacted block, where the neutral transcript has one text for a seal. Seals are base64 and
/// have no colon, so the two cannot be mixed up.
pub(crate) const REDACTED: &str = "redacted:";

/// How this source wants its requests.
pub(crate) struct Spelling<'a> {
    /// The source's name; only its own thoughts are sent back.
    pub(crate) source: &'a str,
    pub(crate) model: &'a str,
    pub(crate) output_tokens_max: u32,
    pub(crate) thinking: Thinking,
}

/// Whether the model thinks first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Thinking {
    Off,
    /// It decides.
    Adaptive,
    /// At most so many tokens, beside those of the answer.
    Budget(u32),
}

/// The body of a request.
pub(crate) fn encode(request: &CompletionRequest, spelling: &Spelling<'_>) -> Map<String, Value> {
    let dialog = Dialog::of(request, spelling.source);
    let thoughts = thoughts_to_send(&dialog, spelling.thinking);
    let mut body = Map::new();
    body.insert("model".to_owned(), spelling.model.into());
    let mut max_tokens = spelling.output_tokens_max;
    match spelling.thinking {
        Thinking::Budget(tokens) if thoughts == Thoughts::Send => {
            body.insert("thinking".to_owned(), json!({"type": "enabled", "budget_tokens": tokens}));
            max_tokens = max_tokens.saturating_add(tokens);
        }
        Thinking::Adaptive => {
            body.insert("thinking".to_owned(), json!({"type": "adaptive"}));
        }
        Thinking::Off | Thinking::Budget(_) => {}
    }
    body.insert("max_tokens".to_owned(), max_tokens.into());
    body.insert("stream".to_owned(), true.into());
    if !request.system.trim().is_empty() {
        let mut block = json!({"type": "text", "text": request.system.as_ref()});
        mark_cacheable(&mut block);
        body.insert("system".to_owned(), json!([block]));
    }
    insert_tools(&mut body, request);
    body.insert("messages".to_owned(), messages(request, &dialog, thoughts).into());
    body
}

/// The tools of the request. When it has none but the dialog has calls, the vendor still wants to see some: then
/// those that were called, with the word that none may be called now.
fn insert_tools(body: &mut Map<String, Value>, request: &CompletionRequest) {
    if !request.tools.is_empty() {
        let mut tools: Vec<Value> = request
            .tools
            .iter()
            .map(|spec| {
                json!({"name": tool_name(&spec.name), "description": spec.description, "input_schema": spec.parameters})
            })
            .collect();
        if request.system.trim().is_empty()
            && let Some(last) = tools.last_mut()
        {
            mark_cacheable(last);
        }
        body.insert("tools".to_owned(), tools.into());
        return;
    }
    let turns = request.history.iter().map(AsRef::as_ref).chain([&request.current]);
    let calls = turns.flat_map(|turn| &turn.rounds).flat_map(|round| &round.calls);
    let names: BTreeSet<String> = calls.map(|exchange| tool_name(&exchange.call.name)).collect();
    if !names.is_empty() {
        let tools = names.iter().map(|name| json!({"name": name, "input_schema": {"type": "object"}}));
        body.insert("tools".to_owned(), tools.collect());
        body.insert("tool_choice".to_owned(), json!({"type": "none"}));
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Thoughts {
    Send,
    Leave,
}

/// With a budget, every message with calls since the user last spoke without bringing results must begin with a
/// thought, or the vendor refuses. Where another source made some of them, or an earlier turn broke off among its
/// calls, this turn goes on without thinking.
fn thoughts_to_send(dialog: &Dialog<'_>, thinking: Thinking) -> Thoughts {
    let spoke =
        |message: &Message<'_>| matches!(message, Message::User(message) if message.results.is_empty());
    let since = dialog.messages.iter().rposition(spoke).unwrap_or_default();
    let all_sealed = dialog.messages[since..].iter().all(|message| match message {
        Message::Model(message) if !message.calls.is_empty() => {
            message.current && message.own_reasoning.iter().any(|thought| thought.signature.is_some())
        }
        Message::Model(_) | Message::User(_) => true,
    });
    match thinking {
        Thinking::Budget(_) if !all_sealed => Thoughts::Leave,
        Thinking::Budget(_) | Thinking::Adaptive | Thinking::Off => Thoughts::Send,
    }
}

fn messages(request: &CompletionRequest, dialog: &Dialog<'_>, thoughts: Thoughts) -> Vec<Value> {
    let mut messages: Vec<Value> = dialog
        .messages
        .iter()
        .map(|message| match message {
            Message::User(message) => json!({"role": "user", "content": user_blocks(message, dialog)}),
            Message::Model(message) => {
                json!({"role": "assistant", "content": model_blocks(message, thoughts)})
            }
        })
        .collect();
    // What will come again unchanged: the earlier turns, and, where tools may make more rounds, this turn so far.
    if let Some(last) = dialog.history.checked_sub(1) {
        mark_message(&mut messages[last]);
    }
    if !request.tools.is_empty()
        && let Some(last) = messages.last_mut()
    {
        mark_message(last);
    }
    messages
}

fn user_blocks(message: &UserMessage<'_>, dialog: &Dialog<'_>) -> Vec<Value> {
    let results = message.results.iter().map(|ToolExchange { call, result }| {
        let mut block = Map::new();
        block.insert("type".to_owned(), "tool_result".into());
        block.insert("tool_use_id".to_owned(), call.id.as_str().into());
        block.insert("content".to_owned(), result_text(result, dialog.language).into());
        if result.status != ToolStatus::Done {
            block.insert("is_error".to_owned(), true.into());
        }
        Value::Object(block)
    });
    results.chain(message.texts.iter().map(|text| json!({"type": "text", "text": text}))).collect()
}

fn model_blocks(message: &ModelMessage<'_>, thoughts: Thoughts) -> Vec<Value> {
    let mut blocks = Vec::new();
    if thoughts == Thoughts::Send && message.current && !message.calls.is_empty() {
        blocks.extend(message.own_reasoning.iter().filter_map(thought_block));
    }
    if !message.text.is_empty() {
        blocks.push(json!({"type": "text", "text": message.text}));
    }
    blocks.extend(message.calls.iter().map(|ToolExchange { call, .. }| {
        json!({
            "type": "tool_use",
            "id": call.id.as_str(),
            "name": tool_name(&call.name),
            "input": arguments::as_object(&call.arguments),
        })
    }));
    blocks
}

/// A thought goes back exactly as it came, with its seal; without one the vendor refuses it.
fn thought_block(thought: &Reasoning) -> Option<Value> {
    let signature = thought.signature.as_deref()?;
    Some(match signature.strip_prefix(REDACTED) {
        Some(data) => json!({"type": "redacted_thinking", "data": data}),
        None => json!({"type": "thinking", "thinking": thought.text, "signature": signature}),
    })
}

fn mark_message(message: &mut Value) {
    let last = message.get_mut("content").and_then(Value::as_array_mut).and_then(|blocks| blocks.last_mut());
    if let Some(block) = last {
        mark_cacheable(block);
    }
}

fn mark_cacheable(block: &mut Value) {
    if let Value::Object(block) = block {
        block.insert("cache_control".to_owned(), json!({"type": "ephemeral"}));
    }
}

#[cfg(test)]
mod tests;
