//! `/why`: how the last answer here came about; `/why ID` for any message.

use futures::FutureExt;
use hearth_contract::inbox::ControlError;
use hearth_contract::message::Direction;
use hearth_contract::rights::Role;
use hearth_contract::store::MessagePage;

use super::{Command, Reply};
use crate::why;

/// How far back the last answer is looked for.
const LOOKED_AT: usize = 20;

pub(super) const COMMAND: Command = Command {
    names: &["why", "为什么", "为何"],
    arguments: ("[id]", "[编号]"),
    help: ("explain the last answer", "解释上一个回答"),
    role: Role::Trusted,
    role_in_group: Role::Owner,
    run: |order| {
        async move {
            let mut id = order.arguments.to_owned();
            if id.is_empty() {
                let session = &order.message.session;
                let newest =
                    order.kernel.stores.messages.page(session, MessagePage::Newest, LOOKED_AT).await?;
                let is_answer = |message: &&hearth_contract::message::MessageRecord| {
                    message.direction == Direction::Out && message.turn.is_some()
                };
                let Some(last) = newest.iter().rev().find(is_answer) else {
                    let what = order.language.pick("There is no answer yet.", "还没有回答。").into();
                    return Err(ControlError::NotFound { what });
                };
                id = last.id.to_string();
            }
            let lines = why::explain(order.kernel, &id, order.language).await?;
            Ok(Reply::of(lines.into_iter().map(|line| line.text).collect::<Vec<_>>().join("\n")))
        }
        .boxed()
    },
};
