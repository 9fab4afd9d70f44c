//! The rules of chat completions, as the strictest of the vendors have them. Written from their documents and error
//! messages, not from our encoder: it is what the encoder is tested against.

use std::collections::HashSet;

use serde_json::Value;

/// Checks the body of a request. The error names the message and the rule.
pub(crate) fn validate(body: &Value) -> Result<(), String> {
    let messages = body.get("messages").and_then(Value::as_array).ok_or("`messages` is missing")?;
    tools(body)?;
    let mut state = State::default();
    for (at, message) in messages.iter().enumerate() {
        state.message(at, message).map_err(|rule| format!("message {at}: {rule}"))?;
    }
    state.nothing_open()?;
    match state.last {
        Last::User | Last::Tool => Ok(()),
        Last::Nothing | Last::System | Last::Assistant => {
            Err("the last message is not the user's side".to_owned())
        }
    }
}

fn tools(body: &Value) -> Result<(), String> {
    let Some(tools) = body.get("tools") else { return Ok(()) };
    let tools = tools.as_array().filter(|tools| !tools.is_empty()).ok_or("`tools` is there but empty")?;
    let mut names = HashSet::new();
    for tool in tools {
        let name = tool.pointer("/function/name").and_then(Value::as_str).unwrap_or_default();
        is_name(name)?;
        if !names.insert(name) {
            return Err(format!("two tools are called {name}"));
        }
        if !tool.pointer("/function/parameters").is_some_and(Value::is_object) {
            return Err(format!("the parameters of {name} are not a schema"));
        }
    }
    Ok(())
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Last {
    #[default]
    Nothing,
    System,
    User,
    Assistant,
    Tool,
}

#[derive(Default)]
struct State {
    last: Last,
    /// Calls that have no result yet, in order.
    open: Vec<String>,
    seen_ids: HashSet<String>,
}

impl State {
    fn nothing_open(&self) -> Result<(), String> {
        if self.open.is_empty() {
            Ok(())
        } else {
            Err(format!("calls without results: {}", self.open.join(", ")))
        }
    }

    fn message(&mut self, at: usize, message: &Value) -> Result<(), String> {
        let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
        let content = message.get("content").and_then(Value::as_str);
        if role != "tool" {
            self.nothing_open()?;
        }
        if role != "assistant" && content.is_none_or(|text| text.trim().is_empty()) {
            return Err(format!("{role} without content"));
        }
        self.last = match (role, self.last) {
            ("system", Last::Nothing) if at == 0 => Last::System,
            ("user", Last::Nothing | Last::System | Last::Assistant | Last::Tool) => Last::User,
            ("assistant", Last::User | Last::Tool) => {
                self.assistant(message, content)?;
                Last::Assistant
            }
            ("tool", Last::Assistant | Last::Tool) => {
                self.result(message)?;
                Last::Tool
            }
            _ => return Err(format!("`{role}` cannot stand here")),
        };
        Ok(())
    }

    fn assistant(&mut self, message: &Value, content: Option<&str>) -> Result<(), String> {
        let calls = match message.get("tool_calls") {
            None => &Vec::new(),
            Some(calls) => {
                calls.as_array().filter(|calls| !calls.is_empty()).ok_or("`tool_calls` is empty")?
            }
        };
        if calls.is_empty() && content.is_none_or(|text| text.trim().is_empty()) {
            return Err("neither text nor calls".to_owned());
        }
        let thoughts = message.get("reasoning_content");
        if thoughts.is_some_and(|thoughts| !thoughts.is_string() || calls.is_empty()) {
            return Err("thoughts belong to messages with calls".to_owned());
        }
        for call in calls {
            self.call(call)?;
        }
        Ok(())
    }

    fn call(&mut self, call: &Value) -> Result<(), String> {
        let text = |pointer: &str| call.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let id = text("/id");
        if id.is_empty() || id.len() > 40 {
            return Err(format!("`{id}` is no id of a call"));
        }
        if !self.seen_ids.insert(id.to_owned()) {
            return Err(format!("the id {id} is used twice"));
        }
        if text("/type") != "function" {
            return Err("a call that is no function".to_owned());
        }
        is_name(text("/function/name"))?;
        let arguments = text("/function/arguments");
        if !serde_json::from_str::<Value>(arguments).is_ok_and(|value| value.is_object()) {
            return Err(format!("the arguments of {id} are not an object"));
        }
        self.open.push(id.to_owned());
        Ok(())
    }

    fn result(&mut self, message: &Value) -> Result<(), String> {
        let id = message.get("tool_call_id").and_then(Value::as_str).unwrap_or_default();
        let at = self.open.iter().position(|open| open == id);
        let at = at.ok_or_else(|| format!("a result for `{id}`, which nobody called"))?;
        self.open.remove(at);
        Ok(())
    }
}

fn is_name(name: &str) -> Result<(), String> {
    let fits = (1..=64).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if fits { Ok(()) } else { Err(format!("`{name}` is no name of a function")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(messages: Value, expected: Result<(), &str>) {
        let result = validate(&json!({"messages": messages}));
        match expected {
            Ok(()) => assert_eq!(result, Ok(()), "{messages}"),
            Err(part) => {
                assert!(result.clone().is_err_and(|rule| rule.contains(part)), "{messages}: {result:?}")
            }
        }
    }

    fn call(id: &str, arguments: &str) -> Value {
        json!({"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}})
    }

    #[test]
    fn right_dialogs_pass() {
        check(json!([{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]), Ok(()));
        check(
            json!([
                {"role": "user", "content": "u"},
                {"role": "assistant", "content": "", "tool_calls": [call("a", "{}"), call("b", "{}")]},
                {"role": "tool", "tool_call_id": "b", "content": "r"},
                {"role": "tool", "tool_call_id": "a", "content": "r"},
                {"role": "user", "content": "more"},
            ]),
            Ok(()),
        );
    }

    #[test]
    fn each_rule_is_kept() {
        let user = json!({"role": "user", "content": "u"});
        check(json!([]), Err("last message"));
        check(json!([{"role": "assistant", "content": "a"}]), Err("cannot stand"));
        check(json!([user, user]), Err("cannot stand"));
        check(json!([user, {"role": "assistant", "content": "a"}]), Err("last message"));
        check(json!([user, {"role": "system", "content": "late"}]), Err("cannot stand"));
        check(json!([{"role": "user", "content": " "}]), Err("without content"));
        check(json!([user, {"role": "assistant", "content": ""}, user]), Err("neither"));
        let calls = |list: Value| json!({"role": "assistant", "content": "", "tool_calls": list});
        let result = json!({"role": "tool", "tool_call_id": "a", "content": "r"});
        check(json!([user, calls(json!([call("a", "{}")])), user]), Err("without results"));
        check(json!([user, calls(json!([call("a", "{}")]))]), Err("without results"));
        check(json!([user, calls(json!([call("a", "[]")])), result]), Err("not an object"));
        check(json!([user, calls(json!([])), user]), Err("empty"));
        check(json!([user, result]), Err("cannot stand"));
        check(json!([user, calls(json!([call("a", "{}")])), result, result]), Err("nobody called"));
        check(json!([user, calls(json!([call("a", "{}"), call("a", "{}")])), result]), Err("twice"));
        let tool = json!({"type": "function", "function": {"name": "bad name", "parameters": {}}});
        assert!(validate(&json!({"messages": [user], "tools": [tool]})).is_err());
        assert!(validate(&json!({"messages": [user], "tools": []})).is_err());
    }
}
