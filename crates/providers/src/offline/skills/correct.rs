//! Corrections of what was said before: `no, it's green`, `oh wait, it's Carla, not Clara`, `不对，她叫晓雨`.
//!
//! A correction that names the old value is looked for in everything that was said lately; one that does not is about
//! the statement just before, or about the statement that answered the question just before.

use crate::offline::clause::Clause;
use crate::offline::dialogue::Dialogue;
use crate::offline::facts::{self, Topic};
use crate::offline::pattern::{Pattern, first};
use crate::offline::split;
use crate::offline::text::Text;

/// An earlier statement and what it should have been.
pub(super) struct Correction {
    pub(super) old: Text,
    pub(super) new: Text,
}

/// What the clause corrects, if it does.
pub(super) fn correction(clause: &Clause, dialogue: &Dialogue) -> Option<Correction> {
    let found = first(&CORRECTIONS, &clause.whole)?;
    let value = found.any_of(&["v", "v2"])?.trim_end_matches(STOPS);
    if !facts::stated(&Text::new(value)).iter().all(|topic| topic.attribute == "note") {
        return None;
    }
    if let Some(wrong) = found.any_of(&["old", "old2"]) {
        let wrong = Text::new(wrong.trim_end_matches(STOPS));
        return dialogue.said.iter().flat_map(|said| statements(said)).find_map(|statement| {
            let at = statement.image().rfind(wrong.image())?;
            Some(with_value(statement, at..at + wrong.image().len(), value))
        });
    }
    if !found.has("lead") {
        return None;
    }
    let statement = spoken_of(dialogue)?;
    let old = facts::ATTRIBUTES
        .iter()
        .find_map(|attribute| first(&attribute.tell, &statement)?.image("v").map(str::to_owned))?;
    let at = statement.image().rfind(&old)?;
    Some(with_value(statement, at..at + old.len(), value))
}

fn with_value(old: Text, span: std::ops::Range<usize>, value: &str) -> Correction {
    let (before, after) = (old.raw_slice(0..span.start), old.raw_slice(span.end..old.image().len()));
    let new = Text::new(&format!("{before}{value}{after}"));
    Correction { old, new }
}

/// The statement that a bare `no, it's …` is about.
fn spoken_of(dialogue: &Dialogue) -> Option<Text> {
    let (last, earlier) = dialogue.said.split_first()?;
    if let Some(statement) = statements(last).pop() {
        return Some(statement);
    }
    let asked = facts::asked(Clause::new(last).matter());
    let mut told: Vec<(Topic, Text)> = Vec::new();
    for statement in earlier.iter().flat_map(|said| statements(said)) {
        let answering = facts::stated(&statement)
            .into_iter()
            .find(|topic| asked.iter().any(|wanted| facts::answers(topic, statement.image(), wanted)));
        told.extend(answering.map(|topic| (topic, statement)));
    }
    // Where several facts answered, nobody can tell which of them was wrong.
    let (first, rest) = told.split_first()?;
    let same = |(topic, _): &(Topic, Text)| topic.who == first.0.who && topic.what == first.0.what;
    rest.iter().all(same).then(|| first.1.clone())
}

/// What one input told to be remembered.
fn statements(said: &str) -> Vec<Text> {
    split::tasks(said, &Dialogue::default())
        .iter()
        .filter(|task| matches!(task.skill, "remember" | "statement"))
        .map(|task| super::remember::fact_of(&task.clause))
        .collect()
}

const STOPS: [char; 5] = ['。', '.', '!', '！', ' '];

static CORRECTIONS: [Pattern; 4] = [
    Pattern::new(
        r"^(?:(?P<lead>不对|不是|不|错了|说错了|我说错了|更正一?下?|纠正一?下?|记错了|你记错了|搞错了|弄错了|等等|等一下|哦|噢|啊|抱歉|不好意思)[\s,.。!]*)*(?:我|他|她|它|名字|的名字|那个|这个|说的|应该|其实)*(?:是|叫|为|改成|改为)\s*(?P<v>[^,，]{1,60}?)(?:[,，\s]*(?:不是|而不是|不叫|而非|并非|不姓)\s*(?P<old>[^,，]{1,60}?))?{end}",
    ),
    Pattern::new(
        r"^(?:(?:不对|错了|说错了|我说错了|更正一?下?|记错了|你记错了|搞错了|弄错了|等等|等一下|哦|噢|啊|抱歉|不好意思)[\s,.。!]*)*(?:我|他|她|它|名字|那个)*(?:不是|不叫)\s*(?P<old>[^,，]{1,60}?)[,，\s]*(?:而是|应该是|应该叫|是|叫)\s*(?P<v>[^,，]{1,60}?){end}",
    ),
    Pattern::new(
        r"^(?:(?P<lead>no|nope|wrong|sorry|correction|oops|actually|that's wrong|not right|wait|hang on|hold on|oh|ah|hmm|i was wrong|my mistake|i made a mistake|you got (?:it|that) wrong)[\s,.!:…-]+)*(?:i meant|i mean|i meant to say|i said|it's|it is|it was|that's|make that|make it|it should be|should be|that should be|change it to|rather|(?:he|she|they|it)(?:'s| is| was| are)(?: called| named)?|(?:his|her|its|their|the) (?:name|birthday|number|code|password|address|email)(?:'s| is)) (?P<v>[^,]{1,60}?)(?:,? (?:and )?(?:not|instead of|rather than) (?P<old>[^,]{1,60}?))?{end}",
    ),
    Pattern::new(
        r"^(?:(?:no|nope|wrong|sorry|actually|wait|oh|oops|ah|hmm|um|hang on|hold on)[\s,.!:…-]+)*(?:it's |it is |that's |i (?:meant|said) )?(?:not (?P<old>[^,]{1,60}?),? (?:but|it's|it is) (?P<v>[^,]{1,60}?)|(?P<v2>(?:[^,\s]{1,20} ){0,2}[^,\s]{1,40}),? not (?P<old2>(?:[^,\s]{1,20} ){0,2}[^,\s]{1,40})){end}",
    ),
];
