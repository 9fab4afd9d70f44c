//! `hearth config check|schema|show`.

use clap::Subcommand;
use serde_json::json;

use super::Context;
use crate::adapters;
use crate::config::{self, Config, Problem};
use crate::failure::{Exit, Failure, Outcome};
use crate::output::{self, Format, Table};

/// What to do with the config.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Find everything that is wrong with the config, without using the network
    Check,
    /// Print the JSON schema of the config
    Schema,
    /// Print every value that holds, and where it comes from; secrets are masked
    Show,
}

pub(super) fn run(action: &Action, context: &Context) -> Outcome {
    match action {
        Action::Check => check(context),
        Action::Schema => output::line(&format!("{:#}", config::schema())).map(|()| Exit::Done),
        Action::Show => show(context),
    }
}

/// Everything that is wrong with the config of a home, adapters included.
pub(super) fn problems(context: &Context) -> Result<Config, Vec<Problem>> {
    let config = config::load(&context.home, &context.environment)?;
    adapters::check(&config)?;
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

fn show(context: &Context) -> Outcome {
    let config = load(context)?;
    let values = config::effective_values(&config);
    if context.format == Format::Json {
        output::json(&values)?;
        return Ok(Exit::Done);
    }
    let headings = context.language.pick(["KEY", "VALUE", "FROM"], ["键", "值", "来自"]);
    let mut table = Table::new(&headings);
    for value in values {
        table.row([value.key, value.value.to_string(), value.from]);
    }
    table.print("")?;
    Ok(Exit::Done)
}

/// The config of the home, or the first thing that is wrong with it.
pub(super) fn load(context: &Context) -> Result<Config, Failure> {
    config::load(&context.home, &context.environment)
        .map_err(|problems| config::summary(problems, &context.home.config()))
}
