//! `hearth status`: whether the daemon runs, and how it is.

use std::time::Duration;

use hearth_protocol::{Call, Status};
use serde_json::json;

use super::Context;
use crate::ask::read;
use crate::daemon;
use crate::failure::{Exit, Failure, Outcome};
use crate::output::{self, Format, Table};

pub(super) async fn run(context: &Context) -> Outcome {
    let Some(mut client) = daemon::running(&context.home).await? else {
        print_absence(context)?;
        return Ok(Exit::Failed);
    };
    let mut value = client.call(Call::Status).await.map_err(Failure::from)?;
    // The connection that asks is no client of anybody's.
    if let Some(clients) = value["clients"].as_u64() {
        value["clients"] = json!(clients.saturating_sub(1));
    }
    if context.format == Format::Json {
        value["running"] = json!(true);
        output::json(&value)?;
    } else {
        print(&read(&value)?, context)?;
    }
    Ok(Exit::Done)
}

fn print_absence(context: &Context) -> Result<(), Failure> {
    let home = context.home.root().display().to_string();
    match context.format {
        Format::Json => output::json(&json!({ "running": false, "home": home })),
        Format::Text => output::line(&context.language.pick(
            format!("no daemon runs in {home}; hearth chat starts one"),
            format!("{home} 没有守护进程在运行；hearth chat 会启动它"),
        )),
    }
}

fn print(status: &Status, context: &Context) -> Result<(), Failure> {
    let pick = |en: &str, zh: &str| context.language.pick(en.to_owned(), zh.to_owned());
    let uptime = Duration::from_secs(status.uptime_ms / 1000);
    let uptime = jiff::SignedDuration::try_from(uptime).map(|span| format!("{span:#}")).unwrap_or_default();
    let address = match status.address.as_str() {
        "" => "–".to_owned(),
        address => format!("http://{address}"),
    };
    let mut table = Table::without_headings();
    let facts = [
        (pick("version", "版本"), format!("{} (pid {})", status.version, status.pid)),
        (pick("uptime", "已运行"), uptime),
        (pick("address", "地址"), address),
        (pick("home", "主目录"), status.home.clone()),
        (pick("turns running", "进行中的轮次"), status.turns_running.to_string()),
        (pick("messages waiting", "等待的消息"), status.messages_waiting.to_string()),
        (pick("clients", "客户端"), status.clients.to_string()),
    ];
    for (name, value) in facts {
        table.row([name, value]);
    }
    let safe_mode = match status.safe_mode.as_str() {
        "" => None,
        "crashes" => {
            Some(pick("after it died several times; telemetry is off", "多次异常退出之后；遥测已关闭"))
        }
        _ => Some(pick("as asked for; telemetry is off", "按要求；遥测已关闭")),
    };
    if let Some(why) = safe_mode {
        table.row([pick("safe mode", "安全模式"), why]);
    }
    for source in &status.sources {
        let text = format!("{} · {} · {} · {}", source.name, source.kind, source.model, source.state);
        table.row([pick("model", "模型"), text]);
    }
    for channel in &status.channels {
        table.row([pick("channel", "通道"), format!("{} · {}", channel.name, channel.kind)]);
    }
    for warning in &status.warnings {
        let language = crate::ask::language(context);
        table.row([pick("warning", "警告"), warning.in_language(language).to_owned()]);
    }
    output::line(&table.render())
}
