//! `hearth backup FILE` and `hearth restore FILE`: a copy of the ledger, and the way back.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::Context;
use crate::failure::{Exit, Outcome};
use crate::home::HomeLock;
use crate::output::{self, Format};

/// Which file.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The backup file
    file: PathBuf,
}

/// Copies the ledger, also while the daemon runs, and checks the copy.
pub(super) fn backup(arguments: &Arguments, context: &Context) -> Outcome {
    let config = super::config::load(context)?;
    hearth_storage::backup(&config.storage, context.home.root(), &arguments.file)?;
    let checked = hearth_storage::check(&arguments.file)?;
    let (file, messages) = (arguments.file.display(), checked.messages);
    match context.format {
        Format::Json => output::json(&json!({ "file": arguments.file, "messages": messages }))?,
        Format::Text => output::line(&context.language.pick(
            format!("{file}: {messages} messages, checked; config.toml, persona.md and .env are files of their own"),
            format!("{file}：{messages} 条消息，已校验；config.toml、persona.md 和 .env 请另行备份"),
        ))?,
    }
    Ok(Exit::Done)
}

/// Puts a backup in the place of the ledger, which is kept under another name.
pub(super) fn restore(arguments: &Arguments, context: &Context) -> Outcome {
    let config = super::config::load(context)?;
    context.home.create()?;
    let _lock = HomeLock::acquire(&context.home)?;
    let kept = hearth_storage::restore(&config.storage, &arguments.file, context.home.root())?;
    let file = arguments.file.display();
    if context.format == Format::Json {
        output::json(&json!({ "restored": arguments.file, "kept": kept }))?;
        return Ok(Exit::Done);
    }
    output::line(&context.language.pick(format!("restored from {file}"), format!("已从 {file} 恢复")))?;
    if let Some(kept) = kept {
        let kept = kept.display();
        output::line(
            &context
                .language
                .pick(format!("the ledger of before is kept as {kept}"), format!("原来的数据保存为 {kept}")),
        )?;
    }
    Ok(Exit::Done)
}
