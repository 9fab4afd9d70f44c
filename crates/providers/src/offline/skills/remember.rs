//! What is to be remembered: by order (`记住…`, `remember that…`), as a statement (`我叫李雷`, `I moved to Berlin`), or
//! as a correction of what was said before (`不对，是绿色`).

use hearth_contract::language::Language;
use hearth_contract::transcript::ToolResult;
use serde_json::Value;

use super::correct::{Correction, correction};
use super::{Job, Kind, Step, call};
use crate::offline::clause::{self, Clause};
use crate::offline::dialogue::Dialogue;
use crate::offline::facts::{self, Topic};
use crate::offline::pattern::{Pattern, any, first};
use crate::offline::perspective::{sentence, shift};
use crate::offline::question::facts_of;
use crate::offline::quotes::unquoted;
use crate::offline::speak;
use crate::offline::text::Text;
use crate::offline::world::World;

/// Longer texts belong into a file.
const FACT_CHARS_MAX: usize = 1_000;
/// Longer remarks are kept by nobody.
const REMARK_CHARS_MAX: usize = 200;

#[derive(Debug)]
struct Remember {
    language: Language,
    fact: String,
    key: Option<String>,
    /// The text of the fact that this one takes the place of.
    replaces: Option<String>,
    importance: f64,
    kind: Kind,
}

/// `记住…`, `remember that…`.
pub(super) fn understand_order(clause: &Clause, _dialogue: &Dialogue) -> Option<Box<dyn Job>> {
    let text = &clause.text;
    let found = first(&ORDERS, text)?;
    let firm = FIRM.is_match(text);
    let fact = Text::new(unquoted(found.get("fact")?).trim_start_matches([':', '：', ',', '，', ' ']));
    if fact.is_empty()
        || ASKING.is_match(text)
        || (!firm && clause::is_question(&fact))
        || QUESTION_WORD.is_match(&fact)
    {
        return None;
    }
    Some(Box::new(remember(clause, &fact, 0.7, Kind::Fact)))
}

/// A statement that is worth remembering, or a correction.
pub(super) fn understand_statement(clause: &Clause, dialogue: &Dialogue) -> Option<Box<dyn Job>> {
    if clause.question || clause.text.raw().chars().count() > FACT_CHARS_MAX {
        return None;
    }
    if let Some(Correction { old, new }) = correction(clause, dialogue) {
        let remember = remember(clause, &new, 0.7, Kind::Fact);
        // Under its key the new fact replaces the old one; otherwise the old one has to go first.
        let by_key = remember.key.is_some() && remember.key == key_of(&old, false);
        let replaces = (!by_key).then(|| old.raw().to_owned());
        return Some(Box::new(Remember { replaces, ..remember }));
    }
    let text = &Text::new(clause.text.raw().trim_end_matches(['。', '.', '!', '！', '~']));
    if WANTS.is_match(text) {
        return None;
    }
    let structured = facts::stated(text).iter().any(|topic| topic.attribute != "note");
    if structured {
        return Some(Box::new(remember(clause, text, 0.6, Kind::Fact)));
    }
    let remark = any(&REMARKS, text) && text.raw().chars().count() <= REMARK_CHARS_MAX;
    remark.then(|| Box::new(remember(clause, text, 0.3, Kind::Remark)) as Box<dyn Job>)
}

fn remember(clause: &Clause, fact: &Text, importance: f64, kind: Kind) -> Remember {
    let correcting = CORRECTING.is_match(&clause.whole);
    let key = key_of(fact, correcting);
    let fact: String = fact.raw().trim_end_matches(['。', '.']).chars().take(FACT_CHARS_MAX).collect();
    Remember { language: clause.language, fact, key, replaces: None, importance, kind }
}

/// The key of the first keyable attribute. `Actually I like coffee` replaces the favourite, a plain like does not.
fn key_of(fact: &Text, correcting: bool) -> Option<String> {
    facts::stated(fact).into_iter().find_map(|topic| {
        facts::key_of(&Topic { strong: topic.strong || (correcting && topic.attribute == "like"), ..topic })
    })
}

/// What a clause says is to be remembered, without the order to do so.
pub(super) fn fact_of(clause: &Clause) -> Text {
    let ordered = first(&ORDERS, &clause.text).and_then(|found| found.get("fact").map(Text::new));
    ordered.unwrap_or_else(|| clause.text.clone())
}

impl Job for Remember {
    fn step(&self, results: &[&ToolResult], world: &World) -> Step {
        let results = match self.replace(results, world) {
            Ok(results) => results,
            Err(step) => return step,
        };
        let Some(result) = results.first() else {
            let key = self.key.iter().map(|key| ("key", Value::from(key.clone())));
            let arguments =
                [("text", Value::from(self.fact.clone())), ("importance", Value::from(self.importance))];
            return call("memory_store", arguments.into_iter().chain(key));
        };
        Step::Say(speak::trouble(self.language, result).unwrap_or_else(|| {
            let fact = sentence(&shift(&self.fact));
            self.language.pick(format!("Noted: {}", decapitalised(&fact)), format!("记下了：{fact}"))
        }))
    }

    fn kind(&self) -> Kind {
        self.kind
    }
}

impl Remember {
    /// The steps that take the old fact away; the results that are left once that is done.
    fn replace<'r, 'a>(
        &self,
        results: &'r [&'a ToolResult],
        world: &World,
    ) -> Result<&'r [&'a ToolResult], Step> {
        let Some(old) = self.replaces.as_ref().filter(|_| world.offers("memory_forget")) else {
            return Ok(results);
        };
        let Some((found, rest)) = results.split_first() else {
            return Err(call("memory_recall", [("query", Value::from(old.clone()))]));
        };
        let known = facts_of(&[found.text.as_str()], &[]).into_iter().find(|fact| fact.text == *old);
        match (known, rest.split_first()) {
            (None, _) => Ok(rest),
            (Some(_), Some((_, rest))) => Ok(rest),
            (Some(fact), None) => Err(call("memory_forget", [("id", Value::from(fact.id))])),
        }
    }
}

/// `You like tea.` after a colon begins small, names do not.
fn decapitalised(fact: &str) -> String {
    let first_word = fact.split(' ').next().unwrap_or_default();
    let own = ["You", "Your", "You're", "You've", "The", "You'd"].contains(&first_word);
    if own { fact.replacen(first_word, &first_word.to_lowercase(), 1) } else { fact.to_owned() }
}

static ORDERS: [Pattern; 7] = [
    Pattern::new(
        r"(?s)^(?:请|帮我|帮忙|你|你要|你得|你给我|要|务必|一定要|好好|先)*(?:记住|记一?下来?|记着|记牢|记好|牢记|记得|记录一?下来?|备注一?下?|备忘一?下?|记(?:个|一?件|点)(?:事|东西|笔记)(?:情|儿)?(?:吗|么|吧)?|别忘了?|不要忘了?|别忘记|不要忘记|千万别忘了?|你要知道|写下来|做个笔记|存一?下|存进记忆|添加记忆|加到记忆(?:里)?|存到记忆(?:里)?|记到记忆(?:里)?|笔记|帮我记)(?:哦|啊|好|了|这(?:个|件事|一点|条)|一件事|一点|一条|一笔)?[\s,:。!]*(?P<fact>.+)$",
    ),
    Pattern::new(r"(?s)^(?:请|你)?记[\s,:](?P<fact>.+)$"),
    Pattern::new(
        r"(?s)^(?:把|将)\s*(?P<fact>.+?)\s*(?:这(?:个|件事|一点))?\s*(?:记住|记下来?|记一下|存到记忆(?:里)?|存进记忆|存入记忆|记录下来|记在心里|存下来)(?:了|吧)?$",
    ),
    Pattern::new(
        r"(?s)^(?P<fact>.+?)[,，。;!\s]+(?:请|你|帮我|你要|要|麻烦|给我)*(?:记住|记一下|记下来?|记好|别忘了?|不要忘记?了?|记着点?|记住点|记得|记牢|记住了|记一记|备注一下|记在心里)(?:哦|啊|了|吧|这(?:个|点|件事)|一下|它)?[\s。!]*$",
    ),
    Pattern::new(
        r"(?s)^(?:note to self|remember|note(?: down)?|memori[sz]e|keep in mind|bear in mind|don't forget|do not forget|never forget|make a (?:mental )?note|take a note|take note|jot down|jot this down|write down|put on record|note for later|for the record|for your information|for future reference|just so you know|you should know|please know|let me tell you|note to self|make a memo|memo|a note|note this|remember this|add to (?:your )?memory|store in (?:your )?memory|save to (?:your )?memory|save in memory|commit to memory|(?:store|save|record|log)(?: the fact)?(?: that|:))(?: this| the following| the fact| well)?(?: of (?:this|the fact|that))?(?: down)?[\s,:-]+(?:that )?(?P<fact>.+)$",
    ),
    Pattern::new(
        r"(?s)^(?P<fact>.+?)[,.;!]?\s+(?:(?:please|and|so|but|do) )*(?:remember (?:that|this|it)|keep (?:that|this|it) in mind|don't forget(?: that| this| it)?|do not forget(?: that| it)?|make a note(?: of (?:that|it|this))?|note that|note (?:it|this) down|write (?:that|it|this) down|for the record|just so you know)[\s.!]*$",
    ),
    Pattern::new(
        r"(?s)^(?:make|take|create|write|add) (?:me )?a (?:quick )?note(?: that says| saying| that| about| of|:|,)[\s:,]*(?P<fact>.+)$",
    ),
];

static FIRM: Pattern = Pattern::new(
    r"^(?:请|帮我|你|要|务必|一定要)*(?:记住|记下|记一下|牢记)|^(?:remember|note|keep in mind|bear in mind|memori[sz]e)(?: that)?\b|^note",
);
static ASKING: Pattern = Pattern::both(r"\?[\s]*$|(?:吗|么|没有|没)[\s?。]*$");
static QUESTION_WORD: Pattern = Pattern::new(
    r"^(?:what|who|whose|where|when|which|why|how|whether)\b|^(?:to )?(?:remind|what)\b|^(?:什么|谁|哪|怎么|我(?:叫|是|喜欢|住|爱).{0,4}(?:什么|谁|哪|啥))|^(?:(?:i|me|you|it|this|that|these|those|them|and|so|but|please|我|你|您|他|她|它|这个?|那个?|这些|那些|的|要|住|了|吧|也|都)[\s,]*)+$",
);

static CORRECTING: Pattern = Pattern::new(
    r"^(?:不对|不是|错了|说错了|更正|纠正|其实|不,|不，)|现在|如今|改|变成|actually|\bnow\b|\bnowadays\b|\binstead\b|\bany ?more\b|^(?:no|wrong|correction)\b|其实|已经不",
);
static WANTS: Pattern = Pattern::new(
    r"^(?:我|我们|咱)(?:现在|就|很|真的|只|还)*(?:想|要(?:你|求|看|听|知道|问|一|找|买|查)|需要|希望|打算|可以|能不能|能|该|应该|得|问)|^(?:i|we)(?:'d| would| really| just| also)* (?:want|need|wish|would like|like to (?:know|ask|see|have|hear)|like you|can (?:you|i|we)|could|should|wonder|hope|guess|think|have a (?:question|request)|am looking for|must)\b|^i'd (?:like|love|prefer)|^(?:i'm|i am) (?:looking for|wondering|asking|trying|going to ask)|^my question|^我的问题",
);

static REMARKS: [Pattern; 2] = [
    Pattern::new(r"^(?:我|我们|咱们?|俺)[^\s,，].{1,}$"),
    Pattern::new(r"^(?:i|i'm|i've|i'll|i was|we|we're|we've|my|our|im) \S.{3,}$"),
];
