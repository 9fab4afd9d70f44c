//! `hearth chat`: the terminal client.

use clap::Args;
use hearth_tui::Options;

use super::{Context, DEFAULT_CHAT};
use crate::ask::{self, chat_of};
use crate::daemon;
use crate::failure::{Exit, Outcome};

/// Where to talk.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The session, as channel:chat or channel:chat:dialog [default: cli:me]
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
}

pub(super) async fn run(arguments: Arguments, context: &Context) -> Outcome {
    let session = arguments.session.unwrap_or_else(|| DEFAULT_CHAT.to_owned());
    chat_of(&session)?;
    // What keeps the daemon from starting is told before the screen is taken.
    daemon::ensure(context).await?;
    let options = Options {
        socket: context.home.socket(),
        session,
        language: ask::language(context),
        starter: Some(daemon::starter(context)),
    };
    hearth_tui::run(options).await.map_err(|error| super::say::of_error(&error))?;
    Ok(Exit::Done)
}
