//! Cuts Chinese into words. The dictionary takes some 30 MB and 0.15 s, so it is loaded with the first Chinese text,
//! on a thread of its own, and never where only English is spoken.

use std::collections::BTreeSet;

use hearth_contract::language::is_han;
use jieba_rs::Jieba;
use tokio::sync::OnceCell;

static DICTIONARY: OnceCell<Jieba> = OnceCell::const_new();

/// Cuts runs of Chinese; without a dictionary, for texts without Chinese, a run is one word.
pub(super) struct Segmenter(Option<&'static Jieba>);

impl Segmenter {
    /// The one a text needs.
    pub(super) async fn for_text(text: &str) -> Self {
        if !text.chars().any(is_han) {
            return Self(None);
        }
        let loaded = DICTIONARY.get_or_try_init(|| tokio::task::spawn_blocking(Jieba::new)).await;
        if let Err(error) = &loaded {
            tracing::warn!(%error, "the Chinese dictionary could not be loaded; searching by characters");
        }
        Self(loaded.ok())
    }

    /// The words of a run, each character in one word.
    pub(super) fn words(&self, run: &str) -> Vec<String> {
        match self.0 {
            Some(jieba) => jieba.cut(run, true).iter().map(|token| token.word.to_owned()).collect(),
            None => vec![run.to_owned()],
        }
    }

    /// The words of a run and the shorter words inside them.
    pub(super) fn search_words(&self, run: &str) -> BTreeSet<String> {
        match self.0 {
            Some(jieba) => {
                jieba.cut_for_search(run, true).iter().map(|token| token.word.to_owned()).collect()
            }
            None => BTreeSet::from([run.to_owned()]),
        }
    }
}
