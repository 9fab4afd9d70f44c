//! From a request to the next move: every input is understood, every job is played forward over the results that are
//! there, and what is still missing is called for.
//!
//! Nothing is kept between calls: a turn's jobs follow from its inputs, so playing them again over the transcript
//! gives the same calls in the same order, also after a restart.

use hearth_contract::provider::{CompletionRequest, RequestedCall};
use hearth_contract::transcript::{ToolArguments, ToolExchange};
use serde_json::{Map, Value};

use super::dialogue::Dialogue;
use super::skills::{Kind, Step};
use super::speak;
use super::split::{self, Task};
use super::world::World;

/// After so many rounds of one turn the answer is given with what is there.
const ROUNDS_MAX: usize = 9;
/// So many inputs of one turn are read; more than anybody says while one answer is written.
const INPUTS_MAX: usize = 64;
/// So many calls of one job; more would be a fault of the job.
const STEPS_MAX: usize = 24;

/// What the model does next.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Move {
    Call(Vec<RequestedCall>),
    Say(String),
}

/// The next move.
pub(crate) fn next(request: &CompletionRequest) -> Move {
    let world = World::of(request);
    let dialogue = Dialogue::of(request);
    let mut done = Done::of(request);
    let may_call = request.current.rounds.len() < ROUNDS_MAX;
    let mut said: Vec<String> = Vec::new();
    let mut calls: Vec<RequestedCall> = Vec::new();
    for task in tasks(request, &dialogue) {
        match play(&task, &mut done, &world) {
            Played::Said(text) => push_new(&mut said, text),
            Played::Wants(call) if !world.offers(&call.name) || !may_call => {
                let stopped = !may_call || (world.has_no_tools() && !request.current.rounds.is_empty());
                let language = task.clause.language;
                let text = if stopped {
                    speak::out_of_rounds(language).to_owned()
                } else {
                    speak::not_on_offer(language, &call.name)
                };
                push_new(&mut said, text);
            }
            Played::Wants(call) => {
                if calls.first().is_some_and(|first| Group::of(&first.name) != Group::of(&call.name)) {
                    break;
                }
                let alone = Group::of(&call.name) == Group::Alone;
                calls.push(call);
                if alone {
                    break;
                }
            }
        }
    }
    if calls.is_empty() { Move::Say(said.join("\n")) } else { Move::Call(calls) }
}

/// The jobs of all inputs, in the order in which they were said.
fn tasks(request: &CompletionRequest, dialogue: &Dialogue) -> Vec<Task> {
    let joined = request.current.rounds.iter().flat_map(|round| &round.joined);
    let inputs = request.current.inputs.iter().chain(joined).take(INPUTS_MAX);
    let mut tasks: Vec<Task> = inputs.flat_map(|input| split::tasks(&input.text, dialogue)).collect();
    // A greeting before a request is courtesy; beside real work nobody waits for its answer.
    if tasks.iter().any(|task| task.job.kind() != Kind::Talk) {
        tasks.retain(|task| task.job.kind() != Kind::Talk);
    }
    tasks
}

fn push_new(said: &mut Vec<String>, text: String) {
    if !text.is_empty() && !said.contains(&text) {
        said.push(text);
    }
}

/// How far a job came with the results that are there.
enum Played {
    Said(String),
    Wants(RequestedCall),
}

fn play(task: &Task, done: &mut Done<'_>, world: &World) -> Played {
    let mut results = Vec::new();
    for _ in 0..STEPS_MAX {
        match task.job.step(&results, world) {
            Step::Say(text) => return Played::Said(text),
            Step::Call { tool, arguments } => match done.take(tool) {
                Some(exchange) => results.push(&exchange.result),
                None => return Played::Wants(requested(tool, arguments)),
            },
        }
    }
    Played::Said(speak::out_of_rounds(task.clause.language).to_owned())
}

fn requested(tool: &str, arguments: Map<String, Value>) -> RequestedCall {
    RequestedCall { name: tool.to_owned(), arguments: ToolArguments::Object(arguments) }
}

/// The calls of this turn that have a result, given out in order. A call that another model made before it broke down
/// counts too: the timer it set is not set again.
struct Done<'r> {
    open: Vec<&'r ToolExchange>,
}

impl<'r> Done<'r> {
    fn of(request: &'r CompletionRequest) -> Self {
        Self { open: request.current.rounds.iter().flat_map(|round| &round.calls).collect() }
    }

    fn take(&mut self, tool: &str) -> Option<&'r ToolExchange> {
        let at = self.open.iter().position(|exchange| exchange.call.name == tool)?;
        Some(self.open.remove(at))
    }
}

/// Calls that may be made together: they do not depend on each other's effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Group {
    Ledger,
    Read,
    Alone,
}

impl Group {
    fn of(tool: &str) -> Self {
        match tool {
            "memory_store" | "timer_set" => Self::Ledger,
            "memory_recall" | "read_file" | "list_dir" | "search_files" | "now" | "timer_list" => Self::Read,
            _ => Self::Alone,
        }
    }
}
