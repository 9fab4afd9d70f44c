//! Keeps secrets out of errors and logs.

use std::fmt;
use std::sync::{Arc, LazyLock};

use regex::{Captures, Regex};
use serde::{Deserialize, Deserializer};

/// What stands where a secret was.
const MASK: &str = "***";
/// Known secrets shorter than this (in bytes) are not searched for: replacing them would tear ordinary words.
const KNOWN_SECRET_BYTES_MIN: usize = 6;

/// A text that must not be printed. Its `Debug` shows a mask; [`Secret::expose`] is the only way to it.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Hides a text.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// The text itself, for the wire.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_empty() { "Secret(empty)" } else { "Secret(***)" })
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

/// Masks secrets in texts: those it was given, and what looks like one. Cloning shares the list.
#[derive(Clone, Default)]
pub struct Redactor {
    /// Longest first, so that a secret that holds another is masked whole.
    known: Arc<[Secret]>,
}

impl Redactor {
    /// Masks these, besides what looks like a secret.
    pub fn new(known: impl IntoIterator<Item = Secret>) -> Self {
        let mut known: Vec<Secret> =
            known.into_iter().filter(|secret| secret.expose().len() >= KNOWN_SECRET_BYTES_MIN).collect();
        known
            .sort_by(|a, b| b.expose().len().cmp(&a.expose().len()).then_with(|| a.expose().cmp(b.expose())));
        known.dedup();
        Self { known: known.into() }
    }

    /// The text with its secrets masked.
    pub fn redact(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in self.known.iter() {
            if text.contains(secret.expose()) {
                text = text.replace(secret.expose(), MASK);
            }
        }
        for pattern in PATTERNS.iter() {
            text = pattern.replace_all(&text, keep_the_name).into_owned();
        }
        text
    }

    /// The text in one line, masked, and cut to at most `chars_max` characters.
    pub fn short(&self, text: &str, chars_max: usize) -> String {
        let mut line = String::new();
        for word in self.redact(text).split_whitespace() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        match line.char_indices().nth(chars_max) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({} known)", self.known.len())
    }
}

fn keep_the_name(captures: &Captures<'_>) -> String {
    format!("{}{MASK}", captures.name("name").map_or("", |name| name.as_str()))
}

/// What looks like a secret. The group `name` is kept, the rest is masked.
static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        // Authorization values.
        r"(?i)(?P<name>\b(?:bearer|basic)\s+)[a-z0-9._~+/=-]{8,}",
        // Keys by the beginnings their vendors give them.
        r"\b(?:sk|pk|rk|gsk|hf|ghp|gho|ghs|glpat|xoxb|xoxp|xapp|nvapi|r8|tgp|AIza|AKIA)[-_]?(?P<name>)[A-Za-z0-9_-]{16,}",
        r"\bsk-(?P<name>)[A-Za-z0-9_*-]{4,}",
        // `api_key=…`, `"app_secret": "…"`, `password: …`, headers.
        r#"(?i)(?P<name>\b(?:[a-z0-9]+[_-])*(?:api[_-]?key|apikey|token|secret|password|passwd|authorization|signature)["']?\s*[:=]\s*["']?)[^\s"'&,;{}\[\]]{4,}"#,
        // A telegram bot's token inside a path.
        r"(?P<name>/bot)\d{6,}:[A-Za-z0-9_-]{20,}",
        // A name and password before the host of a URL.
        r"(?P<name>\b[a-z][a-z0-9+.-]*://)[^\s/@:]+:[^\s/@]+@",
    ]
    .into_iter()
    .map(compile)
    .collect()
});

#[allow(clippy::expect_used, reason = "the patterns are constants and every test of this file compiles them")]
fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let redactor = Redactor::new([Secret::new("correct-horse"), Secret::new("correct-horse-battery")]);
        assert_eq!(redactor.redact(text), expected);
    }

    #[test]
    fn known_secrets_are_masked_whole() {
        check("key correct-horse-battery refused", "key *** refused");
        check("密钥correct-horse错误", "密钥***错误");
    }

    #[test]
    fn what_looks_like_a_secret_is_masked() {
        check("Authorization: Bearer abcdefgh12345", "Authorization: *** ***");
        check("Incorrect API key provided: sk-abc1234567890def.", "Incorrect API key provided: ***.");
        check("Incorrect API key provided: sk-ab****yz", "Incorrect API key provided: ***");
        check("GET /v1?api_key=hunter2hunter&x=1", "GET /v1?api_key=***&x=1");
        check(r#"{"app_secret":"abcd1234","n":1}"#, r#"{"app_secret":"***","n":1}"#);
        check("x-api-key: 0123456789", "x-api-key: ***");
        check("https://me:pass@host/x", "https://***host/x");
        check(
            "https://api.telegram.org/bot123456789:AAbbccddeeffgghhiijjkkllmm/getMe",
            "https://api.telegram.org/bot***/getMe",
        );
        check("key gsk_abcdefghijklmnop1234 bad", "key *** bad");
    }

    #[test]
    fn ordinary_text_stays() {
        for text in [
            "max_tokens: 4096 exceeds the limit of 2048",
            "This model's maximum context length is 8192 tokens",
            "用户说：密码是什么",
            "ask-me-anything",
            "http://127.0.0.1:11434/v1/chat/completions",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn a_short_text_is_one_line_and_cut_between_characters() {
        let redactor = Redactor::default();
        assert_eq!(redactor.short("a\n  b\tc", 10), "a b c");
        assert_eq!(redactor.short("一二三四五", 3), "一二三…");
    }

    #[test]
    fn debug_shows_nothing() {
        let secret = Secret::new("hunter2hunter2");
        let shown = format!("{:?} {:?}", secret, Redactor::new([secret.clone()]));
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}
