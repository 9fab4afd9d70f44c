//! What was configured: the config itself, the port, the persona, the models.

use std::net::TcpListener;

use hearth_protocol::Status;
use tokio_util::sync::CancellationToken;

use super::Finding;
use crate::adapters::{self, Shared};
use crate::command::Context;
use crate::config::{self, Config, KindSection};
use crate::failure::Failure;
use crate::home::{self, Home};
use crate::words::{Words, words};

/// The longest that one model may take to answer a probe, in seconds.
const PROBE_SECONDS_MAX: u64 = 20;

pub(super) fn config(context: &Context) -> (Finding, Option<Config>) {
    let path = context.home.config();
    match crate::command::config::problems(context) {
        Ok(config) => {
            let shown = path.display();
            let what = match path.exists() {
                true => words!("{shown} is fine", "{shown} 没有问题"),
                false => {
                    words!("there is no config: everything has its default", "没有配置文件：全部使用默认值")
                }
            };
            (Finding::ok("config", what), Some(config))
        }
        Err(problems) => (Finding::fail("config", config::summary(problems, &path)), None),
    }
}

pub(super) fn port(config: &Config, home: &Home, status: Option<&Status>) -> Finding {
    let listen = config.gateway.listen;
    match status.map(|status| status.address.as_str()) {
        Some("") => {
            return Finding::warn(
                "port",
                words!("the daemon answers no HTTP", "守护进程没有提供 HTTP 服务"),
                words!(
                    "free {listen} or choose another `listen` in [gateway], then start the daemon again",
                    "请腾出 {listen}，或在 [gateway] 中换一个 `listen`，然后重新启动守护进程"
                ),
            );
        }
        Some(address) => {
            return Finding::ok(
                "port",
                words!("the daemon answers at http://{address}", "守护进程在 http://{address} 提供服务"),
            );
        }
        None => {}
    }
    let free = TcpListener::bind(listen);
    match (free, home::holder(home)) {
        (Ok(_), _) => Finding::ok("port", words!("{listen} is free", "{listen} 空闲")),
        (Err(_), Some(pid)) => Finding::ok(
            "port",
            words!("{listen} is taken while the daemon {pid} runs", "{listen} 已占用，守护进程 {pid} 在运行"),
        ),
        (Err(error), None) => Finding::warn(
            "port",
            words!("{listen} cannot be used: {error}", "{listen} 不能使用：{error}"),
            words!(
                "choose another `listen` in [gateway], or start with --listen auto",
                "请在 [gateway] 中换一个 `listen`，或用 --listen auto 启动",
            ),
        ),
    }
}

pub(super) fn persona(config: &Config, home: &Home) -> Finding {
    let path = home.root().join(&config.agent.persona);
    let shown = path.display();
    match std::fs::read_to_string(&path) {
        Ok(_) => Finding::ok("persona", words!("the persona is {shown}", "人设文件 {shown}")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Finding::ok(
            "persona",
            words!("no persona is written: the built-in one is used", "没有人设文件：使用内置人设"),
        ),
        Err(error) => {
            let Failure { what, hint, .. } = Failure::of_file(&path, &error);
            Finding::warn("persona", what, hint)
        }
    }
}

/// Looks at every page of the ledger.
pub(super) fn database(config: &Config, home: &Home) -> Finding {
    let path = match hearth_storage::database_of(&config.storage, home.root()) {
        Ok(path) if !path.exists() => {
            return Finding::ok(
                "database",
                words!("there is no ledger yet: the first start makes it", "还没有数据：首次启动时建立"),
            );
        }
        Ok(path) => path,
        Err(error) => return Finding::fail("database", error.into()),
    };
    match hearth_storage::check(&path) {
        Ok(checked) => {
            let (messages, version) = (checked.messages, checked.version);
            Finding::ok(
                "database",
                words!(
                    "the ledger is whole: {messages} messages, version {version}",
                    "数据完好：{messages} 条消息，版本 {version}"
                ),
            )
        }
        Err(error) => Finding::fail("database", error.into()),
    }
}

/// Asks every model a short question.
pub(super) async fn models(config: &Config, home: &Home) -> Vec<Finding> {
    let shared = match Shared::new(home) {
        Ok(shared) => shared,
        Err(problems) => {
            return problems
                .into_iter()
                .map(|problem| Finding::warn("model", problem.what, problem.hint))
                .collect();
        }
    };
    let mut findings = Vec::new();
    for (name, section) in &adapters::found_sources(config, &shared).await {
        findings.push(model(name, section, &shared).await);
    }
    if findings.is_empty() {
        findings.push(Finding::ok("model", words!("the built-in offline model is used", "使用内置离线模型")));
    }
    findings
}

async fn model(name: &str, section: &KindSection, shared: &Shared) -> Finding {
    let hint = words!(
        "check the address, the key and the network (hearth provider probe {name}); until then the offline model answers",
        "请检查地址、密钥和网络（hearth provider probe {name}）；在此之前由离线模型回答",
    );
    let provider = match adapters::source(name, section, shared) {
        Ok(provider) => provider,
        Err(problem) => {
            let Words { en, zh } = problem.what;
            return Finding::warn("model", words!("{name}: {en}", "{name}：{zh}"), hint);
        }
    };
    let cancel = CancellationToken::new();
    let limit = std::time::Duration::from_secs(PROBE_SECONDS_MAX);
    match tokio::time::timeout(limit, provider.probe(&cancel)).await {
        Ok(Ok(card)) => {
            let (model, ms) = (card.model, card.first_chunk_ms);
            Finding::ok(
                "model",
                words!("{name} answers: {model}, {ms} ms", "{name} 可用：{model}，{ms} 毫秒"),
            )
        }
        Ok(Err(error)) => Finding::warn("model", words!("{name}: {error}", "{name}：{error}"), hint),
        Err(_) => Finding::warn(
            "model",
            words!(
                "{name} does not answer within {PROBE_SECONDS_MAX} s",
                "{name} 在 {PROBE_SECONDS_MAX} 秒内没有回答"
            ),
            hint,
        ),
    }
}
