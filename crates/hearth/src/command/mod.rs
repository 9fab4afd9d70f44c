//! What can be done from the command line: one file a command. To add one: its file, its line in [`Command`], in
//! [`run`], and its Chinese texts in `help_zh.rs`.

mod backup;
mod channel;
mod chat;
mod config;
mod doctor;
mod init;
mod prove;
mod provider;
mod say;
mod schedule;
mod serve;
mod service;
mod session;
mod status;
mod task;
mod token;
mod undo;
mod usage;
mod why;

use clap::Subcommand;
use hearth_contract::language::Language;

use crate::environment::Environment;
use crate::failure::Outcome;
use crate::home::Home;
use crate::output::Format;

/// Where our own clients talk unless they name another place: the current dialog of this chat.
const DEFAULT_CHAT: &str = "cli:me";

/// What every command has at hand.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    /// The home folder, which may not exist yet.
    pub(crate) home: Home,
    /// The environment of this process.
    pub(crate) environment: Environment,
    /// The language of who typed.
    pub(crate) language: Language,
    /// How to print the answer.
    pub(crate) format: Format,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the daemon; prints "ready http://ADDR" when it answers
    Serve(serve::Arguments),
    /// Let systemd run the daemon
    #[command(subcommand)]
    Service(service::Action),
    /// Talk in the terminal; starts a daemon when none runs
    Chat(chat::Arguments),
    /// Say one message and print the answer
    Say(say::Arguments),
    /// Set up the home folder: config and persona
    Init(init::Arguments),
    /// Check what works, what does not, and what to do
    Doctor,
    /// Show the running daemon; exit code 1 if none runs
    Status,
    /// Explain why a message was answered as it was, or not
    Why(why::Arguments),
    /// Count every accepted message by its end; exit code 1 if any is unexplained
    Prove(prove::Arguments),
    /// Show the tokens used by day, source and model
    Usage(usage::Arguments),
    /// Copy the ledger to a file, also while the daemon runs
    Backup(backup::Arguments),
    /// Put a backup in the place of the ledger
    Restore(backup::Arguments),
    /// List, show and change dialogs
    #[command(subcommand)]
    Session(session::Action),
    /// List and cancel what Hearth will do later
    #[command(subcommand)]
    Schedule(schedule::Action),
    /// List and cancel what Hearth does in the background
    #[command(subcommand)]
    Task(task::Action),
    /// Put back what a tool call changed in the workspace, or list such calls
    Undo(undo::Arguments),
    /// List and probe models
    #[command(subcommand)]
    Provider(provider::Action),
    /// List networks that people talk on
    #[command(subcommand)]
    Channel(channel::Action),
    /// Check, describe, show or change the config
    #[command(subcommand)]
    Config(config::Action),
    /// Print the token that lets clients in
    Token,
}

/// Runs a command.
pub(crate) async fn run(command: Command, context: &Context) -> Outcome {
    match command {
        Command::Serve(arguments) => serve::run(arguments, context).await,
        Command::Service(action) => service::run(&action, context),
        Command::Chat(arguments) => chat::run(arguments, context).await,
        Command::Say(arguments) => say::run(&arguments, context).await,
        Command::Init(arguments) => init::run(&arguments, context),
        Command::Doctor => doctor::run(context).await,
        Command::Status => status::run(context).await,
        Command::Why(arguments) => why::run(arguments, context).await,
        Command::Prove(arguments) => prove::run(&arguments, context).await,
        Command::Usage(arguments) => usage::run(arguments, context).await,
        Command::Backup(arguments) => backup::backup(&arguments, context),
        Command::Restore(arguments) => backup::restore(&arguments, context),
        Command::Session(action) => session::run(action, context).await,
        Command::Schedule(action) => schedule::run(action, context).await,
        Command::Task(action) => task::run(action, context).await,
        Command::Undo(arguments) => undo::run(arguments, context).await,
        Command::Provider(action) => provider::run(action, context).await,
        Command::Channel(action) => channel::run(&action, context),
        Command::Config(action) => config::run(action, context).await,
        Command::Token => token::run(context),
    }
}
