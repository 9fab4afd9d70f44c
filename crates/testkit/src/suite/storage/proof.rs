//! The counts of `prove`, and what an id names.

use std::collections::BTreeMap;

use hearth_contract::clock::UnixMs;
use hearth_contract::id::{MessageId, TurnId};
use hearth_contract::message::{MessageEnd, MessageRecord};
use hearth_contract::store::{
    Change, DeliveryChange, DeliveryRecord, DeliveryState, MessageChange, Named, Proof, ScheduleChange,
    Stores, TurnChange,
};

use super::samples::{START, accept, delivery, end, incoming, outgoing, schedule, session, turn};
use super::{Case, cases};

pub(super) const CASES: &[Case] = cases![
    an_empty_ledger_proves_nothing,
    every_message_is_counted_by_its_end,
    a_message_of_an_ended_turn_is_unexplained,
    a_message_whose_answer_is_on_its_way_is_open,
    deliveries_and_occurrences_are_counted,
    an_id_is_found_by_its_beginning,
];

fn counts<const N: usize>(counts: [(&str, u64); N]) -> BTreeMap<String, u64> {
    counts.map(|(name, count)| (name.to_owned(), count)).into()
}

async fn an_empty_ledger_proves_nothing(stores: &Stores) {
    let occurrences = counts([("fired", 0), ("overdue", 0)]);
    let nothing = Proof { occurrences, ..Proof::default() };
    assert_eq!(stores.prover.prove(UnixMs(0), START).await.unwrap(), nothing);
}

async fn every_message_is_counted_by_its_end(stores: &Stores) {
    let ends = [
        (1, Some(MessageEnd::Answered)),
        (2, Some(MessageEnd::Joined { turn: TurnId::new() })),
        (3, Some(MessageEnd::Silent { rule: "r".into() })),
        (4, Some(MessageEnd::Stale)),
        (5, Some(MessageEnd::Cancelled { by: "x".into() })),
        (6, Some(MessageEnd::FailedTold { code: "c".into() })),
        (7, Some(MessageEnd::DeadLettered { reason: "r".into() })),
        (8, Some(MessageEnd::Erased)),
        (9, None),
    ];
    let mut changes: Vec<Change> = vec![MessageChange::Say(outgoing(&session(), TurnId::new(), "x")).into()];
    for (times, end) in ends {
        for _ in 0..times {
            let message = incoming(&session(), "", "x");
            changes.push(accept(&message));
            changes.extend(end.clone().map(|end| MessageChange::End { message: message.id, end }.into()));
        }
    }
    let long_ago = MessageRecord { accepted_at: UnixMs(START.0 - 1), ..incoming(&session(), "", "x") };
    changes.push(accept(&long_ago));
    stores.ledger.commit(changes).await.unwrap();
    let expected = Proof {
        accepted: 45,
        answered: 1,
        joined: 2,
        silent: 3,
        stale: 4,
        cancelled: 5,
        failed_told: 6,
        dead_lettered: 7,
        erased: 8,
        open: 9,
        unexplained: 0,
        deliveries: BTreeMap::new(),
        occurrences: counts([("fired", 0), ("overdue", 0)]),
        tasks: BTreeMap::new(),
    };
    assert_eq!(stores.prover.prove(START, START).await.unwrap(), expected);
    assert_eq!(stores.prover.prove(UnixMs(0), START).await.unwrap().open, 10);
}

async fn a_message_of_an_ended_turn_is_unexplained(stores: &Stores) {
    let (asked, orphan) = (incoming(&session(), "", "x"), incoming(&session(), "", "y"));
    let record = turn(&session(), asked.id);
    let changes = vec![
        accept(&asked),
        accept(&orphan),
        TurnChange::Start(record.clone()).into(),
        MessageChange::TakeUp { message: asked.id, turn: record.id }.into(),
    ];
    stores.ledger.commit(changes).await.unwrap();
    let proof = stores.prover.prove(UnixMs(0), START).await.unwrap();
    assert_eq!((proof.accepted, proof.open, proof.unexplained), (2, 2, 0));

    let lost = MessageChange::TakeUp { message: orphan.id, turn: TurnId::new() };
    stores.ledger.commit(vec![end(record.id, 1).into(), lost.into()]).await.unwrap();
    let proof = stores.prover.prove(UnixMs(0), START).await.unwrap();
    assert_eq!((proof.accepted, proof.open, proof.unexplained), (2, 0, 2));

    let explained = MessageChange::End { message: asked.id, end: MessageEnd::Answered };
    stores.ledger.commit(vec![explained.into()]).await.unwrap();
    let proof = stores.prover.prove(UnixMs(0), START).await.unwrap();
    assert_eq!((proof.answered, proof.unexplained), (1, 1));
}

async fn a_message_whose_answer_is_on_its_way_is_open(stores: &Stores) {
    let asked = incoming(&session(), "", "x");
    let record = turn(&session(), asked.id);
    let answer = outgoing(&session(), record.id, "y");
    let sending =
        DeliveryRecord { turn: Some(record.id), state: DeliveryState::Sending, ..delivery(&answer, 0) };
    let changes = vec![
        accept(&asked),
        TurnChange::Start(record.clone()).into(),
        MessageChange::TakeUp { message: asked.id, turn: record.id }.into(),
        MessageChange::Say(answer).into(),
        DeliveryChange::Put(sending.clone()).into(),
        end(record.id, 1).into(),
    ];
    stores.ledger.commit(changes).await.unwrap();
    let proof = stores.prover.prove(UnixMs(0), START).await.unwrap();
    assert_eq!((proof.accepted, proof.open, proof.unexplained), (1, 1, 0));

    let sent = DeliveryChange::Move {
        delivery: sending.id,
        state: DeliveryState::Sent,
        attempts: 1,
        may_be_duplicate: false,
        detail: String::new(),
    };
    stores.ledger.commit(vec![sent.into()]).await.unwrap();
    let proof = stores.prover.prove(UnixMs(0), START).await.unwrap();
    assert_eq!((proof.open, proof.unexplained), (0, 1));
}

async fn deliveries_and_occurrences_are_counted(stores: &Stores) {
    let message = outgoing(&session(), TurnId::new(), "x");
    let in_state = |state| DeliveryRecord { state, ..delivery(&message, 0) };
    let states = [DeliveryState::Sent, DeliveryState::Sent, DeliveryState::Unknown, DeliveryState::Prepared];
    let mut changes: Vec<Change> = states.map(|state| DeliveryChange::Put(in_state(state)).into()).to_vec();
    let old = DeliveryRecord { created_at: UnixMs(START.0 - 1), ..in_state(DeliveryState::Dead) };
    changes.push(DeliveryChange::Put(old).into());
    let (fired, overdue) = (schedule(&session(), START), schedule(&session(), START));
    let future = schedule(&session(), UnixMs(START.0 + 100));
    changes.extend(
        [&fired, &overdue, &future].map(|record| ScheduleChange::Put(Box::new(record.clone())).into()),
    );
    let fire = ScheduleChange::Fire {
        schedule: fired.id,
        due_at: START,
        message: MessageId::new(),
        next_due_at: None,
    };
    changes.push(fire.into());
    stores.ledger.commit(changes).await.unwrap();
    let proof = stores.prover.prove(START, UnixMs(START.0 + 10)).await.unwrap();
    assert_eq!(proof.deliveries, counts([("prepared", 1), ("sent", 2), ("unknown", 1)]));
    assert_eq!(proof.occurrences, counts([("fired", 1), ("overdue", 1)]));
}

async fn an_id_is_found_by_its_beginning(stores: &Stores) {
    let message = outgoing(&session(), TurnId::new(), "x");
    let record = turn(&session(), message.id);
    let sending = delivery(&message, 0);
    let changes = vec![
        MessageChange::Say(message.clone()).into(),
        TurnChange::Start(record.clone()).into(),
        DeliveryChange::Put(sending.clone()).into(),
    ];
    stores.ledger.commit(changes).await.unwrap();
    let named = async |beginning: &str, limit| stores.prover.named(beginning, limit).await.unwrap();
    let whole = message.id.to_string();
    assert_eq!(named(&whole, 9).await, [Named::Message(message.id)]);
    assert_eq!(named(&whole.to_uppercase(), 9).await, [Named::Message(message.id)]);
    assert_eq!(named(&record.id.to_string()[..31], 9).await, [Named::Turn(record.id)]);
    let dashed = format!("{}-{}", &sending.id.to_string()[..8], &sending.id.to_string()[8..]);
    assert_eq!(named(&dashed, 9).await, [Named::Delivery(sending.id)]);
    // All three were made at nearly the same time, so that they share the beginning of their ids.
    let newest_first = [Named::Delivery(sending.id), Named::Turn(record.id), Named::Message(message.id)];
    for digits in [4, 5] {
        assert_eq!(named(&whole[..digits], 9).await, newest_first);
    }
    assert_eq!(named(&whole[..4], 2).await, newest_first[..2]);
    assert_eq!(named("ffff", 9).await, []);
    assert_eq!(named(&whole[..3], 9).await, []);
    assert_eq!(named("", 9).await, []);
    assert_eq!(named("not an id", 9).await, []);
}
