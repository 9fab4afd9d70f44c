//! `hearth provider …`: the models behind a wire.

use std::collections::BTreeMap;
use std::time::Duration;

use clap::Subcommand;
use hearth_contract::provider::CapabilityCard;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::Context;
use crate::adapters::{self, Shared};
use crate::config::{self, KindSection};
use crate::failure::{Exit, Failure, Outcome};
use crate::output::{self, Format, Table};
use crate::words::{Words, words};

/// The longest a probe of one model may take.
const PROBE_TIME_MAX: Duration = Duration::from_secs(120);

/// Models by name.
type Sources = BTreeMap<String, KindSection>;

/// What to do with models.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// List the configured models
    List,
    /// Ask models what they can do
    Probe {
        /// The name of a source [default: all]
        name: Option<String>,
    },
}

pub(super) async fn run(action: Action, context: &Context) -> Outcome {
    let config = super::config::load(context)?;
    let shared =
        Shared::new(&context.home).map_err(|problems| config::summary(problems, &context.home.config()))?;
    let sources = adapters::found_sources(&config, &shared).await;
    match action {
        Action::List => list(&sources, context),
        Action::Probe { name } => probe(&sources, name.as_deref(), &shared, context).await,
    }
}

fn list(sources: &Sources, context: &Context) -> Outcome {
    let text = |values: &serde_json::Map<String, Value>, key: &str| {
        values.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let rows: Vec<[String; 4]> = sources
        .iter()
        .map(|(name, section)| {
            [
                name.clone(),
                section.kind.clone(),
                text(&section.values, "model"),
                text(&section.values, "base_url"),
            ]
        })
        .collect();
    if context.format == Format::Json {
        let objects: Vec<Value> = rows
            .iter()
            .map(|[name, kind, model, url]| json!({ "name": name, "kind": kind, "model": model, "base_url": url }))
            .collect();
        output::json(&objects)?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(
        &context.language.pick(["NAME", "KIND", "MODEL", "ADDRESS"], ["名称", "种类", "模型", "地址"]),
    );
    for row in rows {
        table.row(row);
    }
    table.print(context.language.pick(
        "no model is configured: the built-in offline model answers",
        "没有配置模型：由内置离线模型回答",
    ))?;
    Ok(Exit::Done)
}

async fn probe(sources: &Sources, wanted: Option<&str>, shared: &Shared, context: &Context) -> Outcome {
    let names: Vec<&String> = match wanted {
        Some(wanted) => vec![known(sources, wanted)?],
        None => sources.keys().collect(),
    };
    let mut works = true;
    let mut answers = Vec::new();
    let headings = context.language.pick(
        ["NAME", "MODEL", "STREAMS", "TOOLS", "THOUGHTS", "USAGE", "FIRST PIECE"],
        ["名称", "模型", "流式", "工具", "思考", "用量", "首段耗时"],
    );
    let mut table = Table::new(&headings);
    for name in names {
        output::note(&words!("asking {name} …", "正在询问 {name} …"), context.language);
        match probe_one(sources, name, shared, context).await {
            Ok(card) => {
                table.row(row(name, &card, context));
                answers.push(json!({ "name": name, "ok": true, "card": card }));
            }
            Err(failure) => {
                works = false;
                let what = failure.what.in_language(context.language).to_owned();
                answers.push(json!({ "name": name, "ok": false, "error": what }));
                if context.format == Format::Text {
                    output::failure(&failure, context.language);
                }
            }
        }
    }
    match context.format {
        Format::Json => output::json(&answers)?,
        Format::Text if works || !table.is_empty() => {
            table.print(context.language.pick("no model is configured", "没有配置模型"))?;
        }
        Format::Text => {}
    }
    Ok(if works { Exit::Done } else { Exit::Failed })
}

fn known<'a>(sources: &'a Sources, wanted: &str) -> Result<&'a String, Failure> {
    let names = || sources.keys().map(String::as_str);
    if let Some((name, _)) = sources.get_key_value(wanted) {
        return Ok(name);
    }
    let list = names().collect::<Vec<_>>().join(", ");
    let hint = match config::nearest(wanted, names()) {
        Some(right) => words!("did you mean {right}?", "是不是 {right}？"),
        None if list.is_empty() => {
            words!("add [sources.{wanted}] to config.toml", "请在 config.toml 中添加 [sources.{wanted}]")
        }
        None => words!("there are: {list}", "现有：{list}"),
    };
    Err(Failure::misuse(words!("there is no source {wanted}", "没有名为 {wanted} 的源"), hint))
}

async fn probe_one(
    sources: &Sources,
    name: &str,
    shared: &Shared,
    context: &Context,
) -> Result<CapabilityCard, Failure> {
    let in_config = |problem: config::Problem| problem.into_failure(&context.home.config());
    let provider = adapters::source(name, &sources[name], shared).map_err(in_config)?;
    let cancel = CancellationToken::new();
    let hint = || words!("check the address, the key and the network", "请检查地址、密钥和网络");
    match tokio::time::timeout(PROBE_TIME_MAX, provider.probe(&cancel)).await {
        Ok(Ok(card)) => Ok(card),
        Ok(Err(error)) => Err(Failure::new(Words::same(format!("{name}: {error}")), hint())),
        Err(_) => Err(Failure::new(words!("{name} does not answer", "{name} 没有回答"), hint())),
    }
}

fn row(name: &str, card: &CapabilityCard, context: &Context) -> [String; 7] {
    let answer = |can: bool| {
        context.language.pick(if can { "yes" } else { "no" }, if can { "是" } else { "否" }).to_owned()
    };
    [
        name.to_owned(),
        card.model.clone(),
        answer(card.streaming),
        answer(card.tools),
        answer(card.reasoning),
        answer(card.usage),
        format!("{} ms", card.first_chunk_ms),
    ]
}
