//! Reading a file: `读一下 notes.txt`, `what's in notes.txt`.

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

/// So much of a file is shown.
const FILE_CHARS_MAX: usize = 3_000;

#[derive(Debug)]
struct ReadFile {
    language: Language,
    path: String,
}

pub(super) fn understand(clause: &Clause, _dialogue: &Dialogue) -> Option<Box<dyn Job>> {
    let found = first(&READS, &clause.text).or_else(|| first(&READS, clause.matter()))?;
    let path = unquoted(found.get("file")?).to_owned();
    Some(Box::new(ReadFile { language: clause.language, path }))
}

impl Job for ReadFile {
    fn step(&self, results: &[&ToolResult], _world: &World) -> Step {
        let Some(result) = results.first() else {
            return call("read_file", [("path", Value::from(self.path.clone()))]);
        };
        if let Some(trouble) = speak::trouble(self.language, result) {
            return Step::Say(trouble);
        }
        let path = &self.path;
        if result.text.trim().is_empty() {
            return Step::Say(self.language.pick(format!("{path} is empty."), format!("{path} 是空的。")));
        }
        let heading = self.language.pick(format!("{path}:"), format!("{path} 的内容："));
        Step::Say(format!("{heading}\n{}", speak::excerpt(self.language, &result.text, FILE_CHARS_MAX)))
    }
}

static READS: [Pattern; 7] = [
    Pattern::new(
        r"^what (?:did|have|had) (?:i|we|you) (?:write|written|put|save|saved|note|noted|stored?|have)(?: down)?(?: in| into| inside)(?: the)?(?: file)? {file}{ask}",
    ),
    Pattern::new(
        r"^(?:看一眼|瞄一眼|瞅一眼|读一?下|读取|读出来?|朗读|读|看一?下|看一看|看看|看|打开|显示|查看|念一?下|念|展示|输出|打印|cat|给我看看?|让我看看?|瞧瞧|瞅瞅|告诉我)(?:给我)?(?:一下)?\s*(?:文件)?\s*{file}\s*(?:这个)?(?:文件)?(?:里面?)?(?:的)?(?:全部|所有)?(?:内容|里面?的?内容|写的(?:什么|东西|内容))?(?:是什么)?(?:给我(?:听|看))?{ask}",
    ),
    Pattern::new(
        r"^(?:看看|看一?下|读一?下|告诉我|查一下|查看|检查)?(?:文件)?\s*{file}\s*(?:这个)?(?:文件)?(?:里面?|里头|中)?(?:的)?(?:都|现在)?(?:内容)?(?:写了|写着|写的|写|有|是|存了|记了|记录了|包含|都有|说了)+(?:些)?(?:什么|啥)(?:内容|东西)?{ask}",
    ),
    Pattern::new(
        r"^(?:把|将)\s*(?:文件)?\s*{file}\s*(?:文件)?(?:的)?(?:内容)?(?:读|念|显示|打印|给我看|打开|展示|发)(?:出来|一下|给我听|给我看?|给我)*{ask}",
    ),
    Pattern::new(r"^{file}\s*(?:的)?(?:内容)?{ask}"),
    Pattern::new(
        r"^(?:read|show|open|display|print|cat|view|see|look at|look into|output|dump|check|type|get|give me|load|let me see|let's see|pull up|head|less|more)(?: me| us| out)?(?: the| what's in| what is in)?(?: full)?(?: contents?| text)?(?: of| inside)?(?: (?:the|my)\b)?(?: file)?\s*{file}(?: file)?(?:'s contents?)?(?: to me| aloud| out loud| please| again| back| back to me| now)*{ask}",
    ),
    Pattern::new(
        r"^(?:what(?:'s| is| does| do| are|s)?|show me what's|tell me what's|show me what|is there anything)(?: the (?:content|contents|text))?(?: written| stored| there| saved| currently)?(?: of| in| inside)?(?: (?:the|my)\b)?(?: file)?\s*{file}(?: file)?(?: say| says| contain| contains| have in it| hold| holds| look like| about)?{ask}",
    ),
];
