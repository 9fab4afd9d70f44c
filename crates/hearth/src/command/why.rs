//! `hearth why ID`: the chain from a message to its answer, in words.

use clap::Args;
use hearth_protocol::{Call, Explanation};

use super::Context;
use crate::ask::{self, ask, read};
use crate::failure::{Exit, Outcome};
use crate::output::{self, Format};
use crate::time;

/// What to explain.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A message, turn or delivery; the beginning of its id is enough
    id: String,
}

pub(super) async fn run(arguments: Arguments, context: &Context) -> Outcome {
    let call = Call::Why { id: arguments.id, language: ask::language(context) };
    let value = ask(context, call).await?;
    if context.format == Format::Json {
        output::json(&value)?;
        return Ok(Exit::Done);
    }
    for line in read::<Explanation>(&value)?.lines {
        let text = line.text.replace('\n', "\n                     ");
        output::line(&format!("{}  {text}", time::shown(line.at_ms)))?;
    }
    Ok(Exit::Done)
}
