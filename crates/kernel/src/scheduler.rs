//! Wakes the agent when something becomes due. An occurrence is claimed in the transaction that puts it on the bus, which
//! also moves the schedule to its next one. Those that were missed meanwhile come as one: the oldest of them fires, late.

use std::sync::Arc;
use std::time::Duration;

use hearth_contract::clock::UnixMs;
use hearth_contract::event::EventKind;
use hearth_contract::inbox::{AcceptError, Acknowledge};
use hearth_contract::message::{Arrival, Inbound, Origin, Segment};
use hearth_contract::store::{ScheduleChange, ScheduleRecord, StoreError};
use tokio::sync::Notify;

use crate::kernel::Inner;
use crate::{bus, recurrence};

/// How many schedules are looked at together.
const DUE_STEP: usize = 32;
/// While something is scheduled the clock is looked at least this often, because it may be set.
const LOOK_AGAIN: Duration = Duration::from_secs(60);
/// How long to wait after a failure of the ledger or a full bus.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Tells the scheduler that something has changed.
#[derive(Debug, Default)]
pub(crate) struct Scheduler(Notify);

impl Scheduler {
    /// The stored schedules have changed.
    pub(crate) fn wake(&self) {
        self.0.notify_one();
    }
}

/// Runs until the shutdown.
pub(crate) async fn run(kernel: Arc<Inner>) {
    let shutdown = kernel.tasks.shutdown().clone();
    loop {
        // Nothing breaks this off: an occurrence that is claimed must also reach its session.
        let looking = kernel.activity.begin();
        let next = fire_due(&kernel).await;
        drop(looking);
        let wait = async {
            match next {
                Ok(Some(next)) => kernel.clock.sleep(next.since(kernel.clock.now()).min(LOOK_AGAIN)).await,
                Ok(None) => std::future::pending().await,
                Err(error) => {
                    tracing::warn!(%error, "schedules wait");
                    kernel.clock.sleep(RETRY_AFTER).await;
                }
            }
        };
        tokio::select! {
            () = wait => {}
            () = kernel.scheduler.0.notified() => {}
            () = shutdown.cancelled() => return,
        }
    }
}

/// Puts everything that is due on the bus; the time of the next one is returned.
async fn fire_due(kernel: &Arc<Inner>) -> Result<Option<UnixMs>, AcceptError> {
    loop {
        let next = kernel.stores.schedules.next(DUE_STEP).await?;
        let now = kernel.clock.now();
        let is_due = |schedule: &&ScheduleRecord| schedule.next_due_at.is_some_and(|due_at| due_at <= now);
        let due: Vec<&ScheduleRecord> = next.iter().filter(is_due).collect();
        if due.is_empty() {
            return Ok(next.first().and_then(|schedule| schedule.next_due_at));
        }
        for schedule in due {
            fire(kernel, schedule).await?;
        }
    }
}

async fn fire(kernel: &Arc<Inner>, schedule: &ScheduleRecord) -> Result<(), AcceptError> {
    let Some(due_at) = schedule.next_due_at else { return Ok(()) };
    let now = kernel.clock.now();
    let next_due_at = recurrence::next_after(&schedule.kind, due_at.max(now)).unwrap_or_else(|error| {
        tracing::error!(schedule = %schedule.id, %error, "a schedule ends");
        None
    });
    let claim =
        |message| vec![ScheduleChange::Fire { schedule: schedule.id, due_at, message, next_due_at }.into()];
    let platform_id = format!("{}@{due_at}", schedule.id);
    let inbound = occurrence(kernel, schedule, due_at, platform_id);
    match bus::accept(kernel, inbound, Acknowledge::WhenDurable, claim).await {
        Ok(_) => {}
        // Somebody else has claimed it, or it was cancelled a moment ago.
        Err(AcceptError::Store(StoreError::Conflict { .. })) => return Ok(()),
        Err(error) => return Err(error),
    }
    kernel.events.emit(Some(&schedule.session), EventKind::ScheduleFired { schedule: schedule.id, due_at });
    Ok(())
}

/// What wakes the agent for a schedule.
pub(crate) fn occurrence(
    kernel: &Inner,
    schedule: &ScheduleRecord,
    due_at: UnixMs,
    platform_id: String,
) -> Inbound {
    let dialog = match kernel.dialogs.closed(&schedule.session) {
        None => Some(schedule.session.dialog.clone()),
        // What was promised in a dialog that is closed by now is kept where people talk now.
        Some(_) => None,
    };
    Inbound {
        chat: schedule.session.chat.clone(),
        chat_kind: schedule.chat_kind,
        account: schedule.account.clone(),
        dialog,
        platform_id: Some(platform_id),
        sender: schedule.sender.clone(),
        segments: vec![Segment::text(&schedule.text)],
        addressed: true,
        sent_at: kernel.clock.now(),
        origin: Origin::Schedule { schedule: schedule.id, due_at },
        arrival: Arrival::Enqueue,
    }
}
