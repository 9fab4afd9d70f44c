//! `/new`: a fresh dialog in this chat.

use futures::FutureExt;
use hearth_contract::inbox::DialogOp;
use hearth_contract::rights::Role;

use super::{Command, Reply};

pub(super) const COMMAND: Command = Command {
    names: &["new", "新对话", "新建"],
    arguments: ("[title]", "[标题]"),
    help: ("begin a new dialog", "开始新对话"),
    role: Role::Member,
    role_in_group: Role::Trusted,
    run: |order| {
        async move {
            let create = DialogOp::Create { title: order.arguments.to_owned() };
            order.kernel.dialogs.apply(&order.message.session.chat, create).await?;
            let text = order.language.pick(
                "A new dialog begins. What is remembered stays remembered.",
                "新对话开始。记住的事仍然记得。",
            );
            Ok(Reply::of(text))
        }
        .boxed()
    },
};
