//! `/stop`: ends what is going on here.

use futures::FutureExt;
use hearth_contract::rights::Role;

use super::{Command, Reply};

pub(super) const COMMAND: Command = Command {
    names: &["stop", "停止", "停"],
    arguments: ("", ""),
    help: ("stop what I am doing", "停止正在进行的处理"),
    role: Role::Member,
    role_in_group: Role::Member,
    run: |order| {
        async move {
            if order.under_way.is_empty() {
                return Ok(Reply::of(order.language.pick("Nothing is running.", "没有正在进行的处理。")));
            }
            order.under_way.iter().for_each(|turn| turn.control.stop(&order.message.sender.name));
            Ok(Reply::of(order.language.pick("Stopped.", "已停止。")))
        }
        .boxed()
    },
};
