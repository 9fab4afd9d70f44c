//! What clients ask about schedules.

use hearth_contract::clock::UnixMs;
use hearth_contract::id::{ScheduleId, SessionKey};
use hearth_contract::inbox::{NewDue, NewSchedule};
use hearth_contract::message::Sender;
use hearth_contract::rights::Role;
use hearth_contract::store::{ScheduleKind, ScheduleRecord};
use hearth_protocol::{Due, Problem, Repeats, Schedule, ScheduleAdd};

use crate::calls::{CallParts, bad_id, chat_key, resolve};
use crate::hub::CHANNEL;
use crate::limits::{OCCURRENCES_DEFAULT, OCCURRENCES_MAX};
use crate::problem::{invalid, not_found, of_control, of_store};

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

/// Makes a schedule in a session of our own clients.
pub(crate) async fn add(parts: &CallParts, wanted: ScheduleAdd) -> Result<Schedule, Problem> {
    let session = resolve(parts, &wanted.session).await?;
    if session.chat.channel != CHANNEL {
        let text =
            format!("`{}` is a chat of another network, and only its people schedule there", session.chat);
        return Err(invalid(text, "Ask for it in that chat, or use a session of your own, such as `cli:me`"));
    }
    // A slip of the keyboard would begin another dialog unseen.
    let known = parts.stores.dialogs.get(&session).await.map_err(|error| of_store(&error))?;
    if known.is_none() && session.dialog != SessionKey::DEFAULT_DIALOG {
        return Err(not_found(
            format!("there is no session {session}"),
            "List the sessions and take one of them",
        ));
    }
    let due = match wanted.due {
        Due::At { at_ms } => NewDue::At(UnixMs(at_ms)),
        Due::Every { every_ms } => NewDue::Every(every_ms),
        Due::Cron { expression, zone } => NewDue::Cron { expression, zone },
    };
    let person = session.chat.chat.clone();
    // Whoever has the token is the owner.
    let sender = Sender { id: person.clone(), name: person, role: Role::Owner };
    let request = NewSchedule { session, sender, text: wanted.text, due };
    let record = parts.control.add_schedule(request).await.map_err(of_control)?;
    let due_at_ms = record.next_due_at.unwrap_or(record.created_at).0;
    Ok(shown(record, due_at_ms))
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
