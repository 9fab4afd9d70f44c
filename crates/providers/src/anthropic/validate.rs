//! The rules of the Messages API. Written from its documents and error messages, not from our encoder: it is what the
//! encoder is tested against.

use std::collections::HashSet;

use serde_json::Value;

/// The most places that may be marked for the cache.
const CACHE_MARKS_MAX: usize = 4;

/// Checks the body of a request. The error names the message and the rule.
pub(crate) fn validate(body: &Value) -> Result<(), String> {
    let messages = list(body, "messages")?;
    let max_tokens = body.get("max_tokens").and_then(Value::as_u64).filter(|tokens| *tokens > 0);
    let max_tokens = max_tokens.ok_or("`max_tokens` is missing")?;
    for block in body.get("system").and_then(Value::as_array).into_iter().flatten() {
        text_block(block)?;
    }
    let has_tools = tools(body)?;
    let mut seen_ids = HashSet::new();
    let mut open: Vec<&str> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let wrong = |rule: String| format!("message {at}: {rule}");
        let expected = if at % 2 == 0 { "user" } else { "assistant" };
        if message.get("role").and_then(Value::as_str) != Some(expected) {
            return Err(wrong(format!("must be the {expected}'s")));
        }
        let blocks = list(message, "content").map_err(wrong)?;
        if expected == "user" {
            user(blocks, &mut open).map_err(wrong)?;
        } else {
            open = assistant(blocks, &mut seen_ids).map_err(wrong)?;
        }
    }
    if messages.len() % 2 == 0 {
        return Err("the last message is not the user's".to_owned());
    }
    if !seen_ids.is_empty() && !has_tools {
        return Err("calls, but no `tools`".to_owned());
    }
    thinking(body, messages, max_tokens)?;
    cache_marks(body)
}

fn list<'a>(holder: &'a Value, key: &str) -> Result<&'a [Value], String> {
    let list = holder.get(key).and_then(Value::as_array).filter(|list| !list.is_empty());
    list.map(Vec::as_slice).ok_or_else(|| format!("`{key}` is missing or empty"))
}

fn tools(body: &Value) -> Result<bool, String> {
    let Some(tools) = body.get("tools") else { return Ok(false) };
    let mut names = HashSet::new();
    for tool in tools.as_array().into_iter().flatten() {
        let name = text(tool, "name");
        is_token(name, 64)?;
        if !names.insert(name) {
            return Err(format!("two tools are called {name}"));
        }
        if tool.pointer("/input_schema/type").and_then(Value::as_str) != Some("object") {
            return Err(format!("the schema of {name} is not one of an object"));
        }
    }
    if names.is_empty() { Err("`tools` is there but empty".to_owned()) } else { Ok(true) }
}

fn user<'a>(blocks: &'a [Value], open: &mut Vec<&'a str>) -> Result<(), String> {
    let mut texts = 0;
    for block in blocks {
        match text(block, "type") {
            "text" => {
                text_block(block)?;
                texts += 1;
            }
            "tool_result" if texts > 0 => return Err("a result after a text".to_owned()),
            "tool_result" => {
                let id = text(block, "tool_use_id");
                let at = open.iter().position(|open| *open == id);
                open.remove(
                    at.ok_or_else(|| format!("a result for `{id}`, which was not called right before"))?,
                );
                if text(block, "content").trim().is_empty() {
                    return Err(format!("the result of {id} is empty"));
                }
            }
            other => return Err(format!("a block of the kind `{other}`")),
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("calls without results: {}", open.join(", "))) }
}

fn assistant<'a>(blocks: &'a [Value], seen_ids: &mut HashSet<&'a str>) -> Result<Vec<&'a str>, String> {
    let mut open = Vec::new();
    let mut others = 0;
    for block in blocks {
        match text(block, "type") {
            "thinking" | "redacted_thinking" if others > 0 => {
                return Err("a thought after something else".to_owned());
            }
            "thinking" if text(block, "signature").is_empty() => {
                return Err("a thought without its seal".to_owned());
            }
            "redacted_thinking" if text(block, "data").is_empty() => {
                return Err("a redacted thought without data".to_owned());
            }
            "thinking" | "redacted_thinking" => continue,
            "text" => text_block(block)?,
            "tool_use" => {
                let id = text(block, "id");
                is_token(id, usize::MAX)?;
                is_token(text(block, "name"), 200)?;
                if !seen_ids.insert(id) {
                    return Err(format!("the id {id} is used twice"));
                }
                if !block.get("input").is_some_and(Value::is_object) {
                    return Err(format!("the input of {id} is not an object"));
                }
                open.push(id);
            }
            other => return Err(format!("a block of the kind `{other}`")),
        }
        others += 1;
    }
    if others == 0 { Err("nothing but thoughts".to_owned()) } else { Ok(open) }
}

/// With a budget, each message with calls since the user last spoke must begin with a thought.
fn thinking(body: &Value, messages: &[Value], max_tokens: u64) -> Result<(), String> {
    if body.pointer("/thinking/type").and_then(Value::as_str) != Some("enabled") {
        return Ok(());
    }
    let budget = body.pointer("/thinking/budget_tokens").and_then(Value::as_u64).unwrap_or_default();
    if budget < 1_024 || budget >= max_tokens {
        return Err("the budget for thinking must be at least 1024 and below `max_tokens`".to_owned());
    }
    let kinds = |message: &Value| -> Vec<String> {
        let blocks = message.get("content").and_then(Value::as_array);
        blocks.into_iter().flatten().map(|block| text(block, "type").to_owned()).collect()
    };
    for message in messages.iter().rev() {
        let kinds = kinds(message);
        let is_user = text(message, "role") == "user";
        if is_user && !kinds.iter().any(|kind| kind == "tool_result") {
            break;
        }
        let calls = kinds.iter().any(|kind| kind == "tool_use");
        if !is_user && calls && !kinds[0].ends_with("thinking") {
            return Err("a message with calls that does not begin with a thought".to_owned());
        }
    }
    Ok(())
}

fn cache_marks(body: &Value) -> Result<(), String> {
    fn count(value: &Value) -> Result<usize, String> {
        match value {
            Value::Array(list) => list.iter().map(count).sum(),
            Value::Object(object) => {
                if !object.contains_key("cache_control") {
                    return object.values().map(count).sum();
                }
                if text(value, "type").ends_with("thinking") {
                    return Err("a thought is marked for the cache".to_owned());
                }
                Ok(1)
            }
            _ => Ok(0),
        }
    }
    let marks = count(body)?;
    if marks > CACHE_MARKS_MAX { Err(format!("{marks} places are marked for the cache")) } else { Ok(()) }
}

fn text_block(block: &Value) -> Result<(), String> {
    if text(block, "text").trim().is_empty() { Err("an empty text".to_owned()) } else { Ok(()) }
}

fn is_token(name: &str, length_max: usize) -> Result<(), String> {
    let fits = !name.is_empty()
        && name.len() <= length_max
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if fits { Ok(()) } else { Err(format!("`{name}` is no name")) }
}

fn text<'a>(holder: &'a Value, key: &str) -> &'a str {
    holder.get(key).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(messages: Value, expected: Result<(), &str>) {
        let tools = json!([{"name": "f", "input_schema": {"type": "object"}}]);
        let result = validate(&json!({"max_tokens": 10, "tools": tools, "messages": messages}));
        match expected {
            Ok(()) => assert_eq!(result, Ok(()), "{messages}"),
            Err(part) => {
                assert!(result.clone().is_err_and(|rule| rule.contains(part)), "{messages}: {result:?}")
            }
        }
    }

    fn user(blocks: Value) -> Value {
        json!({"role": "user", "content": blocks})
    }

    fn model(blocks: Value) -> Value {
        json!({"role": "assistant", "content": blocks})
    }

    fn said(text: &str) -> Value {
        json!({"type": "text", "text": text})
    }

    fn call(id: &str) -> Value {
        json!({"type": "tool_use", "id": id, "name": "f", "input": {}})
    }

    fn result(id: &str) -> Value {
        json!({"type": "tool_result", "tool_use_id": id, "content": "r"})
    }

    #[test]
    fn right_dialogs_pass() {
        check(json!([user(json!([said("u")]))]), Ok(()));
        check(
            json!([
                user(json!([said("u")])),
                model(json!([{"type": "thinking", "thinking": "", "signature": "s"}, call("a"), call("b")])),
                user(json!([result("b"), result("a"), said("more")])),
            ]),
            Ok(()),
        );
    }

    #[test]
    fn each_rule_is_kept() {
        let hello = user(json!([said("u")]));
        check(json!([]), Err("missing or empty"));
        check(json!([model(json!([said("a")]))]), Err("must be the user's"));
        check(json!([hello, hello]), Err("must be the assistant's"));
        check(json!([hello, model(json!([said("a")]))]), Err("last message"));
        check(json!([user(json!([said(" \n")]))]), Err("empty text"));
        check(json!([hello, model(json!([])), hello]), Err("missing or empty"));
        check(json!([hello, model(json!([call("a")])), hello]), Err("without results"));
        check(
            json!([hello, model(json!([call("a")])), user(json!([said("x"), result("a")]))]),
            Err("after a text"),
        );
        check(json!([hello, model(json!([said("x")])), user(json!([result("a")]))]), Err("not called"));
        check(json!([hello, model(json!([call("a"), call("a")])), user(json!([result("a")]))]), Err("twice"));
        let list = json!({"type": "tool_use", "id": "a", "name": "f", "input": []});
        check(json!([hello, model(json!([list])), user(json!([result("a")]))]), Err("not an object"));
        let thought = |seal: &str| json!({"type": "thinking", "thinking": "t", "signature": seal});
        check(json!([hello, model(json!([thought(""), said("x")])), hello]), Err("seal"));
        check(json!([hello, model(json!([said("x"), thought("s")])), hello]), Err("after something else"));
        check(json!([hello, model(json!([thought("s")])), hello]), Err("nothing but"));
    }

    #[test]
    fn rules_over_the_whole_request() {
        let hello = user(json!([said("u")]));
        let with_call = json!([hello, model(json!([call("a")])), user(json!([result("a")]))]);
        let rule = validate(&json!({"max_tokens": 10, "messages": with_call})).unwrap_err();
        assert!(rule.contains("no `tools`"), "{rule}");
        let tools = json!([{"name": "f", "input_schema": {"type": "object"}}]);
        let thinking = json!({"type": "enabled", "budget_tokens": 1024});
        let body = json!({"max_tokens": 2000, "tools": tools, "thinking": thinking, "messages": with_call});
        assert!(validate(&body).unwrap_err().contains("does not begin with a thought"));
        let marked = json!({"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}});
        let body =
            json!({"max_tokens": 10, "messages": [user(json!([marked, marked, marked, marked, marked]))]});
        assert!(validate(&body).unwrap_err().contains("5 places"));
        assert!(validate(&json!({"messages": [hello]})).unwrap_err().contains("max_tokens"));
    }
}
