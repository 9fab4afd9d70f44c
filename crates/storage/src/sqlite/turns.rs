//! Turns and their steps.

use async_trait::async_trait;
use hearth_contract::id::{SessionKey, TurnId};
use hearth_contract::store::{Lease, StepRecord, StoreError, TurnChange, TurnHistory, TurnRecord, Turns};
use rusqlite::{Connection, named_params, params};

use super::codec::{Columns, StoredId, count, execute, first, json, name, row_limit, rows};
use super::messages;
use super::readers::Readers;
use super::trouble::{Trouble, conflict_or};

macro_rules! turn_columns {
    () => {
        "id, channel, chat, dialog, cause, state, attempt, lease_owner, lease_fence, started_at, ended_at,
         prompt_tokens, cached_tokens, completion_tokens, detail"
    };
}

fn decode(columns: &mut Columns<'_, '_>) -> rusqlite::Result<TurnRecord> {
    Ok(TurnRecord {
        id: columns.id()?,
        session: columns.session()?,
        cause: columns.id()?,
        state: columns.name()?,
        attempt: columns.take()?,
        lease: Lease { owner: columns.take()?, fence: columns.take()? },
        started_at: columns.time()?,
        ended_at: columns.time_or_none()?,
        usage: columns.usage()?,
        detail: columns.take()?,
    })
}

fn decode_step(columns: &mut Columns<'_, '_>) -> rusqlite::Result<StepRecord> {
    Ok(StepRecord {
        turn: columns.id()?,
        number: columns.take()?,
        at: columns.time()?,
        step: columns.json()?,
    })
}

/// Applies one change.
pub(super) fn apply(connection: &Connection, change: &TurnChange) -> Result<(), Trouble> {
    match change {
        TurnChange::Start(turn) => {
            start(connection, turn).map_err(|error| conflict_or(error, "turn", turn.id))
        }
        TurnChange::TakeOver { turn, lease } => {
            let changed = execute(
                connection,
                "UPDATE turns SET attempt = attempt + 1, lease_owner = ?2, lease_fence = ?3
                 WHERE id = ?1 AND state = 'running' AND lease_fence = ?3 - 1",
                params![turn.stored(), lease.owner, lease.fence],
            )?;
            settled(connection, *turn, changed)
        }
        TurnChange::Append(step) => execute(
            connection,
            "INSERT INTO steps (turn, number, at, kind, step) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![step.turn.stored(), step.number, step.at.0, step.step.kind(), json(&step.step)?],
        )
        .map(|_| ())
        .map_err(|error| conflict_or(error, "step", format!("{}/{}", step.turn, step.number))),
        TurnChange::End { turn, fence, state, at, usage, detail } => {
            let changed = execute(
                connection,
                "UPDATE turns SET state = :state, ended_at = :at, prompt_tokens = :prompt,
                     cached_tokens = :cached, completion_tokens = :completion, detail = :detail
                 WHERE id = :id AND state = 'running' AND lease_fence = :fence",
                named_params! {
                    ":id": turn.stored(),
                    ":fence": fence,
                    ":state": name(state)?,
                    ":at": at.0,
                    ":prompt": count(usage.prompt_tokens),
                    ":cached": count(usage.cached_tokens),
                    ":completion": count(usage.completion_tokens),
                    ":detail": detail,
                },
            )?;
            settled(connection, *turn, changed)
        }
    }
}

fn start(connection: &Connection, turn: &TurnRecord) -> rusqlite::Result<()> {
    execute(
        connection,
        "INSERT INTO turns (id, channel, chat, dialog, cause, state, attempt, lease_owner, lease_fence, started_at,
             ended_at, prompt_tokens, cached_tokens, completion_tokens, detail)
         VALUES (:id, :channel, :chat, :dialog, :cause, :state, :attempt, :owner, :fence, :started_at, :ended_at,
             :prompt, :cached, :completion, :detail)",
        named_params! {
            ":id": turn.id.stored(),
            ":channel": turn.session.chat.channel,
            ":chat": turn.session.chat.chat,
            ":dialog": turn.session.dialog,
            ":cause": turn.cause.stored(),
            ":state": name(&turn.state)?,
            ":attempt": turn.attempt,
            ":owner": turn.lease.owner,
            ":fence": turn.lease.fence,
            ":started_at": turn.started_at.0,
            ":ended_at": turn.ended_at.map(|at| at.0),
            ":prompt": count(turn.usage.prompt_tokens),
            ":cached": count(turn.usage.cached_tokens),
            ":completion": count(turn.usage.completion_tokens),
            ":detail": turn.detail,
        },
    )
    .map(|_| ())
}

/// A fenced change that changed nothing was somebody else's: the conflict names who has the turn, and in which state.
fn settled(connection: &Connection, turn: TurnId, changed: usize) -> Result<(), Trouble> {
    if changed > 0 {
        return Ok(());
    }
    let sql = "SELECT lease_owner, lease_fence, state FROM turns WHERE id = ?1";
    let found = first(connection, sql, params![turn.stored()], |columns| {
        Ok((columns.take::<String>()?, columns.take::<i64>()?, columns.take::<String>()?))
    })?;
    let existing = match found {
        Some((owner, fence, state)) => format!("{turn} is {state}, held by {owner} with fence {fence}"),
        None => format!("{turn} does not exist"),
    };
    Err(Trouble::Conflict { what: "lease", existing })
}

fn with_everything(connection: &Connection, turns: Vec<TurnRecord>) -> rusqlite::Result<Vec<TurnHistory>> {
    let complete = |turn: TurnRecord| {
        Ok(TurnHistory {
            messages: messages::of_turn(connection, turn.id)?,
            steps: rows(
                connection,
                "SELECT turn, number, at, step FROM steps WHERE turn = ?1 ORDER BY number",
                params![turn.id.stored()],
                decode_step,
            )?,
            turn,
        })
    };
    turns.into_iter().map(complete).collect()
}

fn ended(
    connection: &Connection,
    session: &SessionKey,
    before: Option<TurnId>,
    limit: usize,
) -> rusqlite::Result<Vec<TurnHistory>> {
    let sql = concat!(
        "SELECT ",
        turn_columns!(),
        " FROM turns WHERE channel = ?1 AND chat = ?2 AND dialog = ?3 AND state <> 'running' AND id < ?4
          ORDER BY id DESC LIMIT ?5"
    );
    // Nothing sorts after a blob of seventeen bytes of ones but a longer one.
    let bound = before.map_or_else(|| vec![0xff; 17], |turn| turn.stored().to_vec());
    let chat = &session.chat;
    let key = params![chat.channel, chat.chat, session.dialog, bound, row_limit(limit)];
    let turns = rows(connection, sql, key, decode)?;
    with_everything(connection, turns)
}

#[async_trait]
impl Turns for Readers {
    async fn get(&self, id: TurnId) -> Result<Option<TurnHistory>, StoreError> {
        self.read(move |connection| {
            let sql = concat!("SELECT ", turn_columns!(), " FROM turns WHERE id = ?1");
            let turn = rows(connection, sql, params![id.stored()], decode)?;
            Ok(with_everything(connection, turn)?.pop())
        })
        .await
    }

    async fn ended(
        &self,
        session: &SessionKey,
        before: Option<TurnId>,
        limit: usize,
    ) -> Result<Vec<TurnHistory>, StoreError> {
        let session = session.clone();
        self.read(move |connection| ended(connection, &session, before, limit)).await
    }

    async fn running(&self) -> Result<Vec<TurnHistory>, StoreError> {
        self.read(|connection| {
            let sql = concat!("SELECT ", turn_columns!(), " FROM turns WHERE state = 'running' ORDER BY id");
            let turns = rows(connection, sql, [], decode)?;
            with_everything(connection, turns)
        })
        .await
    }
}
