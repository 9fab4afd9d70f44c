//! A page by its address: `fetch https://…`, `打开网页…`.

use hearth_contract::language::Language;
use hearth_contract::transcript::ToolResult;
use serde_json::Value;

use super::{Job, Step, call};
use crate::offline::clause::Clause;
use crate::offline::dialogue::Dialogue;
use crate::offline::pattern::Pattern;
use crate::offline::speak;
use crate::offline::world::World;

/// So much of a page is shown.
const PAGE_CHARS_MAX: usize = 1_200;

#[derive(Debug)]
struct Fetch {
    language: Language,
    url: String,
}

pub(super) fn understand(clause: &Clause, _dialogue: &Dialogue) -> Option<Box<dyn Job>> {
    let found = ADDRESS.find(&clause.whole)?;
    let wanted = WANTED.is_match(&clause.text) || ONLY.is_match(&clause.whole);
    let url = found
        .get("url")
        .filter(|_| wanted)?
        .trim_end_matches(['.', ',', '。', '，', '!', '?', ')', '）', '"', '”']);
    let url = if found.has("scheme") { url.to_owned() } else { format!("https://{url}") };
    Some(Box::new(Fetch { language: clause.language, url }))
}

impl Job for Fetch {
    fn step(&self, results: &[&ToolResult], _world: &World) -> Step {
        let Some(result) = results.first() else {
            return call("http_get", [("url", Value::from(self.url.clone()))]);
        };
        if let Some(trouble) = speak::trouble(self.language, result) {
            return Step::Say(trouble);
        }
        let heading =
            self.language.pick(format!("The beginning of {}:", self.url), format!("{} 的开头：", self.url));
        Step::Say(format!("{heading}\n{}", speak::excerpt(self.language, &result.text, PAGE_CHARS_MAX)))
    }
}

static ADDRESS: Pattern = Pattern::new(
    r#"(?P<url>(?P<scheme>https?://)[^\s<>"',，。；）)\u{4e00}-\u{9fff}]+|\bwww\.[a-z0-9.-]+\.[a-z]{2,}[^\s<>"，。\u{4e00}-\u{9fff}]*)"#,
);
static ONLY: Pattern = Pattern::new(r"^(?:https?://|www\.)\S+$");
static WANTED: Pattern = Pattern::new(
    r"^(?:fetch|get|open|load|read|show|download|visit|browse|curl|wget|go to|look at|check|pull up|access|grab|what's (?:on|at)|what is (?:on|at)|what does|see|summari[sz]e)\b|打开|访问|抓取|取|获取|看|读|下载|浏览|请求|爬|网页|网站|网址|链接|内容",
);
