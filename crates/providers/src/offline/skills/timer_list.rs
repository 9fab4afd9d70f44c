//! Which reminders wait: `有哪些提醒`, `what timers do I have`.

use hearth_contract::language::Language;
use hearth_contract::transcript::ToolResult;
use jiff::civil::DateTime;
use serde_json::Value;

use super::{Job, Step, call};
use crate::offline::clause::Clause;
use crate::offline::dialogue::Dialogue;
use crate::offline::moments::at_in_words;
use crate::offline::pattern::{Pattern, any};
use crate::offline::perspective::shift;
use crate::offline::speak;
use crate::offline::world::{World, local_time};

/// A waiting timer as its tool lists it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Timer {
    pub(super) id: String,
    pub(super) text: String,
    pub(super) due: String,
}

#[derive(Debug)]
struct ListTimers {
    language: Language,
}

pub(super) fn understand(clause: &Clause, _dialogue: &Dialogue) -> Option<Box<dyn Job>> {
    let matter = clause.matter();
    let asks = [matter, &clause.text, &clause.whole].iter().any(|text| any(&LISTS, text));
    asks.then(|| Box::new(ListTimers { language: clause.language }) as Box<dyn Job>)
}

impl Job for ListTimers {
    fn step(&self, results: &[&ToolResult], world: &World) -> Step {
        let Some(result) = results.first() else { return call("timer_list", []) };
        if let Some(trouble) = speak::trouble(self.language, result) {
            return Step::Say(trouble);
        }
        let timers = timers(&result.text);
        Step::Say(match timers.len() {
            0 => self.language.pick("No reminders are waiting.", "现在没有待办的提醒。").to_owned(),
            count => {
                let heading =
                    self.language.pick(format!("Waiting ({count}):"), format!("有 {count} 个提醒："));
                format!("{heading}\n{}", lines(self.language, &timers, world.now))
            }
        })
    }
}

/// The timers of a `timer_list` result.
pub(super) fn timers(result: &str) -> Vec<Timer> {
    let Ok(value) = serde_json::from_str::<Value>(result) else { return Vec::new() };
    let field =
        |timer: &Value, name: &str| timer.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let list = value.get("timers").and_then(Value::as_array).cloned().unwrap_or_default();
    list.iter()
        .map(|timer| Timer { id: field(timer, "id"), text: field(timer, "text"), due: field(timer, "due") })
        .collect()
}

/// One line a timer.
pub(super) fn lines(language: Language, timers: &[Timer], now: Option<DateTime>) -> String {
    let line = |timer: &Timer| {
        let due = match (local_time(&timer.due), now) {
            (Some(due), Some(now)) => at_in_words(language, due, now),
            (Some(due), None) => due.strftime("%Y-%m-%d %H:%M").to_string(),
            (None, _) => timer.due.clone(),
        };
        format!("- {}{}{}", due.trim(), language.pick(": ", "："), shift(&timer.text))
    };
    timers.iter().map(line).collect::<Vec<_>>().join("\n")
}

static LISTS: [Pattern; 7] = [
    Pattern::new(
        r"^(?:when(?:'s| is)|what(?:'s| is)) (?:my|the) (?:next|upcoming) (?:reminder|timer|alarm)|^(?:我)?(?:的)?下(?:一)?个(?:提醒|闹钟|定时)",
    ),
    Pattern::new(
        r"(?:有|设了?|定了?|还有|还剩|剩)(?:一?些|了|着)?(?:哪些|什么|几个|多少|啥|没有)?(?:待办的?|未完成的?|在等的?)?(?:提醒|闹钟|定时器|计时器|倒计时|定时)(?:事项|任务)?{ask}",
    ),
    Pattern::new(
        r"^(?:我的?|现在的?|所有的?|全部的?)?(?:提醒|闹钟|定时器)(?:列表|清单|事项)?(?:都)?(?:有|还有|是)?(?:哪些|什么|几个|多少|啥)?{ask}",
    ),
    Pattern::new(
        r"^(?:列出?|看一?下|看看|查一?下|查看|查|显示|列一下|检查|说说)(?:一下)?(?:我)?(?:所有|全部|都有哪些|设了|定了|当前|现在|设置)?(?:的)?(?:提醒|闹钟|定时器|定时|计时器)(?:列表|有哪些|事项|清单)?{ask}",
    ),
    Pattern::new(
        r"^(?:(?:what|which|how many)(?: [a-z']+){0,3} (?:timers|reminders|alarms)|(?:are there|do i have|have i (?:got|set)|any|is there)(?: [a-z]+){0,3} (?:timers?|reminders?|alarms?))\b(?: (?:do|did|have|are|is|i|we|set|there|running|waiting|pending|active|left|open|scheduled|coming|up|on|today|tomorrow|got|currently|now|for me))*{ask}",
    ),
    Pattern::new(
        r"^(?:list|show|display|see|view|check|give me|read)(?: me)?(?: all| the| my| of| active| pending| current| a list of)* ?(?:timers?|reminders?|alarms?)(?: list)?{ask}",
    ),
    Pattern::new(
        r"^(?:my |the )?(?:timers|reminders|alarms)\??$|^what (?:are you|will you) remind(?:ing)? me|^what(?:'s| is) (?:pending|scheduled|coming up)|^what have i (?:scheduled|set)|^what(?: have i| do i have|'ve i)(?: got)? (?:coming up|scheduled|lined up)(?: (?:today|tomorrow|soon|next|this week))*{ask}|^(?:(?:have|do) (?:i|we) (?:got|have)|(?:i )?have (?:i|we)|got|is there|have you got)?\s?(?:anything|something) (?:coming up|scheduled|due|lined up|on my list|to remind me of)(?: (?:today|tomorrow|soon|next|this week|for me))*{ask}",
    ),
];
