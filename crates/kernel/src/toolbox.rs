//! Runs the tool calls of a round. A call never fails the turn: whatever goes wrong becomes words for the model.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::join_all;
use hearth_contract::clock::timeout;
use hearth_contract::event::EventKind;
use hearth_contract::hook::{CallVerdict, Flow};
use hearth_contract::provider::{CompletionRequest, ContextBlock};
use hearth_contract::rights::Role;
use hearth_contract::store::{
    Change, DeliveryChange, EffectChange, EffectRecord, EffectState, MessageChange, Step, StoreError,
    TurnState, Urgency,
};
use hearth_contract::tool::{EffectClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use hearth_contract::transcript::{ToolArguments, ToolCall, ToolExchange, ToolResult, ToolStatus};

use crate::config::{Permission, RightsConfig};
use crate::control::TurnControl;
use crate::kernel::Inner;
use crate::outbox::{Departure, Parcel};
use crate::texts;
use crate::turn::{Turn, make_room};
use crate::window::interrupted;

/// Events show this many characters of arguments and results.
const EVENT_CHARS_MAX: usize = 400;

/// The tools of a kernel, and who may use which.
#[derive(Debug)]
pub(crate) struct Toolbox {
    tools: BTreeMap<String, Arc<dyn Tool>>,
    offered: BTreeMap<Role, Arc<[ToolSpec]>>,
    rights: RightsConfig,
}

impl Toolbox {
    pub(crate) fn new(tools: Vec<Arc<dyn Tool>>, rights: RightsConfig) -> Self {
        let tools: BTreeMap<String, Arc<dyn Tool>> =
            tools.into_iter().map(|tool| (tool.spec().name.clone(), tool)).collect();
        let may =
            |spec: &ToolSpec, role: Role| role >= spec.role && rights.of(spec.risk) == Permission::Allow;
        let offer = |role: Role| {
            let specs = tools.values().map(|tool| tool.spec()).filter(|spec| may(spec, role)).cloned();
            (role, specs.collect::<Arc<[ToolSpec]>>())
        };
        let offered =
            [Role::Blocked, Role::Member, Role::Trusted, Role::Owner].into_iter().map(offer).collect();
        Self { tools, offered, rights }
    }

    /// What a person of this role may have called.
    pub(crate) fn offered(&self, role: Role) -> Arc<[ToolSpec]> {
        self.offered.get(&role).cloned().unwrap_or_else(|| Arc::from([]))
    }

    /// The tool, if it exists and may be called in this turn.
    fn find(&self, name: &str, turn: &Turn) -> Result<&Arc<dyn Tool>, ToolError> {
        let role = turn.cause.sender.role;
        let Some(tool) = self.tools.get(name) else {
            let names: Vec<&str> = turn.terms.tools.iter().map(|spec| spec.name.as_str()).collect();
            let reason = format!("there is no tool `{name}`; there are: {}", names.join(", "));
            return Err(ToolError::Failed { reason });
        };
        let spec = tool.spec();
        if role < spec.role {
            return Err(ToolError::Denied { reason: format!("`{name}` is not for this person") });
        }
        match self.rights.of(spec.risk) {
            Permission::Allow if turn.terms.allow(name) => Ok(tool),
            Permission::Allow => Err(ToolError::Denied { reason: format!("`{name}` was not given to you") }),
            Permission::Deny => {
                let risk = spec.risk.name();
                Err(ToolError::Denied {
                    reason: format!("`{risk}` is switched off in [rights] of the config"),
                })
            }
        }
    }
}

/// What the calls of a round brought.
#[derive(Debug, Default)]
pub(crate) struct Called {
    pub(crate) exchanges: Vec<ToolExchange>,
    /// A hook answers the turn.
    pub(crate) respond: Option<String>,
}

/// Runs the calls of a round in their order. Neighbours that change nothing run at the same time.
pub(crate) async fn call_all(
    kernel: &Arc<Inner>,
    turn: &mut Turn,
    control: &TurnControl,
    request: &mut CompletionRequest,
    round: u32,
    calls: &[ToolCall],
) -> Result<Called, StoreError> {
    let mut called = Called::default();
    let is_pure = |call: &&ToolCall| {
        kernel.tools.tools.get(&call.name).is_some_and(|tool| tool.spec().effect == EffectClass::Pure)
    };
    let mut rest = calls;
    while !rest.is_empty() {
        let together = rest.iter().take_while(is_pure).count().max(1);
        let (group, after) = rest.split_at(together);
        rest = after;
        make_room(kernel, turn, control).await;
        let turn_now = &*turn;
        let running = group.iter().map(|call| {
            let place = calls.iter().position(|one| one.id == call.id).unwrap_or_default();
            call_one(kernel, turn_now, control, round, place, call.clone())
        });
        for done in join_all(running).await {
            let Done { exchange, context, respond, spoken } = done?;
            turn.spoken += spoken;
            request.context.extend(context);
            called.respond = called.respond.or(respond);
            called.exchanges.push(exchange);
        }
    }
    Ok(called)
}

/// One finished call.
struct Done {
    exchange: ToolExchange,
    context: Vec<ContextBlock>,
    respond: Option<String>,
    spoken: u32,
}

impl Done {
    fn with(call: ToolCall, result: ToolResult) -> Self {
        Self { exchange: ToolExchange { call, result }, context: Vec::new(), respond: None, spoken: 0 }
    }
}

async fn call_one(
    kernel: &Arc<Inner>,
    turn: &Turn,
    control: &TurnControl,
    round: u32,
    place: usize,
    mut call: ToolCall,
) -> Result<Done, StoreError> {
    if let Some(result) = turn.journal.result(&call.id) {
        return Ok(Done::with(call, result.clone()));
    }
    if control.stopped_by().is_some() {
        return Ok(Done::with(call, interrupted(TurnState::Cancelled)));
    }
    let began = kernel.clock.now();
    let view = turn.view();
    let original = call.clone();
    let verdict = kernel.pipeline.before_toolcall(&view, &mut call).await;
    tell_started(kernel, turn, &call);
    let mut respond = None;
    let attempt = match verdict {
        CallVerdict::Allow if place >= kernel.limits.tool_calls_per_round_max => Err(ToolError::Denied {
            reason: format!("at most {} calls at a time", kernel.limits.tool_calls_per_round_max),
        }),
        CallVerdict::Allow => attempt(kernel, turn, control, &call).await?,
        CallVerdict::Deny { reason } => refused(turn, &call, ToolError::Denied { reason }),
        CallVerdict::Respond(text) => {
            respond = Some(text);
            refused(turn, &call, ToolError::Denied { reason: "a guard answered instead".into() })
        }
    };
    let (status, text, changes) = match attempt {
        Ok(Attempt::Output(output)) => (ToolStatus::Done, output.text, output.changes),
        Ok(Attempt::Unknown) => {
            (ToolStatus::Unknown, texts::tool_unknown(turn.language()).to_owned(), Vec::new())
        }
        Err(error) => (status_of(&error), error.to_string(), Vec::new()),
    };
    let text = head_and_tail(&text, kernel.limits.tool_result_chars_max);
    let mut result = ToolResult { status, text };
    let mut context = Vec::new();
    let flow = kernel.pipeline.after_toolcall(&view, &call, &mut result, &mut context).await;
    if let Flow::Respond(text) = flow {
        respond.get_or_insert(text);
    }
    let spoken = store_result(kernel, turn, round, &call, &mut result, changes).await;
    tell_ended(kernel, turn, &call, &result, began);
    Ok(Done { exchange: ToolExchange { call: original, result }, context, respond, spoken })
}

/// What came of trying to run a call.
enum Attempt {
    Output(ToolOutput),
    /// It was begun before a crash, and nobody can tell whether it happened.
    Unknown,
}

/// A call that is not run. One that was begun before a crash may have happened, whatever is refused now.
fn refused(turn: &Turn, call: &ToolCall, error: ToolError) -> Result<Attempt, ToolError> {
    if turn.journal.has_open_intent(&call.id) { Ok(Attempt::Unknown) } else { Err(error) }
}

/// Runs a call, or deals with one that was begun before a crash by its class.
async fn attempt(
    kernel: &Arc<Inner>,
    turn: &Turn,
    control: &TurnControl,
    call: &ToolCall,
) -> Result<Result<Attempt, ToolError>, StoreError> {
    let tool = match kernel.tools.find(&call.name, turn) {
        Ok(tool) => tool.clone(),
        Err(error) => return Ok(refused(turn, call, error)),
    };
    let arguments = match &call.arguments {
        ToolArguments::Object(arguments) => arguments.clone(),
        ToolArguments::Malformed(text) => {
            let reason = format!("they must be a JSON object, not: {}", head_and_tail(text, EVENT_CHARS_MAX));
            return Ok(Err(ToolError::InvalidArguments { reason }));
        }
    };
    let context = context(kernel, turn, control, call);
    let class = tool.spec().effect;
    if turn.journal.has_open_intent(&call.id) {
        match class {
            EffectClass::Pure | EffectClass::Ledger | EffectClass::Idempotent => {}
            EffectClass::Irreversible => return Ok(Ok(Attempt::Unknown)),
            EffectClass::Probeable => match probe(tool.as_ref(), &context, &arguments).await {
                Some(Ok(Some(text))) => return Ok(Ok(Attempt::Output(ToolOutput::text(text)))),
                Some(Ok(None)) => {}
                Some(Err(_)) | None => return Ok(Ok(Attempt::Unknown)),
            },
        }
    } else if class.needs_intent() {
        // The world may see what follows, so the intent and everything that led to it must be safe first.
        kernel.stores.ledger.commit(vec![intent(kernel, turn, call, &tool)]).await?;
    }
    let time_max = Duration::from_millis(tool.spec().timeout_ms);
    let running = AssertUnwindSafe(tool.call(&context, arguments)).catch_unwind();
    let output = tokio::select! {
        output = timeout(kernel.clock.as_ref(), time_max, running) => match output {
            Ok(Ok(output)) => output,
            Ok(Err(_)) => Err(ToolError::Failed { reason: "the tool broke (it panicked)".into() }),
            Err(_) => Err(ToolError::TimedOut { after_ms: tool.spec().timeout_ms, partial: String::new() }),
        },
        () = control.stopped().cancelled() => Err(ToolError::Cancelled),
    };
    context.cancel.cancel();
    Ok(output.map(Attempt::Output))
}

async fn probe(
    tool: &dyn Tool,
    context: &ToolContext,
    arguments: &serde_json::Map<String, serde_json::Value>,
) -> Option<Result<Option<String>, ToolError>> {
    Some(tool.probe()?.probe(context, arguments).await)
}

fn context(kernel: &Inner, turn: &Turn, control: &TurnControl, call: &ToolCall) -> ToolContext {
    ToolContext {
        call: call.id.clone(),
        turn: turn.id,
        session: turn.cause.session.clone(),
        chat_kind: turn.cause.chat_kind,
        cause: turn.cause.id,
        caller: turn.cause.sender.id.clone(),
        role: turn.cause.sender.role,
        workspace: kernel.workspace.clone(),
        cancel: control.stopped().child_token(),
    }
}

fn intent(kernel: &Inner, turn: &Turn, call: &ToolCall, tool: &Arc<dyn Tool>) -> Change {
    EffectChange::Intend(EffectRecord {
        call: call.id.clone(),
        turn: turn.id,
        tool: call.name.clone(),
        class: tool.spec().effect,
        arguments: arguments_text(call),
        state: EffectState::Intended,
        intended_at: kernel.clock.now(),
        settled_at: None,
    })
    .into()
}

/// Writes the result with what it changes. What it says goes out, and what it schedules is watched from now on.
/// How many messages it said.
async fn store_result(
    kernel: &Arc<Inner>,
    turn: &Turn,
    round: u32,
    call: &ToolCall,
    result: &mut ToolResult,
    mut changes: Vec<Change>,
) -> u32 {
    let promises = changes
        .iter()
        .any(|change| matches!(change, Change::Schedule(_) | Change::Delivery(_) | Change::Task(_)));
    number_deliveries(turn, &mut changes);
    let parcels = parcels(kernel, turn, &changes);
    let at = kernel.clock.now();
    let settled = |status: ToolStatus| match status {
        ToolStatus::Done => EffectState::Done,
        ToolStatus::Failed | ToolStatus::Denied => EffectState::Failed,
        ToolStatus::Unknown | ToolStatus::Interrupted => EffectState::Unknown,
    };
    let finish = |result: &ToolResult| {
        let step = Step::ToolResult { round, call: call.id.clone(), result: result.clone() };
        let settle = EffectChange::Settle { call: call.id.clone(), state: settled(result.status), at };
        vec![turn.journal.step(at, step), settle.into()]
    };
    if changes.is_empty() {
        kernel.stores.ledger.record(finish(result));
        return 0;
    }
    changes.extend(finish(result));
    let urgency = if promises { Urgency::Now } else { Urgency::Later };
    let stored = match kernel.stores.ledger.apply(changes, urgency).await {
        Ok(durable) if promises => durable.wait().await,
        Ok(_) => Ok(()),
        Err(error) => Err(error),
    };
    if let Err(error) = stored {
        *result = ToolResult { status: ToolStatus::Failed, text: error.to_string() };
        kernel.stores.ledger.record(finish(result));
        return 0;
    }
    if promises {
        kernel.scheduler.wake();
        kernel.task_queue.wake();
    }
    let spoken = u32::try_from(parcels.len()).unwrap_or(u32::MAX);
    for parcel in parcels {
        kernel.outbox.send(parcel);
    }
    spoken
}

/// A tool does not know how many messages its turn has said before.
fn number_deliveries(turn: &Turn, changes: &mut [Change]) {
    let mut number = turn.spoken;
    for change in changes {
        if let Change::Delivery(DeliveryChange::Put(delivery)) = change {
            delivery.number = number;
            number += 1;
        }
    }
}

/// The deliveries among the changes of a tool, each with its message.
fn parcels(kernel: &Arc<Inner>, turn: &Turn, changes: &[Change]) -> Vec<Parcel> {
    let said = |id| {
        changes.iter().find_map(|change| match change {
            Change::Message(MessageChange::Say(message)) if message.id == id => Some(message.clone()),
            _ => None,
        })
    };
    let parcel = |change: &Change| match change {
        Change::Delivery(DeliveryChange::Put(delivery)) => Some(Parcel {
            delivery: delivery.clone(),
            message: said(delivery.message)?,
            departure: Departure::Stored,
            closing: Vec::new(),
            view: Some(turn.view()),
            guard: kernel.activity.begin(),
        }),
        _ => None,
    };
    changes.iter().filter_map(parcel).collect()
}

fn status_of(error: &ToolError) -> ToolStatus {
    match error {
        ToolError::Denied { .. } => ToolStatus::Denied,
        ToolError::Cancelled => ToolStatus::Interrupted,
        ToolError::InvalidArguments { .. } | ToolError::Failed { .. } | ToolError::TimedOut { .. } => {
            ToolStatus::Failed
        }
    }
}

fn tell_started(kernel: &Inner, turn: &Turn, call: &ToolCall) {
    let arguments = head_and_tail(&arguments_text(call), EVENT_CHARS_MAX);
    let started =
        EventKind::ToolStarted { turn: turn.id, call: call.id.clone(), tool: call.name.clone(), arguments };
    kernel.events.emit(Some(&turn.session), started);
}

fn tell_ended(
    kernel: &Inner,
    turn: &Turn,
    call: &ToolCall,
    result: &ToolResult,
    began: hearth_contract::clock::UnixMs,
) {
    let duration = kernel.clock.now().since(began);
    let ended = EventKind::ToolEnded {
        turn: turn.id,
        call: call.id.clone(),
        tool: call.name.clone(),
        status: result.status,
        result: head_and_tail(&result.text, EVENT_CHARS_MAX),
        duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
    };
    kernel.events.emit(Some(&turn.session), ended);
}

fn arguments_text(call: &ToolCall) -> String {
    match &call.arguments {
        ToolArguments::Object(object) => serde_json::Value::Object(object.clone()).to_string(),
        ToolArguments::Malformed(text) => text.clone(),
    }
}

/// A text of at most about `chars_max` characters: of a longer one the middle is left out, and that is said.
pub(crate) fn head_and_tail(text: &str, chars_max: usize) -> String {
    let chars = text.chars().count();
    if chars <= chars_max {
        return text.to_owned();
    }
    let (head, tail) = (chars_max * 2 / 3, chars_max / 3);
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(chars - tail).collect();
    format!("{start}\n[… {} characters left out …]\n{end}", chars - head - tail)
}
