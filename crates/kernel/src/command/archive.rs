//! `/archive`: this dialog leaves the list.

use futures::FutureExt;
use hearth_contract::inbox::DialogOp;
use hearth_contract::rights::Role;

use super::{Command, Reply};

pub(super) const COMMAND: Command = Command {
    names: &["archive", "归档"],
    arguments: ("", ""),
    help: ("hide this dialog; it can be restored", "归档当前对话，可恢复"),
    role: Role::Member,
    role_in_group: Role::Trusted,
    run: |order| {
        async move {
            let left = &order.message.session;
            let op = DialogOp::Archive { dialog: left.dialog.clone() };
            order.kernel.dialogs.apply(&left.chat, op).await?;
            let text = order.language.pick(
                format!("Archived. `hearth session restore {left}` brings it back."),
                format!("已归档。可用 `hearth session restore {left}` 恢复。"),
            );
            Ok(Reply::of(text))
        }
        .boxed()
    },
};
