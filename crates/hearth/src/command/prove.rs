//! `hearth prove`: every accepted message by its end, and whether all are explained.

use clap::Args;
use hearth_protocol::Call;
use serde_json::Value;

use super::Context;
use crate::ask::ask;
use crate::failure::{Exit, Failure, Outcome};
use crate::output::{self, Format, Table};
use crate::time::Since;

/// What to count.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Only what was accepted in this time: 12h, 7d, 2w [default: everything]
    #[arg(long)]
    since: Option<Since>,
}

pub(super) async fn run(arguments: &Arguments, context: &Context) -> Outcome {
    let call = Call::Prove { since_ms: arguments.since.map(Since::at_ms) };
    let proof = ask(context, call).await?;
    let messages = proof.get("unexplained").and_then(Value::as_u64).unwrap_or(u64::MAX);
    let tasks = proof.pointer("/tasks/unexplained").and_then(Value::as_u64).unwrap_or(0);
    let unexplained = messages.saturating_add(tasks);
    match context.format {
        Format::Json => output::json(&proof)?,
        Format::Text => print(&proof, unexplained, context)?,
    }
    Ok(if unexplained == 0 { Exit::Done } else { Exit::Failed })
}

fn print(proof: &Value, unexplained: u64, context: &Context) -> Result<(), Failure> {
    let mut table = Table::new(&context.language.pick(["MESSAGES", ""], ["消息", ""]));
    for (name, count) in proof.as_object().into_iter().flatten() {
        match count {
            Value::Object(states) => {
                for (state, count) in states {
                    table.row([format!("{name}.{state}"), count.to_string()]);
                }
            }
            count => table.row([name.clone(), count.to_string()]),
        }
    }
    output::line(&table.render())?;
    output::line(&match unexplained {
        0 => context.language.pick("nothing is unexplained".to_owned(), "没有无法解释的消息".to_owned()),
        count => context.language.pick(
            format!("{count} unexplained: please report this with logs/hearth.log"),
            format!("{count} 条无法解释：请附 logs/hearth.log 报告"),
        ),
    })
}
