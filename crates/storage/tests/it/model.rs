//! Random transactions, applied to the store and to a model of it in memory.

use std::collections::BTreeMap;

use hearth_contract::clock::UnixMs;
use hearth_contract::id::MessageId;
use hearth_contract::message::{MessageEnd, MessageRecord};
use hearth_contract::store::{
    Change, DeliveryChange, DeliveryRecord, DeliveryState, MessageChange, MessagePage, ScheduleChange,
    ScheduleRecord, ScheduleState, Stores, Urgency,
};
use hearth_storage::{StorageConfig, open};
use hearth_testkit::suite::storage::samples::{accept, delivery, incoming, schedule, session};
use proptest::prelude::*;

/// How many things of each kind a transaction can be about.
const THINGS: usize = 4;

/// A change of the thing with this number.
#[derive(Debug, Clone)]
enum Act {
    Accept(usize),
    End(usize, MessageEnd),
    Deliver(usize),
    Move(usize, DeliveryState),
    Schedule(usize),
    Fire(usize, i64, Option<i64>),
    Cancel(usize),
}

fn act() -> impl Strategy<Value = Act> {
    let thing = 0..THINGS;
    let end = prop_oneof![Just(MessageEnd::Answered), Just(MessageEnd::Stale), Just(MessageEnd::Erased)];
    let state = prop_oneof![
        Just(DeliveryState::Sending),
        Just(DeliveryState::Prepared),
        Just(DeliveryState::Sent),
        Just(DeliveryState::Dead)
    ];
    prop_oneof![
        thing.clone().prop_map(Act::Accept),
        (thing.clone(), end).prop_map(|(thing, end)| Act::End(thing, end)),
        thing.clone().prop_map(Act::Deliver),
        (thing.clone(), state).prop_map(|(thing, state)| Act::Move(thing, state)),
        thing.clone().prop_map(Act::Schedule),
        (thing.clone(), 0..3_i64, proptest::option::of(0..3_i64))
            .prop_map(|(thing, due, next)| Act::Fire(thing, due, next)),
        thing.prop_map(Act::Cancel),
    ]
}

#[derive(Debug, Clone)]
enum Step {
    Apply(Vec<Act>, Urgency),
    Record(Vec<Act>),
}

fn step() -> impl Strategy<Value = Step> {
    let acts = || proptest::collection::vec(act(), 1..4);
    prop_oneof![
        (acts(), prop_oneof![Just(Urgency::Now), Just(Urgency::Later)])
            .prop_map(|(acts, urgency)| Step::Apply(acts, urgency)),
        acts().prop_map(Step::Record),
    ]
}

/// The store as a few maps.
#[derive(Debug, Clone, Default)]
struct Model {
    messages: BTreeMap<MessageId, MessageRecord>,
    deliveries: BTreeMap<usize, DeliveryRecord>,
    schedules: BTreeMap<usize, ScheduleRecord>,
    fired: Vec<(usize, i64)>,
}

/// What the acts are about.
struct Things {
    messages: Vec<MessageRecord>,
    deliveries: Vec<DeliveryRecord>,
    schedules: Vec<ScheduleRecord>,
}

impl Things {
    fn new() -> Self {
        let messages: Vec<_> =
            (0..THINGS).map(|number| incoming(&session(), &format!("p{number}"), "x")).collect();
        Self {
            deliveries: messages.iter().map(|message| delivery(message, 0)).collect(),
            schedules: (0..THINGS).map(|_| schedule(&session(), UnixMs(0))).collect(),
            messages,
        }
    }

    fn change(&self, act: &Act) -> Change {
        match act {
            Act::Accept(thing) => accept(&self.messages[*thing]),
            Act::End(thing, end) => {
                MessageChange::End { message: self.messages[*thing].id, end: end.clone() }.into()
            }
            Act::Deliver(thing) => DeliveryChange::Put(self.deliveries[*thing].clone()).into(),
            Act::Move(thing, state) => DeliveryChange::Move {
                delivery: self.deliveries[*thing].id,
                state: *state,
                attempts: 1,
                may_be_duplicate: false,
                detail: String::new(),
            }
            .into(),
            Act::Schedule(thing) => ScheduleChange::Put(Box::new(self.schedules[*thing].clone())).into(),
            Act::Fire(thing, due, next) => ScheduleChange::Fire {
                schedule: self.schedules[*thing].id,
                due_at: UnixMs(*due),
                message: self.messages[*thing].id,
                next_due_at: next.map(UnixMs),
            }
            .into(),
            Act::Cancel(thing) => ScheduleChange::Cancel { schedule: self.schedules[*thing].id }.into(),
        }
    }
}

impl Model {
    /// Applies one act; false if it conflicts.
    fn apply(&mut self, things: &Things, act: &Act) -> bool {
        match act {
            Act::Accept(thing) => {
                let message = things.messages[*thing].clone();
                return self.messages.insert(message.id, message).is_none();
            }
            Act::End(thing, end) => {
                if let Some(message) = self.messages.get_mut(&things.messages[*thing].id) {
                    message.end.get_or_insert(end.clone());
                }
            }
            Act::Deliver(thing) => {
                return self.deliveries.insert(*thing, things.deliveries[*thing].clone()).is_none();
            }
            Act::Move(thing, state) => {
                if let Some(delivery) = self.deliveries.get_mut(thing).filter(|one| !one.state.is_end()) {
                    (delivery.state, delivery.attempts) = (*state, 1);
                }
            }
            Act::Schedule(thing) => {
                self.schedules.insert(*thing, things.schedules[*thing].clone());
            }
            Act::Fire(thing, due, next) => {
                let active = self.schedules.get_mut(thing).filter(|one| one.state == ScheduleState::Active);
                let Some(schedule) = active.filter(|_| !self.fired.contains(&(*thing, *due))) else {
                    return false;
                };
                schedule.next_due_at = next.map(UnixMs);
                if next.is_none() {
                    schedule.state = ScheduleState::Done;
                }
                self.fired.push((*thing, *due));
            }
            Act::Cancel(thing) => {
                let active = self.schedules.get_mut(thing).filter(|one| one.state == ScheduleState::Active);
                if let Some(schedule) = active {
                    (schedule.state, schedule.next_due_at) = (ScheduleState::Cancelled, None);
                }
            }
        }
        true
    }

    /// Applies a transaction: all of it or nothing.
    fn transact(&mut self, things: &Things, acts: &[Act]) -> bool {
        let mut next = self.clone();
        let holds = acts.iter().all(|act| next.apply(things, act));
        if holds {
            *self = next;
        }
        holds
    }

    async fn assert_same(&self, things: &Things, stores: &Stores) {
        let page = stores.messages.page(&session(), MessagePage::Newest, 100).await.unwrap();
        assert_eq!(page, self.messages.values().cloned().collect::<Vec<_>>());
        let open: Vec<_> = self.messages.values().filter(|message| message.end.is_none()).cloned().collect();
        assert_eq!(stores.messages.open().await.unwrap(), open);
        for (number, message) in things.messages.iter().enumerate() {
            let delivery = stores.deliveries.of_message(message.id).await.unwrap();
            assert_eq!(delivery.as_ref(), self.deliveries.get(&number));
            let schedule = stores.schedules.get(things.schedules[number].id).await.unwrap();
            assert_eq!(schedule.as_ref(), self.schedules.get(&number));
        }
        let proof = stores.prover.prove(UnixMs(0), UnixMs(0)).await.unwrap();
        assert_eq!(proof.accepted, u64::try_from(self.messages.len()).unwrap());
        assert_eq!(proof.occurrences["fired"], u64::try_from(self.fired.len()).unwrap());
    }
}

async fn run(steps: Vec<Step>) {
    let home = tempfile::tempdir().unwrap();
    let config = StorageConfig::default();
    let opened = open(&config, home.path()).unwrap();
    let (things, mut model) = (Things::new(), Model::default());
    for step in steps {
        match step {
            Step::Apply(acts, urgency) => {
                let changes = acts.iter().map(|act| things.change(act)).collect();
                let applied = opened.stores.ledger.apply(changes, urgency).await;
                assert_eq!(applied.is_ok(), model.transact(&things, &acts), "{acts:?}: {applied:?}");
            }
            Step::Record(acts) => {
                opened.stores.ledger.record(acts.iter().map(|act| things.change(act)).collect());
                model.transact(&things, &acts);
            }
        }
    }
    opened.stores.ledger.commit(vec![]).await.unwrap();
    model.assert_same(&things, &opened.stores).await;
    opened.handle.close().await.unwrap();
    let again = open(&config, home.path()).unwrap();
    model.assert_same(&things, &again.stores).await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn the_store_does_what_a_model_of_it_does(steps in proptest::collection::vec(step(), 1..24)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(run(steps));
    }
}
