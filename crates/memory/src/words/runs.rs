//! Cuts a text into runs of one kind: writing without spaces, plain words, and things that must stay whole.

use hearth_contract::language::is_han;

/// A stretch of a text, in lower case and with full-width letters made plain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Run {
    /// Characters of a script that is written without spaces.
    Cjk(String),
    /// Letters only.
    Word(String),
    /// With digits or joins: `v1.2.3`, `c++`, `project-12`, `a@b.cn`.
    Exact {
        /// As it is.
        whole: String,
        /// The words in it.
        parts: Vec<String>,
    },
}

/// Characters that may stand inside an exact word.
const JOINS: &[char] = &['+', '#', '.', '-', '_', '@'];

/// Whether a character belongs to a script that is written without spaces: Chinese, Japanese kana, Korean (which has
/// spaces, but endings grow onto its words).
pub(super) fn is_unspaced(c: char) -> bool {
    is_han(c) || matches!(c, '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7af}')
}

/// Lower case, full-width ASCII made plain (`Ｖ２` is `v2`).
pub(super) fn normalize(text: &str) -> String {
    let plain = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        _ => c,
    };
    text.chars().map(plain).flat_map(char::to_lowercase).collect()
}

/// Cuts a text.
pub(super) fn runs(text: &str) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut current = String::new();
    let mut current_unspaced = false;
    for c in normalize(text).chars() {
        let unspaced = is_unspaced(c);
        let belongs = unspaced || c.is_alphanumeric() || JOINS.contains(&c);
        if !current.is_empty() && (!belongs || unspaced != current_unspaced) {
            close(&mut current, current_unspaced, &mut runs);
        }
        if belongs {
            current.push(c);
            current_unspaced = unspaced;
        }
    }
    close(&mut current, current_unspaced, &mut runs);
    runs
}

fn close(current: &mut String, unspaced: bool, runs: &mut Vec<Run>) {
    let run = std::mem::take(current);
    if unspaced {
        runs.push(Run::Cjk(run));
        return;
    }
    // A join at an end is punctuation, except for the plus and the hash of C++ and C#.
    let run = run.trim_start_matches(JOINS).trim_end_matches(['.', '-', '_', '@']);
    if run.is_empty() {
        return;
    }
    if run.chars().all(char::is_alphabetic) {
        runs.push(Run::Word(run.to_owned()));
        return;
    }
    let has_letters = |part: &&str| part.chars().count() > 1 && part.chars().all(char::is_alphabetic);
    let parts = run.split(JOINS).filter(has_letters).map(str::to_owned).collect();
    runs.push(Run::Exact { whole: run.to_owned(), parts });
}
