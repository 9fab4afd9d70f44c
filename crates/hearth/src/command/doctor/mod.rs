//! `hearth doctor`: what works, what does not, and what to do.

mod machine;
mod setup;

use hearth_contract::language::Language;
use hearth_protocol::{Call, Status};
use serde_json::json;

use super::Context;
use crate::daemon;
use crate::failure::{Exit, Failure, Outcome};
use crate::output::{self, Format};
use crate::words::Words;

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    /// What was looked at; stable, for programs.
    name: &'static str,
    state: State,
    what: Words,
    hint: Words,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Fine.
    Ok,
    /// Hearth runs, with less than it could have.
    Warn,
    /// The main job cannot run.
    Fail,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }

    fn label(self, language: Language) -> &'static str {
        match self {
            Self::Ok => language.pick("ok  ", "正常"),
            Self::Warn => language.pick("warn", "注意"),
            Self::Fail => language.pick("FAIL", "失败"),
        }
    }
}

impl Finding {
    fn ok(name: &'static str, what: Words) -> Self {
        Self { name, state: State::Ok, what, hint: Words::default() }
    }

    fn warn(name: &'static str, what: Words, hint: Words) -> Self {
        Self { name, state: State::Warn, what, hint }
    }

    fn fail(name: &'static str, failure: Failure) -> Self {
        Self { name, state: State::Fail, what: failure.what, hint: failure.hint }
    }
}

pub(super) async fn run(context: &Context) -> Outcome {
    let findings = findings(context).await;
    let works = findings.iter().all(|finding| finding.state != State::Fail);
    match context.format {
        Format::Json => print_json(&findings, works, context.language)?,
        Format::Text => print_text(&findings, context.language)?,
    }
    Ok(if works { Exit::Done } else { Exit::Failed })
}

/// Everything that is looked at, in the order in which one thing needs another.
async fn findings(context: &Context) -> Vec<Finding> {
    let status = status(context).await;
    let mut findings = vec![
        machine::clock(),
        machine::home(&context.home),
        machine::disk(&context.home),
        machine::logs(&context.home),
    ];
    findings.extend(machine::daemon(&context.home, status.as_ref()));
    findings.push(machine::starts(&context.home));
    findings.push(machine::sandbox());
    let (finding, config) = setup::config(context);
    findings.push(finding);
    if let Some(config) = config {
        findings.push(setup::database(&config, &context.home));
        findings.push(setup::port(&config, &context.home, status.as_ref()));
        findings.push(setup::persona(&config, &context.home));
        findings.extend(setup::models(&config, &context.home).await);
    }
    findings
}

/// What the daemon says of itself, if one runs and answers.
async fn status(context: &Context) -> Option<Status> {
    // silent-ok: a daemon that does not answer is named by the process that has the home.
    let mut client = daemon::running(&context.home).await.ok()??;
    serde_json::from_value(client.call(Call::Status).await.ok()?).ok()
}

fn print_json(findings: &[Finding], works: bool, language: Language) -> Result<(), Failure> {
    let checks: Vec<_> = findings
        .iter()
        .map(|finding| {
            json!({
                "name": finding.name,
                "state": finding.state.name(),
                "what": finding.what.in_language(language),
                "hint": finding.hint.in_language(language),
            })
        })
        .collect();
    output::json(&json!({ "ok": works, "checks": checks }))
}

fn print_text(findings: &[Finding], language: Language) -> Result<(), Failure> {
    for finding in findings {
        output::line(&format!("{}  {}", finding.state.label(language), finding.what.in_language(language)))?;
        if !finding.hint.is_empty() {
            output::line(&format!("      {}", finding.hint.in_language(language)))?;
        }
    }
    Ok(())
}
