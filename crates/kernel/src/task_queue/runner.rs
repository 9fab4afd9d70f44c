//! Works on background tasks, takes them up again after a crash, and puts what came of them on the bus.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::FutureExt;
use futures::future::BoxFuture;
use hearth_contract::background::{HandleKeeper, TaskKind};
use hearth_contract::clock::UnixMs;
use hearth_contract::event::EventKind;
use hearth_contract::id::TaskId;
use hearth_contract::inbox::{AcceptError, Acknowledge};
use hearth_contract::language::Language;
use hearth_contract::message::{Arrival, Inbound, InterruptLevel, Origin, Segment};
use hearth_contract::store::{Change, Lease, StoreError, TaskChange, TaskRecord, TaskState};

use crate::control::TurnControl;
use crate::kernel::Inner;
use crate::{bus, child, texts, toolbox};

/// How long to wait after a failure of the ledger or a full bus.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// The work on a task.
pub(crate) type Working = BoxFuture<'static, Result<(), StoreError>>;

/// A kind of the kernel's own. It writes the end of its tasks itself.
pub(crate) struct OwnKind {
    /// The kind's name.
    pub(crate) name: &'static str,
    /// Works on a task to its end.
    pub(crate) run: fn(Arc<Inner>, TaskRecord, Arc<TurnControl>) -> Working,
}

/// The kernel's own kinds.
pub(crate) const ALL: &[OwnKind] = &[child::KIND];

/// Runs until the shutdown.
pub(crate) async fn run(kernel: Arc<Inner>) {
    let shutdown = kernel.tasks.shutdown().clone();
    kernel.task_queue.wake();
    loop {
        // Nothing breaks this off: a result that is announced must also reach its session.
        let looking = kernel.task_queue.lock().looking.take();
        let next = look(&kernel).await;
        drop(looking);
        let wait = async {
            match next {
                Ok(Some(next)) => kernel.clock.sleep(next.since(kernel.clock.now())).await,
                Ok(None) => std::future::pending().await,
                Err(error) => {
                    tracing::warn!(%error, "background tasks wait");
                    kernel.clock.sleep(RETRY_AFTER).await;
                }
            }
        };
        tokio::select! {
            () = wait => {}
            () = kernel.task_queue.changed.notified() => {}
            () = shutdown.cancelled() => return,
        }
    }
}

/// Starts what waits and announces what has ended. When something is to be announced later, that time is returned.
async fn look(kernel: &Arc<Inner>) -> Result<Option<UnixMs>, AcceptError> {
    for task in kernel.stores.tasks.open().await? {
        if kernel.task_queue.lock().running.len() >= kernel.limits.tasks_running_max {
            break;
        }
        start(kernel, task).await?;
    }
    let mut next: Option<UnixMs> = None;
    for task in kernel.stores.tasks.pending().await? {
        let due = due(kernel, &task);
        if kernel.task_queue.lock().awaited.contains_key(&task.id) {
            continue;
        }
        if due > kernel.clock.now() {
            next = Some(next.map_or(due, |next| next.min(due)));
        } else {
            announce(kernel, &task).await?;
        }
    }
    Ok(next)
}

/// Who works on a task of this kind.
enum Worker {
    Own(&'static OwnKind),
    Given(Arc<dyn TaskKind>),
}

fn worker(kernel: &Inner, kind: &str) -> Option<Worker> {
    let own = ALL.iter().find(|own| own.name == kind).map(Worker::Own);
    own.or_else(|| kernel.task_queue.kinds.get(kind).cloned().map(Worker::Given))
}

/// Begins to work on a task, unless somebody does already. One whose kind is not here waits until it is.
async fn start(kernel: &Arc<Inner>, mut task: TaskRecord) -> Result<(), StoreError> {
    let Some(worker) = worker(kernel, &task.kind) else {
        tracing::warn!(task = %task.id, kind = task.kind, "nothing here works on tasks of this kind");
        return Ok(());
    };
    if kernel.task_queue.lock().running.contains_key(&task.id) {
        return Ok(());
    }
    task.lease = Lease { owner: kernel.lease_owner.clone(), fence: task.lease.fence + 1 };
    match kernel
        .stores
        .ledger
        .commit(vec![TaskChange::Start { task: task.id, lease: task.lease.clone() }.into()])
        .await
    {
        Ok(()) => {}
        // It was cancelled a moment ago, or somebody else has it.
        Err(StoreError::Conflict { .. }) => return Ok(()),
        Err(error) => return Err(error),
    }
    (task.state, task.attempts) = (TaskState::Running, task.attempts + 1);
    let control = Arc::<TurnControl>::default();
    kernel.task_queue.lock().running.insert(task.id, control.clone());
    tell(kernel, &task, TaskState::Running);
    let (kernel, going_on) = (kernel.clone(), kernel.activity.begin());
    let (tasks, shutdown) = (kernel.tasks.clone(), kernel.tasks.shutdown().clone());
    tasks.spawn("background task", async move {
        tokio::select! {
            () = work(&kernel, worker, task, control) => {}
            () = shutdown.cancelled() => {}
        }
        drop(going_on);
    });
    Ok(())
}

/// Works on a task to its end. What breaks it off leaves it open, and it is begun anew.
async fn work(kernel: &Arc<Inner>, worker: Worker, task: TaskRecord, control: Arc<TurnControl>) {
    let id = task.id;
    let working = match worker {
        Worker::Own(own) => (own.run)(kernel.clone(), task, control),
        Worker::Given(kind) => given(kernel.clone(), kind, task, control).boxed(),
    };
    match AssertUnwindSafe(working).catch_unwind().await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::error!(task = %id, %error, "a background task could not be ended; it is taken up again");
            kernel.clock.sleep(RETRY_AFTER).await;
        }
        Err(_) => tracing::error!(task = %id, "a background task broke"),
    }
    kernel.task_queue.lock().running.remove(&id);
    kernel.task_queue.ended.notify_waiters();
    kernel.task_queue.wake();
}

/// Works on a task of a kind that was given to the kernel.
async fn given(
    kernel: Arc<Inner>,
    kind: Arc<dyn TaskKind>,
    task: TaskRecord,
    control: Arc<TurnControl>,
) -> Result<(), StoreError> {
    let handle = Handle { kernel: &kernel, task: task.id, fence: task.lease.fence };
    let attempts_max = kernel.config.agent.turn_attempts_max;
    let ran = AssertUnwindSafe(kind.run(&task, &handle, control.stopped())).catch_unwind();
    let stopped = control.stopped();
    let (state, result, arrival) = tokio::select! {
        ran = ran => match ran {
            Ok(Ok(result)) => (TaskState::Done, result, task.arrival),
            Ok(Err(failure)) => (TaskState::Failed, failure.to_string(), task.arrival),
            Err(_) if task.attempts < attempts_max => return Ok(()),
            Err(_) => (TaskState::Failed, texts::task_broke(&task), BROKEN_ARRIVAL),
        },
        () = stopped.cancelled() => return Ok(()),
    };
    finish(&kernel, &task, Ending { state, result, arrival }, Vec::new()).await
}

/// How the end of a task that broke meets a running turn: the kernel's own interrupt.
pub(crate) const BROKEN_ARRIVAL: Arrival = Arrival::Interrupt(InterruptLevel::Kernel);

/// What came of a task.
pub(crate) struct Ending {
    pub(crate) state: TaskState,
    pub(crate) result: String,
    pub(crate) arrival: Arrival,
}

/// Writes the end of a task, with whatever else ends with it.
pub(crate) async fn finish(
    kernel: &Inner,
    task: &TaskRecord,
    ending: Ending,
    with: Vec<Change>,
) -> Result<(), StoreError> {
    let Ending { state, result, arrival } = ending;
    let result = toolbox::head_and_tail(&result, kernel.limits.task_result_chars_max);
    let (fence, at) = (task.lease.fence, kernel.clock.now());
    let end = TaskChange::Finish { task: task.id, fence, state, result, arrival, at };
    let all = with.iter().cloned().chain([end.into()]).collect();
    match kernel.stores.ledger.commit(all).await {
        Ok(()) => tell(kernel, task, state),
        Err(StoreError::Conflict { .. }) => {
            tracing::info!(task = %task.id, "a task had ended before its worker did");
            kernel.stores.ledger.record(with);
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

fn tell(kernel: &Inner, task: &TaskRecord, state: TaskState) {
    let moved = EventKind::TaskMoved { task: task.id, task_kind: task.kind.clone(), state };
    kernel.events.emit(Some(&task.session), moved);
}

struct Handle<'a> {
    kernel: &'a Inner,
    task: TaskId,
    fence: i64,
}

#[async_trait]
impl HandleKeeper for Handle<'_> {
    async fn keep(&self, handle: &str) -> Result<(), StoreError> {
        let set = TaskChange::SetHandle { task: self.task, fence: self.fence, handle: handle.to_owned() };
        self.kernel.stores.ledger.commit(vec![set.into()]).await
    }
}

/// When a pending result is to be announced: at once, and after a turn that did not show it, after a rest.
fn due(kernel: &Inner, task: &TaskRecord) -> UnixMs {
    let Some(doublings) = task.notice_failures.checked_sub(1) else { return task.notice_at };
    let rest = kernel.limits.notice_backoff.saturating_mul(2u32.saturating_pow(doublings));
    task.notice_at.plus(rest.min(kernel.limits.notice_backoff_max))
}

/// Puts a result on the bus. It is taken in the same transaction.
async fn announce(kernel: &Arc<Inner>, task: &TaskRecord) -> Result<(), AcceptError> {
    let dialog = match kernel.dialogs.closed(&task.session) {
        None => Some(task.session.dialog.clone()),
        // What was promised in a dialog that is closed by now is kept where people talk now.
        Some(_) => None,
    };
    let text = texts::task_ended(Language::of(&task.title), task);
    let inbound = Inbound {
        chat: task.session.chat.clone(),
        chat_kind: task.chat_kind,
        account: task.account.clone(),
        dialog,
        platform_id: Some(format!("task:{}:{}", task.id, task.notice_failures)),
        sender: task.sender.clone(),
        segments: vec![Segment::text(text)],
        addressed: true,
        sent_at: kernel.clock.now(),
        origin: Origin::Task { task: task.id },
        arrival: task.arrival,
    };
    let at = kernel.clock.now();
    let take = |message| vec![TaskChange::Announce { task: task.id, message, at }.into()];
    match bus::accept(kernel, inbound, Acknowledge::WhenDurable, take).await {
        // A tool has claimed it a moment ago.
        Ok(_) | Err(AcceptError::Store(StoreError::Conflict { .. })) => Ok(()),
        Err(error) => Err(error),
    }
}
