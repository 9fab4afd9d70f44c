//! What is to be forgotten: `忘掉我的名字`, `forget my door code`.

use hearth_contract::language::Language;
use hearth_contract::transcript::{ToolResult, ToolStatus};
use serde_json::Value;

use super::{Job, Step, call};
use crate::offline::clause::Clause;
use crate::offline::dialogue::Dialogue;
use crate::offline::facts;
use crate::offline::matching::{content_words, coverage};
use crate::offline::pattern::{Pattern, first};
use crate::offline::perspective::{sentence, shift};
use crate::offline::question::{Fact, Question, facts_of};
use crate::offline::speak;
use crate::offline::text::{Text, image_of};
use crate::offline::world::World;

/// So many facts are looked through.
const FACTS_MAX: usize = 50;

#[derive(Debug)]
struct Forget {
    language: Language,
    question: Question,
}

pub(super) fn understand(clause: &Clause, _dialogue: &Dialogue) -> Option<Box<dyn Job>> {
    if clause.asked.is_some() || clause.whole.image().ends_with('?') {
        return None;
    }
    if FILE.is_match(&clause.text) {
        return None;
    }
    let matter = Text::new(first(&FORGETS, &clause.text)?.get("what")?);
    if EVERYTHING.is_match(&matter) {
        return Some(Box::new(OneByOne { language: clause.language }));
    }
    let question = Question::new(&matter, false, true);
    Some(Box::new(Forget { language: clause.language, question }))
}

/// All at once is too much to lose by one sentence that rules have read.
#[derive(Debug)]
struct OneByOne {
    language: Language,
}

impl Job for OneByOne {
    fn step(&self, _results: &[&ToolResult], _world: &World) -> Step {
        Step::Say(
            self.language
                .pick(
                    "I cannot forget everything at once, only one thing at a time: say which, for example \"forget where I work\". Ask \"what do you know about me?\" to see them.",
                    "我不能一次忘掉所有的事，只能一件一件来：请说是哪一件，比如“忘掉我的名字”。想看都有哪些，问“关于我你知道些什么”。",
                )
                .to_owned(),
        )
    }
}

impl Job for Forget {
    fn step(&self, results: &[&ToolResult], world: &World) -> Step {
        if !world.offers("memory_forget") {
            return Step::Say(
                self.language
                    .pick(
                        "I cannot forget single facts here: the tool for it is not available.",
                        "这里还不能忘掉单条记忆：没有提供这个工具。",
                    )
                    .to_owned(),
            );
        }
        let (looked, done) = results.split_at(results.len().min(2));
        let told: Vec<&str> = looked
            .iter()
            .filter(|result| result.status == ToolStatus::Done)
            .map(|result| result.text.as_str())
            .collect();
        let chosen = self.choose(&facts_of(&told, &[]));
        if let Some(result) = done.first() {
            return Step::Say(speak::trouble(self.language, result).unwrap_or_else(|| self.done(&chosen)));
        }
        match looked.len() {
            0 => recall(&self.question.text),
            1 => recall(""),
            _ => match chosen.first() {
                Some(fact) => call("memory_forget", [("id", Value::from(fact.id.clone()))]),
                None => Step::Say(speak::no_record(self.language).to_owned()),
            },
        }
    }
}

impl Forget {
    fn choose(&self, all: &[Fact]) -> Vec<Fact> {
        let stated = facts::stated(&Text::new(&self.question.text));
        let same = |fact: &Fact| {
            let text = Text::new(&fact.text);
            facts::stated(&text)
                .iter()
                .any(|topic| stated.iter().any(|wanted| facts::answers(topic, text.image(), wanted)))
        };
        let words = content_words(&image_of(&self.question.text));
        let literal = |fact: &Fact| coverage(&words, &image_of(&fact.text)) >= 0.7;
        let exact: Vec<Fact> = all.iter().filter(|fact| same(fact) && literal(fact)).cloned().collect();
        if exact.is_empty() { self.question.choose(all) } else { exact }
    }

    fn done(&self, chosen: &[Fact]) -> String {
        let fact = chosen.first().map(|fact| sentence(&shift(&fact.text))).unwrap_or_default();
        self.language.pick(format!("Forgotten: {fact}"), format!("已忘掉：{fact}"))
    }
}

fn recall(query: &str) -> Step {
    call("memory_recall", [("query", Value::from(query)), ("limit", Value::from(FACTS_MAX))])
}

static EVERYTHING: Pattern = Pattern::new(
    r"^(?:everything|all|anything|it all|all of it|all (?:the |my |your )?(?:facts|memories|things|data))(?: (?:that )?(?:(?:you|i)(?:'ve| have)? (?:\w+ )?(?:know|remember|stored|saved|learned|noted|told you|said)|about me|about us|of me|on me|i told you|from memory|so far|now))*$|^(?:me|my memories|your memory|your memories|the memory)$|^(?:所有|一切|全部|你知道的|你记得的|你记住的|关于我的|我的)*(?:一切|所有|全部|所有的?事情?|全部的?事情?|记忆|事情|东西|信息|都|我)(?:全部|全|都|统统)*$",
);
static FILE: Pattern = Pattern::new(r"\.[a-z0-9]{1,5}\b|文件|目录|文件夹|\bfiles?\b");
static FORGETS: [Pattern; 3] = [
    Pattern::new(
        r"^(?:忘掉|忘记|忘了|忘|删除|删掉|清除|抹掉|不要再记|不用记|别记|不要记)(?:吧|掉|了)?(?:关于|有关|记忆(?:里|中)?的?|记住的|这件事|你记的)?[\s,:]*(?P<what>.+?)(?:的(?:记忆|事|信息|记录))?(?:了)?[\s。.!]*$",
    ),
    Pattern::new(
        r"^(?:把|将)\s*(?P<what>.+?)\s*(?:的(?:记忆|事|信息|记录))?(?:从记忆(?:里|中))?(?:忘掉|忘了|忘记|忘|从记忆(?:里|中)删掉|从记忆(?:里|中)删除)(?:吧|掉)?[\s。.!]*$",
    ),
    Pattern::new(
        r"^(?:forget|unlearn|erase|remove from (?:your )?memory|delete from (?:your )?memory|stop remembering|do not remember|don't remember|delete the (?:fact|memory)|forget the fact)(?: about| that| what i (?:said|told you) about| everything about)?[\s:]*(?P<what>.+?)(?: from (?:your )?memory| please| now| again| already)*[\s.!]*$",
    ),
];
