//! Decides whether a message is answered. Every "no" has the name of its rule, so that `why` can tell.

use hearth_contract::channel::ReplyPolicy;
use hearth_contract::message::{ChatKind, MessageRecord, Origin};
use hearth_contract::rights::Role;

/// What becomes of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It is not heard.
    Ignore { rule: &'static str },
    /// It is heard and not answered: the next turn sees it.
    Record { rule: &'static str },
    /// It is answered.
    Reply { reason: &'static str },
}

/// The rule by which somebody is not heard at all.
pub(crate) const BLOCKED_USER: &str = "blocked_user";

/// The only reader of a chat's reply policy. The first rule that fits holds.
pub(crate) fn decide(message: &MessageRecord, policy: Option<ReplyPolicy>) -> Decision {
    let by_kind = match message.chat_kind {
        ChatKind::Private => ReplyPolicy::Always,
        ChatKind::Group => ReplyPolicy::Mention,
    };
    match (message.sender.role, &message.origin, policy.unwrap_or(by_kind)) {
        (Role::Blocked, _, _) => Decision::Ignore { rule: BLOCKED_USER },
        (_, Origin::Notice, _) => Decision::Record { rule: "notice" },
        (_, Origin::Schedule { .. }, _) => Decision::Reply { reason: "schedule" },
        (_, Origin::Task { .. }, _) => Decision::Reply { reason: "task" },
        _ if message.text.trim().is_empty() => Decision::Record { rule: "empty" },
        (_, Origin::User, ReplyPolicy::Always) => Decision::Reply { reason: "always" },
        (_, Origin::User, ReplyPolicy::Standby) => Decision::Record { rule: "standby" },
        (_, Origin::User, ReplyPolicy::Mention) if message.addressed => Decision::Reply { reason: "mention" },
        (_, Origin::User, ReplyPolicy::Mention) => Decision::Record { rule: "not_mentioned" },
    }
}
