//! Questions that memory answers: `我喜欢喝什么？`, `what's my name?`, `do you remember the door code?`.

use hearth_contract::language::Language;
use hearth_contract::transcript::{ToolResult, ToolStatus};
use serde_json::Value;

use super::{Job, Kind, Step, call};
use crate::offline::clause::Clause;
use crate::offline::dialogue::Dialogue;
use crate::offline::facts;
use crate::offline::pattern::{Pattern, any};
use crate::offline::perspective::{sentence, shift};
use crate::offline::question::{Fact, Question, facts_of};
use crate::offline::speak;
use crate::offline::text::Text;
use crate::offline::world::World;

/// So many facts are asked for; the most the tool gives.
const FACTS_MAX: usize = 50;
/// So many are told when everything is asked for.
const TOLD_MAX: usize = 15;

#[derive(Debug)]
struct Recall {
    language: Language,
    question: Question,
    guess: bool,
}

/// A question about the user, or about something that was said to be remembered.
pub(super) fn understand(clause: &Clause, _dialogue: &Dialogue) -> Option<Box<dyn Job>> {
    let matter = clause.matter();
    let everything =
        any(&EVERYTHING, &clause.text) || any(&EVERYTHING, matter) || any(&EVERYTHING, &clause.whole);
    let about_name = facts::asked(matter).iter().any(|topic| topic.attribute == "name");
    let about_agent = ABOUT_AGENT.is_match(&clause.text) && !about_name;
    let asks_allergy = facts::asked(matter).iter().any(|topic| topic.attribute == "allergy");
    let general = GENERAL.is_match(&clause.text) && !about_name && !asks_allergy;
    if !everything && (!clause.question || general || about_agent) {
        return None;
    }
    let asked_of_memory = clause.asked.is_some() && MEMORY_WORD.is_match(&clause.text);
    let own = OWN.is_match(matter) || asked_of_memory;
    let question = Question::new(matter, everything, own);
    let personal = question
        .topics
        .iter()
        .any(|topic| !topic.who.is_empty() || ["code", "birthday", "home"].contains(&topic.attribute));
    if !everything && !own && !personal {
        return None;
    }
    let question = Question { own: own || personal, ..question };
    Some(Box::new(Recall { language: clause.language, question, guess: false }))
}

/// Any other question: it may be about something that was stored. If it is not, that is said as a refusal.
pub(super) fn understand_any_question(clause: &Clause, _dialogue: &Dialogue) -> Option<Box<dyn Job>> {
    if !clause.question || ABOUT_AGENT.is_match(&clause.text) || REQUEST.is_match(&clause.text) {
        return None;
    }
    let question = Question::new(clause.matter(), false, false);
    let enough = !question.words.is_empty();
    enough.then(|| Box::new(Recall { language: clause.language, question, guess: true }) as Box<dyn Job>)
}

/// A fact in the second person, also where a model stored it in the third.
fn said_back(fact: &str) -> String {
    let own = facts::first_person(&Text::new(fact));
    sentence(&shift(own.as_ref().map_or(fact, Text::raw)))
}

impl Job for Recall {
    fn step(&self, results: &[&ToolResult], world: &World) -> Step {
        let told: Vec<&str> = results
            .iter()
            .filter(|result| result.status == ToolStatus::Done)
            .map(|result| result.text.as_str())
            .collect();
        let chosen = self.question.choose(&facts_of(&told, &world.memory));
        let enough = !chosen.is_empty() && (!results.is_empty() || !self.question.everything);
        let next = self.queries().into_iter().nth(results.len()).filter(|_| world.offers("memory_recall"));
        match next {
            Some(query) if !enough => {
                call("memory_recall", [("query", Value::from(query)), ("limit", Value::from(FACTS_MAX))])
            }
            _ if !chosen.is_empty() => Step::Say(self.told(&chosen)),
            _ => Step::Say(self.nothing(results)),
        }
    }

    fn kind(&self) -> Kind {
        if self.guess { Kind::Guess } else { Kind::Act }
    }
}

impl Recall {
    /// What memory is asked, one after the other until something fits: the question itself, other words for it, the
    /// newest facts.
    fn queries(&self) -> Vec<String> {
        if self.question.everything {
            return vec![String::new()];
        }
        let mut queries = vec![self.question.text.clone()];
        if !self.guess {
            queries.extend(self.question.other_words());
            queries.push(String::new());
        }
        queries
    }

    fn told(&self, facts: &[Fact]) -> String {
        if self.question.everything {
            let lines: Vec<String> =
                facts.iter().take(TOLD_MAX).map(|fact| format!("- {}", said_back(&fact.text))).collect();
            let heading = self.language.pick("What I know about you:", "关于你，我记得：");
            return format!("{heading}\n{}", lines.join("\n"));
        }
        // What was said in the other language is quoted, not translated.
        let foreign = |fact: &&Fact| Language::of(&fact.text) != self.language;
        let own: Vec<String> =
            facts.iter().filter(|fact| !foreign(fact)).map(|fact| said_back(&fact.text)).collect();
        let quoted: Vec<String> = facts
            .iter()
            .filter(foreign)
            .map(|fact| format!("“{}”", fact.text.trim_end_matches(['。', '.'])))
            .collect();
        let mut answer = own.join(self.language.pick(" ", ""));
        if !quoted.is_empty() {
            let gap = if answer.is_empty() { "" } else { self.language.pick(" ", "") };
            answer.push_str(gap);
            answer.push_str(self.language.pick("You told me: ", "你告诉过我："));
            answer.push_str(&quoted.join(self.language.pick(", ", "、")));
        }
        answer
    }

    fn nothing(&self, results: &[&ToolResult]) -> String {
        if let Some(trouble) = results.first().and_then(|result| speak::trouble(self.language, result)) {
            return trouble;
        }
        if self.question.everything {
            return self
                .language
                .pick("I have not stored anything about you yet.", "我还没有记下关于你的事。")
                .to_owned();
        }
        if self.guess {
            speak::cannot_answer(self.language)
        } else {
            speak::no_record(self.language).to_owned()
        }
    }
}

static EVERYTHING: [Pattern; 2] = [
    Pattern::new(
        r"(?:关于|有关)我.{0,10}(?:什么|哪些|多少|啥|事)|^(?:你)?(?:都|还|一共|现在)?(?:知道|记得|了解|记住|记)(?:了)?(?:关于|有关)?(?:我|我的)(?:些|的)?(?:什么|哪些|多少|啥|哪些事|事){ask}|^(?:你)?(?:都|还|一共|现在)*(?:知道|记得|了解|记住|记)(?:了|过)?(?:些)?(?:什么|哪些|多少|啥)(?:事|东西|内容|信息)?{ask}|对我(?:的)?(?:了解|知道|认识|印象)|(?:列出|说说|看看|显示|展示).{0,6}(?:记忆|你记住的|你记得的|关于我)|我(?:都|一共)?(?:跟|和|对|让|告诉|叫)(?:过)?你(?:说过|讲过|记过|记了|记住|记)?(?:了)?(?:些)?(?:什么|哪些|啥)|^(?:看看?|查看)?我的资料|介绍一?下?我{ask}|我是个?(?:什么|怎)样的?人|记忆(?:里|中)(?:都)?有(?:些)?(?:什么|啥)|^(?:记忆列表|我的记忆|你的记忆){ask}|^(?:你)?(?:还)?(?:了解|认识|认得|记得|知道)我(?:不|没有?)?{ask}|把.{0,6}(?:记得|记住|知道|记下)的.{0,6}(?:告诉我|说)|^(?:我吗|我不)$",
    ),
    Pattern::new(
        r"^what (?:all |else )?(?:do|did|have|can) you (?:all |already |still |really )?(?:know|remember|learn|learned|learnt|remembered|stored|got|recall|saved|noted)(?: (?:about|of|on) (?:me|myself))?(?: so far| until now| already| now)?{ask}|\bwhat (?:have i|did i) (?:ever )?(?:told|tell|said|say|asked you to remember)(?: to)?(?: you)?(?: so far| about me| about myself)?{ask}|\b(?:everything|all|anything|something|things?|stuff) (?:that )?(?:you )?(?:know|remember|have|stored)(?: (?:about|on) me)?|^(?:list|show|display|see)(?: me)?(?: all| your| my| the| what's in your)* (?:memories|memory|facts|memorised facts|stored facts){ask}|what(?:'s| is) in your memory|^describe me|^(?:do|did) you (?:still )?(?:remember|know|recogni[sz]e) me{ask}|^what facts (?:do|did|have) you\b.*|^tell me about (?:me|myself)|who do you think i am|\bknow (?:anything |something |everything |much )?about me\b|^about me\??$|what you know about me|what you(?:'ve| have) (?:stored|learned|remembered)",
    ),
];

static OWN: Pattern = Pattern::new(r"我|咱|俺|\b(?:my|i|me|mine|we|our|us|i'm|i've|myself)\b");
static MEMORY_WORD: Pattern = Pattern::new(
    r"记得|记住|记着|remember|recall|forgot|forget|did i|have i|told you|说过|讲过|提过|告诉过|stored|saved|noted|想不起来|忘了",
);
/// Questions about the world that only happen to speak of the user.
static GENERAL: Pattern = Pattern::new(
    r"^(?:how (?:do|can|could|should|would|might) (?:i|we|you)|how to|why (?:do|am|is|are|does|should|can't)|can i|could i|may i|should i|what should i|where can i|where should i|what can i|when should i|who should i|what (?:do|should|can) (?:i|we) do (?:about|if|when|to)|is it|will i|will it|would i|am i (?:right|wrong|stupid|pretty|beautiful|going))\b|^(?:我)?(?:怎么|如何|怎样)(?:才能|才|能|可以|做|办|去|用|写|学)|^我(?:该|应该|可以|能|要)(?:怎么|如何|去哪|不该|不应该|做什么|吃什么|喝什么|穿什么|买什么)|^为什么|我(?:该|应该)|我.{0,6}(?:穿|吃|喝|去|做|买|送|看)(?:什么|啥|哪里?)(?:好|呢|合适|比较好)",
);
/// Questions about the agent itself.
static ABOUT_AGENT: Pattern = Pattern::new(
    r"^(?:你|您)(?:自己)?(?:喜欢|爱|想|觉得|认为|会不会|住|叫|多大|几岁|是不是|有没有|结婚|吃|喝|睡|的(?:名字|生日|爱好|家|年龄|爸|妈))|^(?:do|are|were|did|have|can|could|will|would) you\b(?: (?:like|love|feel|think|want|have|dream|sleep|eat|drink|human|real|alive|a|an|happy|sad|married|conscious|smart|ok))|^what do you (?:like|think|want|feel|eat|drink|look)|^(?:what|who|where|how|when|why) (?:are|were|is|do) you\b|^(?:what|who)'s your\b|^what is your\b|^how old are you",
);
static REQUEST: Pattern =
    Pattern::new(r"^(?:translate|write|tell me a|sing|draw|explain|summari[sz]e|翻译|写一|讲一?个|唱|画)");
