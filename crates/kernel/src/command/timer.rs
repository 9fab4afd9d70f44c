//! `/timer`: what is scheduled here; `/timer cancel NUMBER` takes one back.

use futures::FutureExt;
use hearth_contract::inbox::ControlError;
use hearth_contract::rights::Role;
use hearth_contract::store::ScheduleChange;

use super::{Command, Reply};
use crate::recurrence;

pub(super) const COMMAND: Command = Command {
    names: &["timer", "timers", "定时", "提醒"],
    arguments: ("[cancel number]", "[取消 编号]"),
    help: ("list or cancel timers", "查看或取消定时"),
    role: Role::Member,
    role_in_group: Role::Trusted,
    run: |order| {
        async move {
            let chat = &order.message.session.chat;
            let active = order.kernel.stores.schedules.active(Some(chat)).await?;
            let (verb, number) =
                order.arguments.split_once(char::is_whitespace).unwrap_or((order.arguments, ""));
            if matches!(verb, "cancel" | "取消") {
                let place = number.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
                let Some(schedule) = place.and_then(|place| active.get(place)) else {
                    let what = order
                        .language
                        .pick("Which one? /timer lists them.", "取消哪个？/timer 查看。")
                        .into();
                    return Err(ControlError::NotFound { what });
                };
                let cancel = ScheduleChange::Cancel { schedule: schedule.id };
                order.kernel.stores.ledger.commit(vec![cancel.into()]).await?;
                order.kernel.scheduler.wake();
                let text = order
                    .language
                    .pick(format!("Cancelled: {}", schedule.text), format!("已取消：{}", schedule.text));
                return Ok(Reply::of(text));
            }
            let line = |(place, schedule): (usize, &hearth_contract::store::ScheduleRecord)| {
                let due = schedule
                    .next_due_at
                    .map(|due_at| recurrence::shown(due_at, &schedule.kind, &order.kernel.zone));
                let repeats = recurrence::told(&schedule.kind, order.language);
                format!("{}. {} — {}{repeats}", place + 1, due.unwrap_or_default(), schedule.text)
            };
            let lines: Vec<String> = active.iter().enumerate().map(line).collect();
            let text = match lines.is_empty() {
                true => order.language.pick("No timers are set.", "没有定时。").to_owned(),
                false => lines.join("\n"),
            };
            Ok(Reply::of(text))
        }
        .boxed()
    },
};
