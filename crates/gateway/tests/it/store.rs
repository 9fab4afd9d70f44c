//! A ledger in memory: what the gateway reads of it. What it must not touch panics.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use hearth_contract::clock::UnixMs;
use hearth_contract::id::*;
use hearth_contract::message::{MessageEnd, MessageRecord};
use hearth_contract::provider::Usage;
use hearth_contract::store::*;

#[derive(Debug, Default)]
pub(crate) struct FakeStore(Mutex<Rows>);

#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub(crate) messages: Vec<MessageRecord>,
    pub(crate) dialogs: Vec<DialogRecord>,
    pub(crate) current: HashMap<ChatKey, SessionKey>,
    pub(crate) schedules: Vec<ScheduleRecord>,
    pub(crate) tasks: Vec<TaskRecord>,
    pub(crate) turns: Vec<TurnRecord>,
    /// Readers do not see these messages yet.
    pub(crate) unseen: Vec<MessageId>,
    pub(crate) broken: Option<String>,
}

impl FakeStore {
    pub(crate) fn rows(&self) -> MutexGuard<'_, Rows> {
        self.0.lock().unwrap()
    }

    pub(crate) fn end(&self, message: MessageId, turn: Option<TurnId>, end: MessageEnd) {
        let mut rows = self.rows();
        let record = rows.messages.iter_mut().find(|record| record.id == message).unwrap();
        record.end = Some(end);
        record.turn = turn;
    }

    fn check(&self) -> Result<MutexGuard<'_, Rows>, StoreError> {
        let rows = self.rows();
        match &rows.broken {
            Some(reason) => Err(StoreError::Unavailable { reason: reason.clone() }),
            None => Ok(rows),
        }
    }

    pub(crate) fn stores(self: &Arc<Self>) -> Stores {
        Stores {
            ledger: self.clone(),
            messages: self.clone(),
            turns: self.clone(),
            effects: self.clone(),
            deliveries: self.clone(),
            dialogs: self.clone(),
            schedules: self.clone(),
            tasks: self.clone(),
            settings: self.clone(),
            usage: self.clone(),
            facts: self.clone(),
            prover: self.clone(),
        }
    }
}

#[async_trait]
impl Messages for FakeStore {
    async fn get(&self, id: MessageId) -> Result<Option<MessageRecord>, StoreError> {
        Ok(self.check()?.messages.iter().find(|record| record.id == id).cloned())
    }

    async fn page(
        &self,
        session: &SessionKey,
        page: MessagePage,
        limit: usize,
    ) -> Result<Vec<MessageRecord>, StoreError> {
        let rows = self.check()?;
        let seen = rows.messages.iter().filter(|record| !rows.unseen.contains(&record.id));
        let of_session = seen.filter(|record| &record.session == session);
        let newest = |records: Vec<MessageRecord>| records[records.len().saturating_sub(limit)..].to_vec();
        Ok(match page {
            MessagePage::Newest => newest(of_session.cloned().collect()),
            MessagePage::Before(id) => newest(of_session.filter(|record| record.id < id).cloned().collect()),
            MessagePage::After(id) => {
                of_session.filter(|record| record.id > id).take(limit).cloned().collect()
            }
        })
    }

    async fn open(&self) -> Result<Vec<MessageRecord>, StoreError> {
        unreachable!("the gateway does not work on open messages")
    }

    async fn of_turn(&self, turn: TurnId) -> Result<Vec<MessageRecord>, StoreError> {
        Ok(self.check()?.messages.iter().filter(|record| record.turn == Some(turn)).cloned().collect())
    }
}

#[async_trait]
impl Dialogs for FakeStore {
    async fn get(&self, session: &SessionKey) -> Result<Option<DialogRecord>, StoreError> {
        Ok(self.check()?.dialogs.iter().find(|record| &record.session == session).cloned())
    }

    async fn current(&self, chat: &ChatKey) -> Result<Option<SessionKey>, StoreError> {
        Ok(self.check()?.current.get(chat).cloned())
    }

    async fn list(&self, chat: Option<&ChatKey>, limit: usize) -> Result<Vec<DialogRecord>, StoreError> {
        let rows = self.check()?;
        let wanted =
            rows.dialogs.iter().filter(|record| chat.is_none_or(|chat| &record.session.chat == chat));
        Ok(wanted.take(limit).cloned().collect())
    }
}

#[async_trait]
impl Turns for FakeStore {
    async fn get(&self, id: TurnId) -> Result<Option<TurnHistory>, StoreError> {
        let rows = self.check()?;
        let Some(turn) = rows.turns.iter().find(|turn| turn.id == id).cloned() else { return Ok(None) };
        let messages = rows.messages.iter().filter(|record| record.turn == Some(id)).cloned().collect();
        Ok(Some(TurnHistory { turn, messages, steps: Vec::new() }))
    }

    async fn ended(
        &self,
        _session: &SessionKey,
        _before: Option<TurnId>,
        _limit: usize,
    ) -> Result<Vec<TurnHistory>, StoreError> {
        unreachable!("the gateway makes no prompts")
    }

    async fn running(&self) -> Result<Vec<TurnHistory>, StoreError> {
        unreachable!("the gateway resumes nothing")
    }
}

#[async_trait]
impl Schedules for FakeStore {
    async fn get(&self, id: ScheduleId) -> Result<Option<ScheduleRecord>, StoreError> {
        Ok(self.check()?.schedules.iter().find(|record| record.id == id).cloned())
    }

    async fn next(&self, _limit: usize) -> Result<Vec<ScheduleRecord>, StoreError> {
        unreachable!("the gateway fires nothing")
    }

    async fn active(&self, chat: Option<&ChatKey>) -> Result<Vec<ScheduleRecord>, StoreError> {
        let rows = self.check()?;
        let wanted =
            rows.schedules.iter().filter(|record| chat.is_none_or(|chat| &record.session.chat == chat));
        Ok(wanted.cloned().collect())
    }
}

#[async_trait]
impl BackgroundTasks for FakeStore {
    async fn get(&self, _id: TaskId) -> Result<Option<TaskRecord>, StoreError> {
        unreachable!("the gateway works on no task")
    }

    async fn of_call(&self, _call: &CallId) -> Result<Option<TaskRecord>, StoreError> {
        unreachable!("the gateway makes no task")
    }

    async fn open(&self) -> Result<Vec<TaskRecord>, StoreError> {
        unreachable!("the gateway works on no task")
    }

    async fn pending(&self) -> Result<Vec<TaskRecord>, StoreError> {
        unreachable!("the gateway announces nothing")
    }

    async fn list(&self, chat: Option<&ChatKey>, limit: usize) -> Result<Vec<TaskRecord>, StoreError> {
        let rows = self.check()?;
        let newest_first = rows.tasks.iter().rev();
        let wanted = newest_first.filter(|record| chat.is_none_or(|chat| &record.session.chat == chat));
        Ok(wanted.take(limit).cloned().collect())
    }
}

#[async_trait]
impl UsageReads for FakeStore {
    async fn totals(
        &self,
        since: UnixMs,
        session: Option<&SessionKey>,
    ) -> Result<Vec<UsageTotal>, StoreError> {
        drop(self.check()?);
        Ok(vec![UsageTotal {
            day: format!("since {since}"),
            source: "main".into(),
            model: session.map(ToString::to_string).unwrap_or_default(),
            calls: 3,
            usage: Usage { prompt_tokens: 30, cached_tokens: 10, completion_tokens: 7 },
        }])
    }
}

#[async_trait]
impl Prover for FakeStore {
    async fn named(&self, _beginning: &str, _limit: usize) -> Result<Vec<Named>, StoreError> {
        unreachable!("the kernel finds what an id means")
    }

    async fn prove(&self, since: UnixMs, _now: UnixMs) -> Result<Proof, StoreError> {
        drop(self.check()?);
        let accepted = u64::try_from(since.0).unwrap();
        Ok(Proof { accepted, answered: accepted, ..Proof::default() })
    }
}

#[async_trait]
impl Effects for FakeStore {
    async fn of_turn(&self, _turn: TurnId) -> Result<Vec<EffectRecord>, StoreError> {
        unreachable!()
    }

    async fn unknown(&self, _limit: usize) -> Result<Vec<EffectRecord>, StoreError> {
        unreachable!()
    }
}

#[async_trait]
impl Deliveries for FakeStore {
    async fn unfinished(&self) -> Result<Vec<(DeliveryRecord, MessageRecord)>, StoreError> {
        unreachable!()
    }

    async fn of_turn(&self, _turn: TurnId) -> Result<Vec<DeliveryRecord>, StoreError> {
        unreachable!()
    }

    async fn of_message(&self, _message: MessageId) -> Result<Option<DeliveryRecord>, StoreError> {
        unreachable!()
    }
}

#[async_trait]
impl Settings for FakeStore {
    async fn get(&self, _owner: &str, _name: &str) -> Result<Option<SettingRecord>, StoreError> {
        unreachable!()
    }

    async fn of_owner(&self, _owner: &str) -> Result<Vec<SettingRecord>, StoreError> {
        unreachable!()
    }
}

#[async_trait]
impl Facts for FakeStore {
    async fn get(&self, _id: FactId) -> Result<Option<FactRecord>, StoreError> {
        unreachable!()
    }

    async fn search(&self, _query: &FactQuery) -> Result<Vec<FactHit>, StoreError> {
        unreachable!()
    }

    async fn containing(&self, _piece: &str, _query: &FactQuery) -> Result<Vec<FactHit>, StoreError> {
        unreachable!()
    }

    async fn by_key(&self, _audience: &Audience, _key: &str) -> Result<Option<FactRecord>, StoreError> {
        unreachable!()
    }
}

#[async_trait]
impl Ledger for FakeStore {
    async fn apply(&self, _changes: Vec<Change>, _urgency: Urgency) -> Result<Durable, StoreError> {
        unreachable!("the gateway writes nothing")
    }

    fn record(&self, _changes: Vec<Change>) {
        unreachable!("the gateway writes nothing")
    }
}
