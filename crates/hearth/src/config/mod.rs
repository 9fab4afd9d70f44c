//! The config: `config.toml` with variables replaced, checked, and handed to the owners of its sections. There need not
//! be a file; then everything has its default.

mod check;
mod document;
mod expand;
mod gateway;
mod problem;
mod schema;
mod schema_zh;
mod secrets;
mod set;
mod show;
mod suggest;

use std::collections::BTreeMap;
use std::path::Path;

use hearth_kernel::config::{AgentConfig, Purposes, RightsConfig};
use hearth_storage::StorageConfig;
use hearth_telemetry::TelemetryConfig;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub(crate) use document::Document;
pub(crate) use gateway::GatewayConfig;
pub(crate) use problem::{Problem, summary};
pub(crate) use schema::{chinese, definition, whole as schema};
pub(crate) use secrets::{masked, secrets};
pub(crate) use set::{check_setting, key_path, with_settings};
pub(crate) use show::{EffectiveValue, effective_values};
pub(crate) use suggest::nearest;

use crate::environment::Environment;
use crate::home::Home;
use crate::words::{Words, words};

/// The name of the built-in model, which is there without being configured.
pub(crate) const OFFLINE_SOURCE: &str = "offline";

/// A config that can be used.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// `[sources.NAME]`: the models, by name.
    pub(crate) sources: BTreeMap<String, KindSection>,
    /// `[channels.NAME]`: the networks, by name.
    pub(crate) channels: BTreeMap<String, KindSection>,
    /// `[purposes]`
    pub(crate) purposes: Purposes,
    /// `[agent]`
    pub(crate) agent: AgentConfig,
    /// `[rights]`
    pub(crate) rights: RightsConfig,
    /// `[storage]`
    pub(crate) storage: StorageConfig,
    /// `[gateway]`
    pub(crate) gateway: GatewayConfig,
    /// `[telemetry]`
    pub(crate) telemetry: TelemetryConfig,
    /// What was written, for `config show`.
    pub(crate) document: Document,
    /// The variables the config was read with, `.env` included.
    pub(crate) environment: Environment,
}

/// A section whose `kind` decides who reads the rest of it. May hold secrets, and so has no `Debug` of its values.
#[derive(Clone, PartialEq)]
pub(crate) struct KindSection {
    /// Its `kind`.
    pub(crate) kind: String,
    /// Its other keys.
    pub(crate) values: Map<String, Value>,
    /// The line it begins at.
    pub(crate) line: Option<usize>,
}

impl std::fmt::Debug for KindSection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let keys: Vec<&String> = self.values.keys().collect();
        f.debug_struct("KindSection").field("kind", &self.kind).field("keys", &keys).finish()
    }
}

/// Reads the config of a home. `process` is the environment of this process; `.env` is read here, anew each time.
pub(crate) fn load(home: &Home, process: &Environment) -> Result<Config, Vec<Problem>> {
    let as_problem = |failure: crate::failure::Failure| vec![Problem::at(None, failure.what, failure.hint)];
    let environment = process.clone().with_file(&home.dot_env()).map_err(as_problem)?;
    let text = read_text(&home.config())?;
    parse(&text, environment)
}

fn read_text(path: &Path) -> Result<String, Vec<Problem>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => Err(vec![Problem::at(
            None,
            words!("the file is not UTF-8 text", "文件不是 UTF-8 文本"),
            words!("save it as UTF-8", "请以 UTF-8 编码保存"),
        )]),
        Err(error) => {
            let failure = crate::failure::Failure::of_file(path, &error);
            Err(vec![Problem::at(None, failure.what, failure.hint)])
        }
    }
}

/// Reads the text of a config.
fn parse(text: &str, environment: Environment) -> Result<Config, Vec<Problem>> {
    of_document(Document::read(text, &environment)?, environment)
}

/// Makes a config of what was written.
fn of_document(document: Document, environment: Environment) -> Result<Config, Vec<Problem>> {
    let mut values = Value::Object(document.values.clone());
    let mut problems = check::check(&schema(), &mut values, Vec::new(), &document);
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut reader = SectionReader { values, document: &document, problems: &mut problems };
    let sources = reader.kinds("sources");
    let channels = reader.kinds("channels");
    let purposes: Purposes = reader.section("purposes");
    let agent = reader.section("agent");
    let rights = reader.section("rights");
    let storage = reader.section("storage");
    let gateway = reader.section("gateway");
    let telemetry = reader.section("telemetry");
    check_purposes(&purposes, &sources, &document, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(Config {
        sources,
        channels,
        purposes,
        agent,
        rights,
        storage,
        gateway,
        telemetry,
        document,
        environment,
    })
}

/// Hands the sections of a config to the types of their owners.
struct SectionReader<'a> {
    values: Value,
    document: &'a Document,
    problems: &'a mut Vec<Problem>,
}

impl SectionReader<'_> {
    fn section<T: DeserializeOwned + Default>(&mut self, name: &str) -> T {
        let Some(value) = self.values.get_mut(name).map(Value::take) else { return T::default() };
        serde_json::from_value(value).unwrap_or_else(|error| {
            let line = self.document.line(&[name.to_owned()]);
            let what = words!("[{name}]: {error}", "[{name}]：{error}");
            self.problems.push(Problem::at(line, what, Words::default()));
            T::default()
        })
    }

    fn kinds(&mut self, name: &str) -> BTreeMap<String, KindSection> {
        let Some(Value::Object(sections)) = self.values.get_mut(name).map(Value::take) else {
            return BTreeMap::new();
        };
        let section = |(key, value): (String, Value)| {
            let Value::Object(mut values) = value else { return None };
            let Some(Value::String(kind)) = values.remove("kind") else { return None };
            let line = self.document.line(&[name.to_owned(), key.clone()]);
            Some((key, KindSection { kind, values, line }))
        };
        sections.into_iter().filter_map(section).collect()
    }
}

/// Every source that a purpose names must exist.
fn check_purposes(
    purposes: &Purposes,
    sources: &BTreeMap<String, KindSection>,
    document: &Document,
    problems: &mut Vec<Problem>,
) {
    let known = || sources.keys().map(String::as_str).chain([OFFLINE_SOURCE]);
    for name in purposes.chat.iter().filter(|name| !known().any(|known| known == name.as_str())) {
        let list = known().collect::<Vec<_>>().join(", ");
        let hint = match nearest(name, known()) {
            Some(right) => {
                words!("did you mean \"{right}\"? There are: {list}", "是不是 \"{right}\"？现有：{list}")
            }
            None => words!(
                "add [sources.{name}], or use one of: {list}",
                "请添加 [sources.{name}]，或改用：{list}"
            ),
        };
        problems.push(Problem::at(
            document.line(&["purposes".to_owned(), "chat".to_owned()]),
            words!(
                "`purposes.chat` names the source \"{name}\", which is not there",
                "`purposes.chat` 中的源 \"{name}\" 不存在"
            ),
            hint,
        ));
    }
}

#[cfg(test)]
mod tests;
