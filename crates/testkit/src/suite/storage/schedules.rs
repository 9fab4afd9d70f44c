//! Schedules and their occurrences.

use hearth_contract::clock::UnixMs;
use hearth_contract::id::{ChatKey, MessageId, ScheduleId};
use hearth_contract::store::{ScheduleChange, ScheduleRecord, ScheduleState, StoreError, Stores};

use super::samples::{accept, chat, incoming, schedule, session};
use super::{Case, cases};

pub(super) const CASES: &[Case] = cases![
    schedules_come_soonest_first,
    an_occurrence_is_claimed_once,
    a_schedule_that_is_over_does_not_fire,
];

fn fire(schedule: &ScheduleRecord, due_at: i64, message: MessageId, next: Option<i64>) -> ScheduleChange {
    let next_due_at = next.map(UnixMs);
    ScheduleChange::Fire { schedule: schedule.id, due_at: UnixMs(due_at), message, next_due_at }
}

async fn schedules_come_soonest_first(stores: &Stores) {
    let (late, soon) = (schedule(&session(), UnixMs(30)), schedule(&chat().dialog("b"), UnixMs(10)));
    let elsewhere = schedule(&ChatKey::new("qq", "1").dialog("default"), UnixMs(20));
    let gone = schedule(&session(), UnixMs(5));
    let mut changes: Vec<_> = [&late, &soon, &elsewhere, &gone]
        .map(|schedule| ScheduleChange::Put(Box::new(schedule.clone())).into())
        .to_vec();
    changes.push(ScheduleChange::Cancel { schedule: gone.id }.into());
    stores.ledger.commit(changes).await.unwrap();
    let found = stores.schedules.next(2).await.unwrap();
    assert_eq!(found, [soon.clone(), elsewhere.clone()]);
    assert_eq!(stores.schedules.active(None).await.unwrap(), [soon.clone(), elsewhere, late.clone()]);
    assert_eq!(stores.schedules.active(Some(&chat())).await.unwrap(), [soon, late.clone()]);
    let gone = stores.schedules.get(gone.id).await.unwrap().unwrap();
    assert_eq!((gone.state, gone.next_due_at), (ScheduleState::Cancelled, None));
    assert_eq!(stores.schedules.get(ScheduleId::new()).await.unwrap(), None);

    let replaced = ScheduleRecord { text: "别的".into(), next_due_at: Some(UnixMs(1)), ..late };
    stores.ledger.commit(vec![ScheduleChange::Put(Box::new(replaced.clone())).into()]).await.unwrap();
    assert_eq!(stores.schedules.next(1).await.unwrap(), [replaced]);
}

async fn an_occurrence_is_claimed_once(stores: &Stores) {
    let record = schedule(&session(), UnixMs(10));
    let (first, second) = (incoming(&session(), "", "due"), incoming(&session(), "", "due"));
    stores.ledger.commit(vec![ScheduleChange::Put(Box::new(record.clone())).into()]).await.unwrap();
    let claim = fire(&record, 10, first.id, Some(20));
    stores.ledger.commit(vec![accept(&first), claim.into()]).await.unwrap();
    let moved = stores.schedules.get(record.id).await.unwrap().unwrap();
    assert_eq!((moved.state, moved.next_due_at), (ScheduleState::Active, Some(UnixMs(20))));

    let again = fire(&record, 10, second.id, Some(30));
    let error = stores.ledger.commit(vec![accept(&second), again.into()]).await.unwrap_err();
    assert_eq!(error, StoreError::Conflict { what: "occurrence", existing: first.id.to_string() });
    assert_eq!(stores.messages.get(second.id).await.unwrap(), None);
    let kept = stores.schedules.get(record.id).await.unwrap().unwrap();
    assert_eq!(kept.next_due_at, Some(UnixMs(20)));
    stores.ledger.commit(vec![fire(&record, 20, second.id, None).into()]).await.unwrap();
    let done = stores.schedules.get(record.id).await.unwrap().unwrap();
    assert_eq!((done.state, done.next_due_at), (ScheduleState::Done, None));
    assert_eq!(stores.schedules.next(9).await.unwrap(), []);
}

async fn a_schedule_that_is_over_does_not_fire(stores: &Stores) {
    let record = schedule(&session(), UnixMs(10));
    let put = ScheduleChange::Put(Box::new(record.clone()));
    let cancel = ScheduleChange::Cancel { schedule: record.id };
    stores.ledger.commit(vec![put.into(), cancel.into()]).await.unwrap();
    let error =
        stores.ledger.commit(vec![fire(&record, 10, MessageId::new(), None).into()]).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict { what: "occurrence", .. }), "{error}");
    let unknown = schedule(&session(), UnixMs(10));
    let error =
        stores.ledger.commit(vec![fire(&unknown, 10, MessageId::new(), None).into()]).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict { what: "occurrence", .. }), "{error}");
}
