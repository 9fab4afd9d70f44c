//! Transactions: all or nothing, in order, told when safe.

use hearth_contract::message::MessageEnd;
use hearth_contract::store::{Change, MessageChange, MessagePage, StoreError, Stores, Urgency};

use super::samples::{accept, end, incoming, session, turn};
use super::{Case, cases};

pub(super) const CASES: &[Case] = cases![
    a_conflict_undoes_its_whole_transaction_and_no_other,
    transactions_take_effect_in_the_order_of_the_calls,
    what_is_recorded_goes_before_the_next_transaction,
    a_record_that_conflicts_is_dropped_alone,
    an_empty_transaction_is_safe_when_all_before_it_is,
    a_later_promise_is_kept_without_anything_urgent,
];

async fn a_conflict_undoes_its_whole_transaction_and_no_other(stores: &Stores) {
    let first = incoming(&session(), "p1", "one");
    let other = incoming(&session(), "p2", "two");
    let again = incoming(&session(), "p1", "one");
    let before = stores.ledger.apply(vec![accept(&first)], Urgency::Later).await.unwrap();
    let conflict = stores.ledger.apply(vec![accept(&other), accept(&again)], Urgency::Now).await.unwrap_err();
    assert_eq!(conflict, StoreError::Conflict { what: "message", existing: first.id.to_string() });
    let third = incoming(&session(), "p3", "three");
    stores.ledger.commit(vec![accept(&third)]).await.unwrap();
    before.wait().await.unwrap();
    let kept = stores.messages.page(&session(), MessagePage::Newest, 10).await.unwrap();
    assert_eq!(kept, vec![first, third]);
}

async fn transactions_take_effect_in_the_order_of_the_calls(stores: &Stores) {
    let message = incoming(&session(), "", "one");
    let ends = ["a", "b", "c"].map(|rule| MessageEnd::Silent { rule: rule.into() });
    let _ = stores.ledger.apply(vec![accept(&message)], Urgency::Later).await.unwrap();
    for end in &ends {
        let change = MessageChange::End { message: message.id, end: end.clone() };
        let _ = stores.ledger.apply(vec![change.into()], Urgency::Later).await.unwrap();
    }
    stores.ledger.commit(vec![]).await.unwrap();
    let kept = stores.messages.get(message.id).await.unwrap().unwrap();
    assert_eq!(kept.end, Some(MessageEnd::Silent { rule: "a".into() }));
}

async fn what_is_recorded_goes_before_the_next_transaction(stores: &Stores) {
    let message = incoming(&session(), "p", "one");
    stores.ledger.record(vec![accept(&message)]);
    let again = incoming(&session(), "p", "one");
    let conflict = stores.ledger.commit(vec![accept(&again)]).await.unwrap_err();
    assert_eq!(conflict, StoreError::Conflict { what: "message", existing: message.id.to_string() });
}

async fn a_record_that_conflicts_is_dropped_alone(stores: &Stores) {
    let (first, second) = (incoming(&session(), "p", "one"), incoming(&session(), "p", "two"));
    let third = incoming(&session(), "q", "three");
    for message in [&first, &second, &third] {
        stores.ledger.record(vec![accept(message)]);
    }
    stores.ledger.commit(vec![]).await.unwrap();
    assert_eq!(stores.messages.open().await.unwrap(), vec![first, third]);
}

async fn an_empty_transaction_is_safe_when_all_before_it_is(stores: &Stores) {
    let message = incoming(&session(), "", "one");
    let earlier = stores.ledger.apply(vec![accept(&message)], Urgency::Later).await.unwrap();
    stores.ledger.commit(vec![]).await.unwrap();
    earlier.wait().await.unwrap();
    assert_eq!(stores.messages.get(message.id).await.unwrap(), Some(message));
}

async fn a_later_promise_is_kept_without_anything_urgent(stores: &Stores) {
    let message = incoming(&session(), "", "one");
    let running = turn(&session(), message.id);
    let changes: Vec<Change> = vec![
        accept(&message),
        hearth_contract::store::TurnChange::Start(running.clone()).into(),
        end(running.id, running.lease.fence).into(),
    ];
    stores.ledger.apply(changes, Urgency::Later).await.unwrap().wait().await.unwrap();
    assert!(stores.turns.get(running.id).await.unwrap().is_some());
}
