//! The concrete adapters that the config names, built without using the network.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use hearth_channels::ChannelSection;
use hearth_contract::channel::Channel;
use hearth_contract::clock::{Clock, SystemClock};
use hearth_contract::provider::Provider;
use hearth_kernel::TASK_CHANNEL;
use hearth_net::{Http, HttpSettings};
use hearth_providers::SourceSection;
use hearth_telemetry::Observer;

use crate::config::{Config, KindSection, Problem};
use crate::home::Home;
use crate::words::{Words, words};

/// The channel of our own clients, which is there without being configured.
pub(crate) const OWN_CHANNEL: &str = "cli";

/// What the adapters share. Cloning gives another handle of the same connections.
#[derive(Debug, Clone)]
pub(crate) struct Shared {
    /// Where the files lie that the config names.
    pub(crate) home: PathBuf,
    /// HTTP for endpoints that the config names.
    pub(crate) http: Http,
    /// What time it is.
    pub(crate) clock: Arc<dyn Clock>,
}

impl Shared {
    /// Sets it up; opens no connection.
    pub(crate) fn new(home: &Home) -> Result<Self, Vec<Problem>> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        match Http::new(&HttpSettings::default(), clock.clone()) {
            Ok(http) => Ok(Self { home: home.root().to_owned(), http, clock }),
            Err(error) => Err(vec![problem(None, error.to_string())]),
        }
    }
}

/// The configured models, by name.
pub(crate) fn sources(config: &Config, shared: &Shared) -> Result<Vec<Arc<dyn Provider>>, Vec<Problem>> {
    all(&config.sources, |name, section| source(name, section, shared))
}

/// The configured channels, by name.
pub(crate) fn channels(config: &Config, shared: &Shared) -> Result<Vec<Arc<dyn Channel>>, Vec<Problem>> {
    all(&config.channels, |name, section| channel(name, section, shared))
}

/// Builds everything the config names and drops it again: what is wrong is found now rather than at the start.
pub(crate) fn check(config: &Config, home: &Home) -> Result<(), Vec<Problem>> {
    let shared = Shared::new(home)?;
    let failed = [
        sources(config, &shared).err(),
        channels(config, &shared).err(),
        observer(config).err().map(|problem| vec![problem]),
    ];
    let problems: Vec<Problem> = failed.into_iter().flatten().flatten().collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Who sends traces, if the config wants them.
pub(crate) fn observer(config: &Config) -> Result<Option<Observer>, Problem> {
    let line = config.document.line(&["telemetry".to_owned()]);
    Observer::of(&config.telemetry).map_err(|error| problem(line, error.to_string()))
}

/// The models there are: the configured ones, or with none, what the environment and this machine offer.
pub(crate) async fn found_sources(config: &Config, shared: &Shared) -> BTreeMap<String, KindSection> {
    if !config.sources.is_empty() {
        return config.sources.clone();
    }
    let variable = |name: &str| config.environment.filled(name).map(str::to_owned);
    let section = |found: hearth_providers::DetectedSource| {
        let section = KindSection { kind: found.kind.to_owned(), values: found.section.values, line: None };
        (found.section.name, section)
    };
    hearth_providers::detect(&variable, &shared.http).await.into_iter().map(section).collect()
}

/// One configured model.
pub(crate) fn source(
    name: &str,
    section: &KindSection,
    shared: &Shared,
) -> Result<Arc<dyn Provider>, Problem> {
    let entry = hearth_providers::find(&section.kind).ok_or_else(|| no_kind("sources", name, section))?;
    let values = SourceSection { name: name.to_owned(), values: section.values.clone() };
    let deps = hearth_providers::Deps {
        home: shared.home.clone(),
        http: shared.http.clone(),
        clock: shared.clock.clone(),
    };
    (entry.build)(values, &deps).map_err(|error| problem(section.line, error.to_string()))
}

fn channel(name: &str, section: &KindSection, shared: &Shared) -> Result<Arc<dyn Channel>, Problem> {
    if [OWN_CHANNEL, TASK_CHANNEL].contains(&name) {
        return Err(Problem::at(
            section.line,
            words!(
                "[channels.{name}]: this name belongs to Hearth itself",
                "[channels.{name}]：这个名称属于 Hearth 自己"
            ),
            words!("give the channel another name", "请给通道换一个名称"),
        ));
    }
    let entry = hearth_channels::find(&section.kind).ok_or_else(|| no_kind("channels", name, section))?;
    let values = ChannelSection { name: name.to_owned(), values: section.values.clone() };
    let deps = hearth_channels::Deps { http: shared.http.clone(), clock: shared.clock.clone() };
    (entry.build)(values, &deps).map_err(|error| problem(section.line, error.to_string()))
}

/// Every section built, or everything that is wrong.
fn all<T>(
    sections: &BTreeMap<String, KindSection>,
    build: impl Fn(&str, &KindSection) -> Result<T, Problem>,
) -> Result<Vec<T>, Vec<Problem>> {
    let (mut built, mut problems) = (Vec::new(), Vec::new());
    for (name, section) in sections {
        match build(name, section) {
            Ok(adapter) => built.push(adapter),
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok(built) } else { Err(problems) }
}

fn no_kind(table: &str, name: &str, section: &KindSection) -> Problem {
    problem(section.line, format!("[{table}.{name}]: there is no kind `{}`", section.kind))
}

fn problem(line: Option<usize>, what: String) -> Problem {
    Problem::at(line, Words::same(what), Words::default())
}
