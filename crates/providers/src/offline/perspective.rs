//! From the user's point of view to the agent's: `我喜欢` becomes `你喜欢`, `my name is` becomes `your name is`.

use hearth_contract::language::{Language, is_han};

/// Says back to the user what the user said of themselves (and of the agent).
pub(crate) fn shift(text: &str) -> String {
    let text = text.trim();
    match Language::of(text) {
        Language::Zh => shift_chinese(text),
        Language::En => shift_english(text),
    }
}

fn shift_chinese(text: &str) -> String {
    let mut shifted = String::with_capacity(text.len());
    let mut before = ' ';
    for c in text.chars() {
        shifted.push(match c {
            '我' | '俺' if before != '自' => '你',
            '咱' => '你',
            '你' | '您' => '我',
            other => other,
        });
        before = c;
    }
    let named = shifted.strip_prefix("用户").or_else(|| shifted.strip_prefix("主人"));
    if let Some(rest) = named {
        return format!("你{rest}");
    }
    // English words in a Chinese sentence keep their own forms.
    if shifted.chars().any(is_han) { shifted } else { shift_english(text) }
}

/// Two-word forms before single words.
const PAIRS: &[(&str, &str, &str)] = &[
    ("i", "am", "you are"),
    ("i", "was", "you were"),
    ("am", "i", "are you"),
    ("was", "i", "were you"),
    ("you", "are", "I am"),
    ("you", "were", "I was"),
    ("you", "have", "I have"),
    ("you", "should", "I should"),
    ("you", "can", "I can"),
    ("you", "will", "I will"),
    ("the", "user", "you"),
];

const WORDS: &[(&str, &str)] = &[
    ("i", "you"),
    ("i'm", "you're"),
    ("im", "you're"),
    ("i've", "you've"),
    ("i'd", "you'd"),
    ("i'll", "you'll"),
    ("me", "you"),
    ("my", "your"),
    ("mine", "yours"),
    ("myself", "yourself"),
    ("you", "me"),
    ("you're", "I'm"),
    ("your", "my"),
    ("yours", "mine"),
    ("our", "your"),
    ("we", "you"),
    ("us", "you"),
    ("we're", "you're"),
    ("user", "you"),
    ("user's", "your"),
];

fn shift_english(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let mut shifted: Vec<String> = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let (word, tail) = core(words[at]);
        let next = words.get(at + 1).map(|next| core(next));
        if let Some((next_word, next_tail)) = next
            && tail.is_empty()
            && let Some((.., pair)) = PAIRS.iter().find(|(a, b, _)| *a == word && *b == next_word)
        {
            shifted.push(format!("{pair}{next_tail}"));
            at += 2;
            continue;
        }
        match WORDS.iter().find(|(from, _)| *from == word) {
            Some((_, to)) => shifted.push(format!("{to}{tail}")),
            None => shifted.push(words[at].to_owned()),
        }
        at += 1;
    }
    shifted.join(" ")
}

/// A word in lower case with straight apostrophes, and the punctuation after it.
fn core(word: &str) -> (String, &str) {
    let end = word.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’').len();
    (word[..end].to_lowercase().replace('’', "'"), &word[end..])
}

/// The first letter in upper case.
fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// A text as a sentence of its own: capitalised, with a full stop.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim();
    let body = text.trim_end_matches(['。', '.', '，', ',', '；', ';', ' ']);
    let ended = body.ends_with(['!', '！', '?', '？', '~', '…']);
    let stop = if ended { "" } else { Language::of(body).pick(".", "。") };
    let begun = if body.chars().any(is_han) { body.to_owned() } else { capitalised(body) };
    format!("{begun}{stop}")
}

#[cfg(test)]
mod tests;
