//! Slips of the keyboard in the words that requests are made with: `show my remiders`, `remind me tommorow at 8`.
//!
//! Only words of the grammar are put right, only where nothing was understood or a time is looked for, and never
//! inside quotation marks. What is a word of its own (`remainder`) stays.

use super::text::Text;

/// The words of requests that a slip is mended to. Shorter ones have too many neighbours that are words.
const WORDS: &[&str] = &[
    "remember",
    "remind",
    "reminder",
    "reminders",
    "forget",
    "cancel",
    "tomorrow",
    "tonight",
    "second",
    "seconds",
    "minute",
    "minutes",
    "morning",
    "afternoon",
    "evening",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "birthday",
    "favourite",
    "favorite",
    "allergic",
    "allergy",
    "calculate",
    "workspace",
    "password",
    "directory",
    "address",
    "append",
    "overwrite",
];
/// One letter away from a word above, and right as they are.
const RIGHT: &[&str] = &[
    "remainder",
    "remainders",
    "rewind",
    "remand",
    "forgot",
    "forges",
    "forged",
    "forger",
    "cancer",
    "chancel",
    "minuet",
    "minuets",
    "mourning",
    "moaning",
    "leavening",
    "beckons",
    "reckons",
    "append",
    "upend",
    "holiday",
    "allegro",
    "sundry",
    "passwords",
];
/// Common slips that are more than one letter off.
const COMMON: &[(&str, &str)] = &[
    ("tommorow", "tomorrow"),
    ("tomorow", "tomorrow"),
    ("tommorrow", "tomorrow"),
    ("tomoro", "tomorrow"),
    ("2morrow", "tomorrow"),
    ("2moro", "tomorrow"),
    ("wensday", "wednesday"),
    ("wendsday", "wednesday"),
    ("wenesday", "wednesday"),
    ("remeber", "remember"),
    ("remmeber", "remember"),
    ("rember", "remember"),
    ("remnid", "remind"),
    ("brithday", "birthday"),
    ("bithday", "birthday"),
    ("calender", "calendar"),
    ("minuites", "minutes"),
    ("mintues", "minutes"),
    ("alergic", "allergic"),
    ("favrite", "favorite"),
    ("gimme", "give me"),
    ("lemme", "let me"),
];
/// Shorter words are left alone.
const LETTERS_MIN: usize = 5;

/// The input with its slips put right, or none if there are none.
pub(crate) fn mended(input: &str) -> Option<String> {
    let text = Text::new(input);
    let mut mended = String::with_capacity(input.len());
    let mut quoted = false;
    let mut changed = false;
    for piece in text.raw().split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let word = piece.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let right = meant(&word.to_ascii_lowercase()).filter(|_| !quoted);
        changed |= right.is_some();
        mended.push_str(right.unwrap_or(word));
        mended.push_str(&piece[word.len()..]);
        quoted ^= piece.ends_with(['"', '“', '”', '`', '「', '」']);
    }
    changed.then_some(mended)
}

/// The word of the grammar that was meant, if this is none but nearly one.
fn meant(word: &str) -> Option<&'static str> {
    if word.len() < LETTERS_MIN || WORDS.contains(&word) || RIGHT.contains(&word) {
        return None;
    }
    let common = COMMON.iter().find(|(slip, _)| *slip == word).map(|(_, right)| *right);
    let near = WORDS.iter().copied().filter(|right| !is_form_of(word, right) && is_near(word, right));
    // `minuts` are minutes, not a minute: of two words the one that ends alike is meant.
    common.or_else(|| near.max_by_key(|right| right.as_bytes().last() == word.as_bytes().last()))
}

/// `reminds` and `cancels` are forms of the word, not slips.
fn is_form_of(word: &str, right: &str) -> bool {
    word.strip_prefix(right).is_some_and(|ending| matches!(ending, "s" | "d" | "r"))
}

/// Whether one letter is missing, too many, wrong, or changed places with its neighbour.
fn is_near(word: &str, right: &str) -> bool {
    let (word, right) = (word.as_bytes(), right.as_bytes());
    let same_start = word.iter().zip(right).take_while(|(a, b)| a == b).count();
    let (word, right) = (&word[same_start..], &right[same_start..]);
    let swapped = || {
        word.len() >= 2
            && right.len() >= 2
            && word[0] == right[1]
            && word[1] == right[0]
            && word[2..] == right[2..]
    };
    match word.len() as i64 - right.len() as i64 {
        // The first letter is rarely the wrong one, and `holiday` is no Monday.
        0 => same_start > 0 && (word.get(1..) == right.get(1..) || swapped()),
        1 => word.get(1..) == Some(right),
        -1 => Some(word) == right.get(1..),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
