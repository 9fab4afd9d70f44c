//! The time and the calendar: `现在几点`, `what day is tomorrow`, `离圣诞节还有几天`.

use hearth_contract::language::Language;
use hearth_contract::transcript::ToolResult;
use jiff::civil::{Date, DateTime};
use serde_json::Value;

use super::{Job, Step, call};
use crate::offline::clause::Clause;
use crate::offline::dialogue::Dialogue;
use crate::offline::feasts;
use crate::offline::moments::{date_in_words, days_between, ensure_now};
use crate::offline::pattern::{Pattern, any, first};
use crate::offline::speak;
use crate::offline::when::{self, Moment};
use crate::offline::world::{World, local_time};
use crate::offline::zones;

/// What is asked of the calendar.
#[derive(Debug)]
enum Ask {
    TimeIn { zone: &'static str, place: String },
    UnknownPlace,
    Time,
    Date(Option<Moment>),
    Feast { feast: feasts::Feast, count: bool },
    DaysUntil(Moment),
    Year,
    Month,
}

#[derive(Debug)]
struct Calendar {
    language: Language,
    ask: Ask,
}

pub(super) fn understand(clause: &Clause, _dialogue: &Dialogue) -> Option<Box<dyn Job>> {
    let ask = read(clause)?;
    Some(Box::new(Calendar { language: clause.language, ask }))
}

fn read(clause: &Clause) -> Option<Ask> {
    let text = clause.matter();
    if let Some(found) = first(&TIME_IN, text) {
        let place = found.get("place")?.to_owned();
        return Some(
            zones::of(found.image("place")?).map_or(Ask::UnknownPlace, |zone| Ask::TimeIn { zone, place }),
        );
    }
    if any(&TIME, text) {
        return Some(Ask::Time);
    }
    let feast = feasts::find(text);
    if any(&COUNTS, text) || any(&COUNTS, &clause.whole) {
        return match feast {
            Some(feast) => Some(Ask::Feast { feast, count: true }),
            None => when::find(text).filter(|moment| moment.day.is_some()).map(Ask::DaysUntil),
        };
    }
    if let Some(feast) = feast.filter(|_| any(&FEAST_DAY, text)) {
        return Some(Ask::Feast { feast, count: false });
    }
    if YEAR.is_match(text) {
        return Some(Ask::Year);
    }
    if MONTH.is_match(text) {
        return Some(Ask::Month);
    }
    any(&DATE, text).then(|| Ask::Date(when::find(text)))
}

impl Job for Calendar {
    fn step(&self, results: &[&ToolResult], world: &World) -> Step {
        match &self.ask {
            Ask::TimeIn { zone, place } => return self.time_in(zone, place, results),
            Ask::UnknownPlace => {
                return Step::Say(
                    self.language
                        .pick("I do not know the time zone of that place.", "我不知道那个地方的时区。")
                        .to_owned(),
                );
            }
            _ => {}
        }
        match ensure_now(results, world) {
            Ok((now, _)) => Step::Say(self.answer(now)),
            Err(step) => step,
        }
    }
}

impl Calendar {
    fn time_in(&self, zone: &'static str, place: &str, results: &[&ToolResult]) -> Step {
        let Some(result) = results.first() else { return call("now", [("zone", Value::from(zone))]) };
        if let Some(trouble) = speak::trouble(self.language, result) {
            return Step::Say(trouble);
        }
        Step::Say(match local_time(&result.text) {
            Some(now) => {
                let (time, date) =
                    (now.strftime("%H:%M"), date_in_words(self.language, now.date(), now.date()));
                self.language.pick(
                    format!("In {place} it is {time}, {date}."),
                    format!("{place}现在是 {time}，{date}。"),
                )
            }
            None => result.text.clone(),
        })
    }

    fn answer(&self, now: DateTime) -> String {
        let language = self.language;
        let today = now.date();
        match &self.ask {
            Ask::Time => {
                let (time, date) = (now.strftime("%H:%M"), date_in_words(language, today, today));
                language.pick(format!("It is {time}, {date}."), format!("现在是 {time}，{date}。"))
            }
            Ask::Year => {
                language.pick(format!("It is {}.", today.year()), format!("今年是 {} 年。", today.year()))
            }
            Ask::Month => language.pick(
                format!("It is {}.", today.strftime("%B %Y")),
                format!("现在是 {} 年 {} 月。", today.year(), today.month()),
            ),
            Ask::Date(moment) => self.date(moment.as_ref(), now),
            Ask::DaysUntil(moment) => match moment.date(now) {
                Ok(date) => self.days_until(date, today),
                Err(_) => language.pick("There is no such date.", "没有这样的日期。").to_owned(),
            },
            Ask::Feast { feast, count } => match feast.next(today) {
                Some(date) if *count => self.days_until(date, today),
                Some(date) => {
                    let date = dated(language, date);
                    language.pick(format!("It is on {date}."), format!("是 {date}。"))
                }
                None => language
                    .pick(
                        "I do not know the date of that in the coming years.",
                        "我不知道它在未来几年的日期。",
                    )
                    .to_owned(),
            },
            Ask::TimeIn { .. } | Ask::UnknownPlace => String::new(),
        }
    }

    fn date(&self, moment: Option<&Moment>, now: DateTime) -> String {
        let language = self.language;
        let today = now.date();
        let Ok(date) = moment.map_or(Ok(today), |moment| moment.date(now)) else {
            return language.pick("There is no such date.", "没有这样的日期。").to_owned();
        };
        let said = dated(language, date);
        let (en, zh) = match days_between(today, date) {
            0 => ("Today is", "今天是"),
            1 => ("Tomorrow is", "明天是"),
            2 => ("The day after tomorrow is", "后天是"),
            -1 => ("Yesterday was", "昨天是"),
            ..=-2 => ("That was", "那天是"),
            _ => ("That is", "那天是"),
        };
        language.pick(format!("{en} {said}."), format!("{zh} {said}。"))
    }

    fn days_until(&self, date: Date, today: Date) -> String {
        let days = days_between(today, date);
        let said = dated(self.language, date);
        let plural = if days.abs() == 1 { "" } else { "s" };
        match days {
            0 => self.language.pick(format!("That is today, {said}."), format!("就是今天，{said}。")),
            1.. => self
                .language
                .pick(format!("{days} day{plural} until {said}."), format!("离 {said} 还有 {days} 天。")),
            _ => self.language.pick(
                format!("{said} was {} day{plural} ago.", -days),
                format!("{said} 已经过去 {} 天了。", -days),
            ),
        }
    }
}

/// A date with its year.
fn dated(language: Language, date: Date) -> String {
    date_in_words(language, date, Date::constant(1, 1, 1))
}

static TIME_IN: [Pattern; 4] = [
    Pattern::new(
        r"^(?:现在)?(?:的)?(?P<place>北京|东京|纽约|伦敦|格林尼治|巴黎|香港|台北|新加坡|首尔|莫斯科|悉尼)时间(?:现在)?(?:是)?(?:几点|多少|什么时候)(?:了|钟)?{ask}",
    ),
    Pattern::new(
        r"^(?:what(?:'s| is|s) the (?:current |local )?time|what time is it|time|current time|the time)(?: right now| now| currently)? (?:in|at) (?P<place>[a-z .]+?)(?: right now| now| at the moment)?{ask}",
    ),
    Pattern::new(
        r"^(?P<place>[^\s我你现今明后昨几的]{2,6})(?:那边|那里|当地)?(?:的)?(?:现在|目前)?(?:是)?(?:的)?(?:几点|什么时间|时间)(?:是)?(?:几点|多少)?{ask}",
    ),
    Pattern::new(
        r"^(?:现在|目前)(?:的)?(?P<place>[^\s我你是几点时间]{2,6})(?:那边|那里|当地)?(?:是)?(?:几点|什么时间)(?:钟)?{ask}",
    ),
];
static TIME: [Pattern; 2] = [
    Pattern::new(
        r"^(?:现在|当前|目前|这会儿|此刻|那现在|都|已经)*(?:是|的)?(?:北京)?(?:时间|几点钟?|什么时间|什么时候|几点几分|时刻)(?:是)?(?:几点|多少|了)?(?:几分)?{ask}|^(?:报时|报一下时|看一下时间|几点|几时|啥时候了|看看时间|现在几点了?)(?:了)?{ask}",
    ),
    Pattern::new(
        r"^(?:what(?:'s| is|s)? (?:the )?(?:current |exact |local )?time(?: is it)?|what time (?:is it|it is|do you have|have you got)|(?:the )?(?:current )?time|have you got the time|do you have the time|got the time|time check|the time is|how late is it|is it late)(?: right now| now| currently| please| here| at the moment)*{ask}",
    ),
];
static DATE: [Pattern; 5] = [
    Pattern::new(
        r"^(?:what(?:'s|s| is| was| will be)? )?(?:today|tomorrow|yesterday)'s (?:date|day|weekday){ask}",
    ),
    Pattern::new(
        r"^(?:请问)?(?:那)?(?:现在|这|今|明|后|昨|前|大后|下|本|上|\d|[一二两三四五六七八九十]|周|星期|礼拜|再|过|圣|元).{0,16}?(?:是)?(?:几号|几月几[号日]|几月|星期几|周几|礼拜几|星期天吗|什么日子|哪天|哪一天|多少号|日期|哪年哪月|几日|啥日子){ask}|^(?:几号|几月几[号日]|星期几|周几|礼拜几|日期|今天日期|今日|今天)(?:了|是)?{ask}",
    ),
    Pattern::new(
        r"^(?:what(?:'s|s| is| was| will be)?|tell me|which) (?:the )?(?:current |today's |exact )?(?:date|day)(?: of the week| of the month)?(?: is| is it| it is| will it be| was it| was| will)?(?: .{0,40}?)?{ask}",
    ),
    Pattern::new(
        r"^(?:the )?(?:current |today's )?(?:date|day)(?: today| now)?{ask}|^what(?:'s| is) today(?:'s date)?{ask}|^(?:which|what) (?:day|date|weekday)\b.*$|^is (?:it|today|tomorrow) (?:a )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend).*$",
    ),
    Pattern::new(
        r"^(?:when is|what date is|what's the date (?:of|on)|what is the date (?:of|on)) (?:next |this |the coming )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|week|month){ask}",
    ),
];
static COUNTS: [Pattern; 3] = [
    Pattern::new(r"还有(?:多少|几)天(?:就|才)?(?:到|是|过)|再(?:过|有)(?:多少|几)天"),
    Pattern::new(
        r"(?:离|距离|距|到|还有|差).{0,16}?(?:还有|还剩|有|差|剩)?(?:多少|几)(?:天|日|个?星期|周|个?月)|还有(?:多久|多长时间)(?:到|过|是)|(?:离|距离|距).{1,14}(?:还有)?(?:多久|多远|几天)|.{1,10}还有(?:多久|几天|多少天)",
    ),
    Pattern::new(
        r"\b(?:how many|how much|number of) (?:days|time|nights|sleeps)(?: are| is)?(?: there)?(?: left)? ?(?:until|till|til|to|before|remain)|\bhow long (?:is it )?(?:until|till|til|before|to)\b|\bdays (?:until|till|til|to|before|left)\b|\bhow (?:far|long) (?:away )?is\b|\bcountdown to\b|\bhow many days (?:away )?(?:is|are)\b",
    ),
];
static FEAST_DAY: [Pattern; 2] = [
    Pattern::new(r"(?:是|在)?(?:几月几[号日]|几号|哪天|哪一天|什么时候|星期几|周几|何时)"),
    Pattern::new(r"^(?:when(?:'s| is|s)?|what (?:day|date)|which (?:day|date)|on what|on which)\b"),
];
static YEAR: Pattern = Pattern::new(
    r"^(?:今年|现在|当前)(?:是)?(?:哪一?年|几几年|多少年|什么年份|公元多少年|哪个年份){ask}|^(?:what|which) year (?:is it|is this|are we in|do we have)(?: now)?{ask}|^what(?:'s| is) the (?:current )?year{ask}",
);
static MONTH: Pattern = Pattern::new(
    r"^(?:现在|这个?月|本月|今天)(?:是)?(?:几月份?|哪个月|什么月份){ask}|^(?:what|which) month (?:is it|is this|are we in)(?: now)?{ask}|^what(?:'s| is) the (?:current )?month{ask}",
);
