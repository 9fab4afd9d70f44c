//! A question as a script gets it: a dialog in which the two sides take turns.

use hearth_contract::provider::{CompletionRequest, SourceInfo};
use serde_json::{Map, Value, json};

use crate::arguments;
use crate::dialog::{Dialog, Message, ModelMessage, UserMessage, result_text, tool_name};

/// The table `request`.
pub(crate) fn request(request: &CompletionRequest, info: &SourceInfo, options: &Map<String, Value>) -> Value {
    let dialog = Dialog::of(request, &info.name);
    let messages: Vec<Value> = dialog
        .messages
        .iter()
        .map(|message| match message {
            Message::User(message) => user(message, &dialog),
            Message::Model(message) => model(message),
        })
        .collect();
    let tools: Vec<Value> = request
        .tools
        .iter()
        .map(|tool| {
            json!({
                "name": tool_name(&tool.name), "description": tool.description, "parameters": tool.parameters,
            })
        })
        .collect();
    json!({
        "model": info.model,
        "system": request.system.as_ref(),
        "messages": messages,
        "tools": tools,
        "output_tokens_max": request.output_tokens_max.min(info.output_tokens_max),
        "options": options,
    })
}

fn user(message: &UserMessage<'_>, dialog: &Dialog<'_>) -> Value {
    let results: Vec<Value> = message
        .results
        .iter()
        .map(|exchange| {
            json!({
                "id": exchange.call.id.as_str(),
                "name": tool_name(&exchange.call.name),
                "status": exchange.result.status.name(),
                "text": result_text(&exchange.result, dialog.language),
            })
        })
        .collect();
    json!({"role": "user", "text": message.texts.join("\n\n"), "results": results})
}

fn model(message: &ModelMessage<'_>) -> Value {
    let calls: Vec<Value> = message
        .calls
        .iter()
        .map(|exchange| {
            json!({
                "id": exchange.call.id.as_str(),
                "name": tool_name(&exchange.call.name),
                "arguments": arguments::as_object(&exchange.call.arguments),
            })
        })
        .collect();
    json!({
        "role": "assistant",
        "text": message.text,
        "calls": calls,
        "reasoning": message.own_reasoning,
        "current": message.current,
    })
}
