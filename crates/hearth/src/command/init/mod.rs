//! `hearth init`: makes the home folder and writes a first config and persona.

mod ask;
mod choice;

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use clap::Args;
use hearth_contract::language::Language;
use serde_json::json;

use super::Context;
use crate::failure::{Exit, Failure, Outcome};
use crate::output::{self, Format};
use crate::words::words;
use ask::Terminal;
use choice::Choice;

const CONFIG: &str = include_str!("config.toml");
const PERSONA_EN: &str = include_str!("persona.en.md");
const PERSONA_ZH: &str = include_str!("persona.zh.md");

/// Where the chosen model goes in the config.
const SOURCES_MARK: &str = "#SOURCES#\n";

/// How to set up.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Ask nothing and take the defaults
    #[arg(long)]
    yes: bool,
}

/// What was done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    /// It was written.
    New,
    /// It was there, and stays as it is.
    Kept,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Outcome {
    let asks = !arguments.yes;
    if asks && !output::is_terminal() {
        return Err(Failure::misuse(
            words!("init asks questions, and there is no terminal", "init 需要提问，但没有终端"),
            words!("run hearth init --yes to take the defaults", "请运行 hearth init --yes 使用默认值"),
        ));
    }
    context.home.create()?;
    let mut terminal = Terminal::new(context.language);
    let choice = if asks { choice::ask(&mut terminal, &context.environment)? } else { Choice::Offline };
    let config = CONFIG.replace(SOURCES_MARK, &choice.section());
    let persona = context.language.pick(PERSONA_EN, PERSONA_ZH);
    let mut replace = |path: &Path| if asks { terminal.confirm_replace(path) } else { Ok(false) };
    let files = [
        ("config.toml", write(&context.home.config(), &config, &mut replace)?),
        ("persona.md", write(&context.home.persona(), persona, &mut replace)?),
    ];
    if let Some((name, value)) = choice.variable() {
        append_variable(&context.home.dot_env(), name, value)?;
    }
    report(&files, context)
}

fn report(files: &[(&str, Written)], context: &Context) -> Outcome {
    let home = context.home.root();
    if context.format == Format::Json {
        let named = |wanted| {
            files.iter().filter(|(_, done)| *done == wanted).map(|(name, _)| *name).collect::<Vec<_>>()
        };
        output::json(&json!({ "home": home, "written": named(Written::New), "kept": named(Written::Kept) }))?;
        return Ok(Exit::Done);
    }
    for (name, done) in files {
        let path = home.join(name);
        let path = path.display();
        let (en, zh) = match done {
            Written::New => ("written: ", "已写入："),
            Written::Kept => ("kept as it was: ", "保持原样："),
        };
        output::line(&format!("{}{path}", context.language.pick(en, zh)))?;
    }
    output::line(context.language.pick("now talk: hearth chat", "开始对话：hearth chat"))?;
    Ok(Exit::Done)
}

/// Writes a file unless it is there and is not to be replaced. The old one stays whole until the new one is.
fn write(
    path: &Path,
    text: &str,
    replace: &mut impl FnMut(&Path) -> Result<bool, Failure>,
) -> Result<Written, Failure> {
    if path.exists() && !replace(path)? {
        return Ok(Written::Kept);
    }
    let failure = |error: &std::io::Error| Failure::of_file(path, error);
    let draft = path.with_extension("new");
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .mode(0o600)
        .open(&draft)
        .map_err(|error| failure(&error))?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(|error| failure(&error))?;
    std::fs::rename(&draft, path).map_err(|error| failure(&error))?;
    Ok(Written::New)
}

/// Adds a variable to `.env`; a later line of the same name wins, so nothing has to be changed in it.
fn append_variable(path: &Path, name: &str, value: &str) -> Result<(), Failure> {
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(path)
        .map_err(|error| Failure::of_file(path, &error))?;
    let quoted = value.replace('\\', "\\\\").replace('"', "\\\"");
    writeln!(file, "{name}=\"{quoted}\"").map_err(|error| Failure::of_file(path, &error))
}

#[cfg(test)]
mod tests;
