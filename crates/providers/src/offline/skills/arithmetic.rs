//! Sums: `12*7+3`, `三十七加五等于几`, `what's 15% of 80`.

use hearth_contract::language::Language;
use hearth_contract::transcript::ToolResult;

use super::{Job, Step};
use crate::offline::clause::Clause;
use crate::offline::dialogue::Dialogue;
use crate::offline::pattern::Pattern;
use crate::offline::sums::{self, Sum};
use crate::offline::text::Text;
use crate::offline::world::World;

#[derive(Debug)]
struct Arithmetic {
    language: Language,
    asked: String,
    result: Result<Sum, sums::Trouble>,
}

pub(super) fn understand(clause: &Clause, _dialogue: &Dialogue) -> Option<Box<dyn Job>> {
    let mut text = clause.matter().clone();
    for _ in 0..3 {
        let Some(rest) = FRONT.find(&text).and_then(|found| found.get("rest").map(Text::new)) else { break };
        text = rest;
    }
    if let Some(rest) = BACK.find(&text).and_then(|found| found.get("rest").map(Text::new)) {
        text = rest;
    }
    if DATE.is_match(&text) {
        return None;
    }
    let result = sums::evaluate(text.image())?;
    Some(Box::new(Arithmetic { language: clause.language, asked: text.raw().to_owned(), result }))
}

impl Job for Arithmetic {
    fn step(&self, _results: &[&ToolResult], _world: &World) -> Step {
        Step::Say(match &self.result {
            Ok(sum) => format!("{} {} {}", self.asked, if sum.exact { "=" } else { "≈" }, sum.text),
            Err(sums::Trouble::DivisionByZero) => self
                .language
                .pick("That divides by zero, which has no result.", "除数是零，没有结果。")
                .to_owned(),
            Err(sums::Trouble::TooLarge) => self
                .language
                .pick("That number is too large for me to compute exactly.", "这个数太大，我没法精确计算。")
                .to_owned(),
        })
    }
}

/// A date is not a subtraction.
static DATE: Pattern = Pattern::new(r"^\d{4}-\d{1,2}-\d{1,2}$");
static FRONT: Pattern = Pattern::new(
    r"^(?:what(?:'s| is| does| are|s)|how much (?:is|are|does)|calculate|compute|evaluate|work out|solve|add up|the (?:result|sum|value) of|result of|do the math(?: on| for)?|tell me|math|calc|(?:请)?(?:帮我)?(?:计算一?下?|算一?下?|算算|算出?|求|口算|问)|那么?|请问|多少是)[\s:,]*(?P<rest>\S.*)$",
);
static BACK: Pattern = Pattern::new(
    r"^(?P<rest>.*?\S)\s*(?:(?:=|等于|是|得|一共是?|总共是?|结果是?|equals?|equal to|make|makes|is)?\s*(?:多少|几|几多|什么|how much|what)(?:呢|啊|呀)?|=\s*\??|equals?|等于|的结果(?:是多少)?|\?|是多少)[\s?？。.]*$",
);
