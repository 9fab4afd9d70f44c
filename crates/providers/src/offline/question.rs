//! A question to memory, and which remembered facts really answer it.

use serde_json::Value;

use super::categories;
use super::facts::{self, Topic};
use super::matching::{content_words, coverage};
use super::people;
use super::text::Text;

/// A question to memory.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) text: String,
    /// What it asks for, the most telling first.
    pub(crate) topics: Vec<Topic>,
    /// The words of it that carry meaning.
    pub(crate) words: Vec<String>,
    /// It asks for everything that is known.
    pub(crate) everything: bool,
    /// It asks about the user, so not knowing is worth saying.
    pub(crate) own: bool,
}

/// Something remembered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fact {
    /// Empty for one that came up by itself.
    pub(crate) id: String,
    pub(crate) text: String,
    /// When it was said; empty if unknown. Comparable as text.
    pub(crate) since: String,
}

/// How much of a question's words a fact must share when no attribute tells.
const COVERAGE_ASKED: f64 = 0.6;
/// The same when it is not even sure that the question is one to memory.
const COVERAGE_GUESSED: f64 = 0.75;

impl Question {
    pub(crate) fn new(matter: &Text, everything: bool, own: bool) -> Self {
        Self {
            text: matter.raw().to_owned(),
            topics: facts::asked(matter),
            words: content_words(matter.image()),
            everything,
            own,
        }
    }

    /// Words for the kind of thing that is asked for, in both languages: a second try when the question's own words
    /// found nothing.
    pub(crate) fn other_words(&self) -> Option<String> {
        let topic = self.topics.first()?;
        let mut words: Vec<&str> = WIDER
            .iter()
            .filter(|(attribute, _)| *attribute == topic.attribute)
            .flat_map(|(_, words)| words.iter().copied())
            .collect();
        words.extend(topic.narrow.iter().take(3));
        words.extend(categories::kind_words(&topic.what).iter().take(4));
        words.extend(people::words(&topic.who).iter().take(3));
        (!words.is_empty()).then(|| words.join(" "))
    }

    /// The facts that answer it, best first.
    pub(crate) fn choose(&self, facts: &[Fact]) -> Vec<Fact> {
        if self.everything {
            return facts.to_vec();
        }
        for topic in &self.topics {
            let mut fitting: Vec<(Fit, &Fact)> = facts.iter().filter_map(|fact| fits(topic, fact)).collect();
            if fitting.is_empty() {
                continue;
            }
            // Favourites first, then what is about exactly that; of two homes the newer one holds.
            fitting.sort_by(|(fit, fact), (other_fit, other)| {
                other_fit.cmp(fit).then_with(|| other.since.cmp(&fact.since))
            });
            let single = topic.attribute != "like"
                && topic.attribute != "dislike"
                && topic.attribute != "allergy"
                && topic.attribute != "pet";
            let most = if single && (!topic.what.is_empty() || topic.attribute != "my") { 1 } else { 5 };
            let favourite = topic.strong && fitting.iter().any(|(fit, _)| fit.strong);
            return fitting
                .into_iter()
                .filter(|(fit, _)| fit.strong || !favourite)
                .take(most)
                .map(|(_, fact)| fact.clone())
                .collect();
        }
        self.by_words(facts)
    }

    fn by_words(&self, facts: &[Fact]) -> Vec<Fact> {
        // An attribute that was asked for and is in no fact is not answered by whatever shares a word with it.
        let floor = if self.own { COVERAGE_ASKED } else { COVERAGE_GUESSED };
        let known = self.topics.iter().any(|topic| !matches!(topic.attribute, "my" | "identity"));
        let other_attribute = |fact: &Fact| known && !facts::stated(&Text::new(&fact.text)).is_empty();
        let mut scored: Vec<(f64, &Fact)> = facts
            .iter()
            .map(|fact| (coverage(&self.words, Text::new(&fact.text).image()), fact))
            .filter(|(share, fact)| *share >= floor && !other_attribute(fact))
            .collect();
        scored.sort_by(|(share, fact), (other_share, other)| {
            other_share.total_cmp(share).then_with(|| other.since.cmp(&fact.since))
        });
        let best = scored.first().map_or(0.0, |(share, _)| *share);
        scored
            .into_iter()
            .filter(|(share, _)| *share >= best - 0.01)
            .take(3)
            .map(|(_, fact)| fact.clone())
            .collect()
    }
}

/// How well a fact answers a topic; the greater the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// It says favourite.
    strong: bool,
    /// It is about exactly the thing that is asked for, not one of its kind.
    exact: bool,
}

/// Whether a fact answers a topic, and how well.
fn fits<'f>(topic: &Topic, fact: &'f Fact) -> Option<(Fit, &'f Fact)> {
    let text = Text::new(&fact.text);
    let stated = facts::stated(&text);
    let fit = Fit {
        strong: stated.iter().any(|stated| stated.strong),
        exact: !topic.what.is_empty() && stated.iter().any(|stated| stated.what == topic.what),
    };
    stated.iter().any(|stated| facts::answers(stated, text.image(), topic)).then_some((fit, fact))
}

/// The facts of a `memory_recall` result and those that came up by themselves, each once.
pub(crate) fn facts_of(results: &[&str], memory: &[String]) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    for result in results {
        let value = serde_json::from_str::<Value>(result).unwrap_or_default();
        let list = value.get("facts").and_then(Value::as_array).cloned().unwrap_or_default();
        let field = |fact: &Value, name: &str| {
            fact.get(name)
                .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
                .unwrap_or_default()
        };
        for fact in &list {
            push_new(
                &mut facts,
                Fact { id: field(fact, "id"), text: field(fact, "text"), since: field(fact, "since") },
            );
        }
    }
    for text in memory {
        push_new(&mut facts, Fact { id: String::new(), text: text.clone(), since: String::new() });
    }
    facts
}

fn push_new(facts: &mut Vec<Fact>, fact: Fact) {
    if !fact.text.trim().is_empty() && !facts.iter().any(|known| known.text == fact.text) {
        facts.push(fact);
    }
}

const WIDER: &[(&str, &[&str])] = &[
    ("name", &["name", "叫", "名字"]),
    ("home", &["live", "home", "moved", "住", "家", "搬"]),
    ("birthday", &["birthday", "born", "生日", "出生"]),
    ("job", &["work", "job", "工作", "上班"]),
    ("allergy", &["allergic", "allergy", "过敏"]),
    ("age", &["years old", "岁"]),
    ("code", &["code", "password", "密码"]),
    ("like", &["like", "favourite", "喜欢"]),
    ("dislike", &["hate", "dislike", "讨厌", "不喜欢"]),
    ("pet", &["pet", "dog", "cat", "养", "狗", "猫"]),
    ("origin", &["from", "hometown", "老家"]),
];
