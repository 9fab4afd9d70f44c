//! `/usage`: what models cost here, by day.

use futures::FutureExt;
use hearth_contract::clock::UnixMs;
use hearth_contract::rights::Role;

use super::{Command, Reply};

/// How many days are shown.
const DAYS: i64 = 7;

pub(super) const COMMAND: Command = Command {
    names: &["usage", "用量"],
    arguments: ("", ""),
    help: ("tokens used in the last 7 days", "最近 7 天的用量"),
    role: Role::Trusted,
    role_in_group: Role::Owner,
    run: |order| {
        async move {
            let since = UnixMs(order.kernel.clock.now().0 - DAYS * 86_400_000);
            let totals = order.kernel.stores.usage.totals(since, None).await?;
            let line = |total: &hearth_contract::store::UsageTotal| {
                let usage = total.usage;
                order.language.pick(
                    format!(
                        "{} {} ({}): {} calls, {} in ({} cached), {} out",
                        total.day,
                        total.source,
                        total.model,
                        total.calls,
                        usage.prompt_tokens,
                        usage.cached_tokens,
                        usage.completion_tokens
                    ),
                    format!(
                        "{} {}（{}）：{} 次，输入 {}（缓存 {}），输出 {}",
                        total.day,
                        total.source,
                        total.model,
                        total.calls,
                        usage.prompt_tokens,
                        usage.cached_tokens,
                        usage.completion_tokens
                    ),
                )
            };
            let lines: Vec<String> = totals.iter().map(line).collect();
            let text = match lines.is_empty() {
                true => order.language.pick("No model was asked.", "没有调用过模型。").to_owned(),
                false => lines.join("\n"),
            };
            Ok(Reply::of(text))
        }
        .boxed()
    },
};
