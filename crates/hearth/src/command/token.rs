//! `hearth token`: prints the token that lets clients in.

use serde_json::json;

use super::Context;
use crate::failure::{Exit, Outcome};
use crate::home;
use crate::output::{self, Format};

pub(super) fn run(context: &Context) -> Outcome {
    context.home.create()?;
    let token = home::token(&context.home)?;
    match context.format {
        Format::Json => output::json(&json!({ "token": token }))?,
        Format::Text => output::line(&token)?,
    }
    Ok(Exit::Done)
}
