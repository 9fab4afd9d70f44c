//! `/delete`: this dialog leaves the list.

use futures::FutureExt;
use hearth_contract::inbox::DialogOp;
use hearth_contract::rights::Role;

use super::{Command, Reply};

pub(super) const COMMAND: Command = Command {
    names: &["delete", "删除"],
    arguments: ("", ""),
    help: ("delete this dialog; it can be restored for 30 days", "删除当前对话，30 天内可恢复"),
    role: Role::Member,
    role_in_group: Role::Trusted,
    run: |order| {
        async move {
            let left = &order.message.session;
            let op = DialogOp::Delete { dialog: left.dialog.clone() };
            order.kernel.dialogs.apply(&left.chat, op).await?;
            let text = order.language.pick(
                format!("Deleted. `hearth session restore {left}` brings it back."),
                format!("已删除。可用 `hearth session restore {left}` 恢复。"),
            );
            Ok(Reply::of(text))
        }
        .boxed()
    },
};
