//! Words: under which ones a text is found, and which ones a question looks for.
//!
//! Chinese is segmented by a dictionary; character pairs are added so that unknown names match too. English is
//! lower-cased and lightly stemmed. What carries digits or joins (`v1.2.3`, `C++`, `project-12`, `a@b.cn`) stays whole.
//! An index word holds only letters, digits and `+#.-_@`; one that begins with `_` is no word of the text but a
//! character pair (`_乌龙`) or a concept (`__drink`, `__drink.kind`), so the two kinds never mix.

mod runs;
mod segmenter;
mod stem;
mod stop;

use std::collections::BTreeSet;

use hearth_contract::language::is_han;

use crate::concepts::{self, Sense};
use runs::{Run, runs};
use segmenter::Segmenter;

/// Characters of a question that are looked at; what follows adds nothing to a search.
const QUESTION_CHARS_MAX: usize = 2_000;
/// Words a question searches for at most.
const QUESTION_WORDS_MAX: usize = 64;

/// How much the parts of a question count.
mod weight {
    /// Something exact: a number, a version, a name with joins.
    pub(super) const EXACT: f64 = 1.5;
    /// A word.
    pub(super) const WORD: f64 = 1.0;
    /// A single Chinese character, which means little alone.
    pub(super) const CHARACTER: f64 = 0.5;
    /// A word that is in most questions about people, such as `like`.
    pub(super) const LIGHT: f64 = 0.4;
}

/// The words under which a text is found, separated by blanks, each once.
pub async fn index_words(text: &str) -> String {
    let segmenter = Segmenter::for_text(text).await;
    let words: BTreeSet<String> = words_of(text, &segmenter);
    words.into_iter().collect::<Vec<_>>().join(" ")
}

/// A question, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The words to search for: any of them.
    pub words: Vec<String>,
    /// What the question is about, by which a found text is judged. Words that are in every question are left out.
    units: Vec<Unit>,
}

/// One thing a question asks about.
#[derive(Debug, Clone, PartialEq)]
struct Unit {
    /// As it is written, in lower case.
    surface: String,
    /// As it is indexed.
    word: String,
    /// How much it counts.
    weight: f64,
}

/// How well a word of a question is matched by a text.
mod degree {
    /// The word itself is there.
    pub(super) const SAME: f64 = 1.0;
    /// All its character pairs are there: the text was segmented otherwise. Less for some of them.
    pub(super) const PAIRS: f64 = 0.8;
    /// A word of the same meaning is there.
    pub(super) const CONCEPT: f64 = 0.7;
    /// A kind of what is asked for is there, or what is asked for is a kind of it. Alone, beside another word of the
    /// question that is not there, it is not enough: not all that is blue answers a question about a colour.
    pub(super) const KIND: f64 = 0.45;
    /// Its characters are somewhere inside the text.
    pub(super) const INSIDE: f64 = 0.6;
}

impl Question {
    /// Takes a question apart.
    pub async fn of(text: &str) -> Self {
        let text: String = text.chars().take(QUESTION_CHARS_MAX).collect();
        let segmenter = Segmenter::for_text(&text).await;
        let units = units_of(&text, &segmenter);
        let mut words: Vec<String> = Vec::new();
        for unit in &units {
            for word in unit.search_words(&segmenter) {
                if words.len() < QUESTION_WORDS_MAX && !words.contains(&word) {
                    words.push(word);
                }
            }
        }
        Self { words, units }
    }

    /// How much of the question a text covers, from 0 to 1.
    pub async fn coverage(&self, text: &str) -> f64 {
        let segmenter = Segmenter::for_text(text).await;
        let words = words_of(text, &segmenter);
        let lower = runs::normalize(text);
        let all: f64 = self.units.iter().map(|unit| unit.weight).sum();
        let found: f64 = self.units.iter().map(|unit| unit.weight * unit.degree(&words, &lower)).sum();
        if all > 0.0 { found / all } else { 0.0 }
    }

    /// The pieces that are worth a substring search, the longest first; at most `limit`.
    pub fn pieces(&self, limit: usize) -> Vec<&str> {
        let telling = |unit: &&Unit| unit.weight > weight::LIGHT;
        let mut pieces: Vec<&str> =
            self.units.iter().filter(telling).map(|unit| unit.surface.as_str()).collect();
        pieces.sort_by_key(|piece| std::cmp::Reverse(piece.chars().count()));
        pieces.truncate(limit);
        pieces
    }
}

impl Unit {
    fn search_words(&self, segmenter: &Segmenter) -> Vec<String> {
        let mut words = vec![self.word.clone()];
        for sense in senses(&self.word) {
            match sense {
                Sense::Itself(name) => words.extend([itself(name), kind(name)]),
                Sense::Kind(name) => words.push(itself(name)),
            }
        }
        if is_cjk(&self.word) {
            words.extend(segmenter.search_words(&self.word));
            words.extend(pairs(&self.word));
        }
        words
    }

    fn degree(&self, words: &BTreeSet<String>, lower: &str) -> f64 {
        if words.contains(&self.word) {
            return degree::SAME;
        }
        let by_pairs = degree::PAIRS * self.pairs_found(words);
        let by_sense = senses(&self.word).into_iter().map(|sense| match sense {
            Sense::Itself(name) if words.contains(&itself(name)) => degree::CONCEPT,
            Sense::Itself(name) if words.contains(&kind(name)) => degree::KIND,
            Sense::Kind(name) if words.contains(&itself(name)) => degree::KIND,
            Sense::Itself(_) | Sense::Kind(_) => 0.0,
        });
        // Two or three letters are inside too many words to mean anything.
        let telling = is_cjk(&self.surface) || self.surface.len() > 3;
        let inside = if telling && lower.contains(&self.surface) { degree::INSIDE } else { 0.0 };
        by_sense.fold(inside.max(by_pairs), f64::max)
    }

    /// The share of its character pairs that are there; zero below one half.
    fn pairs_found(&self, words: &BTreeSet<String>) -> f64 {
        if !is_cjk(&self.word) {
            return 0.0;
        }
        let pairs = pairs(&self.word);
        let found = pairs.iter().filter(|pair| words.contains(*pair)).count();
        if found == 0 || 2 * found < pairs.len() { 0.0 } else { found as f64 / pairs.len() as f64 }
    }
}

/// All index words of a text.
fn words_of(text: &str, segmenter: &Segmenter) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for run in runs(text) {
        match run {
            Run::Cjk(run) => {
                words.extend(pairs(&run));
                for word in segmenter.search_words(&run) {
                    words.extend(concept_words(&word));
                    words.insert(word);
                }
            }
            Run::Word(word) => {
                let word = stem::stem(&word);
                words.extend(concept_words(&word));
                words.insert(word);
            }
            Run::Exact { whole, parts } => {
                for part in parts {
                    words.insert(stem::stem(&part));
                }
                words.extend(concept_words(&whole));
                words.insert(whole);
            }
        }
    }
    words
}

/// What a question asks about: its words without those that every question has.
fn units_of(text: &str, segmenter: &Segmenter) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    let mut add = |surface: String, word: String, weight: f64| {
        if units.iter().all(|unit| unit.word != word) {
            units.push(Unit { surface, word, weight });
        }
    };
    for run in runs(text) {
        match run {
            Run::Cjk(run) => {
                for word in segmenter.words(&run) {
                    if !stop::is_stop(&word) {
                        let weight = if stop::is_light(&word) {
                            weight::LIGHT
                        } else if word.chars().count() == 1 {
                            weight::CHARACTER
                        } else {
                            weight::WORD
                        };
                        add(word.clone(), word, weight);
                    }
                }
            }
            Run::Word(surface) => {
                if !stop::is_stop(&surface) {
                    let weight = if stop::is_light(&surface) { weight::LIGHT } else { weight::WORD };
                    let word = stem::stem(&surface);
                    add(surface, word, weight);
                }
            }
            Run::Exact { whole, .. } => add(whole.clone(), whole, weight::EXACT),
        }
    }
    units
}

/// Neighbouring characters of a run, two by two, as index words.
fn pairs(run: &str) -> Vec<String> {
    let characters: Vec<char> = run.chars().collect();
    characters.windows(2).map(|pair| format!("_{}{}", pair[0], pair[1])).collect()
}

/// The concepts of an index word, as index words.
fn concept_words(word: &str) -> Vec<String> {
    let as_word = |sense| match sense {
        Sense::Itself(name) => itself(name),
        Sense::Kind(name) => kind(name),
    };
    senses(word).into_iter().map(as_word).collect()
}

fn senses(word: &str) -> Vec<Sense> {
    if word.chars().any(is_han) { concepts::of_chinese(word) } else { concepts::of_english(word, stem::stem) }
}

/// The index word of a concept.
fn itself(name: &str) -> String {
    format!("__{name}")
}

/// The index word of a kind of a concept.
fn kind(name: &str) -> String {
    format!("__{name}.kind")
}

fn is_cjk(word: &str) -> bool {
    word.chars().all(runs::is_unspaced)
}

#[cfg(test)]
mod tests;
