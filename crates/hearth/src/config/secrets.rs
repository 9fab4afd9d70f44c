//! Which config values are secrets: they are never printed, and what is logged is cleaned of them.

use serde_json::Value;

use super::document::Document;

/// What is shown in place of a secret.
const MASK: &str = "***";

/// Words in the name of a key whose text is a secret.
const SECRET_WORDS: &[&str] = &["key", "token", "secret", "password", "authorization", "cookie"];

/// Whether the text under a key of this name is a secret.
pub(super) fn is_secret_key(name: &str) -> bool {
    let name = name.to_lowercase();
    name.split(['_', '-']).any(|word| SECRET_WORDS.iter().any(|secret| word.ends_with(secret)))
}

/// The value as it may be shown: texts under secret names, and passwords inside addresses, are masked.
pub(crate) fn masked(name: &str, value: &Value) -> Value {
    match value {
        Value::String(text) if text.is_empty() => value.clone(),
        Value::String(_) if is_secret_key(name) => Value::String(MASK.into()),
        Value::String(text) => match password_in(text) {
            Some(password) => Value::String(text.replacen(&format!(":{password}@"), &format!(":{MASK}@"), 1)),
            None => value.clone(),
        },
        Value::Array(items) => Value::Array(items.iter().map(|item| masked(name, item)).collect()),
        Value::Object(object) => {
            Value::Object(object.iter().map(|(key, value)| (key.clone(), masked(key, value))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// The password of an address like `postgres://user:password@host`.
fn password_in(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("://")?;
    let authority = &rest[..rest.find(['/', '?']).unwrap_or(rest.len())];
    let (user_info, _) = authority.rsplit_once('@')?;
    let (_, password) = user_info.split_once(':')?;
    (!password.is_empty()).then_some(password)
}

/// Every secret text of a config.
pub(crate) fn secrets(document: &Document) -> Vec<String> {
    let mut found = Vec::new();
    collect("", &Value::Object(document.values.clone()), &mut found);
    found
}

fn collect(name: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if !text.is_empty() && is_secret_key(name) => found.push(text.clone()),
        Value::String(text) => found.extend(password_in(text).map(str::to_owned)),
        Value::Array(items) => items.iter().for_each(|item| collect(name, item, found)),
        Value::Object(object) => object.iter().for_each(|(key, value)| collect(key, value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_are_masked_and_the_rest_is_not() {
        for (name, value, shown) in [
            ("api_key", json!("sk-1"), json!("***")),
            ("access_token", json!("t"), json!("***")),
            ("api_key", json!(""), json!("")),
            ("headers", json!({"X-Api-Key": "k", "Accept": "a"}), json!({"X-Api-Key": "***", "Accept": "a"})),
            ("url", json!("postgres://me:pw@host/db"), json!("postgres://me:***@host/db")),
            ("url", json!("http://host:80/a@b"), json!("http://host:80/a@b")),
            ("turn_tokens_max", json!(5), json!(5)),
            ("model", json!("m"), json!("m")),
        ] {
            assert_eq!(masked(name, &value), shown, "{name}");
        }
    }
}
