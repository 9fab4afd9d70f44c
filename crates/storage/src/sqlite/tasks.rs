//! Background tasks.

use async_trait::async_trait;
use hearth_contract::id::{CallId, ChatKey, MessageId, TaskId, TurnId};
use hearth_contract::store::{BackgroundTasks, Lease, StoreError, TaskChange, TaskNotice, TaskRecord};
use rusqlite::{Connection, Params, named_params, params};

use super::codec::{Columns, StoredId, execute, first, name, row_limit, rows};
use super::readers::Readers;
use super::trouble::{Trouble, conflict_or};

macro_rules! task_columns {
    () => {
        "id, kind, channel, chat, dialog, chat_kind, account, sender_id, sender_name, sender_role, cause, call, title,
         payload, state, attempts, lease_owner, lease_fence, handle, result, arrival, notice, notice_of,
         notice_failures, created_at, ended_at, notice_at"
    };
}

fn decode(columns: &mut Columns<'_, '_>) -> rusqlite::Result<TaskRecord> {
    Ok(TaskRecord {
        id: columns.id()?,
        kind: columns.take()?,
        session: columns.session()?,
        chat_kind: columns.name()?,
        account: columns.take()?,
        sender: columns.sender()?,
        cause: columns.id()?,
        call: columns.take::<Option<String>>()?.map(CallId::from_text),
        title: columns.take()?,
        payload: columns.take()?,
        state: columns.name()?,
        attempts: columns.take()?,
        lease: Lease { owner: columns.take()?, fence: columns.take()? },
        handle: columns.take()?,
        result: columns.take()?,
        arrival: columns.name()?,
        notice: notice(&columns.take::<String>()?, columns.take()?),
        notice_failures: columns.take()?,
        created_at: columns.time()?,
        ended_at: columns.time_or_none()?,
        notice_at: columns.time()?,
    })
}

/// What the two columns of a notice mean. A held one without its holder was never held.
fn notice(name: &str, of: Option<[u8; 16]>) -> TaskNotice {
    match (name, of) {
        ("announced", Some(message)) => TaskNotice::Announced { message: MessageId::from_stored(message) },
        ("claimed", Some(turn)) => TaskNotice::Claimed { turn: TurnId::from_stored(turn) },
        ("shown", Some(turn)) => TaskNotice::Shown { turn: TurnId::from_stored(turn) },
        ("nothing", _) => TaskNotice::Nothing,
        _ => TaskNotice::Pending,
    }
}

/// The two columns of a notice.
fn notice_columns(notice: TaskNotice) -> (&'static str, Option<[u8; 16]>) {
    match notice {
        TaskNotice::Nothing => ("nothing", None),
        TaskNotice::Pending => ("pending", None),
        TaskNotice::Announced { message } => ("announced", Some(message.stored())),
        TaskNotice::Claimed { turn } => ("claimed", Some(turn.stored())),
        TaskNotice::Shown { turn } => ("shown", Some(turn.stored())),
    }
}

/// Whether there is something to show.
macro_rules! has_result {
    () => {
        "state IN ('done', 'failed')"
    };
}

/// The results that turn `?1` holds: claimed by its tools, or among the messages that it took up.
macro_rules! held {
    () => {
        "(notice = 'claimed' AND notice_of = ?1)
         OR (notice = 'announced' AND notice_of IN (SELECT id FROM messages WHERE turn = ?1 AND direction = 'in'))"
    };
}

/// Applies one change.
pub(super) fn apply(connection: &Connection, change: &TaskChange) -> Result<(), Trouble> {
    match change {
        TaskChange::Put(task) => put(connection, task).map_err(|error| made_before(connection, task, error)),
        TaskChange::Start { task, lease } => {
            let sql = "UPDATE tasks SET state = 'running', attempts = attempts + 1, lease_owner = ?2, lease_fence = ?3
                       WHERE id = ?1 AND state IN ('queued', 'running') AND lease_fence = ?3 - 1";
            moved(connection, "lease", *task, sql, params![task.stored(), lease.owner, lease.fence])
        }
        TaskChange::SetHandle { task, fence, handle } => {
            let sql = "UPDATE tasks SET handle = ?3 WHERE id = ?1 AND state = 'running' AND lease_fence = ?2";
            execute(connection, sql, params![task.stored(), fence, handle])?;
            Ok(())
        }
        TaskChange::Finish { task, fence, state, result, arrival, at } => {
            let sql = "UPDATE tasks SET state = ?3, result = ?4, arrival = ?6, ended_at = ?5, notice_at = ?5,
                           notice = iif(notice = 'claimed', notice, 'pending')
                       WHERE id = ?1 AND state = 'running' AND lease_fence = ?2";
            let key = params![task.stored(), fence, state.name(), result, at.0, arrival.name()];
            moved(connection, "lease", *task, sql, key)
        }
        TaskChange::Cancel { task, by, at } => {
            let sql = "UPDATE tasks SET state = 'cancelled', result = ?2, ended_at = ?3, notice_at = ?3,
                           notice = 'nothing', notice_of = NULL
                       WHERE id = ?1 AND state IN ('queued', 'running')";
            moved(connection, "task", *task, sql, params![task.stored(), by, at.0])
        }
        TaskChange::Announce { task, message, at } => {
            let sql = "UPDATE tasks SET notice = 'announced', notice_of = ?2, notice_at = ?3
                       WHERE id = ?1 AND notice = 'pending'";
            moved(connection, "task", *task, sql, params![task.stored(), message.stored(), at.0])
        }
        TaskChange::Claim { task, turn, at } => {
            let sql = "UPDATE tasks SET notice = 'claimed', notice_of = ?2, notice_at = ?3
                       WHERE id = ?1 AND (notice = 'pending' OR (notice = 'claimed' AND notice_of = ?2))";
            moved(connection, "task", *task, sql, params![task.stored(), turn.stored(), at.0])
        }
        TaskChange::LetGo { task, turn, at } => {
            let sql = concat!(
                "UPDATE tasks SET notice = iif(",
                has_result!(),
                ", 'pending', 'nothing'), notice_of = NULL, notice_at = ?3
                 WHERE id = ?1 AND notice = 'claimed' AND notice_of = ?2"
            );
            execute(connection, sql, params![task.stored(), turn.stored(), at.0])?;
            Ok(())
        }
        TaskChange::Show { turn, at } => {
            let sql = concat!(
                "UPDATE tasks SET notice_at = ?2, notice = iif(",
                has_result!(),
                ", 'shown', 'nothing'), notice_of = iif(",
                has_result!(),
                ", ?1, NULL) WHERE ",
                held!()
            );
            execute(connection, sql, params![turn.stored(), at.0])?;
            Ok(())
        }
        TaskChange::Release { turn, at } => {
            let sql = concat!(
                "UPDATE tasks SET notice_of = NULL, notice_at = ?2, notice_failures = notice_failures + 1,
                     notice = iif(",
                has_result!(),
                ", 'pending', 'nothing') WHERE ",
                held!()
            );
            execute(connection, sql, params![turn.stored(), at.0])?;
            Ok(())
        }
    }
}

fn put(connection: &Connection, task: &TaskRecord) -> rusqlite::Result<()> {
    let (notice, notice_of) = notice_columns(task.notice);
    execute(
        connection,
        "INSERT INTO tasks (id, kind, channel, chat, dialog, chat_kind, account, sender_id, sender_name, sender_role,
             cause, call, title, payload, state, attempts, lease_owner, lease_fence, handle, result, arrival, notice, notice_of,
             notice_failures, created_at, ended_at, notice_at)
         VALUES (:id, :kind, :channel, :chat, :dialog, :chat_kind, :account, :sender_id, :sender_name, :sender_role,
             :cause, :call, :title, :payload, :state, :attempts, :owner, :fence, :handle, :result, :arrival, :notice, :notice_of,
             :notice_failures, :created_at, :ended_at, :notice_at)",
        named_params! {
            ":id": task.id.stored(),
            ":kind": task.kind,
            ":channel": task.session.chat.channel,
            ":chat": task.session.chat.chat,
            ":dialog": task.session.dialog,
            ":chat_kind": name(&task.chat_kind)?,
            ":account": task.account,
            ":sender_id": task.sender.id,
            ":sender_name": task.sender.name,
            ":sender_role": name(&task.sender.role)?,
            ":cause": task.cause.stored(),
            ":call": task.call.as_ref().map(CallId::as_str),
            ":title": task.title,
            ":payload": task.payload,
            ":state": task.state.name(),
            ":attempts": task.attempts,
            ":owner": task.lease.owner,
            ":fence": task.lease.fence,
            ":handle": task.handle,
            ":result": task.result,
            ":arrival": task.arrival.name(),
            ":notice": notice,
            ":notice_of": notice_of,
            ":notice_failures": task.notice_failures,
            ":created_at": task.created_at.0,
            ":ended_at": task.ended_at.map(|at| at.0),
            ":notice_at": task.notice_at.0,
        },
    )
    .map(|_| ())
}

/// What a refused task means: its call has made one already.
fn made_before(connection: &Connection, task: &TaskRecord, error: rusqlite::Error) -> Trouble {
    let sql = "SELECT id FROM tasks WHERE call = ?1";
    let call = params![task.call.as_ref().map(CallId::as_str)];
    match first(connection, sql, call, |columns| columns.id::<TaskId>()) {
        Ok(earlier) => conflict_or(error, "task", earlier.unwrap_or(task.id)),
        Err(error) => Trouble::Broken(error),
    }
}

/// Runs a change that is somebody else's when it changes nothing: the conflict says where the task is.
fn moved(
    connection: &Connection,
    what: &'static str,
    task: TaskId,
    sql: &str,
    key: impl Params,
) -> Result<(), Trouble> {
    if execute(connection, sql, key)? > 0 {
        return Ok(());
    }
    let sql = "SELECT state, lease_owner, lease_fence, notice FROM tasks WHERE id = ?1";
    let found = first(connection, sql, params![task.stored()], |columns| {
        Ok((
            columns.take::<String>()?,
            columns.take::<String>()?,
            columns.take::<i64>()?,
            columns.take::<String>()?,
        ))
    })?;
    let existing = match found {
        Some((state, owner, fence, notice)) => {
            format!("{task} is {state}, held by {owner} with fence {fence}, its notice {notice}")
        }
        None => format!("{task} does not exist"),
    };
    Err(Trouble::Conflict { what, existing })
}

/// The counts of `prove`: by state, and of those with a result whether it was shown. What is held by a message that has
/// ended, or by a turn that has, will never be shown.
pub(super) const PROOF: &str = "
    SELECT state AS name, count(*) FROM tasks WHERE created_at >= ?1 GROUP BY name
    UNION ALL SELECT 'shown', count(*) FROM tasks WHERE created_at >= ?1 AND notice = 'shown' HAVING count(*) > 0
    UNION ALL SELECT 'pending', count(*) FROM tasks
        WHERE created_at >= ?1 AND state IN ('done', 'failed') AND notice IN ('pending', 'announced', 'claimed')
        HAVING count(*) > 0
    UNION ALL SELECT 'unexplained', count(*) FROM tasks t
        LEFT JOIN messages m ON t.notice = 'announced' AND m.id = t.notice_of
        LEFT JOIN turns u ON t.notice = 'claimed' AND u.id = t.notice_of
        WHERE t.created_at >= ?1 AND t.notice IN ('announced', 'claimed')
            AND ((m.id IS NULL AND u.id IS NULL) OR m.end_name IS NOT NULL OR u.state <> 'running')
        HAVING count(*) > 0";

#[async_trait]
impl BackgroundTasks for Readers {
    async fn get(&self, id: TaskId) -> Result<Option<TaskRecord>, StoreError> {
        self.read(move |connection| {
            let sql = concat!("SELECT ", task_columns!(), " FROM tasks WHERE id = ?1");
            first(connection, sql, params![id.stored()], decode)
        })
        .await
    }

    async fn of_call(&self, call: &CallId) -> Result<Option<TaskRecord>, StoreError> {
        let call = call.clone();
        self.read(move |connection| {
            let sql = concat!("SELECT ", task_columns!(), " FROM tasks WHERE call = ?1");
            first(connection, sql, params![call.as_str()], decode)
        })
        .await
    }

    async fn open(&self) -> Result<Vec<TaskRecord>, StoreError> {
        self.read(|connection| {
            let sql = concat!(
                "SELECT ",
                task_columns!(),
                " FROM tasks WHERE state IN ('queued', 'running') ORDER BY id"
            );
            rows(connection, sql, [], decode)
        })
        .await
    }

    async fn pending(&self) -> Result<Vec<TaskRecord>, StoreError> {
        self.read(|connection| {
            let sql = concat!("SELECT ", task_columns!(), " FROM tasks WHERE notice = 'pending' ORDER BY id");
            rows(connection, sql, [], decode)
        })
        .await
    }

    async fn list(&self, chat: Option<&ChatKey>, limit: usize) -> Result<Vec<TaskRecord>, StoreError> {
        let chat = chat.cloned();
        self.read(move |connection| {
            let of_all = concat!("SELECT ", task_columns!(), " FROM tasks ORDER BY id DESC LIMIT ?1");
            let of_chat = concat!(
                "SELECT ",
                task_columns!(),
                " FROM tasks WHERE channel = ?1 AND chat = ?2 ORDER BY id DESC LIMIT ?3"
            );
            match &chat {
                Some(chat) => {
                    rows(connection, of_chat, params![chat.channel, chat.chat, row_limit(limit)], decode)
                }
                None => rows(connection, of_all, params![row_limit(limit)], decode),
            }
        })
        .await
    }
}
