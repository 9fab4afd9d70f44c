//! `/list`: the dialogs of this chat.

use futures::FutureExt;
use hearth_contract::rights::Role;
use hearth_contract::store::DialogState;

use super::{Command, Reply};
use crate::dialogs::DIALOGS_LISTED;

pub(super) const COMMAND: Command = Command {
    names: &["list", "列表", "对话列表"],
    arguments: ("", ""),
    help: ("list the dialogs of this chat", "列出本聊天的对话"),
    role: Role::Member,
    role_in_group: Role::Member,
    run: |order| {
        async move {
            let chat = &order.message.session.chat;
            let current = order.kernel.dialogs.current(chat).await?;
            let listed = order.kernel.stores.dialogs.list(Some(chat), DIALOGS_LISTED).await?;
            let mut lines = Vec::new();
            for (place, dialog) in
                listed.iter().filter(|dialog| dialog.state == DialogState::Active).enumerate()
            {
                let mark = if dialog.session == current { "→" } else { " " };
                let title = match dialog.title.as_str() {
                    "" => order.language.pick("(no title yet)", "（尚无标题）"),
                    title => title,
                };
                lines.push(format!("{mark} {}. {title} [{}]", place + 1, dialog.session.dialog));
            }
            lines.push(order.language.pick("/switch NUMBER goes to one.", "/switch 编号 可切换。").into());
            Ok(Reply::of(lines.join("\n")))
        }
        .boxed()
    },
};
