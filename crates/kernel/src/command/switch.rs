//! `/switch`: to another dialog of this chat, by its number in `/list` or its name.

use futures::FutureExt;
use hearth_contract::inbox::{ControlError, DialogOp};
use hearth_contract::language::Language;
use hearth_contract::rights::Role;
use hearth_contract::store::DialogState;

use super::{Command, Reply};
use crate::dialogs::DIALOGS_LISTED;

pub(super) const COMMAND: Command = Command {
    names: &["switch", "切换"],
    arguments: ("number or name", "编号或名称"),
    help: ("go to another dialog", "切换到另一个对话"),
    role: Role::Member,
    role_in_group: Role::Trusted,
    run: |order| {
        async move {
            let chat = &order.message.session.chat;
            let mut listed = order.kernel.stores.dialogs.list(Some(chat), DIALOGS_LISTED).await?;
            listed.retain(|dialog| dialog.state == DialogState::Active);
            let by_number =
                order.arguments.parse::<usize>().ok().and_then(|number| listed.get(number.checked_sub(1)?));
            let dialog = match by_number {
                Some(dialog) => dialog.session.dialog.clone(),
                None if order.arguments.is_empty() => {
                    let reason = order
                        .language
                        .pick("Which one? /list shows them.", "切换到哪个？/list 查看。")
                        .into();
                    return Err(ControlError::Refused { reason });
                }
                None => order.arguments.to_owned(),
            };
            let switched = order.kernel.dialogs.apply(chat, DialogOp::Switch { dialog }).await;
            let dialog = switched.map_err(|error| in_words(error, order.language))?;
            let title =
                if dialog.title.is_empty() { dialog.session.dialog.clone() } else { dialog.title.clone() };
            let text = order.language.pick(format!("Now in: {title}"), format!("当前对话：{title}"));
            Ok(Reply::of(text))
        }
        .boxed()
    },
};

/// Why there is no going to a dialog, for the person.
fn in_words(error: ControlError, language: Language) -> ControlError {
    match error {
        ControlError::NotFound { .. } => {
            let what =
                language.pick("There is no such dialog. /list shows them.", "没有这个对话。/list 查看。");
            ControlError::NotFound { what: what.into() }
        }
        ControlError::Refused { .. } => {
            let reason = language.pick(
                "That dialog is archived or deleted; restore it first (hearth session restore).",
                "该对话已归档或删除，请先恢复（hearth session restore）。",
            );
            ControlError::Refused { reason: reason.into() }
        }
        error @ (ControlError::Invalid { .. } | ControlError::Store(_)) => error,
    }
}
