//! A reminder is no longer wanted: `取消吃药的提醒`, `cancel the stretch reminder`.

use hearth_contract::language::Language;
use hearth_contract::transcript::ToolResult;
use serde_json::Value;

use super::timer_list::{Timer, lines, timers};
use super::{Job, Step, call};
use crate::offline::clause::Clause;
use crate::offline::dialogue::Dialogue;
use crate::offline::matching::{content_words, coverage};
use crate::offline::pattern::{Pattern, first};
use crate::offline::perspective::shift;
use crate::offline::speak;
use crate::offline::text::{Text, image_of};
use crate::offline::when::{self, Due, Moment, Prefer};
use crate::offline::world::{World, local_time};

/// Which timers are meant.
#[derive(Debug)]
enum Which {
    All,
    /// The one that was set in the turn before.
    Id(String),
    Named {
        words: Vec<String>,
        moment: Option<Moment>,
    },
}

#[derive(Debug)]
struct CancelTimers {
    language: Language,
    which: Which,
}

pub(super) fn understand(clause: &Clause, dialogue: &Dialogue) -> Option<Box<dyn Job>> {
    let text = &clause.text;
    if let Some(found) = first(&CANCELS, text) {
        let named =
            [found.get("what"), found.get("what2")].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let which = if found.has("all") || ALL.is_match(text) {
            Which::All
        } else {
            named_of(text, &Text::new(&named))
        };
        return Some(Box::new(CancelTimers { language: clause.language, which }));
    }
    // Right after reminders were spoken of, `the bank one` is one of them.
    if let Some(found) = CANCELS_ONE.find(text).filter(|_| dialogue.timers) {
        let which =
            named_of(text, &Text::new(found.any_of(&["what", "w2", "w3", "w4", "w5"]).unwrap_or_default()));
        return Some(Box::new(CancelTimers { language: clause.language, which }));
    }
    let id = dialogue.timer_set.as_deref().and_then(id_of)?;
    CANCELS_THAT
        .is_match(text)
        .then(|| Box::new(CancelTimers { language: clause.language, which: Which::Id(id) }) as Box<dyn Job>)
}

fn named_of(text: &Text, named: &Text) -> Which {
    let moment = when::find(text);
    let spans = when::find(named).map(|moment| moment.spans).unwrap_or_default();
    Which::Named { words: content_words(named.without(&spans).image()), moment }
}

fn id_of(result: &str) -> Option<String> {
    serde_json::from_str::<Value>(result).ok()?.get("id")?.as_str().map(str::to_owned)
}

impl Job for CancelTimers {
    fn step(&self, results: &[&ToolResult], world: &World) -> Step {
        let Some((listed, cancelled)) = results.split_first() else { return call("timer_list", []) };
        if let Some(trouble) = speak::trouble(self.language, listed) {
            return Step::Say(trouble);
        }
        let all = timers(&listed.text);
        let chosen = self.choose(&all, world);
        if chosen.is_empty() || (chosen.len() > 1 && !matches!(self.which, Which::All)) {
            return Step::Say(self.not_clear(&all, &chosen, world));
        }
        if let Some(trouble) = cancelled.iter().find_map(|result| speak::trouble(self.language, result)) {
            return Step::Say(trouble);
        }
        match chosen.get(cancelled.len()) {
            Some(timer) => call("timer_cancel", [("id", Value::from(timer.id.clone()))]),
            None => Step::Say(self.done(&chosen)),
        }
    }
}

impl CancelTimers {
    fn choose(&self, timers: &[Timer], world: &World) -> Vec<Timer> {
        match &self.which {
            Which::All => timers.to_vec(),
            Which::Id(id) => timers.iter().filter(|timer| timer.id == *id).cloned().collect(),
            Which::Named { words, moment } => {
                let at = moment.as_ref().and_then(|moment| moment.resolve(world.now?, Prefer::Next).ok());
                let fits_time = |timer: &Timer| match (at, local_time(&timer.due)) {
                    (Some(Due::At { at, .. }), Some(due)) => {
                        let same_time = at.time() == due.time()
                            || (at.minute() == due.minute() && at.hour() % 12 == due.hour() % 12);
                        moment.as_ref().is_none_or(|moment| moment.clock.is_none()) && at.date() == due.date()
                            || same_time
                    }
                    _ => true,
                };
                let best =
                    timers.iter().map(|timer| coverage(words, &image_of(&timer.text))).fold(0.0, f64::max);
                let fits_words = |timer: &Timer| {
                    words.is_empty()
                        || (best >= 0.3 && coverage(words, &image_of(&timer.text)) >= best - 0.01)
                };
                timers.iter().filter(|timer| fits_time(timer) && fits_words(timer)).cloned().collect()
            }
        }
    }

    fn not_clear(&self, all: &[Timer], chosen: &[Timer], world: &World) -> String {
        if all.is_empty() {
            return self.language.pick("No reminders are waiting.", "现在没有待办的提醒。").to_owned();
        }
        let (heading, shown) = if chosen.is_empty() {
            (
                self.language.pick("I found no such reminder. Waiting are:", "没找到这个提醒。现有的提醒："),
                all,
            )
        } else {
            (self.language.pick("Which one shall I cancel?", "要取消哪一个？"), chosen)
        };
        format!("{heading}\n{}", lines(self.language, shown, world.now))
    }

    fn done(&self, cancelled: &[Timer]) -> String {
        let names: Vec<String> = cancelled.iter().map(|timer| shift(&timer.text)).collect();
        self.language
            .pick(format!("Cancelled: {}.", names.join(", ")), format!("已取消提醒：{}。", names.join("、")))
    }
}

static ALL: Pattern =
    Pattern::new(r"所有|全部|全都|都(?:取消|删|关)|\ball\b|\bevery\b|\bboth\b|\beverything\b");
static CANCELS_THAT: Pattern = Pattern::new(
    r"^(?:取消|算了|不用了|不要了|取消它|取消吧|取消掉|取消这个|取消刚才(?:的|那个)|撤销|删掉它?|删了吧|不用提醒了|cancel|cancel (?:it|that|this)|undo(?: that| it)?|never ?mind|forget (?:it|that)|scrap that|delete (?:it|that)|stop that)[\s.!。]*$",
);
static CANCELS_ONE: Pattern = Pattern::new(
    r"^(?:cancel|delete|remove|stop|drop|clear|kill|get rid of|dismiss|scrap|forget)(?: about)?(?: the| that| my)? (?P<what>[^,]{1,40}?) one$|^(?:取消|删除|删掉|删了?|去掉|撤销|撤掉|不要)(?:掉|了)?(?:那个|这个)?(?P<w2>[^,，]{1,20}?)(?:的)?(?:那个|这个|那条|这条|那一?项){end}|^(?:把|将)(?P<w3>[^,，]{1,20}?)(?:的)?(?:那个|这个|那条|这条|那一?项)(?:给)?(?:取消|删除|删|去|撤销|撤)(?:掉|了)?{end}|^(?P<w4>[^,，]{1,20}?)(?:的)?(?:那个|这个|那条|这条)(?:就)?(?:不要|不用|不需要|取消|删|撤)(?:掉|了|吧)*{end}|^i (?:don't|do not|no longer) need (?:the |that )?(?P<w5>[^,]{1,40}?) one(?: any ?more)?$",
);
static CANCELS: [Pattern; 7] = [
    Pattern::new(
        r"^i (?:don't|do not|no longer) need(?: the| my| that| this)? (?P<what>.*?)\s*\b(?:timers?|reminders?|alarms?)\b(?P<what2>.*?)(?: any ?more| any longer)?$",
    ),
    Pattern::new(
        r"^(?:取消|删除|删掉|删了|删|去掉|关掉|关闭|停掉|停止|撤销|移除|清除|清空|撤掉)(?:一?下|掉|了)?(?:我)?(?:的)?(?P<all>所有|全部)?(?:那个|这个|刚才|刚刚|之前)?(?:的)?(?:关于|提醒我)?(?P<what>.*?)(?:的|这个|那个)?(?:提醒|闹钟|定时器|计时器|倒计时|定时|闹铃)(?P<what2>.*?){end}",
    ),
    Pattern::new(
        r"^(?:把|将)(?P<all>所有|全部)?(?:的)?(?:那个|这个|关于|提醒我)?(?P<what>.*?)(?:的|这个|那个)?(?:提醒|闹钟|定时器|计时器|倒计时|定时|闹铃)(?:都|全|全都|给我|给)?(?:取消|删除|删掉|删|去掉|关掉|关|停掉|撤销|移除|清空|撤)(?:掉|了)?{end}",
    ),
    Pattern::new(
        r"^(?:不用|不必|无需|不需要|甭|不要|别)(?:再|在)?(?P<what2>(?:[^忘].*?)?)(?:提醒|叫|喊)我(?P<what>.*?){end}",
    ),
    Pattern::new(
        r"^(?P<what>.{0,20}?)(?:的)?(?:提醒|闹钟|定时器|闹铃)(?:都|全|全都|全部|统统|给我|帮我|就)*(?:不用了|不要了|取消|取消吧|删掉|删了|取消掉|可以取消|可以删|不需要了|作废)(?:了|吧)?{end}",
    ),
    Pattern::new(
        r"^(?:cancel|delete|remove|stop|drop|clear|kill|turn off|switch off|get rid of|disable|dismiss|abort|discard|scrap|undo|forget|never ?mind|erase)(?: about)?(?: (?P<all>all|every|both))?(?: of)?(?: the| my| that| this| those| these| any| existing| a)*(?P<what>.*?)\s*\b(?:timers?|reminders?|alarms?|countdowns?)\b(?: (?:to|about|for|at|of|that says|called|on|set for|i set|from))?(?P<what2>.*?)$",
    ),
    Pattern::new(
        r"^(?:do not|don't|dont|no need to|you (?:don't|needn't|do not) (?:have to|need to)|stop|you can stop|please don't) remind(?:ing)? me(?: anymore)?(?: (?:to|about|of|at))?(?P<what>.*?)(?: any ?more| any longer)?$",
    ),
];
