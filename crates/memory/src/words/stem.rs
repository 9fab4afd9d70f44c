//! Makes English words that differ only by an ending the same. The result need not be a word, it only has to be the
//! same on both sides.

/// Shorter words are left alone: cutting them joins what does not belong together.
const STEM_CHARS_MIN: usize = 3;

/// The stem of a lower-case word. Words of other alphabets stay as they are.
pub(crate) fn stem(word: &str) -> String {
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) || word.len() <= STEM_CHARS_MIN {
        return word.to_owned();
    }
    let singular = without_plural(word);
    let base = without_tense(&singular);
    // British and American spelling: favourite, favorite.
    let base = if base.len() > 5 { base.replace("our", "or") } else { base };
    without_last_vowel(base)
}

fn without_plural(word: &str) -> String {
    if let Some(base) = word.strip_suffix("ies").filter(|base| base.len() >= 2) {
        return format!("{base}y");
    }
    for end in ["sses", "shes", "ches", "xes", "zes"] {
        if word.ends_with(end) {
            return word[..word.len() - 2].to_owned();
        }
    }
    match word.strip_suffix('s') {
        Some(base) if !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is") => {
            base.to_owned()
        }
        _ => word.to_owned(),
    }
}

fn without_tense(word: &str) -> String {
    for end in ["ing", "ed"] {
        let Some(base) = word.strip_suffix(end) else { continue };
        if base.len() < STEM_CHARS_MIN || !base.bytes().any(|byte| b"aeiouy".contains(&byte)) {
            continue;
        }
        // running, planned: the consonant was doubled for the ending.
        let bytes = base.as_bytes();
        let last = bytes[bytes.len() - 1];
        let doubled = bytes[bytes.len() - 2] == last && !b"lsz".contains(&last) && !b"aeiou".contains(&last);
        return if doubled { base[..base.len() - 1].to_owned() } else { base.to_owned() };
    }
    word.to_owned()
}

fn without_last_vowel(mut word: String) -> String {
    if word.len() > STEM_CHARS_MIN && word.ends_with('e') {
        word.pop();
    } else if word.ends_with('y') && word.len() > STEM_CHARS_MIN {
        word.pop();
        word.push('i');
    }
    word
}
