//! What the offline model understands. One file a skill, one line in [`ALL`]; the first that understands a clause
//! takes it.
//!
//! A skill turns a clause into a [`Job`]; a job asks for one call after the other and ends with what is to be said. It
//! keeps nothing: given the same results it takes the same step.

mod arithmetic;
mod correct;
mod due;
mod file_delete;
mod file_edit;
mod file_list;
mod file_read;
mod file_search;
mod file_write;
mod forget;
mod knowledge;
mod recall;
mod remember;
mod shell;
mod smalltalk;
mod time;
mod timer_cancel;
mod timer_list;
mod timer_set;
mod unknown;
mod web;

use std::fmt;

use hearth_contract::transcript::ToolResult;
use serde_json::{Map, Value};

use super::clause::Clause;
use super::dialogue::Dialogue;
use super::world::World;

/// Every skill. The narrow come before the broad: what sounds like a command is not taken for a statement, what is a
/// question is never stored.
pub(crate) const ALL: &[Skill] = &[
    Skill { name: "due", understand: due::understand },
    Skill { name: "smalltalk", understand: smalltalk::understand },
    Skill { name: "file_delete", understand: file_delete::understand },
    Skill { name: "file_edit", understand: file_edit::understand },
    Skill { name: "file_write", understand: file_write::understand },
    Skill { name: "timer_cancel", understand: timer_cancel::understand },
    Skill { name: "timer_list", understand: timer_list::understand },
    Skill { name: "timer_set", understand: timer_set::understand },
    Skill { name: "web", understand: web::understand },
    Skill { name: "shell", understand: shell::understand },
    Skill { name: "knowledge", understand: knowledge::understand },
    Skill { name: "file_read", understand: file_read::understand },
    Skill { name: "file_list", understand: file_list::understand },
    Skill { name: "file_search", understand: file_search::understand },
    Skill { name: "forget", understand: forget::understand },
    Skill { name: "remember", understand: remember::understand_order },
    Skill { name: "arithmetic", understand: arithmetic::understand },
    Skill { name: "time", understand: time::understand },
    Skill { name: "recall", understand: recall::understand },
    Skill { name: "statement", understand: remember::understand_statement },
    Skill { name: "question", understand: recall::understand_any_question },
];

/// One thing that is understood.
pub(crate) struct Skill {
    /// For tests and logs.
    pub(crate) name: &'static str,
    pub(crate) understand: fn(&Clause, &Dialogue) -> Option<Box<dyn Job>>,
}

/// Something to be done, played forward over the results of its calls.
pub(crate) trait Job: fmt::Debug + Send + Sync {
    /// The next step, given the results of its earlier calls in order.
    fn step(&self, results: &[&ToolResult], world: &World) -> Step;

    /// What kind of thing it is.
    fn kind(&self) -> Kind {
        Kind::Act
    }
}

/// What a job does next.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    Call { tool: &'static str, arguments: Map<String, Value> },
    Say(String),
}

/// What kind of thing a clause is; compound sentences are cut by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A request or a question of its own.
    Act,
    /// A statement that is worth remembering by itself.
    Fact,
    /// A request whose last part is text of any form, commas and full stops included.
    Content,
    /// A statement about the user that is only kept because it was made.
    Remark,
    /// Small talk.
    Talk,
    /// A question that only memory could answer.
    Guess,
    /// Outside the grammar.
    Unknown,
}

/// Understands a clause; what nothing understands becomes the honest refusal.
pub(crate) fn understand(clause: &Clause, dialogue: &Dialogue) -> (&'static str, Box<dyn Job>) {
    for skill in ALL {
        if let Some(job) = (skill.understand)(clause, dialogue) {
            return (skill.name, job);
        }
    }
    ("unknown", unknown::job(clause))
}

/// A call with these arguments.
fn call(tool: &'static str, arguments: impl IntoIterator<Item = (&'static str, Value)>) -> Step {
    Step::Call {
        tool,
        arguments: arguments.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
    }
}
