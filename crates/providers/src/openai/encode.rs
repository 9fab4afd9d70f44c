//! The neutral transcript as a request of chat completions.

use hearth_contract::provider::CompletionRequest;
use hearth_contract::tool::ToolSpec;
use serde_json::{Map, Value, json};

use crate::arguments;
use crate::dialog::{Dialog, Message, ModelMessage, UserMessage, result_text, tool_name};

use super::dialect::Echo;

/// How this source wants its requests.
pub(crate) struct Spelling<'a> {
    /// The source's name; only its own thoughts are sent back.
    pub(crate) source: &'a str,
    pub(crate) model: &'a str,
    pub(crate) output_tokens_max: u32,
    /// Ask for the usage at the end of the stream.
    pub(crate) usage_option: bool,
    /// Say `max_completion_tokens` instead of `max_tokens`.
    pub(crate) completion_tokens_field: bool,
    pub(crate) echo: Echo,
}

/// The body of a request.
pub(crate) fn encode(request: &CompletionRequest, spelling: &Spelling<'_>) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".to_owned(), spelling.model.into());
    body.insert("messages".to_owned(), messages(request, spelling).into());
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
    }
    let limit = if spelling.completion_tokens_field { "max_completion_tokens" } else { "max_tokens" };
    body.insert(limit.to_owned(), spelling.output_tokens_max.into());
    body.insert("stream".to_owned(), true.into());
    if spelling.usage_option {
        body.insert("stream_options".to_owned(), json!({"include_usage": true}));
    }
    body
}

fn tool(spec: &ToolSpec) -> Value {
    json!({"type": "function", "function": {
        "name": tool_name(&spec.name), "description": spec.description, "parameters": spec.parameters,
    }})
}

fn messages(request: &CompletionRequest, spelling: &Spelling<'_>) -> Vec<Value> {
    let mut messages = Vec::new();
    if !request.system.trim().is_empty() {
        messages.push(json!({"role": "system", "content": request.system.as_ref()}));
    }
    let dialog = Dialog::of(request, spelling.source);
    for message in &dialog.messages {
        match message {
            Message::User(message) => push_user(&mut messages, message, &dialog),
            Message::Model(message) => messages.push(model_message(message, spelling.echo)),
        }
    }
    messages
}

fn push_user(messages: &mut Vec<Value>, message: &UserMessage<'_>, dialog: &Dialog<'_>) {
    for exchange in message.results {
        messages.push(json!({
            "role": "tool",
            "tool_call_id": exchange.call.id.as_str(),
            "content": result_text(&exchange.result, dialog.language),
        }));
    }
    if !message.texts.is_empty() {
        messages.push(json!({"role": "user", "content": message.texts.join("\n\n")}));
    }
}

fn model_message(message: &ModelMessage<'_>, echo: Echo) -> Value {
    let mut encoded = Map::new();
    encoded.insert("role".to_owned(), "assistant".into());
    encoded.insert("content".to_owned(), message.text.into());
    if let Some(thoughts) = echoed(message, echo) {
        encoded.insert("reasoning_content".to_owned(), thoughts.into());
    }
    if !message.calls.is_empty() {
        let calls = message.calls.iter().map(|exchange| {
            let arguments = Value::Object(arguments::as_object(&exchange.call.arguments));
            json!({"id": exchange.call.id.as_str(), "type": "function", "function": {
                "name": tool_name(&exchange.call.name), "arguments": arguments.to_string(),
            }})
        });
        encoded.insert("tool_calls".to_owned(), calls.collect());
    }
    Value::Object(encoded)
}

fn echoed(message: &ModelMessage<'_>, echo: Echo) -> Option<String> {
    if message.calls.is_empty() {
        return None;
    }
    let thoughts: String = message.own_reasoning.iter().map(|thought| thought.text.as_str()).collect();
    match echo {
        Echo::EveryCall => Some(thoughts),
        Echo::CurrentTurn if message.current && !thoughts.is_empty() => Some(thoughts),
        Echo::CurrentTurn | Echo::No => None,
    }
}

#[cfg(test)]
mod tests;
