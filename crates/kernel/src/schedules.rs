//! What our own clients ask of schedules.

use std::sync::Arc;

use hearth_contract::clock::UnixMs;
use hearth_contract::id::{MessageId, ScheduleId};
use hearth_contract::inbox::{AcceptError, Acknowledge, ControlError, NewDue, NewSchedule};
use hearth_contract::message::ChatKind;
use hearth_contract::store::{ScheduleChange, ScheduleKind, ScheduleRecord, ScheduleState};

use crate::kernel::Inner;
use crate::recurrence::{self, EVERY_MAX, EVERY_MIN, WrongRecurrence};
use crate::{bus, scheduler};

/// Characters of a schedule's text at most.
pub(crate) const TEXT_CHARS_MAX: usize = 2_000;
/// Schedules that may wait in one chat.
pub(crate) const PER_CHAT_MAX: usize = 200;

/// Makes a schedule for one of our own clients.
pub(crate) async fn add(kernel: &Inner, request: NewSchedule) -> Result<ScheduleRecord, ControlError> {
    let text = request.text.trim().to_owned();
    if text.is_empty() || text.chars().count() > TEXT_CHARS_MAX {
        return Err(invalid("the text of the schedule is empty or too long", "write 1 to 2000 characters"));
    }
    let now = kernel.clock.now();
    let (kind, next_due_at) = plan(request.due, now, kernel.zone.iana_name().unwrap_or("UTC"))?;
    if kernel.stores.schedules.active(Some(&request.session.chat)).await?.len() >= PER_CHAT_MAX {
        let what = format!("{PER_CHAT_MAX} timers and schedules wait in this chat already");
        return Err(invalid(what, "remove some of them first"));
    }
    let record = ScheduleRecord {
        id: ScheduleId::new(),
        session: request.session,
        chat_kind: ChatKind::Private,
        account: String::new(),
        sender: request.sender,
        kind,
        text,
        cause: MessageId::new(),
        created_at: now,
        state: ScheduleState::Active,
        next_due_at: Some(next_due_at),
    };
    kernel.stores.ledger.commit(vec![ScheduleChange::Put(Box::new(record.clone())).into()]).await?;
    kernel.scheduler.wake();
    Ok(record)
}

/// When it is due, and when first.
fn plan(due: NewDue, now: UnixMs, usual_zone: &str) -> Result<(ScheduleKind, UnixMs), ControlError> {
    let (kind, never) = match due {
        NewDue::At(due_at) => (ScheduleKind::At { due_at }, "the time of the schedule is past"),
        NewDue::Every(every_ms) => {
            let shortest_ms = u64::try_from(EVERY_MIN.as_millis()).unwrap_or(u64::MAX);
            let longest_ms = u64::try_from(EVERY_MAX.as_millis()).unwrap_or(u64::MAX);
            if !(shortest_ms..=longest_ms).contains(&every_ms) {
                return Err(invalid("the period is too short or too long", "choose one minute to ten years"));
            }
            (ScheduleKind::Every { every_ms, from: now }, "the time of the schedule never comes")
        }
        NewDue::Cron { expression, zone } => {
            let zone = zone.unwrap_or_else(|| usual_zone.to_owned());
            let kind = ScheduleKind::Cron { expression: expression.trim().to_owned(), zone };
            (kind, "the date of the cron expression never comes")
        }
    };
    match recurrence::next_after(&kind, now) {
        Ok(Some(due_at)) => Ok((kind, due_at)),
        Ok(None) => Err(invalid(never, "choose a time that is to come")),
        Err(WrongRecurrence::Expression { expression, reason }) => Err(invalid(
            format!("`{expression}` is no cron expression: {reason}"),
            "write minute, hour, day, month, weekday, such as `0 8 * * mon-fri`",
        )),
        Err(WrongRecurrence::Zone(zone)) => Err(invalid(
            format!("there is no time zone `{zone}`"),
            "write an IANA name such as `Asia/Shanghai` or `Europe/Berlin`",
        )),
    }
}

fn invalid(what: impl Into<String>, hint: &str) -> ControlError {
    ControlError::Invalid { what: what.into(), hint: hint.into() }
}

/// Does now what an active schedule is for, beside its plan.
pub(crate) async fn run_now(kernel: &Arc<Inner>, schedule: ScheduleId) -> Result<(), ControlError> {
    let record = active(kernel, schedule).await?;
    // An id of its own, so that the occurrence of the plan stays to be claimed.
    let platform_id = format!("{schedule}@run-{}", MessageId::new());
    let inbound = scheduler::occurrence(kernel, &record, kernel.clock.now(), platform_id);
    match bus::accept(kernel, inbound, Acknowledge::WhenDurable, |_| Vec::new()).await {
        Ok(_) => Ok(()),
        Err(AcceptError::Store(error)) => Err(error.into()),
        Err(error) => Err(ControlError::Refused { reason: error.to_string() }),
    }
}

/// The next occurrences of one active schedule, or of all of them, the soonest first; at most `limit`.
pub(crate) async fn upcoming(
    kernel: &Inner,
    schedule: Option<ScheduleId>,
    limit: usize,
) -> Result<Vec<(ScheduleRecord, UnixMs)>, ControlError> {
    let records = match schedule {
        Some(schedule) => vec![active(kernel, schedule).await?],
        None => kernel.stores.schedules.active(None).await?,
    };
    Ok(soonest(&records, limit))
}

fn soonest(records: &[ScheduleRecord], limit: usize) -> Vec<(ScheduleRecord, UnixMs)> {
    let mut found: Vec<(&ScheduleRecord, UnixMs)> = Vec::new();
    for record in records {
        found.extend(occurrences(record, limit).into_iter().map(|due_at| (record, due_at)));
        found.sort_by_key(|(record, due_at)| (*due_at, record.id));
        found.truncate(limit);
    }
    found.into_iter().map(|(record, due_at)| (record.clone(), due_at)).collect()
}

fn occurrences(record: &ScheduleRecord, limit: usize) -> Vec<UnixMs> {
    // An expression that can no longer be read has no further times; the scheduler reports it when it ends the schedule.
    let after = |due_at: &UnixMs| recurrence::next_after(&record.kind, *due_at).ok().flatten();
    std::iter::successors(record.next_due_at, after).take(limit).collect()
}

/// A schedule that still does something.
async fn active(kernel: &Inner, schedule: ScheduleId) -> Result<ScheduleRecord, ControlError> {
    let record = kernel.stores.schedules.get(schedule).await?;
    record
        .filter(|record| record.state == ScheduleState::Active)
        .ok_or_else(|| ControlError::NotFound { what: format!("there is no active schedule `{schedule}`") })
}

#[cfg(test)]
mod tests {
    use hearth_contract::id::ChatKey;
    use hearth_contract::store::ScheduleKind;
    use hearth_testkit::suite::storage::samples;

    use super::*;

    #[test]
    fn a_plan_that_makes_no_sense_is_told_with_what_to_write() {
        let cron = |expression: &str, zone: &str| NewDue::Cron {
            expression: expression.into(),
            zone: Some(zone.into()),
        };
        for (due, wrong, hint) in [
            (NewDue::At(UnixMs(5)), "past", "to come"),
            (NewDue::Every(59_999), "too short", "one minute"),
            (NewDue::Every(u64::MAX), "too long", "ten years"),
            (cron("0 8 * *", "UTC"), "no cron expression", "mon-fri"),
            (cron("0 8 30 2 *", "UTC"), "never comes", "to come"),
            (cron("0 8 * * *", "Mars/Base"), "no time zone `Mars/Base`", "Asia/Shanghai"),
        ] {
            match plan(due, UnixMs(5), "UTC") {
                Err(ControlError::Invalid { what, hint: told }) => {
                    assert!(what.contains(wrong) && told.contains(hint), "{what} {told}");
                }
                other => panic!("{other:?}"),
            }
        }
        let usual = NewDue::Cron { expression: "0 8 * * mon-fri".into(), zone: None };
        // 1970-01-01 was a Thursday; 8 o'clock in Shanghai was midnight in UTC.
        let (_, due_at) = plan(usual, UnixMs(0), "Asia/Shanghai").unwrap();
        assert_eq!(due_at, UnixMs(24 * 3_600_000));
    }

    #[test]
    fn the_next_times_of_all_schedules_come_in_their_order() {
        let session = ChatKey::new("cli", "me").dialog("default");
        let once = samples::schedule(&session, UnixMs(250));
        let mut again = samples::schedule(&session, UnixMs(100));
        again.kind = ScheduleKind::Every { every_ms: 100, from: UnixMs(0) };
        let found = soonest(&[once.clone(), again.clone()], 4);
        let found: Vec<_> = found.into_iter().map(|(record, due_at)| (record.id, due_at.0)).collect();
        assert_eq!(found, [(again.id, 100), (again.id, 200), (once.id, 250), (again.id, 300)]);
    }
}
