//! Replacing text in a file: `把 notes.txt 里的 A 改成 B`, `replace A with B in notes.txt`.

use hearth_contract::language::Language;
use hearth_contract::transcript::ToolResult;
use serde_json::Value;

use super::{Job, Kind, Step, call};
use crate::offline::clause::Clause;
use crate::offline::dialogue::Dialogue;
use crate::offline::pattern::{Pattern, first};
use crate::offline::quotes::{path_of, unquoted};
use crate::offline::speak;
use crate::offline::world::World;

#[derive(Debug)]
struct EditFile {
    language: Language,
    path: String,
    old: String,
    new: String,
}

pub(super) fn understand(clause: &Clause, _dialogue: &Dialogue) -> Option<Box<dyn Job>> {
    let found = first(&EDITS, &clause.text)?;
    Some(Box::new(EditFile {
        language: clause.language,
        path: path_of(found.get("file")?)?,
        old: unquoted(found.get("old")?).to_owned(),
        new: unquoted(found.get("new")?).to_owned(),
    }))
}

impl Job for EditFile {
    fn step(&self, results: &[&ToolResult], _world: &World) -> Step {
        let Self { language, path, old, new } = self;
        let Some(result) = results.first() else {
            let arguments = [("path", path), ("old", old), ("new", new)]
                .map(|(name, value)| (name, Value::from(value.clone())));
            return call("edit_file", arguments);
        };
        Step::Say(speak::trouble(*language, result).unwrap_or_else(|| {
            language.pick(
                format!("Replaced \"{old}\" with \"{new}\" in {path}."),
                format!("已把 {path} 里的“{old}”改成“{new}”。"),
            )
        }))
    }

    fn kind(&self) -> Kind {
        Kind::Content
    }
}

static EDITS: [Pattern; 5] = [
    Pattern::new(
        r"(?s)^(?:把|将)\s*(?:文件)?\s*{file}\s*(?:这个)?(?:文件)?(?:里面?|中)?(?:的)?\s*(?P<old>.+?)\s*(?:都|全部|全)?(?:改成|改为|替换成|替换为|换成|换为|变成|修改为|修改成)\s*(?P<new>.+?)[\s。]*$",
    ),
    Pattern::new(
        r"(?s)^(?:在|修改|编辑|打开)\s*(?:文件)?\s*{file}\s*(?:文件)?(?:里面?|中)?[\s,:]*(?:把|将|用)?\s*(?P<old>.+?)\s*(?:都|全部)?(?:改成|改为|替换成|替换为|换成|换为|变成)\s*(?P<new>.+?)[\s。]*$",
    ),
    Pattern::new(
        r"(?s)^{file}\s*(?:文件)?(?:里面?|中)?(?:的)\s*(?P<old>.+?)\s*(?:都|全部)?(?:改成|改为|替换成|替换为|换成|换为)\s*(?P<new>.+?)[\s。]*$",
    ),
    Pattern::new(
        r"(?s)^(?:replace|change|swap|substitute|turn|edit|modify|correct)(?: the (?:text|word|line|string))?(?: all)?\s+(?P<old>.+?)\s+(?:with|to|by|into|for)\s+(?P<new>.+?)\s*,?\s+(?:in|inside|within)(?: (?:the|my)\b)?(?: file)?\s*{file}(?: file)?[\s.]*$",
    ),
    Pattern::new(
        r"(?s)^(?:in|edit|open|inside|within|modify)(?: (?:the|my)\b)?(?: file)?\s*{file}(?: file)?[\s,:]+(?:and )?(?:please )?(?:replace|change|swap|substitute|turn)(?: the (?:text|word|line))?\s+(?P<old>.+?)\s+(?:with|to|by|into|for)\s+(?P<new>.+?)[\s.]*$",
    ),
];
