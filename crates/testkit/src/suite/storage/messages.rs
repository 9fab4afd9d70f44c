//! Messages.

use hearth_contract::clock::UnixMs;
use hearth_contract::id::{ChatKey, MessageId, ScheduleId, TurnId};
use hearth_contract::message::{Arrival, ChatKind, MessageEnd, MessageRecord, Origin};
use hearth_contract::store::{MessageChange, MessagePage, StoreError, Stores};

use super::samples::{accept, chat, incoming, outgoing, session};
use super::{Case, cases};

pub(super) const CASES: &[Case] = cases![
    a_message_comes_back_as_it_was,
    a_second_arrival_is_the_first_one,
    the_same_id_elsewhere_is_another_message,
    messages_without_a_platform_id_are_never_the_same,
    the_first_end_stays,
    every_end_comes_back,
    a_page_is_oldest_first_whichever_way_it_is_read,
    open_ones_are_incoming_and_without_an_end,
    a_turn_has_what_it_took_up_and_what_it_said,
    the_network_can_name_what_we_said,
];

async fn a_message_comes_back_as_it_was(stores: &Stores) {
    let mut plain = incoming(&session(), "p", "乌龙茶 \u{1f375} 'quoted' \"twice\" \\ \n end");
    plain.turn = Some(TurnId::new());
    let fired = MessageRecord {
        origin: Origin::Schedule { schedule: ScheduleId::new(), due_at: UnixMs(7) },
        chat_kind: ChatKind::Group,
        arrival: Arrival::Enqueue,
        addressed: false,
        sent_at: UnixMs(-1),
        ..incoming(&ChatKey::new("a:b", "c%").dialog("d e"), "", "")
    };
    stores.ledger.commit(vec![accept(&plain), accept(&fired)]).await.unwrap();
    assert_eq!(stores.messages.get(plain.id).await.unwrap(), Some(plain));
    assert_eq!(stores.messages.get(fired.id).await.unwrap(), Some(fired));
    assert_eq!(stores.messages.get(MessageId::new()).await.unwrap(), None);
}

async fn a_second_arrival_is_the_first_one(stores: &Stores) {
    let first = incoming(&session(), "p", "one");
    stores.ledger.commit(vec![accept(&first)]).await.unwrap();
    let in_another_dialog = incoming(&chat().dialog("other"), "p", "one");
    for again in [incoming(&session(), "p", "one"), in_another_dialog, first.clone()] {
        let conflict = stores.ledger.commit(vec![accept(&again)]).await.unwrap_err();
        assert_eq!(conflict, StoreError::Conflict { what: "message", existing: first.id.to_string() });
    }
}

async fn the_same_id_elsewhere_is_another_message(stores: &Stores) {
    let first = incoming(&session(), "p", "one");
    let other_chat = incoming(&ChatKey::new("cli", "other").dialog("default"), "p", "one");
    let other_channel = incoming(&ChatKey::new("qq", "我").dialog("default"), "p", "one");
    let other_account = MessageRecord { account: "bot 2".into(), ..incoming(&session(), "p", "one") };
    let said = MessageRecord { platform_id: Some("p".into()), ..outgoing(&session(), TurnId::new(), "one") };
    let changes = [&first, &other_chat, &other_channel, &other_account].map(accept).to_vec();
    stores.ledger.commit(changes).await.unwrap();
    stores.ledger.commit(vec![MessageChange::Say(said).into()]).await.unwrap();
    assert_eq!(stores.messages.open().await.unwrap().len(), 4);
}

async fn messages_without_a_platform_id_are_never_the_same(stores: &Stores) {
    let empty = || MessageRecord { platform_id: Some(String::new()), ..incoming(&session(), "", "one") };
    let all = [incoming(&session(), "", "one"), incoming(&session(), "", "one"), empty(), empty()];
    stores.ledger.commit(all.iter().map(accept).collect()).await.unwrap();
    assert_eq!(stores.messages.open().await.unwrap(), all);
}

async fn the_first_end_stays(stores: &Stores) {
    let message = incoming(&session(), "", "one");
    let end = |end| MessageChange::End { message: message.id, end }.into();
    stores.ledger.commit(vec![accept(&message), end(MessageEnd::Answered)]).await.unwrap();
    stores.ledger.commit(vec![end(MessageEnd::Stale)]).await.unwrap();
    let kept = stores.messages.get(message.id).await.unwrap().unwrap();
    assert_eq!(kept.end, Some(MessageEnd::Answered));
}

async fn every_end_comes_back(stores: &Stores) {
    let ends = [
        MessageEnd::Answered,
        MessageEnd::Joined { turn: TurnId::new() },
        MessageEnd::Silent { rule: "standby".into() },
        MessageEnd::Stale,
        MessageEnd::Cancelled { by: "我".into() },
        MessageEnd::FailedTold { code: "auth".into() },
        MessageEnd::DeadLettered { reason: "no \"way\"".into() },
        MessageEnd::Erased,
    ];
    for end in ends {
        let message = incoming(&session(), "", "one");
        let change = MessageChange::End { message: message.id, end: end.clone() };
        stores.ledger.commit(vec![accept(&message), change.into()]).await.unwrap();
        assert_eq!(stores.messages.get(message.id).await.unwrap().unwrap().end, Some(end));
    }
}

async fn a_page_is_oldest_first_whichever_way_it_is_read(stores: &Stores) {
    let all: Vec<_> = (0..6).map(|number| incoming(&session(), "", &format!("{number}"))).collect();
    let elsewhere = incoming(&chat().dialog("other"), "", "elsewhere");
    let mut changes: Vec<_> = all.iter().map(accept).collect();
    changes.push(accept(&elsewhere));
    stores.ledger.commit(changes).await.unwrap();
    let page = async |which, limit| stores.messages.page(&session(), which, limit).await.unwrap();
    assert_eq!(page(MessagePage::Newest, 2).await, all[4..]);
    assert_eq!(page(MessagePage::Newest, 100).await, all);
    assert_eq!(page(MessagePage::Before(all[4].id), 2).await, all[2..4]);
    assert_eq!(page(MessagePage::Before(all[0].id), 2).await, []);
    assert_eq!(page(MessagePage::After(all[1].id), 2).await, all[2..4]);
    assert_eq!(page(MessagePage::After(all[5].id), 2).await, []);
    assert_eq!(page(MessagePage::Newest, 0).await, []);
}

async fn open_ones_are_incoming_and_without_an_end(stores: &Stores) {
    let (open, ended) = (incoming(&session(), "", "open"), incoming(&session(), "", "ended"));
    let said = outgoing(&session(), TurnId::new(), "said");
    let end = MessageChange::End { message: ended.id, end: MessageEnd::Erased };
    let changes = vec![accept(&ended), accept(&open), MessageChange::Say(said).into(), end.into()];
    stores.ledger.commit(changes).await.unwrap();
    assert_eq!(stores.messages.open().await.unwrap(), vec![open]);
}

async fn a_turn_has_what_it_took_up_and_what_it_said(stores: &Stores) {
    let turn = TurnId::new();
    let (mut asked, other) = (incoming(&session(), "", "asked"), incoming(&session(), "", "other"));
    let said = outgoing(&session(), turn, "said");
    let take_up = MessageChange::TakeUp { message: asked.id, turn };
    let changes =
        vec![accept(&asked), accept(&other), MessageChange::Say(said.clone()).into(), take_up.into()];
    stores.ledger.commit(changes).await.unwrap();
    asked.turn = Some(turn);
    assert_eq!(stores.messages.of_turn(turn).await.unwrap(), vec![asked, said]);
}

async fn the_network_can_name_what_we_said(stores: &Stores) {
    let said = outgoing(&session(), TurnId::new(), "said");
    let named = MessageChange::SetPlatformId { message: said.id, platform_id: "77".into() };
    stores.ledger.commit(vec![MessageChange::Say(said.clone()).into(), named.into()]).await.unwrap();
    let kept = stores.messages.get(said.id).await.unwrap().unwrap();
    assert_eq!(kept.platform_id.as_deref(), Some("77"));
}
