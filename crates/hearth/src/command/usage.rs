//! `hearth usage`: tokens by day, source and model.

use clap::Args;
use hearth_protocol::{Call, UsageRow};

use super::Context;
use crate::ask::{ask, read};
use crate::failure::{Exit, Outcome};
use crate::output::{self, Format, Table};
use crate::time::Since;

/// What to add up.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Only of this time: 12h, 7d, 2w [default: everything]
    #[arg(long)]
    since: Option<Since>,
    /// Only of this session (channel:chat:dialog)
    #[arg(long)]
    session: Option<String>,
}

pub(super) async fn run(arguments: Arguments, context: &Context) -> Outcome {
    let call = Call::Usage { since_ms: arguments.since.map(Since::at_ms), session: arguments.session };
    let value = ask(context, call).await?;
    if context.format == Format::Json {
        output::json(&value)?;
        return Ok(Exit::Done);
    }
    let headings = context.language.pick(
        ["DAY (UTC)", "SOURCE", "MODEL", "CALLS", "READ", "CACHED", "WRITTEN"],
        ["日期 (UTC)", "源", "模型", "次数", "读入", "缓存", "写出"],
    );
    let mut table = Table::new(&headings);
    for row in read::<Vec<UsageRow>>(&value)? {
        let numbers = [row.calls, row.prompt_tokens, row.cached_tokens, row.completion_tokens];
        table.row(
            [row.day, row.source, row.model].into_iter().chain(numbers.map(|number| number.to_string())),
        );
    }
    table.print(context.language.pick("no model was asked", "没有调用过模型"))?;
    Ok(Exit::Done)
}
