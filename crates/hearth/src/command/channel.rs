//! `hearth channel …`: networks that people talk on.

use clap::Subcommand;
use serde_json::json;

use super::Context;
use crate::adapters::OWN_CHANNEL;
use crate::failure::{Exit, Outcome};
use crate::output::{self, Format, Table};

/// What to do with channels.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// List the configured channels
    List,
}

pub(super) fn run(action: &Action, context: &Context) -> Outcome {
    match action {
        Action::List => list(context),
    }
}

fn list(context: &Context) -> Outcome {
    let config = super::config::load(context)?;
    let configured = config.channels.iter().map(|(name, section)| (name.as_str(), section.kind.as_str()));
    let rows: Vec<(&str, &str)> = [(OWN_CHANNEL, OWN_CHANNEL)].into_iter().chain(configured).collect();
    if context.format == Format::Json {
        let objects: Vec<_> = rows.iter().map(|(name, kind)| json!({ "name": name, "kind": kind })).collect();
        output::json(&objects)?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(&context.language.pick(["NAME", "KIND"], ["名称", "种类"]));
    for (name, kind) in rows {
        table.row([name.to_owned(), kind.to_owned()]);
    }
    table.print("")?;
    Ok(Exit::Done)
}
