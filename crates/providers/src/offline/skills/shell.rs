//! A command that the user plainly gives: ``run `ls -la` ``, `执行命令 date`.

use hearth_contract::language::Language;
use hearth_contract::transcript::ToolResult;
use serde_json::Value;

use super::{Job, Kind, Step, call};
use crate::offline::clause::Clause;
use crate::offline::dialogue::Dialogue;
use crate::offline::pattern::{Pattern, first};
use crate::offline::speak;
use crate::offline::world::World;

/// So much of the output is shown.
const OUTPUT_CHARS_MAX: usize = 2_000;

#[derive(Debug)]
struct RunCommand {
    language: Language,
    command: String,
}

pub(super) fn understand(clause: &Clause, _dialogue: &Dialogue) -> Option<Box<dyn Job>> {
    let found = first(&COMMANDS, &clause.lead)?;
    let command = found.any_of(&["command", "c2"])?.trim_matches(['`', '"', '“', '”']).trim().to_owned();
    Some(Box::new(RunCommand { language: clause.language, command }))
}

impl Job for RunCommand {
    fn step(&self, results: &[&ToolResult], _world: &World) -> Step {
        let Some(result) = results.first() else {
            return call("run_shell", [("command", Value::from(self.command.clone()))]);
        };
        if let Some(trouble) = speak::trouble(self.language, result) {
            return Step::Say(trouble);
        }
        let output = result.text.trim();
        Step::Say(if output.is_empty() {
            self.language.pick("Done; it printed nothing.", "执行完了，没有输出。").to_owned()
        } else {
            speak::excerpt(self.language, output, OUTPUT_CHARS_MAX)
        })
    }

    fn kind(&self) -> Kind {
        Kind::Content
    }
}

static COMMANDS: [Pattern; 6] = [
    Pattern::new(
        r"(?s)^(?:run|execute|exec|do|start|launch)(?: the| this| a)?(?: shell| bash| terminal)?(?: command)?[\s:]*(?P<command>`[^`]+`)(?: for me| in the shell| in bash)?[\s.!]*$",
    ),
    Pattern::new(
        r"(?s)^(?:run|execute|exec)(?: the| this| a)?(?: following)?(?: shell| bash| terminal)? command[\s:]+(?P<command>.+)$",
    ),
    Pattern::new(
        r"(?s)^(?:run|execute|exec)[\s:]+(?P<command>(?:ls|cat|date|echo|pwd|grep|find|ps|df|du|head|tail|wc|uname|whoami|uptime|free|touch|mkdir|rm|cp|mv|sleep|git|python3?|node|make|cargo|env|id|hostname|sort|sed|awk|curl|ping|top|true|false|seq|which|tree|stat|file|printf|sh|bash|test|kill|chmod|tar|sh -c)(?:\s.*)?)$",
    ),
    Pattern::new(r"(?s)^\$\s+(?P<command>.+)$"),
    Pattern::new(
        r"(?s)^(?:执行|运行|跑|跑一下|执行一下|运行一下)(?:一下|一个|这个|下面的?|以下)?(?:shell|终端|bash)?(?:命令|指令|command)?(?:行)?[\s:]*(?P<command>`[^`]+`)[\s。]*$",
    ),
    Pattern::new(
        r"(?s)^(?:用|在)?(?:shell|终端|命令行|bash)?(?:里)?(?:执行|运行|跑)(?:一下|一个|这个|下面的?|以下)?(?:(?:shell|终端|bash)?(?:命令|指令)|shell)(?:行)?[\s:]*(?P<command>[^\s一-龥].*)$|^(?:执行|运行|跑一下|跑)(?:一下)?[\s:]+(?P<c2>[a-z./].*)$",
    ),
];
