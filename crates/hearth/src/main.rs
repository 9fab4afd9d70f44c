//! The binary: arguments, config, wiring. It decides nothing; it names the concrete adapters and puts them together.

mod adapters;
mod ask;
mod cli;
mod command;
mod config;
mod daemon;
mod environment;
mod failure;
mod help_zh;
mod home;
mod ledger;
mod logs;
mod output;
mod settings;
mod starts;
mod supervisor;
mod time;
mod watch;
mod wiring;
mod words;

use std::process::ExitCode;

use cli::Parsed;
use command::{Command, Context};
use environment::Environment;
use failure::{Exit, Failure, Outcome};
use home::Home;
use output::Format;
use words::words;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == hearth_tools::sandbox::SUBCOMMAND) {
        hearth_tools::sandbox::enter_and_exec(arguments);
    }
    let environment = Environment::of_process();
    let language = environment.language();
    let exit = run(environment).unwrap_or_else(|failure| {
        output::failure(&failure, language);
        failure.exit
    });
    ExitCode::from(exit as u8)
}

fn run(environment: Environment) -> Outcome {
    let language = environment.language();
    let cli = match cli::parse(std::env::args_os().collect(), language)? {
        Parsed::Run(cli) => cli,
        Parsed::Show(text) => return output::piece(&text.to_string()).map(|()| Exit::Done),
    };
    let home = Home::locate(cli.home.as_deref(), &environment)?;
    let format = if cli.json { Format::Json } else { Format::Text };
    let context = Context { home, environment, language, format };
    match cli.command {
        // These see to their own: a daemon has a file, and a terminal client has its screen.
        Command::Serve(_) | Command::Chat(_) => {}
        _ => logs::to_standard_error(&context.environment)?,
    }
    runtime()?.block_on(command::run(cli.command, &context))
}

fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| {
        Failure::new(
            words!("cannot start: {error}", "无法启动：{error}"),
            words!(
                "the machine is out of threads or files: close other programs",
                "系统的线程或文件数用尽：请关闭其他程序"
            ),
        )
    })
}
