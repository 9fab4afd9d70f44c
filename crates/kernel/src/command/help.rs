//! `/help`: the commands this person may give here.

use futures::FutureExt;
use hearth_contract::rights::Role;

use super::{ALL, Command, Reply};

pub(super) const COMMAND: Command = Command {
    names: &["help", "帮助"],
    arguments: ("", ""),
    help: ("this list", "显示本列表"),
    role: Role::Member,
    role_in_group: Role::Member,
    run: |order| {
        async move {
            let role = order.message.sender.role;
            let allowed = ALL.iter().filter(|command| role >= command.least_role(order.message.chat_kind));
            let prefix = order.kernel.config.agent.command_prefixes.first().map_or("", String::as_str);
            let line = |command: &Command| {
                let (name, other) = (command.names[0], command.names[1..].join(" "));
                let arguments = order.language.pick(command.arguments.0, command.arguments.1);
                let help = order.language.pick(command.help.0, command.help.1);
                let call = format!("{prefix}{name} {arguments}");
                format!("{} — {help} ({other})", call.trim_end())
            };
            Ok(Reply::of(allowed.map(line).collect::<Vec<_>>().join("\n")))
        }
        .boxed()
    },
};
