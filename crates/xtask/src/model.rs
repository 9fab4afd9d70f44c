//! A scripted model behind the OpenAI-compatible wire. What a message says is what it does:
//! `say TOKEN`, `shell TOKEN`, `append TOKEN`, `remember TOKEN`, `timer TOKEN`, `also TOKEN` (sends a message beside the
//! answer), anything else is answered at once. Each answer names every token it has seen and not answered yet.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// Calls of one answer; the kernel refuses many more.
const CALLS_PER_ROUND_MAX: usize = 8;

/// What the model says next.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Next {
    Text(String),
    Calls(Vec<(String, Value)>),
}

/// The next answer to a request.
pub(crate) fn next(request: &Value) -> Next {
    let messages = request["messages"].as_array().cloned().unwrap_or_default();
    let said: String = of_role(&messages, "assistant").map(text_of).collect::<Vec<_>>().join("\n");
    let answered: BTreeSet<&str> = tokens(&said).collect();
    let asked: Vec<String> = of_role(&messages, "user").map(text_of).collect();
    if let Some(due) = asked.last().and_then(|text| text.split("[timer due] due ").nth(1)) {
        return Next::Text(format!("due {}", tokens(due).next().unwrap_or_default()));
    }
    let open: Vec<(&str, &str)> =
        asked.iter().flat_map(|text| orders(text)).filter(|(_, token)| !answered.contains(token)).collect();
    let called: BTreeSet<String> = of_role(&messages, "assistant")
        .flat_map(|message| message["tool_calls"].as_array().cloned().unwrap_or_default())
        .map(|call| call["function"]["arguments"].as_str().unwrap_or_default().to_owned())
        .collect();
    let was_called = |token: &str| called.iter().any(|arguments| tokens(arguments).any(|one| one == token));
    let to_call = open.iter().filter(|(_, token)| !was_called(token));
    let calls: Vec<(String, Value)> =
        to_call.filter_map(|(verb, token)| call(verb, token)).take(CALLS_PER_ROUND_MAX).collect();
    let has_tools = request["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    if has_tools && !calls.is_empty() {
        return Next::Calls(calls);
    }
    let unknown = of_role(&messages, "tool").filter(|message| is_unknown(&text_of(message))).count();
    let names: Vec<&str> = open.iter().map(|(_, token)| *token).collect();
    Next::Text(format!("re: {} (unknown outcomes: {unknown})", names.join(" ")))
}

fn is_unknown(text: &str) -> bool {
    text.contains("utcome unknown") || text.contains("结果未知")
}

fn call(verb: &str, token: &str) -> Option<(String, Value)> {
    let (tool, arguments) = match verb {
        "shell" => ("run_shell", json!({ "command": format!("echo {token} >> shell.txt") })),
        "append" => {
            ("write_file", json!({ "path": "append.txt", "content": format!("{token}\n"), "mode": "append" }))
        }
        "remember" => ("memory_store", json!({ "text": format!("the word is {token}") })),
        "timer" => ("timer_set", json!({ "text": format!("due {token}"), "in_seconds": 1 })),
        "also" => ("output_send", json!({ "text": format!("also {token}") })),
        _ => return None,
    };
    Some((tool.to_owned(), arguments))
}

/// What a message can order.
pub(crate) const VERBS: &[&str] = &["say", "shell", "append", "remember", "timer", "also"];

/// `VERB TOKEN` pairs of a text. Tokens elsewhere (in what was remembered) are no orders.
fn orders(text: &str) -> Vec<(&str, &str)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_order = |pair: &&[&str]| VERBS.contains(&pair[0]) && is_token(pair[1]);
    words.windows(2).filter(is_order).map(|pair| (pair[0], pair[1])).collect()
}

/// Words such as `m12x` and `t3x`: a letter, digits, an `x`, so that none is the beginning of another.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| is_token(word))
}

fn is_token(word: &str) -> bool {
    let digits = word.strip_prefix('m').and_then(|rest| rest.strip_suffix('x'));
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn of_role<'a>(messages: &'a [Value], role: &'a str) -> impl Iterator<Item = &'a Value> {
    messages.iter().filter(move |message| message["role"] == role)
}

fn text_of(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// The answer as the pieces of a stream.
pub(crate) fn stream(next: &Next) -> Vec<String> {
    let chunk = |delta: Value, finish: Option<&str>| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
        json!({ "id": "c", "object": "chat.completion.chunk", "created": 0, "model": "script", "choices": [choice] })
    };
    let mut chunks = vec![chunk(json!({ "role": "assistant", "content": "" }), None)];
    match next {
        Next::Text(text) => {
            for piece in text.split_inclusive(' ') {
                chunks.push(chunk(json!({ "content": piece }), None));
            }
            chunks.push(chunk(json!({}), Some("stop")));
        }
        Next::Calls(calls) => {
            for (index, (name, arguments)) in calls.iter().enumerate() {
                let function = json!({ "name": name, "arguments": arguments.to_string() });
                let call = json!({ "index": index, "id": format!("v{index}"), "type": "function", "function": function });
                chunks.push(chunk(json!({ "tool_calls": [call] }), None));
            }
            chunks.push(chunk(json!({}), Some("tool_calls")));
        }
    }
    let usage = json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 });
    chunks.push(json!({ "id": "c", "object": "chat.completion.chunk", "created": 0, "model": "script", "choices": [], "usage": usage }));
    chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).chain(["data: [DONE]\n\n".to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(messages: Value) -> Value {
        json!({ "messages": messages, "tools": [{}] })
    }

    #[test]
    fn an_order_is_called_once_and_answered_by_its_token() {
        let asked = json!([{ "role": "user", "content": "shell m1x" }]);
        let Next::Calls(calls) = next(&request(asked)) else { panic!("no call") };
        assert_eq!(calls[0].0, "run_shell");
        let called = json!([
            { "role": "user", "content": "shell m1x" },
            { "role": "assistant", "tool_calls": [{ "function": { "name": "run_shell", "arguments": calls[0].1.to_string() } }] },
            { "role": "tool", "content": "done" },
            { "role": "user", "content": "say m2x" },
        ]);
        assert_eq!(next(&request(called)), Next::Text("re: m1x m2x (unknown outcomes: 0)".into()));
    }

    #[test]
    fn what_was_answered_is_not_answered_again() {
        let talk = json!([
            { "role": "user", "content": "say m1x" },
            { "role": "assistant", "content": "re: m1x (unknown outcomes: 0)" },
            { "role": "user", "content": "say m12x" },
        ]);
        assert_eq!(next(&request(talk)), Next::Text("re: m12x (unknown outcomes: 0)".into()));
    }
}
