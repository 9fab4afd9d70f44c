//! Sub-agents: a turn of its own that works for another one. It has its own prompt, only the tools it was given, no
//! memory and no past; it cannot have sub-agents itself. It is journaled as every turn is, under the id of its task.

use std::sync::Arc;

use futures::FutureExt;
use hearth_contract::id::{ChatKey, SessionKey, TurnId};
use hearth_contract::language::Language;
use hearth_contract::message::{Direction, MessageRecord, Origin, Segment};
use hearth_contract::store::{Change, Step, StoreError, TaskRecord, TaskState, TurnHistory, TurnState};
use hearth_contract::tool::ToolSpec;
use hearth_contract::transcript::TurnTranscript;
use serde::{Deserialize, Serialize};

use crate::control::TurnControl;
use crate::finish::{tell_end, turn_end};
use crate::kernel::Inner;
use crate::recovery::{Reopened, reopen};
use crate::session::Session;
use crate::task_queue::runner::{BROKEN_ARRIVAL, Ending, OwnKind, finish};
use crate::terms::Terms;
use crate::turn::{Answer, Turn, TurnError, converse};
use crate::{texts, tool};

/// The kind of task that a sub-agent is.
pub(crate) const KIND: OwnKind = OwnKind {
    name: "child",
    run: |kernel, task, control| async move { run(&kernel, &task, &control).await }.boxed(),
};

/// The channel of the sessions of sub-agents. No network may have this name.
pub const TASK_CHANNEL: &str = "task";

/// What a sub-agent is asked to do: the payload of its task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChildOrder {
    /// In the words of who wants it.
    pub(crate) task: String,
    /// The tools it may call.
    pub(crate) tools: Vec<String>,
    /// How often it may go back to the model after tools.
    pub(crate) rounds_max: u32,
}

/// Whether a turn of this session is one of a sub-agent.
pub(crate) fn is_of_child(session: &SessionKey) -> bool {
    session.chat.channel == TASK_CHANNEL
}

fn session_of(task: &TaskRecord) -> SessionKey {
    ChatKey::new(TASK_CHANNEL, task.id.to_string()).dialog(SessionKey::DEFAULT_DIALOG)
}

async fn run(kernel: &Arc<Inner>, task: &TaskRecord, control: &TurnControl) -> Result<(), StoreError> {
    let terms = serde_json::from_str(&task.payload)
        .map_err(|error| error.to_string())
        .and_then(|order: ChildOrder| Ok((terms(kernel, task, &order)?, order)));
    let (terms, order) = match terms {
        Ok(known) => known,
        Err(reason) => {
            let ending = Ending { state: TaskState::Failed, result: reason, arrival: task.arrival };
            return finish(kernel, task, ending, Vec::new()).await;
        }
    };
    let id = TurnId::from_bytes(*task.id.as_bytes());
    let begun = match kernel.stores.turns.get(id).await? {
        Some(history) => take_over(kernel, task, &order, terms, history).await?,
        None => Some(begin(kernel, task, &order, terms, id)),
    };
    let Some(mut turn) = begun else { return Ok(()) };
    let session = Session::of_child(turn.session.clone());
    let mut transcript = TurnTranscript { turn: turn.id, inputs: Vec::new(), rounds: Vec::new() };
    let result = converse(kernel, &session, &mut turn, control, &mut transcript).await;
    end(kernel, task, &turn, result).await
}

/// Its own prompt, and the tools that it was given as far as its person may use them.
fn terms(kernel: &Inner, task: &TaskRecord, order: &ChildOrder) -> Result<Terms, String> {
    let offered = kernel.tools.offered(task.sender.role);
    let may_have: Vec<&ToolSpec> = offered.iter().filter(|spec| !tool::is_own(&spec.name)).collect();
    if let Some(wrong) = order.tools.iter().find(|name| !may_have.iter().any(|spec| spec.name == **name)) {
        let names: Vec<&str> = may_have.iter().map(|spec| spec.name.as_str()).collect();
        return Err(format!("a sub-agent cannot be given `{wrong}`; it can be given: {}", names.join(", ")));
    }
    let given = may_have.into_iter().filter(|spec| order.tools.contains(&spec.name)).cloned();
    Ok(Terms {
        system: texts::child_system(Language::of(&order.task)).into(),
        tools: given.collect(),
        recall_max: 0,
        rounds_max: order.rounds_max,
        time_max: kernel.limits.child_time_max,
        tokens_max: kernel.config.agent.turn_tokens_max,
        purpose: "sub_agent",
    })
}

/// The order as a message. It has no row of its own: what led to it is the message that its parent answers.
fn cause(task: &TaskRecord, order: &ChildOrder) -> MessageRecord {
    MessageRecord {
        id: task.cause,
        session: task.session.clone(),
        chat_kind: task.chat_kind,
        account: task.account.clone(),
        direction: Direction::In,
        origin: Origin::Task { task: task.id },
        sender: task.sender.clone(),
        segments: vec![Segment::text(&order.task)],
        text: order.task.clone(),
        addressed: true,
        arrival: task.arrival,
        platform_id: None,
        sent_at: task.created_at,
        accepted_at: task.created_at,
        turn: None,
        end: None,
    }
}

fn begin(kernel: &Arc<Inner>, task: &TaskRecord, order: &ChildOrder, terms: Terms, id: TurnId) -> Turn {
    let cause = cause(task, order);
    let turn = Turn::with_id(id, session_of(task), cause.clone(), vec![cause], terms, kernel.clock.now());
    kernel.stores.ledger.record(vec![turn.start(&kernel.lease_owner)]);
    turn
}

/// Takes up a sub-agent that broke off. None when it has ended by that.
async fn take_over(
    kernel: &Arc<Inner>,
    task: &TaskRecord,
    order: &ChildOrder,
    terms: Terms,
    history: TurnHistory,
) -> Result<Option<Turn>, StoreError> {
    let TurnHistory { turn: record, messages, steps } = history;
    if record.state != TurnState::Running {
        // It was stopped, and the kill came before that was written into the task.
        let ending = Ending { state: TaskState::Failed, result: record.detail, arrival: task.arrival };
        return finish(kernel, task, ending, Vec::new()).await.map(|()| None);
    }
    let now = kernel.clock.now();
    let Reopened { journal, fence, fruitless, last_sign: _ } = reopen(kernel, &record, &steps).await?;
    let cause = cause(task, order);
    let fresh = Turn::with_id(record.id, record.session, cause.clone(), vec![cause], terms, now);
    let turn = Turn {
        fence,
        attempt: record.attempt + 1,
        usage: journal.usage_before,
        journal,
        spoken: u32::try_from(messages.len()).unwrap_or(u32::MAX),
        ..fresh
    };
    if fruitless >= kernel.config.agent.turn_attempts_max {
        let (state, result) = (TaskState::Failed, texts::task_broke(task));
        let ending = Ending { state, result, arrival: BROKEN_ARRIVAL };
        let ended = turn_end(kernel, &turn, TurnState::Failed, "crashed".into());
        return finish(kernel, task, ending, ended.into()).await.map(|()| None);
    }
    kernel.stores.ledger.record(vec![turn.journal.step(now, Step::Resumed { attempt: turn.attempt })]);
    Ok(Some(turn))
}

/// One transaction: the end of the turn, and of its task.
async fn end(
    kernel: &Arc<Inner>,
    task: &TaskRecord,
    turn: &Turn,
    result: Result<Answer, TurnError>,
) -> Result<(), StoreError> {
    let failed = |result: String| (TaskState::Failed, TurnState::Failed, result);
    let (state, turn_state, result) = match result {
        Ok(Answer::Said(text) | Answer::Canned(text)) if text.trim().is_empty() => {
            failed("the sub-agent said nothing".into())
        }
        Ok(Answer::Said(text) | Answer::Canned(text)) => (TaskState::Done, TurnState::Done, text),
        Err(TurnError::Failed { code, reason }) => failed(format!("{code}: {reason}")),
        Err(TurnError::Store(error) | TurnError::NotTaken(error)) => return Err(error),
        Err(TurnError::Stopped { by }) => {
            let ended: Vec<Change> = turn_end(kernel, turn, TurnState::Cancelled, by).into();
            kernel.stores.ledger.commit(ended).await?;
            tell_end(kernel, turn, TurnState::Cancelled);
            return Ok(());
        }
    };
    let detail = if turn_state == TurnState::Failed { result.clone() } else { String::new() };
    let ended = turn_end(kernel, turn, turn_state, detail);
    finish(kernel, task, Ending { state, result, arrival: task.arrival }, ended.into()).await?;
    tell_end(kernel, turn, turn_state);
    Ok(())
}

/// Ends the turns of sub-agents whose task has ended: a kill came between the two.
pub(crate) async fn end_orphans(kernel: &Arc<Inner>, running: Vec<TurnHistory>) -> Result<(), StoreError> {
    for TurnHistory { turn: record, steps, .. } in running {
        let task = hearth_contract::id::TaskId::from_bytes(*record.id.as_bytes());
        let open = kernel.stores.tasks.get(task).await?.is_some_and(|task| !task.state.is_end());
        if open {
            continue;
        }
        let (turn, state) = (record.id, TurnState::Cancelled);
        let Reopened { journal, fence, .. } = reopen(kernel, &record, &steps).await?;
        let (at, usage) = (kernel.clock.now(), journal.usage_before);
        let detail = "its task had ended".to_owned();
        let end = hearth_contract::store::TurnChange::End { turn, fence, state, at, usage, detail };
        kernel.stores.ledger.commit(vec![end.into()]).await?;
    }
    Ok(())
}
