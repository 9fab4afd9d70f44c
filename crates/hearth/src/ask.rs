//! Questions of the command line: put to the daemon if one runs, answered from the ledger otherwise.

use hearth_protocol::{Call, Language};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::command::Context;
use crate::config;
use crate::daemon;
use crate::failure::Failure;
use crate::ledger;
use crate::words::words;

/// The answer to a call.
pub(crate) async fn ask(context: &Context, call: Call) -> Result<Value, Failure> {
    if let Some(mut client) = daemon::running(&context.home).await? {
        return client.call(call).await.map_err(Failure::from);
    }
    let config = config::load(&context.home, &context.environment)
        .map_err(|problems| config::summary(problems, &context.home.config()))?;
    ledger::answer(context, &config, call).await
}

/// The language of who asks, as the protocol has it.
pub(crate) fn language(context: &Context) -> Language {
    context.language.pick(Language::En, Language::Zh)
}

/// The answer as what the protocol says it is.
pub(crate) fn read<T: DeserializeOwned>(value: &Value) -> Result<T, Failure> {
    T::deserialize(value).map_err(|error| {
        Failure::new(
            words!("the answer makes no sense: {error}", "无法理解回答：{error}"),
            words!("use programs of one version: restart the daemon", "请使用同一版本：重启守护进程"),
        )
    })
}

/// Splits `channel:chat[:dialog]` and returns `channel:chat`.
pub(crate) fn chat_of(session: &str) -> Result<String, Failure> {
    let parts: Vec<&str> = session.split(':').collect();
    match parts.as_slice() {
        [channel, chat] | [channel, chat, _] if !channel.is_empty() && !chat.is_empty() => {
            Ok(format!("{channel}:{chat}"))
        }
        _ => Err(Failure::misuse(
            words!("\"{session}\" is not a session", "\"{session}\" 不是会话名"),
            words!(
                "write channel:chat:dialog, such as cli:me:default",
                "请写 channel:chat:dialog，例如 cli:me:default"
            ),
        )),
    }
}
