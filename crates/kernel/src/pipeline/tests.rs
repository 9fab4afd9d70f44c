//! What hooks return is applied in the order of (wave, name), whichever of them is quicker.

use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::clock::SystemClock;
use hearth_contract::hook::{
    Answer, CallVerdict, CompletionEdit, CompletionView, Flow, Hook, HookError, OutputEdit, OutputVerdict,
    Stage, TurnView,
};
use hearth_contract::id::{CallId, ChatKey, TurnId};
use hearth_contract::message::{ChatKind, Segment, Sender, plain_text};
use hearth_contract::provider::{Completion, FinishReason, RequestedCall, Usage};
use hearth_contract::transcript::{ToolArguments, ToolCall};
use proptest::prelude::*;

use super::{Pipeline, Watch};
use crate::events::Events;
use crate::limits::Limits;

/// Adds its name to what is said and to the model's words, and its edits of calls; after some turns of the runtime.
#[derive(Debug, Clone, Default)]
struct Writer {
    name: String,
    wave: i32,
    slowness: usize,
    edits: Vec<CompletionEdit>,
    breaks: bool,
}

impl Writer {
    async fn dawdle(&self) {
        for _ in 0..self.slowness {
            tokio::task::yield_now().await;
        }
        assert!(!self.breaks, "a hook that breaks");
    }
}

#[async_trait]
impl Hook for Writer {
    fn name(&self) -> &str {
        &self.name
    }

    fn stages(&self) -> &[Stage] {
        &[Stage::PostAction, Stage::BeforeOutput, Stage::BeforeToolcall]
    }

    fn wave(&self) -> i32 {
        self.wave
    }

    async fn post_action(
        &self,
        _turn: &TurnView,
        completion: &CompletionView,
    ) -> Result<Answer<CompletionEdit, Flow>, HookError> {
        self.dawdle().await;
        let text = CompletionEdit::Text(format!("{}{}", completion.text, self.name));
        let edits = std::iter::once(text).chain(self.edits.clone()).collect();
        Ok(Answer { edits, verdict: Flow::Continue })
    }

    async fn before_toolcall(
        &self,
        _turn: &TurnView,
        _call: &ToolCall,
    ) -> Result<Answer<hearth_contract::hook::CallEdit, CallVerdict>, HookError> {
        self.dawdle().await;
        Ok(Answer::default())
    }

    async fn before_output(
        &self,
        _turn: &TurnView,
        segments: &[Segment],
    ) -> Result<Answer<OutputEdit, OutputVerdict>, HookError> {
        self.dawdle().await;
        let text = format!("{}{}", plain_text(segments), self.name);
        Ok(Answer {
            edits: vec![OutputEdit::Segments(vec![Segment::text(text)])],
            verdict: OutputVerdict::Allow,
        })
    }
}

fn pipeline(hooks: &[Writer], limits: Limits) -> Pipeline {
    let clock = Arc::new(SystemClock);
    let hooks = hooks.iter().map(|hook| Arc::new(hook.clone()) as Arc<dyn Hook>).collect();
    Pipeline::new(hooks, clock.clone(), Arc::new(Events::new(clock, 16)), Arc::new(limits))
}

fn view() -> TurnView {
    TurnView {
        turn: TurnId::new(),
        session: ChatKey::new("cli", "me").dialog("default"),
        chat_kind: ChatKind::Private,
        sender: Sender::agent(),
    }
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

fn call(name: &str) -> RequestedCall {
    RequestedCall { name: name.to_owned(), arguments: ToolArguments::Object(serde_json::Map::new()) }
}

fn completion(calls: &[&str]) -> Completion {
    Completion {
        text: String::new(),
        reasoning: Vec::new(),
        calls: calls.iter().map(|name| call(name)).collect(),
        finish: FinishReason::ToolCalls,
        usage: Usage::default(),
        source: "main".into(),
        model: "m".into(),
    }
}

/// Each wave sees the one before it; within a wave all see the same, and the last name stays.
fn expected(hooks: &[Writer]) -> String {
    let mut waves: Vec<i32> = hooks.iter().map(|hook| hook.wave).collect();
    waves.sort_unstable();
    waves.dedup();
    let last = |wave: &i32| {
        let names = hooks.iter().filter(|hook| hook.wave == *wave).map(|hook| hook.name.as_str());
        names.max().unwrap_or_default()
    };
    waves.iter().map(last).collect()
}

proptest! {
    #[test]
    fn the_result_does_not_depend_on_who_is_quicker(
        traits in prop::collection::vec((-1..2i32, 0..4usize), 1..7),
        seed in any::<u64>(),
    ) {
        let mut hooks: Vec<Writer> = traits
            .iter()
            .enumerate()
            .map(|(place, (wave, slowness))| Writer {
                name: format!("{}", char::from(b'a' + u8::try_from(place).unwrap())),
                wave: *wave,
                slowness: *slowness,
                ..Writer::default()
            })
            .collect();
        let wanted = expected(&hooks);
        // The order in which they were configured does not matter either.
        let turned = usize::try_from(seed % 7).unwrap() % hooks.len();
        hooks.rotate_left(turned);
        let pipeline = pipeline(&hooks, Limits::default());
        for _ in 0..3 {
            let mut segments = vec![Segment::text("")];
            run(pipeline.before_output(&view(), &mut segments, Watch::All));
            prop_assert_eq!(plain_text(&segments), wanted.clone());
            let mut completion = completion(&[]);
            run(pipeline.post_action(&view(), 0, &mut completion, &mut Vec::new()));
            prop_assert_eq!(&completion.text, &wanted);
        }
    }
}

#[test]
fn the_places_of_calls_mean_the_snapshot() {
    let hook = |name: &str, edits| Writer { name: name.into(), edits, ..Writer::default() };
    let hooks = [
        hook("a", vec![CompletionEdit::RemoveCall(0), CompletionEdit::AddCall(call("new"))]),
        hook("b", vec![CompletionEdit::ReplaceCall(1, call("other")), CompletionEdit::RemoveCall(9)]),
    ];
    let mut asked = completion(&["first", "second", "third"]);
    run(pipeline(&hooks, Limits::default()).post_action(&view(), 0, &mut asked, &mut Vec::new()));
    let names: Vec<&str> = asked.calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["other", "third", "new"]);
}

#[test]
fn a_hook_that_fails_again_and_again_is_switched_off_but_a_guard_goes_on_denying() {
    let broken = Writer { name: "broken".into(), breaks: true, ..Writer::default() };
    let limits = Limits { hook_failures_max: 2, ..Limits::default() };
    let pipeline = pipeline(&[broken], limits);
    let mut events = pipeline.events.subscribe();
    for _ in 0..4 {
        run(pipeline.before_output(&view(), &mut vec![Segment::text("x")], Watch::All));
    }
    let mut told = Vec::new();
    while let Ok(event) = events.try_recv() {
        told.push(event);
    }
    // Two failures, and one notice that it is switched off; after that it is not asked.
    assert_eq!(told.len(), 3, "{told:?}");
    let mut call = ToolCall {
        id: CallId::from_text("call_1"),
        name: "tool".into(),
        arguments: ToolArguments::Object(serde_json::Map::new()),
    };
    let verdict = run(pipeline.before_toolcall(&view(), &mut call));
    assert!(matches!(verdict, CallVerdict::Deny { .. }), "{verdict:?}");
}
