//! Hooks that do one thing, named after what they do.

use async_trait::async_trait;
use hearth_contract::hook::{
    Answer, CallEdit, CallVerdict, CompletionEdit, CompletionView, Flow, Hook, HookError, InputEdit,
    OutputEdit, OutputVerdict, PromptEdit, PromptView, ResultEdit, Stage, TurnView,
};
use hearth_contract::message::{Segment, plain_text};
use hearth_contract::provider::ContextBlock;
use hearth_contract::transcript::{ToolCall, ToolResult};

use crate::seen::Log;

/// What a fake hook does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// `canned:A=B`: answers B at `on_input` when the message contains A.
    Canned(String, String),
    /// `input:A=B`: writes B for A in messages.
    Input(String, String),
    /// `count:A`: writes A and how often it was written for A in messages.
    Count(String),
    /// `context:A=B`: adds the context block A with the text B.
    Context(String, String),
    /// `answer:A=B`: answers B at `post_action` when the model says A.
    Answer(String, String),
    /// `without_calls`: takes every call away from the model's answer.
    WithoutCalls,
    /// `deny:TOOL`: denies a tool.
    Deny(String),
    /// `rename:A=B`: calls B where A was asked for.
    Rename(String, String),
    /// `result:A=B`: writes B for A in results.
    Result(String, String),
    /// `append:X`: adds X at the end of what is said.
    Append(String),
    /// `guard:X`: a guard; holds back what contains X.
    Guard(String),
    /// `guard_replace:A=B`: a guard; says B in place of what contains A.
    GuardReplace(String, String),
    /// `hang:STAGE`: hangs.
    Hang(Stage),
    /// `hang_once:STAGE`: hangs at the first time.
    HangOnce(Stage),
    /// `panic:STAGE`: panics.
    Panic(Stage),
    /// `guard_panic`: a guard that panics.
    GuardPanic,
}

/// A hook that does one thing.
#[derive(Debug)]
pub struct FakeHook {
    name: String,
    wave: i32,
    deed: Deed,
    stages: Vec<Stage>,
    log: Log,
    has_hung: std::sync::atomic::AtomicBool,
    written: std::sync::atomic::AtomicU32,
}

impl FakeHook {
    /// From its description, which is its name too: `WAVE/DEED`, or `DEED` for wave 0. None if it means nothing.
    pub fn parse(description: &str, log: Log) -> Option<Self> {
        let (wave, deed) = match description.split_once('/') {
            Some((wave, deed)) if wave.parse::<i32>().is_ok() => (wave.parse().ok()?, deed),
            _ => (0, description),
        };
        let (kind, rest) = deed.split_once(':').unwrap_or((deed, ""));
        let pair = || rest.split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned()));
        let (deed, stage) = match kind {
            "canned" => (pair().map(|(a, b)| Deed::Canned(a, b))?, Stage::OnInput),
            "input" => (pair().map(|(a, b)| Deed::Input(a, b))?, Stage::OnInput),
            "count" => (Deed::Count(rest.to_owned()), Stage::OnInput),
            "context" => (pair().map(|(a, b)| Deed::Context(a, b))?, Stage::PreAction),
            "answer" => (pair().map(|(a, b)| Deed::Answer(a, b))?, Stage::PostAction),
            "without_calls" => (Deed::WithoutCalls, Stage::PostAction),
            "deny" => (Deed::Deny(rest.to_owned()), Stage::BeforeToolcall),
            "rename" => (pair().map(|(a, b)| Deed::Rename(a, b))?, Stage::BeforeToolcall),
            "result" => (pair().map(|(a, b)| Deed::Result(a, b))?, Stage::AfterToolcall),
            "append" => (Deed::Append(rest.to_owned()), Stage::BeforeOutput),
            "guard" => (Deed::Guard(rest.to_owned()), Stage::BeforeOutput),
            "guard_replace" => (pair().map(|(a, b)| Deed::GuardReplace(a, b))?, Stage::BeforeOutput),
            "guard_panic" => (Deed::GuardPanic, Stage::BeforeOutput),
            "hang" => (Deed::Hang(stage(rest)?), stage(rest)?),
            "hang_once" => (Deed::HangOnce(stage(rest)?), stage(rest)?),
            "panic" => (Deed::Panic(stage(rest)?), stage(rest)?),
            _ => return None,
        };
        let (name, stages) = (description.to_owned(), vec![stage]);
        Some(Self { name, wave, deed, stages, log, has_hung: false.into(), written: 0.into() })
    }

    async fn trouble(&self) {
        match self.deed {
            Deed::Hang(_) => std::future::pending().await,
            Deed::HangOnce(_) if !self.has_hung.swap(true, std::sync::atomic::Ordering::SeqCst) => {
                let _held = self.log.hold("hook");
                std::future::pending().await
            }
            Deed::Panic(_) | Deed::GuardPanic => panic!("a hook that breaks"),
            _ => {}
        }
    }
}

fn stage(name: &str) -> Option<Stage> {
    let all = [
        Stage::OnInput,
        Stage::PreAction,
        Stage::PostAction,
        Stage::BeforeToolcall,
        Stage::AfterToolcall,
        Stage::BeforeOutput,
        Stage::AfterOutput,
    ];
    all.into_iter().find(|stage| stage.name() == name)
}

fn only<Edit, Verdict: Default>(edit: Edit) -> Answer<Edit, Verdict> {
    Answer { edits: vec![edit], verdict: Verdict::default() }
}

fn verdict<Edit, Verdict>(verdict: Verdict) -> Answer<Edit, Verdict> {
    Answer { edits: Vec::new(), verdict }
}

#[async_trait]
impl Hook for FakeHook {
    fn name(&self) -> &str {
        &self.name
    }

    fn stages(&self) -> &[Stage] {
        &self.stages
    }

    fn wave(&self) -> i32 {
        self.wave
    }

    fn guards_output(&self) -> bool {
        matches!(self.deed, Deed::Guard(_) | Deed::GuardReplace(..) | Deed::GuardPanic)
    }

    async fn on_input(
        &self,
        _turn: &TurnView,
        segments: &[Segment],
    ) -> Result<Answer<InputEdit, Flow>, HookError> {
        self.trouble().await;
        let text = plain_text(segments);
        Ok(match &self.deed {
            Deed::Canned(said, answer) if text.contains(said) => verdict(Flow::Respond(answer.clone())),
            Deed::Count(word) if text.contains(word) => {
                let number = self.written.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1;
                only(InputEdit::Segments(vec![Segment::text(
                    text.replace(word, &format!("{word} {number}")),
                )]))
            }
            Deed::Input(old, new) => only(InputEdit::Segments(vec![Segment::text(text.replace(old, new))])),
            _ => Answer::default(),
        })
    }

    async fn pre_action(
        &self,
        _turn: &TurnView,
        _prompt: &PromptView,
    ) -> Result<Answer<PromptEdit, Flow>, HookError> {
        self.trouble().await;
        Ok(match &self.deed {
            Deed::Context(name, text) => {
                only(PromptEdit::Context(ContextBlock { name: name.clone(), text: text.clone() }))
            }
            _ => Answer::default(),
        })
    }

    async fn post_action(
        &self,
        _turn: &TurnView,
        completion: &CompletionView,
    ) -> Result<Answer<CompletionEdit, Flow>, HookError> {
        self.trouble().await;
        Ok(match &self.deed {
            Deed::Answer(said, answer) if completion.text.contains(said) => {
                verdict(Flow::Respond(answer.clone()))
            }
            Deed::WithoutCalls => {
                let edits = (0..completion.calls.len()).map(CompletionEdit::RemoveCall).collect();
                Answer { edits, verdict: Flow::Continue }
            }
            _ => Answer::default(),
        })
    }

    async fn before_toolcall(
        &self,
        _turn: &TurnView,
        call: &ToolCall,
    ) -> Result<Answer<CallEdit, CallVerdict>, HookError> {
        self.trouble().await;
        Ok(match &self.deed {
            Deed::Deny(tool) if *tool == call.name => {
                verdict(CallVerdict::Deny { reason: format!("{tool} is not for now") })
            }
            Deed::Rename(old, new) if *old == call.name => only(CallEdit::Name(new.clone())),
            _ => Answer::default(),
        })
    }

    async fn after_toolcall(
        &self,
        _turn: &TurnView,
        _call: &ToolCall,
        result: &ToolResult,
    ) -> Result<Answer<ResultEdit, Flow>, HookError> {
        self.trouble().await;
        Ok(match &self.deed {
            Deed::Result(old, new) => only(ResultEdit::Result(ToolResult {
                status: result.status,
                text: result.text.replace(old, new),
            })),
            _ => Answer::default(),
        })
    }

    async fn before_output(
        &self,
        _turn: &TurnView,
        segments: &[Segment],
    ) -> Result<Answer<OutputEdit, OutputVerdict>, HookError> {
        self.trouble().await;
        let text = plain_text(segments);
        Ok(match &self.deed {
            Deed::Append(more) => only(OutputEdit::Segments(vec![Segment::text(format!("{text}{more}"))])),
            Deed::Guard(bad) if text.contains(bad) => {
                verdict(OutputVerdict::Skip { reason: format!("it contains {bad}") })
            }
            Deed::GuardReplace(bad, better) if text.contains(bad) => {
                verdict(OutputVerdict::Respond(better.clone()))
            }
            _ => Answer::default(),
        })
    }

    async fn after_output(&self, _turn: &TurnView, _segments: &[Segment]) -> Result<(), HookError> {
        self.trouble().await;
        Ok(())
    }
}
