//! The command line: what can be typed, in the language of who types it.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, CommandFactory, FromArgMatches, Parser};
use hearth_contract::language::Language;

use crate::command::Command;
use crate::failure::{Exit, Failure};
use crate::help_zh;
use crate::words::{Words, words};

/// An always-on personal agent that keeps its promises and remembers.
#[derive(Debug, Parser)]
#[command(name = "hearth", version, disable_help_subcommand = true, subcommand_required = true)]
pub(crate) struct Cli {
    /// The home folder [default: $HEARTH_HOME, else ~/.hearth]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// Print JSON for programs instead of text for people
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What typing led to.
pub(crate) enum Parsed {
    /// A command to be run.
    Run(Box<Cli>),
    /// A text that was asked for (help, version).
    Show(StyledStr),
}

/// Reads the command line.
pub(crate) fn parse(arguments: Vec<OsString>, language: Language) -> Result<Parsed, Failure> {
    match command(language)
        .try_get_matches_from(arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches))
    {
        Ok(cli) => Ok(Parsed::Run(Box::new(cli))),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Ok(Parsed::Show(error.render())),
            _ => Err(misuse(&error)),
        },
    }
}

/// The whole command line as `clap` knows it, with its texts in one language.
fn command(language: Language) -> clap::Command {
    match language {
        Language::En => Cli::command(),
        Language::Zh => in_chinese(Cli::command(), ""),
    }
}

/// The same command with Chinese texts. Texts are looked up by the path of the command (`session list`) and of its
/// arguments (`session list --limit`).
fn in_chinese(command: clap::Command, path: &str) -> clap::Command {
    let mut command = command
        .help_template("{about-with-newline}\n用法：{usage}\n\n{all-args}")
        .subcommand_help_heading("命令")
        .disable_help_flag(true)
        .mut_args(|argument| {
            let text = help_zh::find(&argument_path(path, &argument)).unwrap_or_default();
            let heading = if argument.is_positional() { "参数" } else { "选项" };
            argument.help(text).help_heading(heading)
        })
        .arg(help_flag());
    if path.is_empty() {
        command = command.disable_version_flag(true).arg(version_flag());
    }
    if let Some(about) = help_zh::find(path) {
        command = command.about(about);
    }
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    for name in names {
        let path = format!("{path} {name}").trim().to_owned();
        command = command.mut_subcommand(name, |sub| in_chinese(sub, &path));
    }
    command
}

fn help_flag() -> Arg {
    Arg::new("help").short('h').long("help").action(ArgAction::Help).help("显示帮助").help_heading("选项")
}

fn version_flag() -> Arg {
    Arg::new("version")
        .short('V')
        .long("version")
        .action(ArgAction::Version)
        .help("显示版本")
        .help_heading("选项")
}

fn argument_path(path: &str, argument: &Arg) -> String {
    let name = match argument.get_long() {
        Some(long) => format!("--{long}"),
        None => argument.get_id().to_string().to_uppercase(),
    };
    format!("{path} {name}").trim().to_owned()
}

/// A wrong command line in one line, and what to do in another.
fn misuse(error: &clap::Error) -> Failure {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => Some(texts.join(", ")),
        _ => None,
    };
    let argument = context(ContextKind::InvalidArg).unwrap_or_default();
    let value = context(ContextKind::InvalidValue).unwrap_or_default();
    let what = match error.kind() {
        ErrorKind::UnknownArgument => words!("there is no argument {argument}", "没有参数 {argument}"),
        ErrorKind::InvalidSubcommand => {
            let name = context(ContextKind::InvalidSubcommand).unwrap_or_default();
            words!("there is no command {name}", "没有命令 {name}")
        }
        ErrorKind::MissingRequiredArgument => words!("{argument} is missing", "缺少 {argument}"),
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            words!("a command is missing", "缺少命令")
        }
        ErrorKind::InvalidValue if value.is_empty() => {
            words!("{argument} needs a value", "{argument} 需要一个值")
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            let why = std::error::Error::source(error).map(|why| format!(": {why}")).unwrap_or_default();
            words!("{argument} cannot be \"{value}\"{why}", "{argument} 不能是 \"{value}\"{why}")
        }
        _ => Words::same(first_line(&error.to_string())),
    };
    let suggested =
        [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue]
            .into_iter()
            .find_map(context);
    let hint = match suggested {
        Some(name) => words!("did you mean {name}? See --help", "是不是 {name}？参见 --help"),
        None => words!("see hearth --help", "参见 hearth --help"),
    };
    Failure { what, hint, exit: Exit::Misuse }
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(line: &str) -> Failure {
        let arguments = line.split_whitespace().map(OsString::from).collect();
        match parse(arguments, Language::En) {
            Err(failure) => failure,
            Ok(_) => panic!("{line} was understood"),
        }
    }

    #[test]
    fn the_command_line_is_sound_in_both_languages() {
        command(Language::En).debug_assert();
        command(Language::Zh).debug_assert();
    }

    #[test]
    fn every_text_has_a_chinese_one_and_every_chinese_one_is_used() {
        let mut paths = vec![String::new()];
        collect(&Cli::command(), "", &mut paths);
        for path in &paths {
            assert!(help_zh::find(path).is_some(), "no Chinese text for `{path}`");
        }
        for (path, _) in help_zh::TEXTS {
            assert!(paths.iter().any(|known| known == path), "`{path}` is no command");
        }
    }

    fn collect(command: &clap::Command, path: &str, paths: &mut Vec<String>) {
        let shown = |argument: &&Arg| !argument.is_global_set() || path.is_empty();
        paths.extend(command.get_arguments().filter(shown).map(|argument| argument_path(path, argument)));
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let path = format!("{path} {}", sub.get_name()).trim().to_owned();
            paths.push(path.clone());
            collect(sub, &path, paths);
        }
    }

    #[test]
    fn misuse_is_one_line_and_a_hint() {
        for (line, what, hint) in [
            ("hearth", "a command is missing", "see hearth --help"),
            ("hearth sessoin list", "there is no command sessoin", "did you mean session? See --help"),
            ("hearth status --jsn", "there is no argument --jsn", "did you mean --json? See --help"),
            ("hearth why", "<ID> is missing", "see hearth --help"),
            ("hearth prove --since soon", "--since <SINCE> cannot be \"soon\": ", "see hearth --help"),
        ] {
            let failure = failure(line);
            assert!(failure.what.en.starts_with(what), "{line}: {failure:?}");
            assert_eq!((failure.hint.en.as_str(), failure.exit), (hint, Exit::Misuse), "{line}");
        }
    }

    #[test]
    fn chinese_help_is_chinese() {
        let Ok(Parsed::Show(text)) = parse(vec!["hearth".into(), "say".into(), "-h".into()], Language::Zh)
        else {
            panic!("no help");
        };
        let text = text.to_string();
        assert!(text.contains("用法：hearth say"), "{text}");
        assert!(!text.contains("Options") && !text.contains("Arguments"), "{text}");
    }
}
