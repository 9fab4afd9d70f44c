//! The knowledge base: `查知识库…`, `search the knowledge base for…`.

use hearth_contract::language::Language;
use hearth_contract::transcript::ToolResult;
use serde_json::Value;

use super::{Job, Step, call};
use crate::offline::clause::Clause;
use crate::offline::dialogue::Dialogue;
use crate::offline::pattern::{Pattern, first};
use crate::offline::speak;
use crate::offline::world::World;

/// So much of what was found is shown.
const FOUND_CHARS_MAX: usize = 1_500;

#[derive(Debug)]
struct Search {
    language: Language,
    query: String,
}

pub(super) fn understand(clause: &Clause, _dialogue: &Dialogue) -> Option<Box<dyn Job>> {
    let query =
        first(&SEARCHES, &clause.text)?.get("query")?.trim_matches(['"', '“', '”', '?', '？']).to_owned();
    Some(Box::new(Search { language: clause.language, query }))
}

impl Job for Search {
    fn step(&self, results: &[&ToolResult], _world: &World) -> Step {
        let Some(result) = results.first() else {
            return call("knowledge_search", [("query", Value::from(self.query.clone()))]);
        };
        if let Some(trouble) = speak::trouble(self.language, result) {
            return Step::Say(trouble);
        }
        let found = result.text.trim();
        Step::Say(if found.is_empty() {
            self.language.pick("The knowledge base has nothing on that.", "知识库里没有相关内容。").to_owned()
        } else {
            speak::excerpt(self.language, found, FOUND_CHARS_MAX)
        })
    }
}

static SEARCHES: [Pattern; 4] = [
    Pattern::new(
        r"^(?:在)?(?:知识库)(?:里|中)?(?:面)?(?:帮我)?(?:查一?下?|查找|搜索?|找一?下?|检索|有没有|有)(?:一下)?(?:关于|有关)?\s*(?P<query>.+?)(?:的(?:内容|资料|信息))?{ask}",
    ),
    Pattern::new(
        r"^(?:查一?下?|查询|搜索?一?下?|检索|翻一?下?)(?:我的)?知识库(?:里|中)?(?:的|关于|有关|有没有)?[\s,:]*(?P<query>.+?)(?:的(?:内容|资料|信息))?{ask}",
    ),
    Pattern::new(
        r"^(?:search|query|ask|check|look in|consult)(?: in)?(?: the| my)? knowledge ?base (?:for|about|on|regarding)?\s*(?P<query>.+)$",
    ),
    Pattern::new(
        r"^(?:find|look up|search(?: for)?|what is|what's|is there anything about) (?P<query>.+?) in(?: the| my) knowledge ?base{ask}",
    ),
];
