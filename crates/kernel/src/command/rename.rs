//! `/rename`: another title for this dialog.

use futures::FutureExt;
use hearth_contract::inbox::{ControlError, DialogOp};
use hearth_contract::rights::Role;

use super::{Command, Reply};

pub(super) const COMMAND: Command = Command {
    names: &["rename", "改名", "重命名"],
    arguments: ("title", "标题"),
    help: ("give this dialog a title", "给当前对话改标题"),
    role: Role::Member,
    role_in_group: Role::Trusted,
    run: |order| {
        async move {
            if order.arguments.is_empty() {
                let reason = order.language.pick("Which title?", "改成什么标题？").into();
                return Err(ControlError::Refused { reason });
            }
            let session = &order.message.session;
            let rename =
                DialogOp::Rename { dialog: session.dialog.clone(), title: order.arguments.to_owned() };
            let dialog = order.kernel.dialogs.apply(&session.chat, rename).await?;
            Ok(Reply::of(
                order
                    .language
                    .pick(format!("Renamed: {}", dialog.title), format!("已改名：{}", dialog.title)),
            ))
        }
        .boxed()
    },
};
