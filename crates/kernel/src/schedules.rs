//! What our own clients ask of schedules.

use hearth_contract::clock::UnixMs;
use hearth_contract::id::ScheduleId;
use hearth_contract::inbox::ControlError;
use hearth_contract::store::{ScheduleRecord, ScheduleState};

use crate::kernel::Inner;
use crate::recurrence;

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
