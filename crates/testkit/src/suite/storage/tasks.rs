//! Background tasks, and that their results are shown or pending.

use hearth_contract::clock::UnixMs;
use hearth_contract::id::{CallId, ChatKey, MessageId, TaskId, TurnId};
use hearth_contract::message::{Arrival, InterruptLevel, MessageEnd};
use hearth_contract::store::{
    Change, Lease, MessageChange, StoreError, Stores, TaskChange, TaskNotice, TaskRecord, TaskState,
    TurnChange,
};

use super::samples::{START, accept, chat, end, incoming, session, task, turn};
use super::{Case, cases};

pub(super) const CASES: &[Case] = cases![
    a_task_is_kept_as_it_was_made,
    a_call_makes_one_task,
    one_worker_has_a_task,
    a_cancelled_task_has_nothing_to_show,
    a_result_is_taken_once,
    a_claimed_result_is_shown_when_its_turn_ends_well,
    what_is_claimed_before_it_has_ended_stays_claimed,
    an_announced_result_is_shown_when_its_turn_ends_well,
    tasks_are_counted,
];

const AT: UnixMs = UnixMs(START.0 + 5);

async fn put(stores: &Stores, record: &TaskRecord) {
    stores.ledger.commit(vec![TaskChange::Put(Box::new(record.clone())).into()]).await.unwrap();
}

async fn commit(stores: &Stores, change: TaskChange) -> Result<(), StoreError> {
    stores.ledger.commit(vec![change.into()]).await
}

async fn stored(stores: &Stores, id: TaskId) -> TaskRecord {
    stores.tasks.get(id).await.unwrap().unwrap()
}

fn start(record: &TaskRecord, fence: i64) -> TaskChange {
    TaskChange::Start { task: record.id, lease: Lease { owner: format!("w{fence}"), fence } }
}

fn finish(record: &TaskRecord, fence: i64) -> TaskChange {
    let (state, result) = (TaskState::Done, "结果".to_owned());
    let arrival = Arrival::Interrupt(InterruptLevel::Kernel);
    TaskChange::Finish { task: record.id, fence, state, result, arrival, at: AT }
}

/// A task that has ended and whose result is pending.
async fn finished(stores: &Stores) -> TaskRecord {
    let record = task(&session());
    put(stores, &record).await;
    commit(stores, start(&record, 1)).await.unwrap();
    commit(stores, finish(&record, 1)).await.unwrap();
    record
}

fn is_conflict(result: Result<(), StoreError>, expected: &str) {
    match result {
        Err(StoreError::Conflict { what, .. }) => assert_eq!(what, expected),
        other => panic!("no conflict: {other:?}"),
    }
}

async fn a_task_is_kept_as_it_was_made(stores: &Stores) {
    let first = TaskRecord { call: Some(CallId::from_text("call_1")), ..task(&session()) };
    let notice = TaskNotice::Shown { turn: TurnId::new() };
    let ended = TaskRecord {
        state: TaskState::Done,
        attempts: 3,
        lease: Lease { owner: "w".into(), fence: 3 },
        handle: "job-7".into(),
        result: "四十二".into(),
        notice,
        notice_failures: 2,
        ended_at: Some(AT),
        ..task(&ChatKey::new("qq", "1").dialog("b"))
    };
    let last = task(&chat().dialog("b"));
    for record in [&first, &ended, &last] {
        put(stores, record).await;
        assert_eq!(stored(stores, record.id).await, *record);
    }
    assert_eq!(stores.tasks.get(TaskId::new()).await.unwrap(), None);
    assert_eq!(stores.tasks.open().await.unwrap(), [first.clone(), last.clone()]);
    assert_eq!(stores.tasks.pending().await.unwrap(), []);
    assert_eq!(stores.tasks.list(None, 2).await.unwrap(), [last.clone(), ended]);
    assert_eq!(stores.tasks.list(Some(&chat()), 9).await.unwrap(), [last, first]);
}

async fn a_call_makes_one_task(stores: &Stores) {
    let call = CallId::from_text("call_1");
    let first = TaskRecord { call: Some(call.clone()), ..task(&session()) };
    let second = TaskRecord { call: Some(call.clone()), ..task(&session()) };
    put(stores, &first).await;
    let error = commit(stores, TaskChange::Put(Box::new(second.clone()))).await.unwrap_err();
    assert_eq!(error, StoreError::Conflict { what: "task", existing: first.id.to_string() });
    assert_eq!(stores.tasks.of_call(&call).await.unwrap(), Some(first));
    assert_eq!(stores.tasks.get(second.id).await.unwrap(), None);
    assert_eq!(stores.tasks.of_call(&CallId::from_text("call_2")).await.unwrap(), None);
    put(stores, &task(&session())).await;
    put(stores, &task(&session())).await;
}

async fn one_worker_has_a_task(stores: &Stores) {
    let record = task(&session());
    put(stores, &record).await;
    commit(stores, start(&record, 1)).await.unwrap();
    is_conflict(commit(stores, start(&record, 1)).await, "lease");
    let handle =
        |fence, handle: &str| TaskChange::SetHandle { task: record.id, fence, handle: handle.into() };
    commit(stores, handle(1, "job")).await.unwrap();
    // Taken over after a crash: the first worker has lost it.
    commit(stores, start(&record, 2)).await.unwrap();
    commit(stores, handle(1, "late")).await.unwrap();
    is_conflict(commit(stores, finish(&record, 1)).await, "lease");
    let running = stored(stores, record.id).await;
    assert_eq!((running.state, running.attempts, running.handle.as_str()), (TaskState::Running, 2, "job"));
    assert_eq!(running.lease, Lease { owner: "w2".into(), fence: 2 });
    commit(stores, finish(&record, 2)).await.unwrap();
    is_conflict(commit(stores, finish(&record, 2)).await, "lease");
    is_conflict(commit(stores, start(&record, 3)).await, "lease");
    is_conflict(commit(stores, start(&task(&session()), 1)).await, "lease");
    let ended = stored(stores, record.id).await;
    assert_eq!((ended.state, ended.result.as_str(), ended.ended_at), (TaskState::Done, "结果", Some(AT)));
    assert_eq!((ended.notice, ended.notice_at), (TaskNotice::Pending, AT));
    assert_eq!(ended.arrival, Arrival::Interrupt(InterruptLevel::Kernel));
    assert_eq!(stores.tasks.open().await.unwrap(), []);
    assert_eq!(stores.tasks.pending().await.unwrap(), [ended]);
}

async fn a_cancelled_task_has_nothing_to_show(stores: &Stores) {
    let (waits, runs, ended) = (task(&session()), task(&session()), finished(stores).await);
    put(stores, &waits).await;
    put(stores, &runs).await;
    commit(stores, start(&runs, 1)).await.unwrap();
    let cancel = |record: &TaskRecord| TaskChange::Cancel { task: record.id, by: "我".into(), at: AT };
    for record in [&waits, &runs] {
        commit(stores, cancel(record)).await.unwrap();
        let gone = stored(stores, record.id).await;
        assert_eq!((gone.state, gone.result.as_str()), (TaskState::Cancelled, "我"));
        assert_eq!((gone.notice, gone.ended_at), (TaskNotice::Nothing, Some(AT)));
        is_conflict(commit(stores, cancel(record)).await, "task");
    }
    is_conflict(commit(stores, finish(&runs, 1)).await, "lease");
    is_conflict(commit(stores, cancel(&ended)).await, "task");
}

async fn a_result_is_taken_once(stores: &Stores) {
    let (first, second) = (finished(stores).await, finished(stores).await);
    let (turn, other) = (TurnId::new(), TurnId::new());
    let claim = |record: &TaskRecord, turn| TaskChange::Claim { task: record.id, turn, at: AT };
    let announce = |record: &TaskRecord, message| TaskChange::Announce { task: record.id, message, at: AT };
    commit(stores, claim(&first, turn)).await.unwrap();
    commit(stores, claim(&first, turn)).await.unwrap();
    is_conflict(commit(stores, claim(&first, other)).await, "task");
    let notice = incoming(&session(), "", "ended");
    let both: Vec<Change> = vec![accept(&notice), announce(&first, notice.id).into()];
    is_conflict(stores.ledger.commit(both).await, "task");
    assert_eq!(stores.messages.get(notice.id).await.unwrap(), None);
    commit(stores, announce(&second, notice.id)).await.unwrap();
    is_conflict(commit(stores, claim(&second, turn)).await, "task");
    is_conflict(commit(stores, announce(&second, MessageId::new())).await, "task");
    let running = task(&session());
    put(stores, &running).await;
    is_conflict(commit(stores, claim(&running, turn)).await, "task");
    assert_eq!(stores.tasks.pending().await.unwrap(), []);
}

async fn a_claimed_result_is_shown_when_its_turn_ends_well(stores: &Stores) {
    let (record, other) = (finished(stores).await, finished(stores).await);
    let (stopped, good) = (TurnId::new(), TurnId::new());
    let claim = |record: &TaskRecord, turn| TaskChange::Claim { task: record.id, turn, at: AT };
    commit(stores, claim(&record, stopped)).await.unwrap();
    commit(stores, claim(&other, TurnId::new())).await.unwrap();
    let later = UnixMs(AT.0 + 1);
    commit(stores, TaskChange::Release { turn: stopped, at: later }).await.unwrap();
    let released = stored(stores, record.id).await;
    assert_eq!((released.notice, released.notice_failures), (TaskNotice::Pending, 1));
    assert_eq!(released.notice_at, later);
    commit(stores, claim(&record, good)).await.unwrap();
    commit(stores, TaskChange::Show { turn: good, at: later }).await.unwrap();
    commit(stores, TaskChange::Release { turn: good, at: later }).await.unwrap();
    assert_eq!(stored(stores, record.id).await.notice, TaskNotice::Shown { turn: good });
    assert!(matches!(stored(stores, other.id).await.notice, TaskNotice::Claimed { .. }));
}

async fn what_is_claimed_before_it_has_ended_stays_claimed(stores: &Stores) {
    let turn = TurnId::new();
    let claimed = TaskNotice::Claimed { turn };
    let [shown, let_go, released, unended, late] =
        std::array::from_fn(|_| TaskRecord { notice: claimed, ..task(&session()) });
    for record in [&shown, &let_go, &released, &unended, &late] {
        put(stores, record).await;
        commit(stores, start(record, 1)).await.unwrap();
    }
    commit(stores, finish(&shown, 1)).await.unwrap();
    assert_eq!(stored(stores, shown.id).await.notice, claimed);
    assert_eq!(stores.tasks.pending().await.unwrap(), []);
    // Somebody no longer waits, before it has ended and after.
    let drop = |record: &TaskRecord, turn| TaskChange::LetGo { task: record.id, turn, at: AT };
    commit(stores, drop(&let_go, TurnId::new())).await.unwrap();
    assert_eq!(stored(stores, let_go.id).await.notice, claimed);
    commit(stores, drop(&let_go, turn)).await.unwrap();
    assert_eq!(stored(stores, let_go.id).await.notice, TaskNotice::Nothing);
    commit(stores, finish(&let_go, 1)).await.unwrap();
    commit(stores, finish(&late, 1)).await.unwrap();
    commit(stores, drop(&late, turn)).await.unwrap();
    for record in [&let_go, &late] {
        assert_eq!(stored(stores, record.id).await.notice, TaskNotice::Pending);
    }
    // The turn ends: what it waited for in vain is nobody's.
    commit(stores, TaskChange::Show { turn, at: AT }).await.unwrap();
    assert_eq!(stored(stores, shown.id).await.notice, TaskNotice::Shown { turn });
    for record in [&released, &unended] {
        assert_eq!(stored(stores, record.id).await.notice, TaskNotice::Nothing);
    }
    commit(stores, finish(&unended, 1)).await.unwrap();
    assert_eq!(stored(stores, unended.id).await.notice, TaskNotice::Pending);
}

async fn an_announced_result_is_shown_when_its_turn_ends_well(stores: &Stores) {
    let record = finished(stores).await;
    let mut turns = [TurnId::new(), TurnId::new()].into_iter();
    let mut announced_in = async |stores: &Stores| {
        let (notice, turn) = (incoming(&session(), "", "ended"), turns.next().unwrap());
        let changes: Vec<Change> = vec![
            accept(&notice),
            TaskChange::Announce { task: record.id, message: notice.id, at: AT }.into(),
            MessageChange::TakeUp { message: notice.id, turn }.into(),
        ];
        stores.ledger.commit(changes).await.unwrap();
        assert_eq!(stored(stores, record.id).await.notice, TaskNotice::Announced { message: notice.id });
        turn
    };
    let failed = announced_in(stores).await;
    commit(stores, TaskChange::Show { turn: TurnId::new(), at: AT }).await.unwrap();
    commit(stores, TaskChange::Release { turn: failed, at: AT }).await.unwrap();
    assert_eq!(stored(stores, record.id).await.notice, TaskNotice::Pending);
    let good = announced_in(stores).await;
    commit(stores, TaskChange::Show { turn: good, at: AT }).await.unwrap();
    assert_eq!(stored(stores, record.id).await.notice, TaskNotice::Shown { turn: good });
}

async fn tasks_are_counted(stores: &Stores) {
    let old = TaskRecord { created_at: UnixMs(START.0 - 1), ..task(&session()) };
    for record in [&old, &task(&session())] {
        put(stores, record).await;
    }
    let counts = async || stores.prover.prove(START, START).await.unwrap().tasks;
    let expect = |expected: &[(&str, u64)]| {
        expected.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    };
    assert_eq!(counts().await, expect(&[("queued", 1)]));
    let (pending, claimed, announced) =
        (finished(stores).await, finished(stores).await, finished(stores).await);
    assert_eq!(counts().await, expect(&[("queued", 1), ("done", 3), ("pending", 3)]));

    let (asked, notice) = (incoming(&session(), "", "x"), incoming(&session(), "", "ended"));
    let record = turn(&session(), asked.id);
    let changes = vec![
        accept(&asked),
        accept(&notice),
        TurnChange::Start(record.clone()).into(),
        TaskChange::Claim { task: claimed.id, turn: record.id, at: AT }.into(),
        TaskChange::Announce { task: announced.id, message: notice.id, at: AT }.into(),
    ];
    stores.ledger.commit(changes).await.unwrap();
    assert_eq!(counts().await, expect(&[("queued", 1), ("done", 3), ("pending", 3)]));

    // Nobody will show what is held by something that has ended.
    let silent = MessageChange::End { message: notice.id, end: MessageEnd::Silent { rule: "r".into() } };
    stores.ledger.commit(vec![silent.into(), end(record.id, 1).into()]).await.unwrap();
    let lost = expect(&[("queued", 1), ("done", 3), ("pending", 3), ("unexplained", 2)]);
    assert_eq!(counts().await, lost);
    commit(stores, TaskChange::Show { turn: record.id, at: AT }).await.unwrap();
    let shown = expect(&[("queued", 1), ("done", 3), ("pending", 2), ("shown", 1), ("unexplained", 1)]);
    assert_eq!(counts().await, shown);
    assert_eq!(stores.tasks.pending().await.unwrap().len(), 1);
    assert_eq!(stored(stores, pending.id).await.notice, TaskNotice::Pending);
}
