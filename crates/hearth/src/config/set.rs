//! Lays what was set while Hearth ran over the config file.

use hearth_contract::store::SettingRecord;
use serde_json::Value;

use super::document::KeyPath;
use super::problem::Problem;
use super::secrets::is_secret_key;
use super::{Config, of_document};
use crate::words::{Words, words};

/// Sections that only the file decides: what is set lies in what they name.
const IN_FILE_ONLY: &[&str] = &["storage"];

/// The names of a key, from the top of the config down.
pub(crate) fn key_path(key: &str) -> KeyPath {
    key.split('.').map(str::to_owned).collect()
}

/// Whether a key may be set while Hearth runs, and whether the value may be kept in the ledger.
pub(crate) fn check_setting(key: &str, value: &Value) -> Result<(), Problem> {
    let path = key_path(key);
    if path.iter().any(String::is_empty) || path.len() < 2 {
        return Err(Problem::at(
            None,
            words!("`{key}` is no setting", "`{key}` 不是设置项"),
            words!(
                "write section.key, such as agent.tool_rounds_max; hearth config show lists them",
                "请写“节.键”，例如 agent.tool_rounds_max；hearth config show 会列出全部"
            ),
        ));
    }
    if let Some(section) = IN_FILE_ONLY.iter().find(|section| path[0] == **section) {
        return Err(Problem::at(
            None,
            words!("[{section}] is set in config.toml only", "[{section}] 只能写在 config.toml 中"),
            words!("change it there", "请在那里修改"),
        ));
    }
    match clear_secret(path.last().map_or("", String::as_str), value) {
        None => Ok(()),
        Some(name) => Err(Problem::at(
            None,
            words!("`{name}` is a secret, which is never kept in clear", "`{name}` 是密钥，不以明文保存"),
            words!(
                "write it into .env in the home folder and name it here: ${{NAME}}",
                "请写进主目录的 .env，在这里写它的名字：${{NAME}}"
            ),
        )),
    }
}

/// The name of a secret in a value that does not merely name a variable.
fn clear_secret(name: &str, value: &Value) -> Option<String> {
    match value {
        Value::String(text) if is_secret_key(name) && !text.is_empty() && !text.contains("${") => {
            Some(name.to_owned())
        }
        Value::Array(items) => items.iter().find_map(|item| clear_secret(name, item)),
        Value::Object(object) => object.iter().find_map(|(key, value)| clear_secret(key, value)),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// A config with what was set laid over it, and what no longer fits: a setting from before a change of the file or of
/// Hearth must not keep it from starting.
pub(crate) fn with_settings(config: &Config, settings: &[SettingRecord]) -> (Config, Vec<(String, Problem)>) {
    let mut held = config.clone();
    let mut refused = Vec::new();
    for setting in settings {
        match with_setting(&held, &setting.name, &setting.value) {
            Ok(config) => held = config,
            Err(problem) => refused.push((setting.name.clone(), problem)),
        }
    }
    (held, refused)
}

fn with_setting(config: &Config, key: &str, value: &Value) -> Result<Config, Problem> {
    check_setting(key, value)?;
    let mut document = config.document.clone();
    document.set(&key_path(key), value, &config.environment)?;
    of_document(document, config.environment.clone())
        .map_err(|problems| problems.into_iter().next().unwrap_or_else(|| unexplained(key)))
}

fn unexplained(key: &str) -> Problem {
    Problem::at(None, words!("`{key}` cannot be set", "`{key}` 无法设置"), Words::default())
}
