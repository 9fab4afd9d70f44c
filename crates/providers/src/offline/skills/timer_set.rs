//! Reminders, alarms and timers: `10秒后提醒我伸展`, `wake me at 7`, `set a timer for 5 minutes`.

use hearth_contract::language::Language;
use hearth_contract::transcript::ToolResult;
use jiff::civil::DateTime;
use serde_json::Value;

use super::{Job, Kind, Step, call};
use crate::offline::clause::{self, Clause};
use crate::offline::dialogue::Dialogue;
use crate::offline::moments::{self, ensure_now};
use crate::offline::pattern::Pattern;
use crate::offline::perspective::{sentence, shift};
use crate::offline::speak;
use crate::offline::text::Text;
use crate::offline::when::{self, Due, Moment, Note, Part, Prefer, Reading, Trouble};
use crate::offline::world::World;

/// A reminder as it was asked for.
#[derive(Debug, Clone)]
struct Wish {
    what: String,
    moment: Option<Moment>,
    prefer: Prefer,
    repeats: bool,
}

#[derive(Debug)]
struct SetTimer {
    language: Language,
    wish: Wish,
}

#[derive(Debug)]
struct NoRepeats {
    language: Language,
}

/// A reminder for a time before now.
#[derive(Debug)]
struct Backwards {
    language: Language,
}

pub(super) fn understand(clause: &Clause, dialogue: &Dialogue) -> Option<Box<dyn Job>> {
    let language = clause.language;
    if TRIGGER.is_match(&clause.text) && leads_back(&clause.text) {
        return Some(Box::new(Backwards { language }));
    }
    if let Some(wish) = read(clause) {
        if wish.repeats {
            return Some(Box::new(NoRepeats { language }));
        }
        return Some(Box::new(SetTimer { language, wish }));
    }
    let wish = completed(clause, dialogue)?;
    Some(Box::new(SetTimer { language, wish }))
}

/// Whether the time asked for is before now.
fn leads_back(text: &Text) -> bool {
    BACKWARDS.is_match(text) || (AGO.is_match(text) && when::find(text).is_none())
}

/// The time that was asked for in the turn before: `in ten minutes` after `When shall I remind you?`.
fn completed(clause: &Clause, dialogue: &Dialogue) -> Option<Wish> {
    let earlier = read(&Clause::new(dialogue.said.first()?)).filter(|wish| wish.moment.is_none())?;
    let moment = when::find(&clause.text).or_else(|| bare_length(&clause.text))?;
    let rest = clause.text.without(&moment.spans);
    SMALL_WORDS.is_match(&rest).then_some(Wish { moment: Some(moment), ..earlier })
}

fn bare_length(text: &Text) -> Option<Moment> {
    let (span, length) = when::find_length(text)?;
    Some(Moment { spans: vec![span], after: Some(length), ..Moment::default() })
}

/// What is to be reminded of, and when, if the clause asks for a reminder.
fn read(clause: &Clause) -> Option<Wish> {
    let text = &clause.text;
    if !TRIGGER.is_match(text) {
        return None;
    }
    let repeats = REPEATING.regex().find(text.image()).map(|found| found.range());
    let said_once =
        repeats.as_ref().map_or_else(|| text.clone(), |span| text.without(std::slice::from_ref(span)));
    let text = &said_once;
    // `5 minutes before 6` and `after lunch` are no times that can be told: the time is asked for.
    let vague = VAGUE.regex().find(text.image()).map(|found| found.range());
    let told = vague.as_ref().map_or_else(|| text.clone(), |span| text.without(std::slice::from_ref(span)));
    let text = &told;
    let offset = OFFSET.is_match(&clause.text);
    let found = when::find(text).or_else(|| bare_length(text));
    let moment = if offset { None } else { found.clone() };
    let rest = found.as_ref().map_or_else(|| text.clone(), |moment| text.without(&moment.spans));
    let frame = FRAMES.iter().find_map(|frame| frame.pattern.find(&rest).map(|found| (frame, found)))?;
    let (frame, found) = frame;
    if moment.is_none() && frame.needs_time == NeedsTime::Always {
        return None;
    }
    let what = found.any_of(&["what", "what2"]).unwrap_or_default();
    let about = Text::new(what);
    let timed = moment.as_ref().is_some_and(|moment| moment.clock.is_some() || moment.after.is_some());
    if frame.needs_time == NeedsTime::Clock && !timed {
        return None;
    }
    // `remind me what my name is`, `告诉我明天星期几` ask now, they do not ask for later.
    if clause::is_question(&about) && (moment.is_none() || frame.needs_time != NeedsTime::No)
        || WH.is_match(&about)
    {
        return None;
    }
    let wakes =
        WAKING.is_match(text) || (ALARM.is_match(text) && moment.as_ref().is_some_and(in_the_morning));
    let what = if offset { String::new() } else { tidy(&about) };
    let what = if what.is_empty() { default_text(clause, moment.as_ref(), wakes) } else { what };
    Some(Wish {
        what,
        moment,
        prefer: if wakes { Prefer::Morning } else { Prefer::Next },
        repeats: repeats.is_some(),
    })
}

/// An alarm for such a time is one to wake up by.
fn in_the_morning(moment: &Moment) -> bool {
    let hour = moment.clock.filter(|clock| clock.reading != Reading::Pm).map(|clock| clock.hour);
    let part = matches!(moment.part, None | Some(Part::Dawn | Part::Morning));
    part && hour.is_some_and(|hour| (4..=11).contains(&hour))
}

/// Without the small words that led up to it.
fn tidy(what: &Text) -> String {
    let mut text = what.clone();
    for _ in 0..4 {
        let Some(rest) =
            LOOSE.find(&text).map(|found| found.any_of(&["rest", "r2"]).unwrap_or_default().to_owned())
        else {
            break;
        };
        text = Text::new(&rest);
    }
    let words: Vec<&str> = text.raw().split_whitespace().collect();
    let joined = words.join(" ").trim_end_matches([',', '，', ';', '；']).to_owned();
    let unquoted = joined.trim_matches(['"', '“', '”', '「', '」']);
    // A blank where a time was cut out of a Chinese sentence is none.
    moments::close_gaps(unquoted)
}

/// What a reminder says that was given nothing to say.
const NAMELESS: [&str; 2] = ["the time is up", "时间到了"];

fn default_text(clause: &Clause, moment: Option<&Moment>, wakes: bool) -> String {
    let language = clause.language;
    if wakes {
        return language.pick("wake up", "起床").to_owned();
    }
    match moment.and_then(|moment| moment.after) {
        Some(length) if length.months == 0 => {
            let amount = moments::length_in_words(language, length.seconds.round() as i64);
            language.pick(format!("{amount} are up"), format!("{amount}到了"))
        }
        _ => language.pick(NAMELESS[0], NAMELESS[1]).to_owned(),
    }
}

impl Job for SetTimer {
    fn step(&self, results: &[&ToolResult], world: &World) -> Step {
        let Some(moment) = &self.wish.moment else {
            return Step::Say(self.ask_for_the_time());
        };
        let (now, results) = match (moment.after, world.now) {
            (Some(length), None) if length.months == 0 => (DateTime::default(), results),
            _ => match ensure_now(results, world) {
                Ok(pair) => pair,
                Err(step) => return step,
            },
        };
        let due = match moment.resolve(now, self.wish.prefer) {
            Ok(due) => due,
            Err(trouble) => return Step::Say(self.no_such_time(trouble)),
        };
        match results.first() {
            None => self.set(due),
            Some(result) => Step::Say(
                speak::trouble(self.language, result).unwrap_or_else(|| self.confirmation(due, now)),
            ),
        }
    }
}

impl SetTimer {
    fn ask_for_the_time(&self) -> String {
        let language = self.language;
        let what = shift(&self.wish.what);
        let unnamed = NAMELESS.contains(&what.as_str());
        language.pick(
            format!(
                "When shall I remind you{}? For example: in 10 minutes, or tomorrow at 8.",
                if unnamed { String::new() } else { format!(": {what}") }
            ),
            format!(
                "什么时候提醒你{}？比如：10分钟后，或者明天早上8点。",
                if unnamed { String::new() } else { format!("“{what}”") }
            ),
        )
    }

    fn set(&self, due: Due) -> Step {
        let text = ("text", Value::from(self.wish.what.clone()));
        match due {
            Due::In { seconds } => call("timer_set", [text, ("in_seconds", Value::from(seconds))]),
            Due::At { at, .. } => {
                call("timer_set", [text, ("at", Value::from(at.strftime("%Y-%m-%dT%H:%M:%S").to_string()))])
            }
        }
    }

    fn confirmation(&self, due: Due, now: DateTime) -> String {
        let language = self.language;
        let what = shift(&self.wish.what);
        let (when, note) = match due {
            Due::In { seconds } => {
                let amount = moments::length_in_words(language, seconds);
                (language.pick(format!("in {amount}"), format!("{amount}后")), Note::Plain)
            }
            Due::At { at, note } => (moments::at_in_words(language, at, now), note),
        };
        let note = moments::note_in_words(language, note);
        language.pick(
            format!("OK, I will remind you {when}: {what}.{note}"),
            format!("好的，{when}提醒你：{}{note}", sentence(&what)),
        )
    }

    fn no_such_time(&self, trouble: Trouble) -> String {
        match trouble {
            Trouble::Past(at) => {
                let at = at.strftime("%Y-%m-%d %H:%M");
                self.language.pick(
                    format!("{at} is already over. When shall I remind you instead?"),
                    format!("{at} 已经过去了。要改成什么时候提醒你？"),
                )
            }
            Trouble::NoSuchTime => self
                .language
                .pick(
                    "I cannot set a reminder for that time: there is no such time, or it is too far away.",
                    "这个时间设不了提醒：没有这样的时间，或者太远了。",
                )
                .to_owned(),
        }
    }
}

impl Job for NoRepeats {
    fn step(&self, _results: &[&ToolResult], _world: &World) -> Step {
        Step::Say(
            self.language
                .pick(
                    "I cannot set repeating reminders, only single ones: tell me one time, for example \"remind me tomorrow at 8 to take the pills\".",
                    "我只会设一次性的提醒，还不会设重复的。请告诉我一个时间，比如“明天早上8点提醒我吃药”。",
                )
                .to_owned(),
        )
    }

    fn kind(&self) -> Kind {
        Kind::Act
    }
}

impl Job for Backwards {
    fn step(&self, _results: &[&ToolResult], _world: &World) -> Step {
        Step::Say(
            self.language
                .pick(
                    "I cannot remind you of that: the time lies in the past. Tell me one that is still to come, for example \"in 10 minutes\".",
                    "这个提醒设不了：那个时间已经过去了。请告诉我一个还没到的时间，比如“10分钟后”。",
                )
                .to_owned(),
        )
    }
}

/// A way to ask for a reminder, matched on the text without its time.
struct Frame {
    pattern: Pattern,
    needs_time: NeedsTime,
}

/// Whether a frame is one without a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NeedsTime {
    No,
    Always,
    /// A time of day or a length; a mere date is not enough.
    Clock,
}

const fn frame(pattern: &'static str, needs_time: NeedsTime) -> Frame {
    Frame { pattern: Pattern::new(pattern), needs_time }
}

static FRAMES: [Frame; 15] = [
    frame(
        r"(?s)^(?:你|您|到时候?|到点|到|在|于|就|要|记得|请|的时候|时|,|\s|再|帮我|给我|那时|能)*(?:提醒|叫醒)(?:一?下|一声)?(?:我们|我|大家|咱们?|自己)?(?:一下|一声)?[\s,:]*(?P<what>.*)$",
        NeedsTime::No,
    ),
    frame(
        r"(?s)^(?:你|您|到时候?|到点|到|在|于|就|要|记得|请|的时候|,|\s|再)*(?:(?:叫|喊|通知|催|告诉|招呼|吵醒|唤醒|cue|ping|call)(?:一下)?(?:我们|我|咱)|(?:跟|和|同)我(?:说|讲)|(?:给|跟)我提个?醒)(?:一下|一声)?[\s,:]*(?P<what>(?:起床|起来|醒|下班|吃|喝|睡|出门|开会|上课|去|关火|关|起).*)$",
        NeedsTime::No,
    ),
    frame(
        r"(?s)^(?:你|您|到时候?|到点|到|在|于|就|要|记得|请|的时候|,|\s|再)*(?:(?:叫|喊|通知|催|告诉|招呼|吵醒|唤醒|cue|ping|call)(?:一下)?(?:我们|我|咱)|(?:跟|和|同)我(?:说|讲)|(?:给|跟)我提个?醒)(?:一下|一声)?[\s,:]*(?P<what>.*)$",
        NeedsTime::Clock,
    ),
    frame(
        r"(?s)^[\s,]*(?P<what>.+?)(?:的时候|时)?[\s,，。]*(?:到时候?|到时|请|记得|要|麻烦|你)*(?:提醒|叫|喊|通知)(?:一下)?(?:我们|我)(?:一?下|一声)?[\s,]*$",
        NeedsTime::No,
    ),
    frame(
        r"(?s)^[\s,]*(?:给我|帮我|我要|我想|来)*(?:设定|设置|设立|设|定|订|上|开|加|建|弄|来|安排|创建|新建|添加|调|开始|启动|需要|要|给我)(?:一?个|一?下|一|个)?[\s]*(?:的)?[\s]*(?P<what2>)(?:闹钟|定时器|计时器|倒计时|提醒|定时|计时|闹铃|番茄钟)(?:吧|在|到|于|,|:|\s|提醒我|叫我|去|内容(?:是|为)?|为|是)*(?P<what>.*)$",
        NeedsTime::No,
    ),
    frame(
        r"(?s)^[\s,]*(?:给我|帮我|我要)*(?:设定|设置|设|定|订|上|加|建|弄|来|安排|创建|新建|添加|要)(?:一?个|一)?[\s]*(?:的)?(?P<what>[^\s,，]{1,16}?)(?:的)?(?:闹钟|定时器|提醒|闹铃)[\s,]*$",
        NeedsTime::Always,
    ),
    frame(
        r"(?s)^[\s,]*(?:把|将)?(?:的)?(?:闹钟|定时器?|倒计时|计时器?|提醒|番茄钟)(?:(?:设置?|定|调|开)(?:在|到|成|为)?|在|到|:|,|\s)*(?P<what>|[^没不已响坏有是了]+)$",
        NeedsTime::Always,
    ),
    frame(
        r"(?s)^[\s,]*(?:记得|别忘了?|别忘记|不要忘了?|记着|记住)[\s,]*(?:要|去|得)?[\s,]*(?P<what>(?:[^是])+)$",
        NeedsTime::Clock,
    ),
    frame(
        r"(?s)^[\s,]*(?:(?:can|could) you )?(?:please )?(?:set (?:me )?(?:up )?a reminder|remind (?:me|us|myself)|give me a (?:reminder|nudge|shout|ping|buzz|heads[- ]up)|send me a reminder|add a reminder|create a reminder|schedule a reminder|make a reminder|put a reminder|i need a reminder|i need to be reminded|reminder|don't let me forget|do not let me forget|make sure i don't forget|new reminder|another reminder)[\s,:]*(?:when it's|again)?[\s,:]*(?P<what>.*)$",
        NeedsTime::No,
    ),
    frame(
        r"(?s)^[\s,]*(?:please )?(?:ping|nudge|alert|notify|message|poke|buzz|prod|beep|text|tell|call|shout at|let)(?: me| us)(?: know)?[\s,:]*(?P<what>.*)$",
        NeedsTime::Clock,
    ),
    frame(
        r"(?s)^[\s,]*(?:please )?(?:wake|get)(?: me)(?: up)?[\s,.]*(?:please)?(?P<what>(?: to .*| for .*)?)$",
        NeedsTime::No,
    ),
    frame(
        r"(?s)^[\s,]*(?:set|start|create|make|add|put|schedule|i need|i want|give me|run|begin|can i have|i'd like)(?: on| up)?(?: me)?(?: another| an| a| the| my| one)?[\s]*(?P<what2>[a-z ]{0,20}?)[\s]*(?:timer|alarm|countdown|reminder|alarm clock)[\s,:]*(?:(?:for|at|to|called|named|saying|labell?ed|on|in)\b)*[\s,:]*(?P<what>.*)$",
        NeedsTime::No,
    ),
    frame(
        r"(?s)^[\s,]*(?P<what2>)(?:timer|alarm|countdown)[\s,:]*(?:(?:for|at|to|called)\b)*[\s,:]*(?P<what>.*)$",
        NeedsTime::Always,
    ),
    frame(
        r"(?s)^[\s,]*(?P<what>.+?)[\s,.;:-]*(?:,|\band\b|\bso\b|\bbut\b|please|pls|can you|could you)*\s*(?:remind me|wake me|ping me|nudge me|set a reminder|don't let me forget)(?: (?:about|of) (?:it|that|this)| to do (?:it|that|so))?[\s.]*$",
        NeedsTime::No,
    ),
    frame(
        r"(?s)^[\s,]*(?:remember|don't forget|do not forget|make sure) (?:i |that i )?(?:to |have to |need to )(?P<what>.*)$",
        NeedsTime::Always,
    ),
];

static TRIGGER: Pattern = Pattern::new(
    r"提醒|闹钟|闹铃|定时|倒计时|计时|番茄钟|(?:叫|喊|通知|催|告诉|招呼|唤)(?:一下|醒)?(?:我|咱)|记得|别忘|不要忘|记着|记住|(?:跟|和|同)我(?:说|讲)|提个?醒|remind|alarm|timer|countdown|(?:wake|get) me|ping me|nudge me|alert me|notify me|message me|poke me|buzz me|beep me|tell me|call me|text me|let me know|let me forget|give me a|remember to|forget to|make sure i|cue我|ping我",
);
static REPEATING: Pattern = Pattern::new(
    r"每隔?(?:天|日|周[一二三四五六日末]?|个?(?:月|星期|礼拜|小时|钟头|工作日)|年|小时|分钟|晚上?|早上?|\d+个?(?:分钟|小时|天)|[一二两三四五六七八九十半]+个?(?:分钟|小时|天|周))|天天|重复|循环|\bevery ?(?:\d+ )?(?:(?:other|single) )?(?:days?|morning|evening|night|week|weekday|month|hours?|minutes?|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday)?\b|\bdaily\b|\bweekly\b|\bmonthly\b|\bhourly\b|\beach (?:day|morning|evening|week|hour)\b|\brepeat(?:ing|edly)?\b",
);
/// A length of time below zero.
static BACKWARDS: Pattern = Pattern::new(
    r"(?:^|[^\w])(?:-|minus |negative )(?:\d+(?:\.\d+)?|{words}|an?)\s?{unit}|(?:^|[^\d正\w]|[在过])(?:负|-)\s?[\d零一二两三四五六七八九十百半]+(?:\.\d+)?个?半?(?:秒|分|刻|小时|钟头|天|周|星期|月|年)",
);
static AGO: Pattern = Pattern::new(r"\b{unit} ago\b");
/// What comes before or after something else.
static OFFSET: Pattern = Pattern::new(
    r"(?:秒|分钟|小时|天)(?:之前|以前|前)|提前|\b(?:seconds?|minutes?|mins?|hours?|days?|weeks?) (?:before|prior to|ahead of|early)\b",
);
static VAGUE: Pattern = Pattern::new(
    r"(?:再?过|等)?(?:一会儿?|一阵子?|片刻|不久)(?:之后|以后|后)?|待会儿?|等会儿?|晚点|稍后|过后|迟些|改天|有空(?:的时候|时)?|(?:下班|睡觉?|吃饭|出门|上班|起床|放学|午饭|晚饭|早饭|饭)(?:之前|以前|前|之后|以后|后|的时候)|\b(?:later(?: on| today)?|soon|in a (?:bit|while|moment|little while)|some ?time|(?:before|after) (?:lunch|dinner|breakfast|supper|bed|work|school|the [a-z]+|i [a-z]+)|when i [a-z ]{2,20}|at \d{1,2}ish)\b",
);
static WAKING: Pattern = Pattern::new(r"起床|叫醒|叫我起|醒来|\bwake\b|\bget me up\b|\bget up\b");
static ALARM: Pattern = Pattern::new(r"闹钟|闹铃|\balarm\b");
static WH: Pattern = Pattern::new(
    r"^(?:what|who|whose|where|when(?: is| was| my| did)|how|which|why|if my|whether|我叫什么|我是谁)\b|^(?:again )?of (?:what|my)",
);
static SMALL_WORDS: Pattern = Pattern::new(r"^[\s,.。!~吧就在好的那嗯at in on the please remind me提醒我]*$");
static LOOSE: Pattern = Pattern::new(
    r"(?s)^(?:(?:to|about|of|that|for|from|:|,|-|\.|and|i should|i have to|i need to|i must|it's time to|it is time to|要|该|去(?:$)|得|说|的|就|：|，|一下|一声|提醒我)(?:\s+|$)|(?:要|该|得|说|的|就是|提醒我|叫我|,|:|，|\.|。)+)(?P<rest>.*)$|(?s)^(?P<r2>.*?)[\s,.:;]+(?:at|for|and|,|please)$",
);
