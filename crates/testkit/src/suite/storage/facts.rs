//! Facts of memory.

use hearth_contract::clock::UnixMs;
use hearth_contract::id::{ChatKey, FactId, MessageId};
use hearth_contract::store::{Audience, FactChange, FactHit, FactQuery, FactRecord, Stores};

use super::samples::{fact, put_fact};
use super::{Case, cases};

pub(super) const CASES: &[Case] = cases![
    a_fact_is_found_by_its_words,
    a_better_match_comes_first,
    a_fact_is_shown_only_to_its_audience,
    a_fact_that_no_longer_holds_is_not_found,
    a_search_keeps_to_its_times_and_its_limit,
    a_fact_is_found_by_a_piece_of_its_text,
    a_key_names_one_fact_of_an_audience,
    a_fact_gains_sources,
];

fn query(words: &[&str]) -> FactQuery {
    FactQuery {
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        audiences: vec![Audience::Owner],
        since: None,
        until: None,
        limit: 10,
    }
}

fn texts(hits: &[FactHit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.fact.text.as_str()).collect()
}

async fn put(stores: &Stores, text: &str, words: &str) -> FactRecord {
    let fact = fact(Audience::Owner, text, UnixMs(100));
    stores.ledger.commit(vec![put_fact(&fact, words)]).await.unwrap();
    fact
}

async fn a_fact_is_found_by_its_words(stores: &Stores) {
    let tea = put(stores, "最喜欢乌龙茶", "最 喜欢 乌龙 乌龙茶").await;
    put(stores, "writes C++ at project-12", "writes C++ at project-12").await;
    put(stores, "Café owner", "Café owner").await;
    let found = async |words: &[&str]| stores.facts.search(&query(words)).await.unwrap();
    let hits = found(&["乌龙茶"]).await;
    assert_eq!(hits.len(), 1);
    assert_eq!(hits[0].fact, tea);
    assert!(hits[0].score > 0.0, "{}", hits[0].score);
    assert_eq!(texts(&found(&["不在", "喜欢"]).await), ["最喜欢乌龙茶"]);
    assert_eq!(texts(&found(&["c++"]).await), ["writes C++ at project-12"]);
    assert_eq!(texts(&found(&["project-12"]).await), ["writes C++ at project-12"]);
    assert_eq!(found(&["project", "C", "喜"]).await, []);
    assert_eq!(texts(&found(&["cafe"]).await), ["Café owner"]);
    for nothing in [&[][..], &[""], &["\""], &["*"], &["%", "(", "NEAR"]] {
        assert_eq!(found(nothing).await, [], "{nothing:?}");
    }
    assert_eq!(texts(&found(&["*", "owner", "\"", "AND"]).await), ["Café owner"]);
}

async fn a_better_match_comes_first(stores: &Stores) {
    put(stores, "one", "tea cup").await;
    put(stores, "both", "tea oolong").await;
    for number in 0..8 {
        put(stores, "neither", &format!("word{number} other")).await;
    }
    let hits = stores.facts.search(&query(&["tea", "oolong"])).await.unwrap();
    assert_eq!(texts(&hits), ["both", "one"]);
    assert!(hits[0].score > hits[1].score);
}

async fn a_fact_is_shown_only_to_its_audience(stores: &Stores) {
    let group = Audience::Chat(ChatKey::new("qq", "群:1"));
    let all = [
        fact(Audience::Owner, "owner", UnixMs(1)),
        fact(group.clone(), "group", UnixMs(2)),
        fact(Audience::Chat(ChatKey::new("qq", "2")), "other group", UnixMs(3)),
        fact(Audience::Public, "public", UnixMs(4)),
    ];
    stores.ledger.commit(all.iter().map(|fact| put_fact(fact, "word")).collect()).await.unwrap();
    let asked = FactQuery { audiences: vec![group, Audience::Public], ..query(&["word"]) };
    let mut seen = stores.facts.search(&asked).await.unwrap();
    seen.sort_by_key(|hit| hit.fact.valid_from);
    assert_eq!(texts(&seen), ["group", "public"]);
    assert_eq!(texts(&stores.facts.containing("", &asked).await.unwrap()), ["public", "group"]);
    let nobody = FactQuery { audiences: vec![], ..asked };
    assert_eq!(stores.facts.search(&nobody).await.unwrap(), []);
    for fact in all {
        assert_eq!(stores.facts.get(fact.id).await.unwrap(), Some(fact));
    }
}

async fn a_fact_that_no_longer_holds_is_not_found(stores: &Stores) {
    let old = put(stores, "old", "word").await;
    let new = put(stores, "new", "word").await;
    let close = |at, replaced_by| FactChange::Close { fact: old.id, at: UnixMs(at), replaced_by };
    stores.ledger.commit(vec![close(500, Some(new.id)).into()]).await.unwrap();
    stores.ledger.commit(vec![close(600, None).into()]).await.unwrap();
    assert_eq!(texts(&stores.facts.search(&query(&["word"])).await.unwrap()), ["new"]);
    assert_eq!(texts(&stores.facts.containing("", &query(&[])).await.unwrap()), ["new"]);
    let closed = stores.facts.get(old.id).await.unwrap().unwrap();
    assert_eq!((closed.valid_to, closed.replaced_by), (Some(UnixMs(500)), Some(new.id)));
    assert_eq!(stores.facts.get(FactId::new()).await.unwrap(), None);
}

async fn a_search_keeps_to_its_times_and_its_limit(stores: &Stores) {
    let facts: Vec<_> = (1..=4).map(|at| fact(Audience::Owner, &format!("{at}"), UnixMs(at))).collect();
    stores.ledger.commit(facts.iter().map(|fact| put_fact(fact, "word")).collect()).await.unwrap();
    let between = FactQuery { since: Some(UnixMs(2)), until: Some(UnixMs(4)), ..query(&["word"]) };
    let mut found = stores.facts.search(&between).await.unwrap();
    found.sort_by_key(|hit| hit.fact.valid_from);
    assert_eq!(texts(&found), ["2", "3"]);
    assert_eq!(texts(&stores.facts.containing("", &between).await.unwrap()), ["3", "2"]);
    let few = FactQuery { limit: 3, ..query(&["word"]) };
    assert_eq!(stores.facts.search(&few).await.unwrap().len(), 3);
    assert_eq!(texts(&stores.facts.containing("", &few).await.unwrap()), ["4", "3", "2"]);
}

async fn a_fact_is_found_by_a_piece_of_its_text(stores: &Stores) {
    put(stores, "50% 的糖", "50 糖").await;
    put(stores, "500 的糖", "500 糖").await;
    put(stores, r"a_b\c", "x").await;
    put(stores, "aXb", "x").await;
    let found = async |piece: &str| stores.facts.containing(piece, &query(&["ignored"])).await.unwrap();
    assert_eq!(texts(&found("0%").await), ["50% 的糖"]);
    assert_eq!(texts(&found("a_b").await), [r"a_b\c"]);
    assert_eq!(texts(&found(r"\").await), [r"a_b\c"]);
    let sugar = found("的糖").await;
    assert_eq!(texts(&sugar), ["500 的糖", "50% 的糖"]);
    assert!(sugar.iter().all(|hit| hit.score == 0.0));
    assert_eq!(found("茶").await, []);
}

async fn a_key_names_one_fact_of_an_audience(stores: &Stores) {
    let keyed = |audience: Audience, text: &str, at| FactRecord {
        key: Some("drink".into()),
        ..fact(audience, text, UnixMs(at))
    };
    let (tea, coffee) = (keyed(Audience::Owner, "tea", 1), keyed(Audience::Owner, "coffee", 2));
    let elsewhere = keyed(Audience::Public, "water", 3);
    stores.ledger.commit(vec![put_fact(&tea, "tea"), put_fact(&elsewhere, "water")]).await.unwrap();
    let by_key = async |audience: &Audience| stores.facts.by_key(audience, "drink").await.unwrap();
    assert_eq!(by_key(&Audience::Owner).await, Some(tea.clone()));
    let close = FactChange::Close { fact: tea.id, at: UnixMs(2), replaced_by: Some(coffee.id) };
    stores.ledger.commit(vec![put_fact(&coffee, "coffee"), close.into()]).await.unwrap();
    assert_eq!(by_key(&Audience::Owner).await, Some(coffee));
    assert_eq!(by_key(&Audience::Chat(ChatKey::new("qq", "1"))).await, None);
    assert_eq!(stores.facts.by_key(&Audience::Owner, "food").await.unwrap(), None);
}

async fn a_fact_gains_sources(stores: &Stores) {
    let fact = put(stores, "tea", "tea").await;
    let (known, new) = (fact.sources[0], MessageId::new());
    let cite = FactChange::Cite { fact: fact.id, sources: vec![new, known, new] };
    stores.ledger.commit(vec![cite.into()]).await.unwrap();
    assert_eq!(stores.facts.get(fact.id).await.unwrap().unwrap().sources, [known, new]);
}
