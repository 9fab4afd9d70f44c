//! Background tasks: work that outlives the turn that wanted it. The ledger holds the queue; this is the way to it.
//!
//! To add a kind of the kernel's own: its file, and its line in [`runner::ALL`]. Kinds of others are given to
//! [`TaskQueue::new`].

pub(crate) mod runner;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hearth_contract::background::TaskKind;
use hearth_contract::clock::Clock;
use hearth_contract::id::{TaskId, TurnId};
use hearth_contract::store::{
    Change, StoreError, Stores, TaskChange, TaskNotice, TaskRecord, TaskState, Urgency,
};
use tokio::sync::Notify;

use crate::activity::{Activity, ActivityGuard};
use crate::control::TurnControl;
use crate::limits::Limits;

/// Who stops a task that Hearth itself no longer wants.
pub(crate) const PARENT: &str = "parent";

/// The queue of background tasks.
#[derive(Debug)]
pub struct TaskQueue {
    stores: Stores,
    clock: Arc<dyn Clock>,
    limits: Limits,
    kinds: BTreeMap<&'static str, Arc<dyn TaskKind>>,
    /// What is going on in the whole kernel.
    pub(crate) activity: Activity,
    /// The stored tasks have changed, or somebody no longer waits for one.
    changed: Notify,
    /// A task has ended.
    ended: Notify,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Something is going on until the runner has looked.
    looking: Option<ActivityGuard>,
    /// The tasks that are worked on here.
    running: HashMap<TaskId, Arc<TurnControl>>,
    /// How many tools wait for a task: its result is theirs first.
    awaited: HashMap<TaskId, usize>,
}

/// A task could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PutError {
    /// Too many have not ended: try later.
    #[error(
        "{open} background tasks have not ended, which is the most there may be; wait for one, or cancel one"
    )]
    Full { open: usize },
    /// The ledger failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl TaskQueue {
    /// The queue of a ledger, and the kinds of tasks that are not the kernel's own.
    pub fn new(
        stores: Stores,
        clock: Arc<dyn Clock>,
        limits: Limits,
        kinds: Vec<Arc<dyn TaskKind>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            stores,
            clock,
            limits,
            kinds: kinds.into_iter().map(|kind| (kind.name(), kind)).collect(),
            activity: Activity::default(),
            changed: Notify::new(),
            ended: Notify::new(),
            state: Mutex::default(),
        })
    }

    /// The stored tasks have changed: they are looked at.
    pub(crate) fn wake(&self) {
        self.lock().looking.get_or_insert_with(|| self.activity.begin());
        self.changed.notify_one();
    }

    pub(crate) fn now(&self) -> hearth_contract::clock::UnixMs {
        self.clock.now()
    }

    /// Whether one more task may be made.
    pub(crate) async fn has_room(&self) -> Result<(), PutError> {
        let open = self.stores.tasks.open().await?.len();
        if open >= self.limits.tasks_open_max {
            return Err(PutError::Full { open });
        }
        Ok(())
    }

    /// Makes a task, or finds the one that its call has made before a crash.
    pub(crate) async fn put(&self, task: TaskRecord) -> Result<TaskId, PutError> {
        if let Some(call) = &task.call
            && let Some(made) = self.stores.tasks.of_call(call).await?
        {
            return Ok(made.id);
        }
        self.has_room().await?;
        let id = task.id;
        self.stores.ledger.commit(vec![TaskChange::Put(Box::new(task)).into()]).await?;
        self.wake();
        Ok(id)
    }

    /// Waits for a task: until the guard is dropped its result is kept for who has it.
    pub(crate) fn await_it(self: &Arc<Self>, task: TaskId) -> Awaited {
        *self.lock().awaited.entry(task).or_default() += 1;
        Awaited { queue: self.clone(), task }
    }

    /// Takes a result for a tool of `turn`. False when it is on its way to the model already, or was there.
    async fn claim(&self, task: TaskId, turn: TurnId) -> Result<bool, StoreError> {
        let claim: Change = TaskChange::Claim { task, turn, at: self.clock.now() }.into();
        match self.stores.ledger.apply(vec![claim], Urgency::Later).await {
            Ok(_) => Ok(true),
            Err(StoreError::Conflict { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Cancels a task. False when it had ended.
    pub(crate) async fn cancel(&self, task: TaskId, by: &str) -> Result<bool, StoreError> {
        let cancel = TaskChange::Cancel { task, by: by.to_owned(), at: self.clock.now() };
        let durable = match self.stores.ledger.apply(vec![cancel.into()], Urgency::Now).await {
            Ok(durable) => durable,
            Err(StoreError::Conflict { .. }) => return Ok(false),
            Err(error) => return Err(error),
        };
        if let Some(control) = self.lock().running.get(&task) {
            control.stop(by);
        }
        durable.wait().await?;
        self.ended.notify_waiters();
        self.wake();
        Ok(true)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody waits for a task.
#[derive(Debug)]
pub(crate) struct Awaited {
    queue: Arc<TaskQueue>,
    task: TaskId,
}

/// What came of waiting.
#[derive(Debug)]
pub(crate) enum Came {
    /// The task has ended. Unless somebody had its result before, it is this turn's, and nobody else tells it.
    Ended(TaskRecord),
    /// It has ended, and a message with its result is on its way.
    OnItsWay(TaskRecord),
    /// It has not ended.
    NotYet(TaskRecord),
    /// There is no such task.
    Unknown,
}

impl Awaited {
    /// Waits until the task has ended, at most as long as is given, and takes its result for `turn`.
    pub(crate) async fn result(
        &self,
        turn: TurnId,
        wait_max: std::time::Duration,
    ) -> Result<Came, StoreError> {
        let queue = &self.queue;
        let waiting = hearth_contract::clock::timeout(queue.clock.as_ref(), wait_max, self.ended());
        // silent-ok: what it has come to by then is read next, whether it has ended or not.
        let _ = waiting.await;
        let Some(task) = queue.stores.tasks.get(self.task).await? else { return Ok(Came::Unknown) };
        Ok(match task.state {
            TaskState::Queued | TaskState::Running => {
                // From now on the result is not for this turn in particular.
                let let_go = TaskChange::LetGo { task: task.id, turn, at: queue.clock.now() };
                queue.stores.ledger.apply(vec![let_go.into()], Urgency::Later).await?;
                Came::NotYet(task)
            }
            TaskState::Cancelled => Came::Ended(task),
            TaskState::Done | TaskState::Failed => {
                if queue.claim(task.id, turn).await? {
                    return Ok(Came::Ended(task));
                }
                // What was recorded until now becomes readable with this.
                queue.stores.ledger.commit(Vec::new()).await?;
                match queue.stores.tasks.get(self.task).await? {
                    Some(TaskRecord { notice: TaskNotice::Announced { .. }, .. }) => Came::OnItsWay(task),
                    Some(_) | None => Came::Ended(task),
                }
            }
        })
    }

    /// Returns when the task has ended, or there is none.
    async fn ended(&self) {
        loop {
            let ended = self.queue.ended.notified();
            tokio::pin!(ended);
            ended.as_mut().enable();
            match self.queue.stores.tasks.get(self.task).await {
                Ok(Some(task)) if !task.state.is_end() => ended.await,
                // A ledger that cannot be read says so when the result is asked for.
                Ok(_) | Err(_) => return,
            }
        }
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        if let Some(count) = state.awaited.get_mut(&self.task) {
            *count -= 1;
            if *count == 0 {
                state.awaited.remove(&self.task);
            }
        }
        drop(state);
        self.queue.wake();
    }
}
