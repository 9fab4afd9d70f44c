//! Deliveries.

use hearth_contract::id::{DeliveryId, MessageId, TurnId};
use hearth_contract::store::{Change, DeliveryChange, DeliveryState, MessageChange, Stores};

use super::samples::{delivery, outgoing, session};
use super::{Case, cases};

pub(super) const CASES: &[Case] = cases![
    unfinished_deliveries_come_oldest_first_with_what_they_say,
    a_delivery_at_its_end_stays_there,
    the_deliveries_of_a_turn_come_in_order,
    a_delivery_is_made_once,
];

fn move_to(delivery: DeliveryId, state: DeliveryState) -> Change {
    DeliveryChange::Move { delivery, state, attempts: 2, may_be_duplicate: true, detail: "why".into() }.into()
}

async fn unfinished_deliveries_come_oldest_first_with_what_they_say(stores: &Stores) {
    let states = [
        DeliveryState::Prepared,
        DeliveryState::Sending,
        DeliveryState::Sent,
        DeliveryState::Replaced,
        DeliveryState::Unknown,
        DeliveryState::Dead,
    ];
    let mut made = Vec::new();
    for state in states {
        let message = outgoing(&session(), TurnId::new(), &format!("{state:?}"));
        let mut delivery = delivery(&message, 0);
        delivery.state = state;
        let say = MessageChange::Say(message.clone());
        stores.ledger.commit(vec![say.into(), DeliveryChange::Put(delivery.clone()).into()]).await.unwrap();
        made.push((delivery, message));
    }
    assert_eq!(stores.deliveries.unfinished().await.unwrap(), made[..2]);
}

async fn a_delivery_at_its_end_stays_there(stores: &Stores) {
    let message = outgoing(&session(), TurnId::new(), "x");
    let delivery = delivery(&message, 0);
    let changes = vec![
        MessageChange::Say(message.clone()).into(),
        DeliveryChange::Put(delivery.clone()).into(),
        move_to(delivery.id, DeliveryState::Sending),
    ];
    stores.ledger.commit(changes).await.unwrap();
    let moved = stores.deliveries.of_message(message.id).await.unwrap().unwrap();
    assert_eq!((moved.state, moved.attempts), (DeliveryState::Sending, 2));
    assert!(moved.may_be_duplicate);
    assert_eq!(moved.detail, "why");
    stores.ledger.commit(vec![move_to(delivery.id, DeliveryState::Sent)]).await.unwrap();
    stores.ledger.commit(vec![move_to(delivery.id, DeliveryState::Dead)]).await.unwrap();
    let kept = stores.deliveries.of_message(message.id).await.unwrap().unwrap();
    assert_eq!(kept.state, DeliveryState::Sent);
    assert_eq!(stores.deliveries.unfinished().await.unwrap(), []);
    assert_eq!(stores.deliveries.of_message(MessageId::new()).await.unwrap(), None);
}

async fn the_deliveries_of_a_turn_come_in_order(stores: &Stores) {
    let turn = TurnId::new();
    let mut all = Vec::new();
    for number in [2, 0, 1] {
        let message = outgoing(&session(), turn, "x");
        let delivery = delivery(&message, number);
        let say = MessageChange::Say(message);
        stores.ledger.commit(vec![say.into(), DeliveryChange::Put(delivery.clone()).into()]).await.unwrap();
        all.push(delivery);
    }
    all.sort_by_key(|delivery| delivery.number);
    assert_eq!(stores.deliveries.of_turn(turn).await.unwrap(), all);
    assert_eq!(stores.deliveries.of_turn(TurnId::new()).await.unwrap(), []);
}

async fn a_delivery_is_made_once(stores: &Stores) {
    let message = outgoing(&session(), TurnId::new(), "x");
    let delivery = delivery(&message, 0);
    let put = || vec![DeliveryChange::Put(delivery.clone()).into()];
    stores.ledger.commit(put()).await.unwrap();
    assert!(stores.ledger.commit(put()).await.is_err());
}
