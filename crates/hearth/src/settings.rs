//! The settings registry: every key of the config, what it means and what holds; set in the ledger, over the file.

use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::clock::Clock;
use hearth_contract::language::Language;
use hearth_contract::setting::{Setting, SettingChanges, SettingError, SettingRegistry};
use hearth_contract::store::{SettingChange, SettingRecord, StoreError, Stores};
use serde_json::Value;
use tokio::sync::Notify;

use crate::adapters;
use crate::command::Context;
use crate::config::{self, Config, Problem};
use crate::words::{Words, words};

/// Whose settings these are in the ledger.
const OWNER: &str = "config";
/// How many settings there may be.
const SETTINGS_MAX: usize = 1000;
/// How long the JSON of a value may be, in bytes.
const VALUE_BYTES_MAX: usize = 16 * 1024;

/// The config with what is set in the ledger laid over it. What no longer fits is reported and left out.
pub(crate) async fn laid_over(config: &Config, stores: &Stores) -> Result<Config, StoreError> {
    let records = stores.settings.of_owner(OWNER).await?;
    let (config, refused) = config::with_settings(config, &records);
    for (key, problem) in refused {
        tracing::warn!("the setting {key} is left out: {}", problem.what.en);
    }
    Ok(config)
}

/// The settings of a home.
#[derive(Debug)]
pub(crate) struct Settings {
    context: Context,
    stores: Stores,
    clock: Arc<dyn Clock>,
    changed: Notify,
}

impl Settings {
    /// The settings in a ledger.
    pub(crate) fn new(context: &Context, stores: Stores, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { context: context.clone(), stores, clock, changed: Notify::new() })
    }

    /// Returns when one was changed.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    fn of_file(&self, language: Language) -> Result<Config, SettingError> {
        config::load(&self.context.home, &self.context.environment)
            .map_err(|problems| invalid(problems, language))
    }

    async fn write(&self, change: SettingChange) -> Result<(), SettingError> {
        self.stores.ledger.commit(vec![change.into()]).await?;
        self.changed.notify_one();
        Ok(())
    }
}

#[async_trait]
impl SettingRegistry for Settings {
    async fn list(&self, language: Language) -> Result<Vec<Setting>, SettingError> {
        let config = laid_over(&self.of_file(language)?, &self.stores).await?;
        let (schema, values) = (config::schema(), Value::Object(config.document.values.clone()));
        let setting = |held: config::EffectiveValue| {
            let path = config::key_path(&held.key);
            let definition = config::definition(&schema, &values, &path).unwrap_or(&Value::Null);
            let description = definition["description"].as_str().unwrap_or_default();
            let changes = match config::check_setting(&held.key, &Value::Null) {
                Ok(()) => SettingChanges::AtRunTime,
                Err(_) => SettingChanges::InFileOnly,
            };
            Setting {
                kind: kind(definition, &held.value),
                choices: choices(definition),
                default: definition.get("default").cloned().unwrap_or_default(),
                description: language.pick(description, config::chinese(description)).to_owned(),
                key: held.key,
                value: held.value,
                from: held.from,
                changes,
            }
        };
        Ok(config::effective_values(&config).into_iter().map(setting).collect())
    }

    async fn set(&self, key: &str, value: Value, language: Language) -> Result<(), SettingError> {
        let refuse = |problem| invalid(vec![problem], language);
        let length = value.to_string().len();
        if length > VALUE_BYTES_MAX {
            return Err(refuse(Problem::at(
                None,
                words!("the value of `{key}` has {length} bytes", "`{key}` 的值有 {length} 字节"),
                words!("at most {VALUE_BYTES_MAX} are kept", "最多保存 {VALUE_BYTES_MAX} 字节"),
            )));
        }
        let mut records = self.stores.settings.of_owner(OWNER).await?;
        records.retain(|record| record.name != key);
        if records.len() >= SETTINGS_MAX {
            return Err(refuse(Problem::at(
                None,
                words!("there are {SETTINGS_MAX} settings already", "设置已有 {SETTINGS_MAX} 项"),
                words!("take some back: hearth config unset KEY", "请撤回一些：hearth config unset KEY"),
            )));
        }
        let record = SettingRecord {
            owner: OWNER.to_owned(),
            name: key.to_owned(),
            value: as_json(value, &self.of_file(language)?, key),
            set_at: self.clock.now(),
        };
        let (held, _) = config::with_settings(&self.of_file(language)?, &records);
        let (held, refused) = config::with_settings(&held, std::slice::from_ref(&record));
        if let Some((_, problem)) = refused.into_iter().next() {
            return Err(refuse(problem));
        }
        adapters::check(&held, &self.context.home).map_err(|problems| invalid(problems, language))?;
        self.write(SettingChange::Put(record)).await
    }

    async fn unset(&self, key: &str, language: Language) -> Result<(), SettingError> {
        if self.stores.settings.get(OWNER, key).await?.is_none() {
            let problem = Problem::at(
                None,
                words!("`{key}` is not set while Hearth runs", "`{key}` 没有在运行时设置过"),
                words!(
                    "hearth config show tells where each value comes from",
                    "hearth config show 会显示每个值来自哪里"
                ),
            );
            return Err(invalid(vec![problem], language));
        }
        self.write(SettingChange::Remove { owner: OWNER.to_owned(), name: key.to_owned() }).await
    }
}

/// A command line has only texts: where the key takes no text, what was written is JSON.
fn as_json(value: Value, config: &Config, key: &str) -> Value {
    let (schema, values) = (config::schema(), Value::Object(config.document.values.clone()));
    let definition = config::definition(&schema, &values, &config::key_path(key));
    let takes_text = |definition: &Value| {
        ["string", ""].contains(&kind(definition, &Value::Null).as_str()) || !choices(definition).is_empty()
    };
    match value {
        Value::String(text) if !definition.is_some_and(takes_text) => {
            serde_json::from_str(&text).unwrap_or(Value::String(text))
        }
        value => value,
    }
}

/// The name of the type; that of the value where the schema names none.
fn kind(definition: &Value, value: &Value) -> String {
    let named = match &definition["type"] {
        Value::String(name) => Some(name.as_str()),
        Value::Array(names) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        _ => None,
    };
    let of_value = match value {
        Value::Null => "",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    named.unwrap_or(of_value).to_owned()
}

fn choices(definition: &Value) -> Vec<Value> {
    let branches = definition["oneOf"].as_array().into_iter().flatten();
    let listed = definition["enum"].as_array().into_iter().flatten().cloned();
    branches.filter_map(|branch| branch.get("const").cloned()).chain(listed).collect()
}

fn invalid(problems: Vec<Problem>, language: Language) -> SettingError {
    let Some(first) = problems.into_iter().next() else {
        return SettingError::Invalid { what: String::new(), hint: String::new() };
    };
    let what = match first.line {
        Some(line) => {
            let Words { en, zh } = first.what;
            words!("config.toml line {line}: {en}", "config.toml 第 {line} 行：{zh}")
        }
        None => first.what,
    };
    SettingError::Invalid {
        what: what.in_language(language).to_owned(),
        hint: first.hint.in_language(language).to_owned(),
    }
}
