//! The two languages Hearth speaks as equals.

use serde::{Deserialize, Serialize};

/// A language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Chinese.
    Zh,
}

impl Language {
    /// The language in which to answer this text: Chinese as soon as it holds a Chinese character.
    pub fn of(text: &str) -> Self {
        if text.chars().any(is_han) { Self::Zh } else { Self::En }
    }

    /// One of two texts.
    pub fn pick<T>(self, en: T, zh: T) -> T {
        match self {
            Self::En => en,
            Self::Zh => zh,
        }
    }
}

/// Whether a character is a Chinese one (Unicode CJK Unified Ideographs with extension A and the compatibility block).
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}
