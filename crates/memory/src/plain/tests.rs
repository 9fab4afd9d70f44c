//! Tests of remembering, recalling and forgetting, over facts in memory.

use std::sync::Mutex;

use hearth_contract::clock::UnixMs;
use hearth_contract::id::{ChatKey, MessageId};
use hearth_contract::memory::Viewer;
use hearth_contract::message::ChatKind;

use super::*;

/// Facts in a list, searched without an index; a hit's score is the number of its words.
#[derive(Debug, Default)]
struct ListedFacts(Mutex<Vec<(FactRecord, String)>>);

impl ListedFacts {
    fn apply(&self, changes: Vec<Change>) {
        let mut facts = self.0.lock().unwrap();
        for change in changes {
            let Change::Fact(change) = change else { panic!("not a change of a fact: {change:?}") };
            match change {
                FactChange::Put { fact, words } => facts.push((fact, words)),
                FactChange::Cite { fact: id, sources } => {
                    let (fact, _) = facts.iter_mut().find(|(fact, _)| fact.id == id).unwrap();
                    fact.sources.extend(sources);
                }
                FactChange::Close { fact: id, at, replaced_by } => {
                    let (fact, _) = facts.iter_mut().find(|(fact, _)| fact.id == id).unwrap();
                    fact.valid_to = Some(at);
                    fact.replaced_by = replaced_by;
                }
            }
        }
    }

    fn holding(&self, query: &FactQuery) -> Vec<(FactRecord, String)> {
        let holds = |fact: &FactRecord| {
            fact.valid_to.is_none()
                && query.audiences.contains(&fact.audience)
                && query.since.is_none_or(|since| fact.valid_from >= since)
                && query.until.is_none_or(|until| fact.valid_from < until)
        };
        let facts = self.0.lock().unwrap();
        let mut facts: Vec<_> = facts.iter().filter(|(fact, _)| holds(fact)).cloned().collect();
        facts.sort_by_key(|(fact, _)| Reverse((fact.valid_from, fact.id)));
        facts
    }
}

#[async_trait]
impl Facts for ListedFacts {
    async fn get(&self, id: FactId) -> Result<Option<FactRecord>, StoreError> {
        Ok(self.0.lock().unwrap().iter().map(|(fact, _)| fact).find(|fact| fact.id == id).cloned())
    }

    async fn search(&self, query: &FactQuery) -> Result<Vec<FactHit>, StoreError> {
        let score = |words: &str| {
            query.words.iter().filter(|word| words.split(' ').any(|other| other == **word)).count() as f64
        };
        let mut hits: Vec<FactHit> = self
            .holding(query)
            .into_iter()
            .map(|(fact, words)| FactHit { fact, score: score(&words) })
            .filter(|hit| hit.score > 0.0)
            .collect();
        hits.sort_by(|one, other| other.score.total_cmp(&one.score));
        hits.truncate(query.limit);
        Ok(hits)
    }

    async fn containing(&self, piece: &str, query: &FactQuery) -> Result<Vec<FactHit>, StoreError> {
        let piece = piece.to_lowercase();
        let contains = |fact: &FactRecord| fact.text.to_lowercase().contains(&piece);
        let hits = self.holding(query).into_iter().filter(|(fact, _)| contains(fact));
        Ok(hits.map(|(fact, _)| FactHit { fact, score: 0.0 }).take(query.limit).collect())
    }

    async fn by_key(&self, audience: &Audience, key: &str) -> Result<Option<FactRecord>, StoreError> {
        let facts = self.0.lock().unwrap();
        let fits = |fact: &&FactRecord| {
            fact.valid_to.is_none() && fact.audience == *audience && fact.key.as_deref() == Some(key)
        };
        Ok(facts.iter().map(|(fact, _)| fact).find(fits).cloned())
    }
}

/// A memory and the facts below it.
struct Fixture {
    facts: Arc<ListedFacts>,
    memory: PlainMemory,
}

impl Fixture {
    fn new() -> Self {
        let facts = Arc::new(ListedFacts::default());
        Self { memory: PlainMemory::new(facts.clone()), facts }
    }

    async fn remember(&self, fact: NewFact) -> Vec<Change> {
        let changes = self.memory.remember(fact).await.unwrap();
        self.facts.apply(changes.clone());
        changes
    }

    async fn recall(&self, viewer: &Viewer, text: &str) -> Vec<String> {
        let query =
            RecallQuery { text: text.into(), viewer: viewer.clone(), limit: 5, since: None, until: None };
        let found = self.memory.recall(&query).await.unwrap();
        assert!(found.iter().all(|recalled| (0.0..=1.0).contains(&recalled.score)), "{found:?}");
        found.into_iter().map(|recalled| recalled.fact.text).collect()
    }

    fn all(&self) -> Vec<FactRecord> {
        self.facts.0.lock().unwrap().iter().map(|(fact, _)| fact.clone()).collect()
    }
}

fn viewer(chat: &str, chat_kind: ChatKind, role: Role) -> Viewer {
    Viewer { session: ChatKey::new("cli", chat).dialog("default"), chat_kind, role }
}

fn owner() -> Viewer {
    viewer("me", ChatKind::Private, Role::Owner)
}

fn fact(text: &str, at: i64) -> NewFact {
    NewFact {
        text: text.into(),
        key: None,
        importance: 0.5,
        viewer: owner(),
        sources: vec![MessageId::new()],
        at: UnixMs(at),
    }
}

#[tokio::test]
async fn what_was_told_is_recalled_and_what_was_not_is_not() {
    let fixture = Fixture::new();
    for (at, text) in [
        (1, "我最喜欢乌龙茶"),
        (2, "My dentist is Dr. Miller"),
        (3, "项目代号是 project-12"),
        (4, "妻子的生日是五月三日"),
        (5, "The spare key is under the blue flowerpot"),
    ] {
        fixture.remember(fact(text, at)).await;
    }
    for (question, expected) in [
        ("我喜欢喝什么？", Some("我最喜欢乌龙茶")),
        ("乌龙", Some("我最喜欢乌龙茶")),
        ("茶", Some("我最喜欢乌龙茶")),
        ("who is my dentist?", Some("My dentist is Dr. Miller")),
        ("where are the spare keys", Some("The spare key is under the blue flowerpot")),
        ("flowerp", Some("The spare key is under the blue flowerpot")),
        ("老婆哪天过生日", Some("妻子的生日是五月三日")),
        ("project-12", Some("项目代号是 project-12")),
        ("我喜欢什么颜色？", None),
        ("what is the capital of France?", None),
        ("你好", None),
    ] {
        assert_eq!(
            fixture.recall(&owner(), question).await.first().map(String::as_str),
            expected,
            "{question}"
        );
    }
}

#[tokio::test]
async fn an_empty_question_brings_the_newest() {
    let fixture = Fixture::new();
    for at in 0..8 {
        fixture.remember(fact(&format!("fact {at}"), at)).await;
    }
    assert_eq!(fixture.recall(&owner(), " ").await, ["fact 7", "fact 6", "fact 5", "fact 4", "fact 3"]);
}

#[tokio::test]
async fn time_bounds_and_the_limit_hold() {
    let fixture = Fixture::new();
    for at in 0..8 {
        fixture.remember(fact(&format!("garden fact {at}"), at)).await;
    }
    let query = RecallQuery {
        text: "garden".into(),
        viewer: owner(),
        limit: 2,
        since: Some(UnixMs(2)),
        until: Some(UnixMs(5)),
    };
    let found = fixture.memory.recall(&query).await.unwrap();
    let texts: Vec<&str> = found.iter().map(|recalled| recalled.fact.text.as_str()).collect();
    assert_eq!(texts, ["garden fact 4", "garden fact 3"]);
}

#[tokio::test]
async fn importance_and_time_only_break_ties() {
    let fixture = Fixture::new();
    fixture.remember(NewFact { importance: 0.9, ..fact("garden tools in the shed", 1) }).await;
    fixture.remember(NewFact { importance: 0.1, ..fact("garden tools are in box 7", 2) }).await;
    fixture.remember(NewFact { importance: 1.0, ..fact("the garden is green", 3) }).await;
    let found = fixture.recall(&owner(), "garden tools").await;
    assert_eq!(found, ["garden tools in the shed", "garden tools are in box 7", "the garden is green"]);
}

#[tokio::test]
async fn nobody_recalls_what_they_may_not_see() {
    let fixture = Fixture::new();
    let group = viewer("group", ChatKind::Group, Role::Owner);
    let stranger = viewer("stranger", ChatKind::Private, Role::Member);
    fixture.remember(fact("the safe code is 4711", 1)).await;
    fixture.remember(NewFact { viewer: group.clone(), ..fact("the group meets on Friday", 2) }).await;
    assert!(fixture.recall(&group, "safe code").await.is_empty());
    assert!(fixture.recall(&stranger, "safe code").await.is_empty());
    assert!(fixture.recall(&stranger, "").await.is_empty());
    assert_eq!(fixture.recall(&viewer("phone", ChatKind::Private, Role::Owner), "safe code").await.len(), 1);
    assert_eq!(fixture.recall(&group, "when does the group meet").await, ["the group meets on Friday"]);
    assert!(fixture.recall(&owner(), "when does the group meet").await.is_empty());
}

#[tokio::test]
async fn the_same_key_replaces_and_keeps_the_history() {
    let fixture = Fixture::new();
    let keyed = |text: &str, at| NewFact { key: Some("drink".into()), ..fact(text, at) };
    fixture.remember(keyed("喜欢乌龙茶", 1)).await;
    fixture.remember(keyed("喜欢龙井茶", 2)).await;
    fixture.remember(NewFact { key: Some("city".into()), ..fact("住在杭州", 3) }).await;
    assert_eq!(fixture.recall(&owner(), "喜欢喝什么").await, ["喜欢龙井茶"]);
    let all = fixture.all();
    assert_eq!((all[0].valid_to, all[0].replaced_by), (Some(UnixMs(2)), Some(all[1].id)));
    assert_eq!(all.len(), 3);
    // The same key elsewhere is another fact.
    let group = viewer("group", ChatKind::Group, Role::Member);
    fixture.remember(NewFact { viewer: group, ..keyed("喜欢可乐", 4) }).await;
    assert_eq!(fixture.recall(&owner(), "喜欢喝什么").await, ["喜欢龙井茶"]);
}

#[tokio::test]
async fn the_same_text_is_stored_once_with_both_sources() {
    let fixture = Fixture::new();
    let first = fact("我最喜欢乌龙茶", 1);
    let second = fact(" 我最喜欢乌龙茶\n", 2);
    fixture.remember(first.clone()).await;
    fixture.remember(second.clone()).await;
    assert!(fixture.remember(second.clone()).await.is_empty());
    let all = fixture.all();
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].sources, [first.sources.clone(), second.sources.clone()].concat());
    // A key for it takes its place, and nothing of where it came from is lost.
    fixture.remember(NewFact { key: Some("drink".into()), ..second.clone() }).await;
    let all = fixture.all();
    assert_eq!((all.len(), all[0].replaced_by), (2, Some(all[1].id)));
    assert_eq!(all[1].sources, [first.sources, second.sources].concat());
    // Under another key it is another fact.
    fixture.remember(NewFact { key: Some("tea".into()), ..fact("我最喜欢乌龙茶", 5) }).await;
    assert_eq!(fixture.all().iter().filter(|fact| fact.valid_to.is_none()).count(), 2);
}

#[tokio::test]
async fn what_is_forgotten_is_not_recalled_and_only_who_sees_it_can_forget_it() {
    let fixture = Fixture::new();
    fixture.remember(NewFact { key: Some("code".into()), ..fact("the safe code is 4711", 1) }).await;
    let id = fixture.all()[0].id;
    let request = |which, viewer| ForgetRequest { which, viewer, at: UnixMs(9) };
    let group = viewer("group", ChatKind::Group, Role::Owner);
    for which in [ForgetTarget::Id(id), ForgetTarget::Key("code".into())] {
        assert_eq!(fixture.memory.forget(&request(which, group.clone())).await.unwrap(), None);
    }
    let unknown = [ForgetTarget::Id(FactId::new()), ForgetTarget::Key("other".into())];
    for which in unknown {
        assert_eq!(fixture.memory.forget(&request(which, owner())).await.unwrap(), None);
    }
    let forgotten = fixture.memory.forget(&request(ForgetTarget::Key("code".into()), owner())).await.unwrap();
    fixture.facts.apply(forgotten.unwrap().changes);
    assert!(fixture.recall(&owner(), "safe code").await.is_empty());
    assert_eq!(fixture.all()[0].valid_to, Some(UnixMs(9)));
    assert_eq!(fixture.memory.forget(&request(ForgetTarget::Id(id), owner())).await.unwrap(), None);
}

#[tokio::test]
async fn what_is_public_is_forgotten_only_by_the_owner() {
    let fixture = Fixture::new();
    fixture.remember(fact("Hearth speaks Chinese", 1)).await;
    fixture.facts.0.lock().unwrap()[0].0.audience = Audience::Public;
    let member = viewer("group", ChatKind::Group, Role::Member);
    assert_eq!(fixture.recall(&member, "speaks Chinese").await.len(), 1);
    let which = ForgetTarget::Id(fixture.all()[0].id);
    let by_member = ForgetRequest { which: which.clone(), viewer: member, at: UnixMs(2) };
    assert_eq!(fixture.memory.forget(&by_member).await.unwrap(), None);
    let by_owner = ForgetRequest { which, viewer: owner(), at: UnixMs(2) };
    assert!(fixture.memory.forget(&by_owner).await.unwrap().is_some());
}
