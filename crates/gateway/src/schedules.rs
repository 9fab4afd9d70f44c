//! What clients ask about schedules.

use hearth_contract::id::ScheduleId;
use hearth_contract::store::{ScheduleKind, ScheduleRecord};
use hearth_protocol::{Problem, Repeats, Schedule};

use crate::calls::{CallParts, bad_id, chat_key};
use crate::limits::{OCCURRENCES_DEFAULT, OCCURRENCES_MAX};
use crate::problem::{of_control, of_store};

/// Active schedules, the soonest first.
pub(crate) async fn list(parts: &CallParts, chat: Option<String>) -> Result<Vec<Schedule>, Problem> {
    let chat = chat.as_deref().map(chat_key).transpose()?;
    let records = parts.stores.schedules.active(chat.as_ref()).await.map_err(|error| of_store(&error))?;
    let one = |record: ScheduleRecord| {
        let due_at_ms = record.next_due_at?.0;
        Some(shown(record, due_at_ms))
    };
    Ok(records.into_iter().filter_map(one).collect())
}

/// The next occurrences of one schedule or of all.
pub(crate) async fn next(
    parts: &CallParts,
    id: Option<String>,
    limit: Option<usize>,
) -> Result<Vec<Schedule>, Problem> {
    let id = id.as_deref().map(id_of).transpose()?;
    let limit = limit.unwrap_or(OCCURRENCES_DEFAULT).min(OCCURRENCES_MAX);
    let found = parts.control.upcoming(id, limit).await.map_err(of_control)?;
    Ok(found.into_iter().map(|(record, due_at)| shown(record, due_at.0)).collect())
}

/// The id of a schedule as clients write it.
pub(crate) fn id_of(id: &str) -> Result<ScheduleId, Problem> {
    id.parse().map_err(|error| bad_id(&error))
}

/// A schedule with the time of one of its occurrences.
fn shown(record: ScheduleRecord, due_at_ms: i64) -> Schedule {
    let repeats = match record.kind {
        ScheduleKind::At { .. } => None,
        ScheduleKind::Every { every_ms, .. } => Some(Repeats::Every { every_ms }),
        ScheduleKind::Cron { expression, zone } => Some(Repeats::Cron { expression, zone }),
    };
    Schedule {
        id: record.id.to_string(),
        session: record.session.to_string(),
        text: record.text,
        due_at_ms,
        repeats,
    }
}
