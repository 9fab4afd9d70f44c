//! `hearth config check|schema|show|set|unset`.

use clap::Subcommand;
use hearth_protocol::{Call, Setting};
use serde_json::{Value, json};

use super::Context;
use crate::adapters;
use crate::ask::{self, ask, read};
use crate::config::{self, Config, Problem};
use crate::failure::{Exit, Failure, Outcome};
use crate::output::{self, Format, Table};
use crate::words::{Words, words};

/// How wide the description of a key may be in the table, in columns.
const DESCRIPTION_WIDTH_MAX: usize = 60;

/// What to do with the config.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Find everything that is wrong with the config, without using the network
    Check,
    /// Print the JSON schema of the config
    Schema,
    /// Print every value that holds, and where it comes from; secrets are masked
    Show {
        /// Only keys that begin so
        key: Option<String>,
    },
    /// Set a value over the file, also while the daemon runs
    Set {
        /// The key, with dots: agent.tool_rounds_max
        key: String,
        /// The value; lists and tables as JSON
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Take back what was set: the file's value holds again, or the default
    Unset {
        /// The key, with dots
        key: String,
    },
}

pub(super) async fn run(action: Action, context: &Context) -> Outcome {
    match action {
        Action::Check => check(context),
        Action::Schema => output::line(&format!("{:#}", config::schema())).map(|()| Exit::Done),
        Action::Show { key } => show(context, key.as_deref().unwrap_or_default()).await,
        Action::Set { key, value } => {
            let language = ask::language(context);
            let call = Call::SettingSet { key: key.clone(), value: Value::String(value), language };
            change(context, call, words!("set: {key}", "已设置：{key}")).await
        }
        Action::Unset { key } => {
            let call = Call::SettingUnset { key: key.clone(), language: ask::language(context) };
            change(context, call, words!("taken back: {key}", "已撤回：{key}")).await
        }
    }
}

async fn change(context: &Context, call: Call, done: Words) -> Outcome {
    let value = ask(context, call).await?;
    match context.format {
        Format::Json => output::json(&value)?,
        Format::Text => output::line(done.in_language(context.language))?,
    }
    Ok(Exit::Done)
}

/// Everything that is wrong with the config of a home, adapters included.
pub(super) fn problems(context: &Context) -> Result<Config, Vec<Problem>> {
    let config = config::load(&context.home, &context.environment)?;
    adapters::check(&config, &context.home)?;
    Ok(config)
}

fn check(context: &Context) -> Outcome {
    let path = context.home.config();
    let found = match problems(context) {
        Ok(_) => Vec::new(),
        Err(problems) => problems,
    };
    if context.format == Format::Json {
        let language = context.language;
        let list: Vec<_> = found
            .iter()
            .map(|problem| {
                json!({
                    "line": problem.line,
                    "what": problem.what.in_language(language),
                    "hint": problem.hint.in_language(language),
                })
            })
            .collect();
        output::json(&json!({ "file": path, "ok": found.is_empty(), "problems": list }))?;
    } else if found.is_empty() {
        let shown = path.display();
        let text = match path.exists() {
            true => context.language.pick(format!("{shown} is fine"), format!("{shown} 没有问题")),
            false => context.language.pick(
                format!("{shown} does not exist: everything has its default"),
                format!("{shown} 不存在：全部使用默认值"),
            ),
        };
        output::line(&text)?;
    }
    if found.is_empty() {
        return Ok(Exit::Done);
    }
    if context.format == Format::Text {
        for problem in found {
            output::failure(&problem.into_failure(&path), context.language);
        }
    }
    Ok(Exit::Failed)
}

async fn show(context: &Context, beginning: &str) -> Outcome {
    let value = ask(context, Call::SettingList { language: ask::language(context) }).await?;
    let mut settings = read::<Vec<Setting>>(&value)?;
    settings.retain(|setting| setting.key.starts_with(beginning));
    if settings.is_empty() {
        return Err(Failure::new(
            words!("no key begins with \"{beginning}\"", "没有以 \"{beginning}\" 开头的键"),
            words!("hearth config show lists all", "hearth config show 会列出全部"),
        ));
    }
    if context.format == Format::Json {
        output::json(&settings)?;
        return Ok(Exit::Done);
    }
    let headings = context.language.pick(["KEY", "VALUE", "FROM", "WHAT"], ["键", "值", "来自", "说明"]);
    let mut table = Table::new(&headings);
    for setting in settings {
        let what = output::shortened(&setting.description, DESCRIPTION_WIDTH_MAX);
        table.row([setting.key, setting.value.to_string(), setting.from, what]);
    }
    table.print("")?;
    Ok(Exit::Done)
}

/// The config of the home, or the first thing that is wrong with it.
pub(super) fn load(context: &Context) -> Result<Config, Failure> {
    config::load(&context.home, &context.environment)
        .map_err(|problems| config::summary(problems, &context.home.config()))
}
