//! One text in both languages; which one is shown is decided where it is printed.

use hearth_contract::language::Language;

/// The same text in English and Chinese.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Words {
    /// In English; this one goes to logs.
    pub(crate) en: String,
    /// In Chinese.
    pub(crate) zh: String,
}

impl Words {
    /// A text that is the same in both, such as what another program said.
    pub(crate) fn same(text: impl Into<String>) -> Self {
        let en = text.into();
        Self { zh: en.clone(), en }
    }

    /// Whether there is nothing to say.
    pub(crate) fn is_empty(&self) -> bool {
        self.en.is_empty()
    }

    /// In this language.
    pub(crate) fn in_language(&self, language: Language) -> &str {
        language.pick(&self.en, &self.zh)
    }
}

/// Makes [`Words`] from an English and a Chinese format string that capture the same variables.
macro_rules! words {
    ($en:literal, $zh:literal $(,)?) => {
        $crate::words::Words { en: format!($en), zh: format!($zh) }
    };
}
pub(crate) use words;
