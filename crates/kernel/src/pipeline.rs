//! Runs the hooks, and is the only place that calls one.
//!
//! Hooks of one wave run at the same time on the same snapshot. Their edits are applied in the order of (wave, name),
//! so the result does not depend on which of them was quicker. A hook that fails or overruns its limit is skipped and
//! reported; before a tool call, and for a guard before an output, that closes the door.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt;
use futures::future::join_all;
use hearth_contract::clock::{Clock, timeout};
use hearth_contract::event::EventKind;
use hearth_contract::hook::{
    Answer, CallEdit, CallVerdict, CompletionEdit, CompletionView, Flow, Hook, HookError, InputEdit,
    OutputEdit, OutputVerdict, PromptEdit, PromptView, ResultEdit, Stage, TurnView,
};
use hearth_contract::message::Segment;
use hearth_contract::provider::{Completion, CompletionRequest, ContextBlock};
use hearth_contract::transcript::{ToolCall, ToolResult};

use crate::events::Events;
use crate::limits::Limits;

/// The hooks of a kernel.
#[derive(Debug)]
pub(crate) struct Pipeline {
    /// Sorted by (wave, name).
    hooks: Vec<Arc<dyn Hook>>,
    failures: Mutex<HashMap<String, u32>>,
    clock: Arc<dyn Clock>,
    events: Arc<Events>,
    limits: Arc<Limits>,
}

/// What one hook answered at a stage.
struct Asked<A> {
    hook: Arc<dyn Hook>,
    answer: Result<A, HookError>,
}

/// Which hooks are asked about an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watch {
    /// All.
    All,
    /// Only guards: the answer is a hook's own.
    GuardsOnly,
}

impl Pipeline {
    pub(crate) fn new(
        mut hooks: Vec<Arc<dyn Hook>>,
        clock: Arc<dyn Clock>,
        events: Arc<Events>,
        limits: Arc<Limits>,
    ) -> Self {
        hooks.sort_by(|a, b| (a.wave(), a.name()).cmp(&(b.wave(), b.name())));
        Self { hooks, failures: Mutex::default(), clock, events, limits }
    }

    /// Whether a stream must be held back until guards have seen the whole.
    pub(crate) fn has_output_guards(&self) -> bool {
        self.hooks.iter().any(|hook| hook.guards_output() && hook.stages().contains(&Stage::BeforeOutput))
    }

    pub(crate) async fn on_input(&self, turn: &TurnView, segments: &mut Vec<Segment>) -> Flow {
        for wave in self.waves(Stage::OnInput, |_| true) {
            let snapshot = segments.clone();
            let asked = self.ask(turn, Stage::OnInput, wave, |hook| {
                let (turn, snapshot) = (turn.clone(), snapshot.clone());
                async move { hook.on_input(&turn, &snapshot).await }
            });
            for Answer { edits, verdict } in asked.await.into_iter().filter_map(|asked| asked.answer.ok()) {
                for InputEdit::Segments(new) in edits {
                    *segments = new;
                }
                if let Flow::Respond(_) = verdict {
                    return verdict;
                }
            }
        }
        Flow::Continue
    }

    pub(crate) async fn pre_action(
        &self,
        turn: &TurnView,
        input: &str,
        request: &mut CompletionRequest,
    ) -> Flow {
        for wave in self.waves(Stage::PreAction, |_| true) {
            let view = PromptView {
                input: input.to_owned(),
                context: request.context.clone(),
                tools: request.tools.iter().map(|tool| tool.name.clone()).collect(),
            };
            let asked = self.ask(turn, Stage::PreAction, wave, |hook| {
                let (turn, view) = (turn.clone(), view.clone());
                async move { hook.pre_action(&turn, &view).await }
            });
            for Asked { hook, answer } in asked.await {
                let Ok(Answer { edits, verdict }) = answer else { continue };
                for edit in edits {
                    match edit {
                        PromptEdit::Context(block) => put_context(&mut request.context, hook.name(), block),
                        PromptEdit::System(text) => {
                            request.system = format!("{}\n\n{text}", request.system).into()
                        }
                    }
                }
                if let Flow::Respond(_) = verdict {
                    return verdict;
                }
            }
        }
        Flow::Continue
    }

    pub(crate) async fn post_action(
        &self,
        turn: &TurnView,
        round: u32,
        completion: &mut Completion,
        context: &mut Vec<ContextBlock>,
    ) -> Flow {
        for wave in self.waves(Stage::PostAction, |_| true) {
            let view =
                CompletionView { round, text: completion.text.clone(), calls: completion.calls.clone() };
            let asked = self.ask(turn, Stage::PostAction, wave, |hook| {
                let (turn, view) = (turn.clone(), view.clone());
                async move { hook.post_action(&turn, &view).await }
            });
            // Indexes in edits mean the snapshot, so calls keep their places until the whole wave is applied.
            let mut calls: Vec<Option<_>> = completion.calls.drain(..).map(Some).collect();
            let mut flow = Flow::Continue;
            for Asked { hook, answer } in asked.await {
                let Ok(Answer { edits, verdict }) = answer else { continue };
                for edit in edits {
                    match edit {
                        CompletionEdit::Text(text) => completion.text = text,
                        CompletionEdit::AddCall(call) => calls.push(Some(call)),
                        CompletionEdit::RemoveCall(index) => {
                            if let Some(place) = calls.get_mut(index) {
                                *place = None;
                            }
                        }
                        CompletionEdit::ReplaceCall(index, call) => {
                            if let Some(place) = calls.get_mut(index) {
                                *place = Some(call);
                            }
                        }
                        CompletionEdit::Context(block) => put_context(context, hook.name(), block),
                    }
                }
                if flow == Flow::Continue {
                    flow = verdict;
                }
            }
            completion.calls = calls.into_iter().flatten().collect();
            if let Flow::Respond(_) = flow {
                return flow;
            }
        }
        Flow::Continue
    }

    pub(crate) async fn before_toolcall(&self, turn: &TurnView, call: &mut ToolCall) -> CallVerdict {
        for wave in self.waves(Stage::BeforeToolcall, |_| true) {
            let snapshot = call.clone();
            let asked = self.ask(turn, Stage::BeforeToolcall, wave, |hook| {
                let (turn, snapshot) = (turn.clone(), snapshot.clone());
                async move { hook.before_toolcall(&turn, &snapshot).await }
            });
            for Asked { hook, answer } in asked.await {
                let Answer { edits, verdict } = match answer {
                    Ok(answer) => answer,
                    Err(error) => {
                        return CallVerdict::Deny {
                            reason: format!("the guard `{}` failed: {error}", hook.name()),
                        };
                    }
                };
                for edit in edits {
                    match edit {
                        CallEdit::Name(name) => call.name = name,
                        CallEdit::Arguments(arguments) => call.arguments = arguments,
                    }
                }
                if verdict != CallVerdict::Allow {
                    return verdict;
                }
            }
        }
        CallVerdict::Allow
    }

    pub(crate) async fn after_toolcall(
        &self,
        turn: &TurnView,
        call: &ToolCall,
        result: &mut ToolResult,
        context: &mut Vec<ContextBlock>,
    ) -> Flow {
        for wave in self.waves(Stage::AfterToolcall, |_| true) {
            let snapshot = result.clone();
            let asked = self.ask(turn, Stage::AfterToolcall, wave, |hook| {
                let (turn, call, snapshot) = (turn.clone(), call.clone(), snapshot.clone());
                async move { hook.after_toolcall(&turn, &call, &snapshot).await }
            });
            for Asked { hook, answer } in asked.await {
                let Ok(Answer { edits, verdict }) = answer else { continue };
                for edit in edits {
                    match edit {
                        ResultEdit::Result(new) => *result = new,
                        ResultEdit::Context(block) => put_context(context, hook.name(), block),
                    }
                }
                if let Flow::Respond(_) = verdict {
                    return verdict;
                }
            }
        }
        Flow::Continue
    }

    pub(crate) async fn before_output(
        &self,
        turn: &TurnView,
        segments: &mut Vec<Segment>,
        watch: Watch,
    ) -> OutputVerdict {
        let asked_hooks = |hook: &dyn Hook| watch == Watch::All || hook.guards_output();
        for wave in self.waves(Stage::BeforeOutput, asked_hooks) {
            let snapshot = segments.clone();
            let asked = self.ask(turn, Stage::BeforeOutput, wave, |hook| {
                let (turn, snapshot) = (turn.clone(), snapshot.clone());
                async move { hook.before_output(&turn, &snapshot).await }
            });
            for Asked { hook, answer } in asked.await {
                let Answer { edits, verdict } = match answer {
                    Ok(answer) => answer,
                    Err(error) if hook.guards_output() => {
                        return OutputVerdict::Skip {
                            reason: format!("the guard `{}` failed: {error}", hook.name()),
                        };
                    }
                    Err(_) => continue,
                };
                for OutputEdit::Segments(new) in edits {
                    *segments = new;
                }
                if verdict != OutputVerdict::Allow {
                    return verdict;
                }
            }
        }
        OutputVerdict::Allow
    }

    pub(crate) async fn after_output(&self, turn: &TurnView, segments: &[Segment]) {
        for wave in self.waves(Stage::AfterOutput, |_| true) {
            self.ask(turn, Stage::AfterOutput, wave, |hook| {
                let (turn, snapshot) = (turn.clone(), segments.to_vec());
                async move { hook.after_output(&turn, &snapshot).await }
            })
            .await;
        }
    }

    /// The hooks that are asked at a stage, wave by wave.
    fn waves(&self, stage: Stage, wanted: impl Fn(&dyn Hook) -> bool) -> Vec<Vec<Arc<dyn Hook>>> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let mut waves: Vec<Vec<Arc<dyn Hook>>> = Vec::new();
        for hook in &self.hooks {
            let switched_off =
                failures.get(hook.name()).is_some_and(|count| *count >= self.limits.hook_failures_max);
            let closes_doors =
                stage == Stage::BeforeToolcall || (stage == Stage::BeforeOutput && hook.guards_output());
            // A switched-off guard is still asked: it is better to deny than to leave its door open.
            if !hook.stages().contains(&stage) || !wanted(hook.as_ref()) || (switched_off && !closes_doors) {
                continue;
            }
            match waves.last_mut() {
                Some(wave) if wave[0].wave() == hook.wave() => wave.push(hook.clone()),
                _ => waves.push(vec![hook.clone()]),
            }
        }
        waves
    }

    /// Asks the hooks of one wave at the same time; the answers come in the order of the hooks.
    async fn ask<A, F, Fut>(
        &self,
        turn: &TurnView,
        stage: Stage,
        wave: Vec<Arc<dyn Hook>>,
        ask: F,
    ) -> Vec<Asked<A>>
    where
        F: Fn(Arc<dyn Hook>) -> Fut,
        Fut: Future<Output = Result<A, HookError>>,
    {
        let asking = wave.into_iter().map(|hook| {
            let asked = std::panic::AssertUnwindSafe(ask(hook.clone())).catch_unwind();
            async move {
                let answer = match timeout(self.clock.as_ref(), self.limits.hook_time_max, asked).await {
                    Ok(Ok(answer)) => answer,
                    Ok(Err(_)) => Err(HookError { reason: "it panicked".into() }),
                    Err(_) => Err(HookError { reason: "it took too long".into() }),
                };
                self.note(turn, stage, hook.as_ref(), answer.as_ref().err());
                Asked { hook, answer }
            }
        });
        join_all(asking).await
    }

    fn note(&self, turn: &TurnView, stage: Stage, hook: &dyn Hook, error: Option<&HookError>) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(error) = error else {
            failures.remove(hook.name());
            return;
        };
        let count = failures.entry(hook.name().to_owned()).or_default();
        *count += 1;
        let (hook, reason) = (hook.name().to_owned(), error.reason.clone());
        if *count == self.limits.hook_failures_max {
            let text = format!(
                "the hook `{hook}` failed {count} times in a row and is switched off; last: {reason}"
            );
            self.events.emit(Some(&turn.session), EventKind::Notice { code: "hook_disabled".into(), text });
        }
        self.events.emit(Some(&turn.session), EventKind::HookFailed { hook, stage, reason });
    }
}

/// A hook's own block: its name is the hook's, so that no hook replaces another's.
fn put_context(context: &mut Vec<ContextBlock>, hook: &str, block: ContextBlock) {
    let block = ContextBlock { name: format!("{hook}.{}", block.name), text: block.text };
    match context.iter_mut().find(|own| own.name == block.name) {
        Some(own) => *own = block,
        None => context.push(block),
    }
}

#[cfg(test)]
mod tests;
