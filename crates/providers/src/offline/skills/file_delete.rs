//! Removing a file: `删掉 notes.txt`, `get rid of notes.txt`.

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

#[derive(Debug)]
struct DeleteFile {
    language: Language,
    path: String,
}

pub(super) fn understand(clause: &Clause, _dialogue: &Dialogue) -> Option<Box<dyn Job>> {
    let found = first(&DELETES, &clause.text).or_else(|| first(&DELETES, clause.matter()))?;
    let path = unquoted(found.get("file")?).to_owned();
    Some(Box::new(DeleteFile { language: clause.language, path }))
}

impl Job for DeleteFile {
    fn step(&self, results: &[&ToolResult], _world: &World) -> Step {
        let Some(result) = results.first() else {
            return call("delete_file", [("path", Value::from(self.path.clone()))]);
        };
        if let Some(trouble) = speak::trouble(self.language, result) {
            return Step::Say(trouble);
        }
        let path = &self.path;
        Step::Say(self.language.pick(format!("Deleted {path}."), format!("已删除 {path}。")))
    }
}

static DELETES: [Pattern; 3] = [
    Pattern::new(
        r"^(?:delete|remove|erase|trash|discard|get rid of|throw (?:away|out)|rm|unlink)(?: (?:the|my|that|this)\b)?(?: file)?(?: called| named)?\s*{file}(?: file)?(?: again| now| please| for me| from (?:the|my) workspace)*{ask}",
    ),
    Pattern::new(
        r"^(?:删除|删掉|删了|删去|删|移除|清除|丢掉|扔掉|去掉|rm)\s*(?:一下)?(?:我的|那个|这个)?\s*(?:文件)?\s*{file}\s*(?:这个|那个)?(?:文件)?(?:吧|了)?{ask}",
    ),
    Pattern::new(
        r"^(?:把|将)\s*(?:我的|那个|这个)?\s*(?:文件)?\s*{file}\s*(?:这个|那个)?(?:文件)?\s*(?:给)?(?:删除|删掉|删了|删去|删|移除|清除|丢掉|扔掉|去掉)(?:掉|了)?(?:吧)?{ask}",
    ),
];
