//! Searching in files: `在文件里找 牛奶`, `search files for milk`.

use hearth_contract::language::Language;
use hearth_contract::transcript::ToolResult;
use serde_json::Value;

use super::{Job, Step, call};
use crate::offline::clause::Clause;
use crate::offline::dialogue::Dialogue;
use crate::offline::pattern::{Pattern, first};
use crate::offline::quotes::unquoted;
use crate::offline::speak;
use crate::offline::world::World;

/// So much of what was found is shown.
const FOUND_CHARS_MAX: usize = 2_000;

#[derive(Debug)]
struct SearchFiles {
    language: Language,
    query: String,
    path: Option<String>,
}

pub(super) fn understand(clause: &Clause, _dialogue: &Dialogue) -> Option<Box<dyn Job>> {
    let found = first(&SEARCHES, &clause.text)?;
    let query = unquoted(found.get("q")?.trim_end_matches(['?', '？', '。'])).to_owned();
    let path = found.get("file").map(|path| unquoted(path).to_owned());
    Some(Box::new(SearchFiles { language: clause.language, query, path }))
}

impl Job for SearchFiles {
    fn step(&self, results: &[&ToolResult], _world: &World) -> Step {
        let Some(result) = results.first() else {
            let path = self.path.iter().map(|path| ("path", Value::from(path.clone())));
            return call(
                "search_files",
                [("query", Value::from(self.query.clone()))].into_iter().chain(path),
            );
        };
        if let Some(trouble) = speak::trouble(self.language, result) {
            return Step::Say(trouble);
        }
        let found = result.text.trim();
        Step::Say(if found.is_empty() {
            self.language
                .pick(format!("Nothing found for \"{}\".", self.query), format!("没有找到“{}”。", self.query))
        } else {
            speak::excerpt(self.language, found, FOUND_CHARS_MAX)
        })
    }
}

static SEARCHES: [Pattern; 11] = [
    Pattern::new(
        r"^(?:在|从|到)\s*{file}\s*(?:文件)?(?:里面?|中)?(?:的)?(?:找一?下|找找|找|搜一?下|搜索|搜|查找|检索|查一?下|查|有没有)(?:一下)?(?:有没有|关键词|关键字)?[\s:,]*(?P<q>.+)$",
    ),
    Pattern::new(
        r"^(?:在|从|到)?(?:所有|全部|工作区|我|这些)?(?:的)?(?:文件|文档|工作区|目录|笔记)(?:夹)?(?:里面?|中|内)?(?:的)?(?:找一?下|找找|找出|找|搜一?下|搜索|搜|查找|检索|查一?下|查)(?:一下)?(?:哪里|有没有|含有|包含|关键词|关键字|提到|出现|写)?(?:了|过|的)?[\s:,]*(?P<q>.+?)(?:的(?:地方|内容|文件))?[\s。?]*$",
    ),
    Pattern::new(
        r"^(?:搜索|搜一?下|搜|查找|找一?下|找找|找|检索|查一?下)(?:一下)?(?:所有|全部)?(?:文件|文档|工作区)(?:里面?|中|内容)?(?:里)?(?:的|有没有|含有|包含|提到|,|:)?[\s]*(?P<q>.+?)[\s。?]*$",
    ),
    Pattern::new(
        r"^(?:在)?(?:我的?|咱们的?)?(?:工作区|工作目录|文件夹|目录)?(?:里面?|中|下面)?(?:的)?(?:哪些?|哪个|哪一个|什么|有没有|有)(?:什么|哪个)?(?:个)?文件(?:里面?|中)?(?:有|提到|包含|写了|出现|含有|写着|提过|含)(?:了|过|到)?[\s:]*(?P<q>.+?)(?:这个词|这几个字|字样)?{ask}",
    ),
    Pattern::new(
        r"^(?:搜索|搜一?下|搜|查找|找一?下|找找|找出|找|检索)\s*(?:所有|全部)?(?:含有|包含|提到|写了|写着|有)\s*(?P<q>.+?)\s*的文件[\s。]*$",
    ),
    Pattern::new(r#"^grep (?:-[a-z]+ )*(?P<q>"[^"]+"|\S+)(?: (?:in )?{file})?[\s]*$"#),
    Pattern::new(
        r"^(?:search|grep|look|scan|check|find)(?: through| in| inside| within)?(?: all| the| my| of| these)* ?(?:files?|workspace|documents?|notes|folder|directory)(?: contents?)? (?:for|containing|mentioning|with|that (?:mention|contain|say)s?)(?: the (?:word|text|string|phrase)s?)? (?P<q>.+?)[\s.?]*$",
    ),
    Pattern::new(
        r"^(?:find|search(?: for)?|look for|locate|grep(?: for)?|look up)(?: the (?:word|text|string|phrase)s?)? (?P<q>.+?) (?:in|inside|within|across|among|through)(?: (?:all|the|my|any|every|of))* (?:files?|workspace|documents?|notes|folder|(?:file )?{file})[\s.?]*$",
    ),
    Pattern::new(r"^(?:search|grep|check|scan)(?: in)?(?: the file)? {file} for (?P<q>.+?)[\s.?]*$"),
    Pattern::new(
        r"^(?:which|what)(?: of (?:my|the|these|our))? (?:files?|documents?)(?: (?:in|inside) (?:the|my|our) (?:workspace|folder|directory))? (?:contains?|mentions?|ha(?:s|ve)|includes?|says?|talks? about)(?: the (?:word|text|phrase))? (?P<q>.+?)(?: in (?:it|them))?{ask}",
    ),
    Pattern::new(
        r"^(?:do any|does any)(?: of (?:the|my))? files? (?:contain|mention|have|include) (?P<q>.+?){ask}",
    ),
];
