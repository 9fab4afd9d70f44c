//! A timer that is due: the reminder itself, in the user's own words.

use hearth_contract::language::Language;
use hearth_contract::transcript::ToolResult;

use super::{Job, Step};
use crate::offline::clause::Clause;
use crate::offline::dialogue::Dialogue;
use crate::offline::pattern::Pattern;
use crate::offline::perspective::{sentence, shift};
use crate::offline::text::Text;
use crate::offline::world::World;

#[derive(Debug)]
struct Due {
    language: Language,
    text: String,
}

pub(super) fn understand(clause: &Clause, _dialogue: &Dialogue) -> Option<Box<dyn Job>> {
    let found = MARKED.find(&clause.whole)?;
    let text = found.get("text").unwrap_or_default().to_owned();
    let language = if text.is_empty() { clause.language } else { Language::of(&text) };
    Some(Box::new(Due { language, text }))
}

impl Job for Due {
    fn step(&self, _results: &[&ToolResult], world: &World) -> Step {
        let reminder = reminder(self.language, &self.text);
        Step::Say(match &world.late {
            Some(late) => format!("{reminder}\n{late}"),
            None => reminder,
        })
    }
}

fn reminder(language: Language, text: &str) -> String {
    let words = shift(text.trim().trim_end_matches(['。', '.', '!', '！']));
    match language {
        Language::Zh => format!("⏰ 提醒：{}", sentence(&chinese(&words))),
        Language::En => format!("⏰ {}", english(&words)),
    }
}

/// `伸展` becomes `该伸展了`; what is a sentence already stays as it is.
fn chinese(words: &str) -> String {
    let text = Text::new(words);
    let words = words.trim_start_matches(['你', '去']).trim_start();
    let text = if words.is_empty() { text } else { Text::new(words) };
    let short = words.chars().count() <= 16 && !STATES.is_match(&text);
    if short && ACTION_ZH.is_match(&text) && !words.ends_with('了') && !words.contains(['，', '。', ',']) {
        return format!("该{words}了");
    }
    if words.is_empty() { "时间到了".to_owned() } else { words.to_owned() }
}

fn english(words: &str) -> String {
    let text = Text::new(words);
    if words.is_empty() {
        return "Time is up.".to_owned();
    }
    if ENDED.is_match(&text) {
        return sentence(words);
    }
    if ACTION_EN.is_match(&text) {
        return sentence(&format!("Time to {words}"));
    }
    if OCCASION.is_match(&text) {
        return sentence(&format!("Time for {words}"));
    }
    format!("Reminder: {}", sentence(words).trim_start())
}

static MARKED: Pattern = Pattern::new(r"(?s)^\[(?:timer due|定时器到期)\]\s*(?P<text>.*)$");

static ACTION_ZH: Pattern = Pattern::new(
    r"^(?:去|把|给|跟|和|到|喝|吃|打|开|关|做|写|买|拿|取|交|发|回|叫|看|读|听|洗|睡|起|走|出|上|下|休|伸|站|坐|接|送|带|收|浇|遛|喂|练|跑|运|锻|倒|泡|煮|炒|烧|换|修|查|检|填|签|报|打扫|整理|准备|联系|通知|提交|复习|学|背|预|订|付|还|缴|充|抽|抢|量|测|涂|擦|刷|拖|扔|丢|丢掉|放|热|冲|活动|起床|起来|开会|散步|冥想|呼吸|离开|登|锁|寄|领|约|面试|体检|复查|理发|剪|拜访|探望|祝|问|说|告诉|用|穿|戴|补|加|减|晒|晾|叠|种|捡|移|搬)",
);

/// What happens, rather than what is to be done.
static STATES: Pattern = Pattern::new(r"开始|结束|到期|截止|完成了|快要|到了|过期|[是有在]");

static ACTION_EN: Pattern = Pattern::new(
    r"^(?:(?:not |please )?(?:ask|attend|bake|be|begin|bring|brush|buy|call|cancel|change|charge|check|clean|clear|close|collect|come|congratulate|contact|cook|deliver|do|drink|drive|drop|eat|email|empty|exercise|feed|fetch|file|fill|finish|fix|fold|get|give|go|have|head|hang|hoover|iron|join|jog|keep|leave|let|lock|log|look|make|mail|meditate|meet|message|move|mow|open|order|pack|pay|phone|pick|plan|play|post|practi[cs]e|prepare|print|pull|put|read|rehearse|relax|renew|reply|rest|return|review|ring|run|say|see|send|set|shower|sign|skype|sleep|start|stand|stop|stretch|study|submit|sweep|swim|switch|take|talk|tell|text|thank|throw|tidy|train|try|turn|unload|unplug|update|use|vacuum|visit|wake|walk|wash|watch|water|wear|wish|work|write|defrost|breathe|blink|backup|back|top|sit|stir|flip|wait|raise|renew|register|refill|rinse|hydrate|book|shave|invite|apply|hand|help|learn|listen|love|share|show|sing|smile|speak|spend|vote|weigh)(?:$|[\s,.!]))",
);

static OCCASION: Pattern = Pattern::new(
    r"^(?:(?:the |your |a |an )?(?:breakfast|lunch|dinner|supper|tea|coffee|bed|school|work|class|yoga|gym|training|practice|meeting|interview|break|medication|medicine|pills?|standup|stand-up|church|football|exam|party|concert|call|walk|run|nap|rest|snack)|[a-z]+ing)$",
);

static ENDED: Pattern = Pattern::new(r"\b(?:is|are) (?:up|over|done)\b|\btime's up\b");
