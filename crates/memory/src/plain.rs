//! Memory on full-text search: no model, no embedding. Candidates come from the index; how much of the question each
//! covers decides, the index's own score orders what is alike, importance and recency only break ties.

use std::cmp::Reverse;
use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::id::FactId;
use hearth_contract::memory::{
    ForgetRequest, ForgetTarget, Forgotten, Memory, NewFact, RecallQuery, Recalled,
};
use hearth_contract::rights::Role;
use hearth_contract::store::{
    Audience, Change, FactChange, FactHit, FactQuery, FactRecord, Facts, StoreError,
};

use crate::words::{Question, index_words};

/// What covers less of a question than this does not fit: nothing is better than something else.
pub(crate) const COVERAGE_MIN: f64 = 0.34;
/// The part of a score that comes from the index; the rest is coverage.
const INDEX_SHARE: f64 = 0.15;
/// Scores that differ by less than this are ties.
const TIE: f64 = 0.02;
/// Candidates that are judged for each answer wanted, and the bounds of their number.
const CANDIDATES_PER_ANSWER: usize = 8;
const CANDIDATES_MIN: usize = 40;
const CANDIDATES_MAX: usize = 200;
/// Pieces of a question that are tried as substrings when its words find nothing.
const PIECES_MAX: usize = 3;
/// Facts with the same text that are looked at when one is stored.
const SAME_TEXT_MAX: usize = 32;

/// Memory on full-text search.
#[derive(Debug)]
pub struct PlainMemory {
    facts: Arc<dyn Facts>,
}

impl PlainMemory {
    /// Over a store of facts.
    pub fn new(facts: Arc<dyn Facts>) -> Self {
        Self { facts }
    }

    /// Judges candidates by the question; those that do not fit are left out.
    async fn judge(&self, question: &Question, candidates: Vec<FactHit>) -> Vec<Recalled> {
        let best = candidates.iter().map(|hit| hit.score).fold(0.0, f64::max);
        let mut fitting = Vec::new();
        for hit in candidates {
            let coverage = question.coverage(&hit.fact.text).await;
            if coverage >= COVERAGE_MIN {
                let index = if best > 0.0 { (hit.score / best).max(0.0) } else { 0.0 };
                let score = coverage * (1.0 - INDEX_SHARE) + index * INDEX_SHARE;
                fitting.push(Recalled { fact: hit.fact, score });
            }
        }
        fitting
    }

    /// The fact of this audience that says exactly the same, if there is one.
    async fn same_text(&self, audience: &Audience, text: &str) -> Result<Option<FactRecord>, StoreError> {
        let query = FactQuery {
            words: Vec::new(),
            audiences: vec![audience.clone()],
            since: None,
            until: None,
            limit: SAME_TEXT_MAX,
        };
        let hits = self.facts.containing(text, &query).await?;
        Ok(hits.into_iter().map(|hit| hit.fact).find(|fact| fact.text == text))
    }
}

#[async_trait]
impl Memory for PlainMemory {
    async fn recall(&self, query: &RecallQuery) -> Result<Vec<Recalled>, StoreError> {
        let question = Question::of(&query.text).await;
        let mut search = FactQuery {
            words: question.words.clone(),
            audiences: query.viewer.may_see(),
            since: query.since,
            until: query.until,
            limit: (query.limit * CANDIDATES_PER_ANSWER).clamp(CANDIDATES_MIN, CANDIDATES_MAX),
        };
        if query.text.trim().is_empty() {
            search.limit = query.limit;
            let newest = self.facts.containing("", &search).await?;
            return Ok(newest.into_iter().map(|hit| Recalled { fact: hit.fact, score: 0.0 }).collect());
        }
        let mut found = Vec::new();
        if !search.words.is_empty() {
            found = self.judge(&question, self.facts.search(&search).await?).await;
        }
        for piece in question.pieces(PIECES_MAX) {
            if !found.is_empty() {
                break;
            }
            found = self.judge(&question, self.facts.containing(piece, &search).await?).await;
        }
        best_first(&mut found);
        found.truncate(query.limit);
        Ok(found)
    }

    async fn remember(&self, fact: NewFact) -> Result<Vec<Change>, StoreError> {
        let audience = fact.viewer.audience();
        let text = fact.text.trim();
        let by_key = match &fact.key {
            Some(key) => self.facts.by_key(&audience, key).await?,
            None => None,
        };
        let older = match by_key {
            Some(older) => Some(older),
            // A fact under another key is another fact, even if it says the same.
            None => {
                self.same_text(&audience, text).await?.filter(|same| fact.key.is_none() || same.key.is_none())
            }
        };
        let mut sources = fact.sources;
        if let Some(older) = &older
            && older.text == text
        {
            if fact.key.is_none() || older.key == fact.key {
                sources.retain(|source| !older.sources.contains(source));
                if sources.is_empty() {
                    return Ok(Vec::new());
                }
                return Ok(vec![FactChange::Cite { fact: older.id, sources }.into()]);
            }
            let earlier = older.sources.iter().filter(|source| !sources.contains(source)).copied().collect();
            sources = [earlier, sources].concat();
        }
        let record = FactRecord {
            id: FactId::new(),
            text: text.to_owned(),
            key: fact.key,
            importance: fact.importance.clamp(0.0, 1.0),
            audience,
            sources,
            valid_from: fact.at,
            valid_to: None,
            replaced_by: None,
        };
        let id = record.id;
        let words = index_words(text).await;
        let mut changes = vec![FactChange::Put { fact: record, words }.into()];
        if let Some(older) = older {
            changes.push(FactChange::Close { fact: older.id, at: fact.at, replaced_by: Some(id) }.into());
        }
        Ok(changes)
    }

    async fn forget(&self, request: &ForgetRequest) -> Result<Option<Forgotten>, StoreError> {
        let viewer = &request.viewer;
        let fact = match &request.which {
            ForgetTarget::Id(id) => self.facts.get(*id).await?,
            ForgetTarget::Key(key) => self.facts.by_key(&viewer.audience(), key).await?,
        };
        // What everybody may know is not one chat's to forget.
        let may_forget = |fact: &FactRecord| match fact.audience {
            Audience::Public => viewer.role == Role::Owner,
            Audience::Owner | Audience::Chat(_) => viewer.may_see().contains(&fact.audience),
        };
        let holds = |fact: &FactRecord| fact.valid_to.is_none() && may_forget(fact);
        Ok(fact.filter(holds).map(|fact| {
            let close = FactChange::Close { fact: fact.id, at: request.at, replaced_by: None };
            Forgotten { fact, changes: vec![close.into()] }
        }))
    }
}

/// Orders by score; among ties the more important, then the newer comes first.
fn best_first(found: &mut [Recalled]) {
    let steps = |share: f64, step: f64| (share / step).round() as i64;
    found.sort_by_key(|recalled| {
        let fact = &recalled.fact;
        Reverse((steps(recalled.score, TIE), steps(fact.importance, 0.001), fact.valid_from, fact.id))
    });
}

#[cfg(test)]
mod tests;
