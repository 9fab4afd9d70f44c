//! The error objects vendors answer with, in all their shapes.

use serde_json::Value;

/// What a vendor says about an error.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ErrorBody {
    /// Its codes, in lower case: what stands under `code`, `type` and `status`.
    codes: Vec<String>,
    message: String,
}

impl ErrorBody {
    /// Reads a body. What is not JSON is the message.
    pub(crate) fn parse(text: &str) -> Self {
        match serde_json::from_str::<Value>(text) {
            Ok(value) => Self::of(&value),
            Err(_) => Self { codes: Vec::new(), message: plain(text) },
        }
    }

    /// Reads an error object, or one with an error object under `error`, or a list of such.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Array(list) => list.first().map(Self::of).unwrap_or_default(),
            Value::String(text) => Self { codes: Vec::new(), message: text.clone() },
            Value::Object(_) => {
                let inner = match value.get("error") {
                    Some(inner) if !inner.is_null() => inner,
                    _ => value,
                };
                let mut codes = Vec::new();
                for key in ["code", "type", "status"] {
                    for place in [inner, value] {
                        match place.get(key) {
                            Some(Value::String(code)) => codes.push(code.to_lowercase()),
                            Some(Value::Number(code)) => codes.push(code.to_string()),
                            _ => {}
                        }
                    }
                }
                Self { codes, message: message_of(inner).or_else(|| message_of(value)).unwrap_or_default() }
            }
            _ => Self::default(),
        }
    }

    /// The vendor's codes, in lower case.
    pub(crate) fn codes(&self) -> impl Iterator<Item = &str> {
        self.codes.iter().map(String::as_str)
    }

    /// A code that is an HTTP status, as some vendors send inside a stream.
    pub(crate) fn status(&self) -> Option<u16> {
        self.codes.iter().filter_map(|code| code.parse().ok()).find(|status| (400..600).contains(status))
    }

    /// What the vendor says; never what the user said.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }
}

fn message_of(value: &Value) -> Option<String> {
    if let Value::String(text) = value {
        return Some(text.clone());
    }
    ["message", "msg", "detail", "error_description"].into_iter().find_map(|key| match value.get(key)? {
        Value::String(text) => Some(text.clone()),
        // FastAPI lists what is wrong; beside each `msg` stands the input itself, which is left out.
        Value::Array(list) => {
            let parts: Vec<&str> = list.iter().filter_map(|item| item.get("msg")?.as_str()).collect();
            (!parts.is_empty()).then(|| parts.join("; "))
        }
        other => message_of(other),
    })
}

/// A page of HTML says nothing to anybody; its text without the tags does.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut in_tag = false;
    for c in text.chars() {
        match c {
            '<' => in_tag = true,
            '>' if in_tag => {
                in_tag = false;
                plain.push(' ');
            }
            _ if !in_tag => plain.push(c),
            _ => {}
        }
    }
    plain.trim().to_owned()
}
