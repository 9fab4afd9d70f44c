//! Writing files: `写一个文件 notes.txt，内容是 你好`, `append milk to todo.md`.

use hearth_contract::language::Language;
use hearth_contract::transcript::ToolResult;
use serde_json::Value;

use super::{Job, Kind, Step, call};
use crate::offline::clause::Clause;
use crate::offline::dialogue::Dialogue;
use crate::offline::pattern::{Pattern, first};
use crate::offline::quotes::{path_of, unquoted};
use crate::offline::speak;
use crate::offline::text::Text;
use crate::offline::world::World;

/// What happens to a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Create,
    Overwrite,
    Append,
}

#[derive(Debug)]
struct WriteFile {
    language: Language,
    path: String,
    content: String,
    mode: Mode,
}

pub(super) fn understand(clause: &Clause, _dialogue: &Dialogue) -> Option<Box<dyn Job>> {
    let text = &clause.lead;
    if clause.question && !REQUEST.is_match(text) {
        return None;
    }
    let found = first(&WRITES, text)?;
    let path = path_of(found.get("file").or_else(|| found.get("name"))?)?;
    let content = without_politeness(found.get("content").unwrap_or_default());
    // In `with milk and eggs in it` the last words only say where.
    let placed = found
        .has("inside")
        .then(|| IN_IT.find(&Text::new(&content))?.get("rest").map(str::to_owned))
        .flatten();
    let content = unquoted(placed.as_deref().unwrap_or(&content)).to_owned();
    let how = Text::new(&format!(
        "{} {}",
        found.get("how").unwrap_or_default(),
        found.get("more").unwrap_or_default()
    ));
    let mode = if APPENDS.is_match(&how) {
        Mode::Append
    } else if OVERWRITES.is_match(text) {
        Mode::Overwrite
    } else {
        Mode::Create
    };
    Some(Box::new(WriteFile { language: clause.language, path, content, mode }))
}

/// A closing `please` or `谢谢` after a comma is not part of what is written.
fn without_politeness(content: &str) -> String {
    let text = Text::new(content);
    POLITE
        .find(&text)
        .and_then(|found| found.get("rest").map(str::to_owned))
        .unwrap_or_else(|| content.to_owned())
}

impl Job for WriteFile {
    fn step(&self, results: &[&ToolResult], _world: &World) -> Step {
        let Some(result) = results.first() else {
            let (mode, content) = match self.mode {
                Mode::Create => ("create", self.content.clone()),
                Mode::Overwrite => ("overwrite", self.content.clone()),
                Mode::Append => ("append", format!("\n{}", self.content)),
            };
            let arguments = [
                ("path", Value::from(self.path.clone())),
                ("content", Value::from(content)),
                ("mode", Value::from(mode)),
            ];
            return call("write_file", arguments);
        };
        let path = &self.path;
        if let Some(trouble) = speak::trouble(self.language, result) {
            let hint = if self.mode == Mode::Create {
                self.language.pick(
                    format!(
                        "\nIf it is there already, say \"overwrite {path} with …\" or \"append … to {path}\"."
                    ),
                    format!("\n如果文件已经存在，可以说“覆盖 {path}，内容是……”或“把……追加到 {path}”。"),
                )
            } else {
                String::new()
            };
            return Step::Say(format!("{trouble}{hint}"));
        }
        Step::Say(match self.mode {
            Mode::Create => self.language.pick(format!("Wrote {path}."), format!("已写入 {path}。")),
            Mode::Overwrite => self.language.pick(format!("Overwrote {path}."), format!("已覆盖 {path}。")),
            Mode::Append => self.language.pick(format!("Appended to {path}."), format!("已追加到 {path}。")),
        })
    }

    fn kind(&self) -> Kind {
        Kind::Content
    }
}

static REQUEST: Pattern = Pattern::new(
    r"^(?:write|create|make|save|append|add|put|写|新建|创建|建|生成|把|将|在|往|向|追加|保存|覆盖)",
);
static APPENDS: Pattern = Pattern::new(
    r"append|\badd\b|insert|追加|添|附加|加|补|末尾|最后|结尾|后面|(?:end|bottom) of|jot|stick|tack",
);
static OVERWRITES: Pattern = Pattern::new(r"overwrite|replace the contents?|rewrite|覆盖|重写|改写|清空");
static IN_IT: Pattern =
    Pattern::new(r"(?s)^(?P<rest>.*\S) (?:in it|inside it|inside|in there|on it)[\s.!]*$");
static POLITE: Pattern =
    Pattern::new(r"(?s)^(?P<rest>.*\S)[,.。\s]+(?:please|thanks|thank you|谢谢|多谢|谢谢你)[\s.!。]*$");

static WRITES: [Pattern; 15] = [
    Pattern::new(
        r"(?s)^(?:把|将)(?:这|下面|以下|下列)(?:句话?|段话?|一句|些话|内容|文字|的内容|的话)?\s*(?P<how>写|保存|存|记录|记|放|追加|添加|加)(?:入|进|到|在|至)*(?:文件)?\s*{file}(?:里面?|中)?[\s:,]+(?P<content>.+)$",
    ),
    Pattern::new(
        r"(?s)^(?:写|新建|创建|建立|建|生成|做|弄|保存|存|来|写入|覆盖|重写|改写)(?:一?个|一份|一篇|个|份|下|入|到|进)?(?:新|空)?(?:的|白)?(?:文本|txt|markdown|md)?(?:文件|文档|笔记文件)?(?:里|中)?[\s,:]*(?:叫做?|名叫|名为|名字(?:叫做?|是)|命名为|文件名(?:是|为|叫)?)?[\s:]*{file}[\s]*(?:的)?(?:这个)?(?:文件|文档)?(?:里面?|中)?[\s,.。;:]*(?:里面?|其中|并|然后|并且|在里面|往里面?)?(?:的)?(?:内容|正文)?(?:要|就)?(?:写上|写入|写着|写成|写|放入|放|填上|填|加上|设为|包含|是|为|改为|改成|:|如下|一句|一行)*[\s:,]*(?P<content>.*)$",
    ),
    Pattern::new(
        r"(?s)^(?:写|新建|创建|建立|建|生成|做|弄)(?:一?个|一份|个|份)?(?:新)?(?:的)?(?:文本|txt)?(?:文件|文档)[\s,:]*(?:叫做?|名叫|名为|名字(?:叫做?|是)|命名为|文件名(?:是|为|叫)?)[\s:]*(?P<name>[\w-]+?)[\s]*(?:的文件)?[\s,.。;:]+(?:里面?|并)?(?:的)?(?:内容|正文)?(?:写上|写入|写着|写|是|为|:)*[\s:,]*(?P<content>.*)$",
    ),
    Pattern::new(
        r"(?s)^(?:写|新建|创建|建立|建|生成)(?:一?个|一份)?(?:新)?(?:的)?内容(?:是|为)\s*(?P<content>.+?)\s*的(?:文本)?文件[\s,]*(?:叫做?|名叫|名为|命名为)?\s*{file}[\s。]*$",
    ),
    Pattern::new(
        r"(?s)^(?:把|将)\s*(?P<content>.+?)\s*(?P<how>写|保存|存|记录|记|放|追加|添加|附加|补充|录|加)(?:入|进|到|在|至)*(?:文件)?\s*{file}(?:\s*(?:这个)?文件)?\s*(?:的)?(?P<more>末尾|最后|结尾|后面|里面?|中|里头)?(?:去|了)?[\s。.!]*$",
    ),
    Pattern::new(
        r"(?s)^(?:在|往|向|给|对)\s*(?:文件)?\s*{file}\s*(?:这个文件)?(?:的)?(?P<more>末尾|最后|结尾|后面|里面?|中|里头)?(?:再)?(?P<how>写入|写上|写|追加|添加|添上|添|加上|加入|加|补充|补上|补|附加|记录|记)(?:一行|一句|内容|一条|上|下|一笔|进去|一下)?[\s:,]*(?P<content>.+)$",
    ),
    Pattern::new(
        r"(?s)^(?P<how>追加|添加|附加|加|保存|写入|存|写|记录|记)\s*(?P<content>.+?)\s*(?:到|进|入|至|在)\s*(?:文件)?\s*{file}\s*(?:的)?(?P<more>末尾|里面?|中|最后|文件)?[\s。]*$",
    ),
    Pattern::new(
        r"(?s)^用\s*(?P<content>.+?)\s*(?P<how>覆盖|重写|替换)(?:掉)?(?:文件)?\s*{file}(?:的内容)?[\s。]*$",
    ),
    Pattern::new(
        r#"(?s)^(?:write|create|make|save|start|generate|new|add|produce|put together|compose)(?: me)?(?: up)?(?: (?:a|an|the)\b)?(?: new| small| short| simple| empty| blank)?(?: text| txt| markdown| plain)?(?: file| document| note file| textfile)?[\s,]*(?:called|named|with the name|by the name of|titled|:)?\s*{file}(?: file)?[\s,:;.]*(?:(?:with|and) (?:the )?(?:following |its )?(?:contents?|text|words?|lines?)(?: is| are| being| should be| set to)?|(?:the |its )?contents?(?: is| are)?|containing|contains?|that (?:says|contains|reads|is)|which (?:says|contains|reads)|saying|says|(?P<inside>with|having|holding|that has)|and (?:write|put|add|store|include)(?: into it| in it| there| inside)?|reading)?[\s:,]*(?P<content>.*)$"#,
    ),
    Pattern::new(
        r"(?s)^(?:write|create|make|save)(?: me)?(?: (?:a|an|the)\b)?(?: new)?(?: text)?(?: file| document) (?:called|named|with the name) (?P<name>[\w-]+)(?:[\s,:;]+(?:(?:with|and) (?:the )?(?:content|contents|text)s?|containing|that (?:says|contains|reads)|saying|with|and (?:write|put)(?: into it| in it)?)?[\s:,]*(?P<content>.*))?$",
    ),
    Pattern::new(
        r"(?s)^(?P<how>write|save|put|store|append|add|insert|note|record|dump|jot|stick|pop|type|tack)\s+(?:the (?:text|line|words|sentence|content|word|following) )?(?:down )?(?P<content>.+?)\s+(?:down\s+)?(?:to|into|in|at|onto|as|on)(?P<more> the (?:very )?(?:end|bottom) of)?(?: (?:the|a|my)\b)?(?: new)?(?: file| end of)?(?: called| named)?\s*{file}(?: file)?[\s.]*$",
    ),
    Pattern::new(
        r"(?s)^(?P<how>append|add)(?: (?:a|another|one more|a new|this) (?:line|item|entry|note|row|sentence)| something| this)? (?:to|onto|at the end of)(?: the end of)?(?: (?:the|my)\b)?(?: file)? {file}[\s,:]+(?:the (?:text|line|words) )?(?P<content>.+)$",
    ),
    Pattern::new(
        r"(?s)^(?P<how>overwrite|replace|rewrite)(?: the)?(?: contents?(?: of)?)?(?: (?:the|my)\b)?(?: file)? ?{file}(?: file)? (?:with|by)(?: the (?:text|content))?[\s:]*(?P<content>.+)$",
    ),
    Pattern::new(
        r"(?s)^in(?:to)?(?: the)?(?: file)? {file},? (?P<how>write|put|append|add|save)[\s:]+(?P<content>.+)$",
    ),
    Pattern::new(
        r"(?s)^{file}\s*(?:这个文件)?(?:的)?(?P<more>末尾|最后|结尾|后面|里面?|中|里头)?(?:再)?(?P<how>追加|添加|添上|添|加上|加|补充|补上|补|附加)(?:上|进去)?(?:一行|一句|一条|一笔|内容)[\s:,]*(?P<content>.+)$",
    ),
];
