//! What happened, for whoever watches. No decision is taken from an event.

mod pattern;

use serde::{Deserialize, Serialize};

pub use pattern::{BadPattern, EVENT_PATTERNS_MAX, EventPatterns};

use crate::clock::UnixMs;
use crate::hook::Stage;
use crate::id::{CallId, DeliveryId, MessageId, ScheduleId, SessionKey, TaskId, TurnId};
use crate::message::{MessageEnd, Origin, Segment};
use crate::provider::Usage;
use crate::store::{DeliveryState, TaskState, TurnState};
use crate::transcript::ToolStatus;

/// Something happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Rises by one with each event of a running Hearth.
    pub number: u64,
    /// When.
    pub at: UnixMs,
    /// The dialog it belongs to, if it belongs to one.
    pub session: Option<SessionKey>,
    /// What.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EventKind {
    /// A message was taken.
    MessageAccepted {
        /// It.
        message: MessageId,
        /// Who wrote it.
        sender: String,
        /// What it says.
        text: String,
        /// Why the agent was woken.
        origin: Origin,
        /// The network's id of it; from our own clients, the one the client made.
        platform_id: Option<String>,
    },
    /// A message reached its end.
    MessageEnded {
        /// It.
        message: MessageId,
        /// Its end.
        #[serde(flatten)]
        end: MessageEnd,
    },
    /// A turn was begun, or taken up again after a crash (attempt above 1).
    TurnStarted {
        /// It.
        turn: TurnId,
        /// The message it answers.
        cause: MessageId,
        /// From 1.
        attempt: u32,
    },
    /// A turn ended.
    TurnEnded {
        /// It.
        turn: TurnId,
        /// How.
        state: TurnState,
        /// What it cost.
        usage: Usage,
        /// How long it took.
        duration_ms: u64,
    },
    /// A model was asked.
    ModelCalled {
        /// The turn.
        turn: TurnId,
        /// The number of the call in the turn, from 0.
        round: u32,
        /// The configured source.
        source: String,
        /// The model.
        model: String,
        /// How long it took.
        duration_ms: u64,
        /// What it cost.
        usage: Usage,
        /// Empty, or the stable code of the error.
        error: String,
    },
    /// A tool is running.
    ToolStarted {
        /// The turn.
        turn: TurnId,
        /// The call.
        call: CallId,
        /// The tool.
        tool: String,
        /// Its arguments as JSON, shortened.
        arguments: String,
    },
    /// A tool has ended.
    ToolEnded {
        /// The turn.
        turn: TurnId,
        /// The call.
        call: CallId,
        /// The tool.
        tool: String,
        /// How it ended.
        status: ToolStatus,
        /// The beginning of its result.
        result: String,
        /// How long it took.
        duration_ms: u64,
    },
    /// Something was said.
    MessageSent {
        /// The message.
        message: MessageId,
        /// The turn that said it.
        turn: Option<TurnId>,
        /// What.
        segments: Vec<Segment>,
    },
    /// A delivery changed its state.
    DeliveryMoved {
        /// It.
        delivery: DeliveryId,
        /// Its state now.
        state: DeliveryState,
    },
    /// A schedule became due and was put on the bus.
    ScheduleFired {
        /// It.
        schedule: ScheduleId,
        /// When it was to happen.
        due_at: UnixMs,
    },
    /// A background task began, was taken up again, or ended.
    TaskMoved {
        /// It.
        task: TaskId,
        /// Its kind.
        task_kind: String,
        /// Its state now.
        state: TaskState,
    },
    /// A turn makes room for an interrupt; it goes on afterwards.
    TurnSuspended {
        /// It.
        turn: TurnId,
    },
    /// A turn that was suspended goes on.
    TurnContinued {
        /// It.
        turn: TurnId,
    },
    /// A hook was skipped because it failed.
    HookFailed {
        /// Its name.
        hook: String,
        /// Where.
        stage: Stage,
        /// Why.
        reason: String,
    },
    /// The owner should know this.
    Notice {
        /// A stable code.
        code: String,
        /// What happened and what to do.
        text: String,
    },
}

impl EventKind {
    /// Every name there is, as watchers ask for them. A name stays for good.
    pub const NAMES: &[&str] = &[
        "message.accepted",
        "message.ended",
        "turn.started",
        "turn.ended",
        "model.called",
        "tool.started",
        "tool.ended",
        "message.sent",
        "delivery.moved",
        "schedule.fired",
        "task.moved",
        "turn.suspended",
        "turn.continued",
        "hook.failed",
        "notice",
    ];

    /// Its name: the type as it is written to watchers, with a dot for the underscore.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::MessageAccepted { .. } => "message.accepted",
            Self::MessageEnded { .. } => "message.ended",
            Self::TurnStarted { .. } => "turn.started",
            Self::TurnEnded { .. } => "turn.ended",
            Self::ModelCalled { .. } => "model.called",
            Self::ToolStarted { .. } => "tool.started",
            Self::ToolEnded { .. } => "tool.ended",
            Self::MessageSent { .. } => "message.sent",
            Self::DeliveryMoved { .. } => "delivery.moved",
            Self::ScheduleFired { .. } => "schedule.fired",
            Self::TaskMoved { .. } => "task.moved",
            Self::TurnSuspended { .. } => "turn.suspended",
            Self::TurnContinued { .. } => "turn.continued",
            Self::HookFailed { .. } => "hook.failed",
            Self::Notice { .. } => "notice",
        }
    }
}
