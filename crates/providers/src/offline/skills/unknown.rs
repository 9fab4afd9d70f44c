//! What is outside the grammar: the honest refusal.

use hearth_contract::language::Language;
use hearth_contract::transcript::ToolResult;

use super::{Job, Kind, Step};
use crate::offline::clause::Clause;
use crate::offline::speak;
use crate::offline::world::World;

#[derive(Debug)]
struct Unknown {
    language: Language,
}

pub(super) fn job(clause: &Clause) -> Box<dyn Job> {
    Box::new(Unknown { language: clause.language })
}

impl Job for Unknown {
    fn step(&self, _results: &[&ToolResult], _world: &World) -> Step {
        Step::Say(speak::cannot(self.language))
    }

    fn kind(&self) -> Kind {
        Kind::Unknown
    }
}
