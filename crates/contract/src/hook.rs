//! The seven stages at which a turn can be watched and bent.
//!
//! A hook gets a snapshot and returns edits; it never holds the turn itself. Hooks of one wave run at the same time
//! on the same snapshot, and their edits are applied in the order of (wave, name); a later wave sees the result.

use std::fmt;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::id::{SessionKey, TurnId};
use crate::message::{ChatKind, Segment, Sender};
use crate::provider::{ContextBlock, RequestedCall};
use crate::transcript::{ToolArguments, ToolCall, ToolResult};

/// A point of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// An input was taken up.
    OnInput,
    /// The prompt is ready, the model is not asked yet.
    PreAction,
    /// The model has answered.
    PostAction,
    /// A tool is about to be called.
    BeforeToolcall,
    /// A tool has answered.
    AfterToolcall,
    /// An answer is about to be sent.
    BeforeOutput,
    /// An answer was sent.
    AfterOutput,
}

impl Stage {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::OnInput => "on_input",
            Self::PreAction => "pre_action",
            Self::PostAction => "post_action",
            Self::BeforeToolcall => "before_toolcall",
            Self::AfterToolcall => "after_toolcall",
            Self::BeforeOutput => "before_output",
            Self::AfterOutput => "after_output",
        }
    }
}

/// The turn a hook looks at.
#[derive(Debug, Clone)]
pub struct TurnView {
    /// Which turn.
    pub turn: TurnId,
    /// Which dialog.
    pub session: SessionKey,
    /// Private or group.
    pub chat_kind: ChatKind,
    /// Who started it.
    pub sender: Sender,
}

/// Edits and a verdict.
#[derive(Debug, Clone)]
pub struct Answer<Edit, Verdict> {
    /// What to change, in order.
    pub edits: Vec<Edit>,
    /// How to go on.
    pub verdict: Verdict,
}

impl<Edit, Verdict: Default> Default for Answer<Edit, Verdict> {
    fn default() -> Self {
        Self { edits: Vec::new(), verdict: Verdict::default() }
    }
}

/// Go on, or answer at once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Flow {
    /// Go on.
    #[default]
    Continue,
    /// This is the answer: skip to the delivery.
    Respond(String),
}

/// What may be done about a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CallVerdict {
    /// Run it.
    #[default]
    Allow,
    /// Do not run it; its result says why. The other calls run.
    Deny {
        /// Why, for the model.
        reason: String,
    },
    /// This is the turn's answer: skip to the delivery.
    Respond(String),
}

/// What may be done about an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum OutputVerdict {
    /// Send it.
    #[default]
    Allow,
    /// Do not send it.
    Skip {
        /// Why, for `why`.
        reason: String,
    },
    /// Send this instead.
    Respond(String),
}

/// What `on_input` may change.
#[derive(Debug, Clone, PartialEq)]
pub enum InputEdit {
    /// The message's segments, and with them its text.
    Segments(Vec<Segment>),
}

/// What `pre_action` may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptEdit {
    /// Adds a context block, or replaces the hook's own of that name.
    Context(ContextBlock),
    /// Adds a paragraph to the system prompt.
    System(String),
}

/// What `post_action` may change.
#[derive(Debug, Clone, PartialEq)]
pub enum CompletionEdit {
    /// The model's words.
    Text(String),
    /// One more tool call, at the end.
    AddCall(RequestedCall),
    /// Takes away the call at this index of the snapshot.
    RemoveCall(usize),
    /// Replaces the call at this index of the snapshot.
    ReplaceCall(usize, RequestedCall),
    /// Adds a context block for the next rounds, or replaces the hook's own of that name.
    Context(ContextBlock),
}

/// What `before_toolcall` may change.
#[derive(Debug, Clone, PartialEq)]
pub enum CallEdit {
    /// The tool's name.
    Name(String),
    /// The arguments.
    Arguments(ToolArguments),
}

/// What `after_toolcall` may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResultEdit {
    /// The result, as the model is told.
    Result(ToolResult),
    /// Adds a context block for the next rounds, or replaces the hook's own of that name.
    Context(ContextBlock),
}

/// What `before_output` may change.
#[derive(Debug, Clone, PartialEq)]
pub enum OutputEdit {
    /// The answer's segments.
    Segments(Vec<Segment>),
}

/// A hook did not do its work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct HookError {
    /// What happened.
    pub reason: String,
}

/// The prompt as `pre_action` sees it.
#[derive(Debug, Clone)]
pub struct PromptView {
    /// What the person said.
    pub input: String,
    /// The context blocks so far.
    pub context: Vec<ContextBlock>,
    /// The names of the tools on offer.
    pub tools: Vec<String>,
}

/// The model's answer as `post_action` sees it.
#[derive(Debug, Clone)]
pub struct CompletionView {
    /// The number of the model call in the turn, from 0.
    pub round: u32,
    /// Its words.
    pub text: String,
    /// Its calls.
    pub calls: Vec<RequestedCall>,
}

/// Watches and bends turns. One method a stage, each with an empty default.
#[async_trait]
pub trait Hook: Send + Sync + fmt::Debug {
    /// Unique among hooks; ties in a wave are broken by it.
    fn name(&self) -> &str;

    /// The stages it wants to be asked at; the others cost nothing.
    fn stages(&self) -> &[Stage];

    /// Earlier waves run first.
    fn wave(&self) -> i32 {
        0
    }

    /// A guard is asked in `before_output` even about an answer another hook gave, and holds back the stream until
    /// it has passed. If it fails, the answer is not sent.
    fn guards_output(&self) -> bool {
        false
    }

    /// May change what was said, before anybody reads it.
    async fn on_input(
        &self,
        _turn: &TurnView,
        _segments: &[Segment],
    ) -> Result<Answer<InputEdit, Flow>, HookError> {
        Ok(Answer::default())
    }

    /// May add to the prompt.
    async fn pre_action(
        &self,
        _turn: &TurnView,
        _prompt: &PromptView,
    ) -> Result<Answer<PromptEdit, Flow>, HookError> {
        Ok(Answer::default())
    }

    /// May change what the model said and wants.
    async fn post_action(
        &self,
        _turn: &TurnView,
        _completion: &CompletionView,
    ) -> Result<Answer<CompletionEdit, Flow>, HookError> {
        Ok(Answer::default())
    }

    /// May change or deny one call.
    async fn before_toolcall(
        &self,
        _turn: &TurnView,
        _call: &ToolCall,
    ) -> Result<Answer<CallEdit, CallVerdict>, HookError> {
        Ok(Answer::default())
    }

    /// May change one result.
    async fn after_toolcall(
        &self,
        _turn: &TurnView,
        _call: &ToolCall,
        _result: &ToolResult,
    ) -> Result<Answer<ResultEdit, Flow>, HookError> {
        Ok(Answer::default())
    }

    /// May change or hold back an answer.
    async fn before_output(
        &self,
        _turn: &TurnView,
        _segments: &[Segment],
    ) -> Result<Answer<OutputEdit, OutputVerdict>, HookError> {
        Ok(Answer::default())
    }

    /// Sees what was sent.
    async fn after_output(&self, _turn: &TurnView, _segments: &[Segment]) -> Result<(), HookError> {
        Ok(())
    }
}
