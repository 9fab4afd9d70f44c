//! Dialogs, settings, usage.

use hearth_contract::clock::UnixMs;
use hearth_contract::id::{ChatKey, TurnId};
use hearth_contract::provider::Usage;
use hearth_contract::store::{
    DialogChange, DialogRecord, DialogState, SettingChange, SettingRecord, Stores, UsageChange, UsageRecord,
    UsageTotal,
};

use super::samples::{chat, session};
use super::{Case, cases};

pub(super) const CASES: &[Case] = cases![
    a_dialog_is_made_touched_named_and_replaced,
    dialogs_are_listed_by_activity,
    a_chat_has_one_current_dialog,
    settings_are_kept_by_owner,
    usage_is_summed_by_day_source_and_model,
];

async fn a_dialog_is_made_touched_named_and_replaced(stores: &Stores) {
    let touch = |at| DialogChange::Touch { session: session(), at: UnixMs(at) }.into();
    let name = |title: &str| DialogChange::Name { session: session(), title: title.into() }.into();
    let get = async || stores.dialogs.get(&session()).await.unwrap();
    assert_eq!(get().await, None);
    stores.ledger.commit(vec![touch(50), touch(70), touch(60), name("茶")]).await.unwrap();
    let mut dialog = DialogRecord {
        session: session(),
        title: "茶".into(),
        state: DialogState::Active,
        created_at: UnixMs(50),
        active_at: UnixMs(70),
    };
    assert_eq!(get().await.as_ref(), Some(&dialog));
    stores.ledger.commit(vec![name("another")]).await.unwrap();
    assert_eq!(get().await.as_ref(), Some(&dialog));

    dialog.state = DialogState::Archived;
    dialog.title = "旧".into();
    stores.ledger.commit(vec![DialogChange::Put(dialog.clone()).into()]).await.unwrap();
    assert_eq!(get().await, Some(dialog));
}

async fn dialogs_are_listed_by_activity(stores: &Stores) {
    let elsewhere = ChatKey::new("qq", "1").dialog("default");
    let touched =
        [(session(), 10), (chat().dialog("b"), 30), (chat().dialog("c"), 20), (elsewhere.clone(), 40)];
    let changes = touched.map(|(session, at)| DialogChange::Touch { session, at: UnixMs(at) }.into());
    stores.ledger.commit(changes.to_vec()).await.unwrap();
    let list = async |chat: Option<&ChatKey>, limit| -> Vec<String> {
        let found = stores.dialogs.list(chat, limit).await.unwrap();
        found.into_iter().map(|dialog| dialog.session.dialog).collect()
    };
    assert_eq!(list(Some(&chat()), 9).await, ["b", "c", "default"]);
    assert_eq!(list(Some(&chat()), 1).await, ["b"]);
    assert_eq!(list(None, 3).await, ["default", "b", "c"]);
    assert_eq!(stores.dialogs.list(None, 1).await.unwrap()[0].session, elsewhere);
}

async fn a_chat_has_one_current_dialog(stores: &Stores) {
    assert_eq!(stores.dialogs.current(&chat()).await.unwrap(), None);
    for dialog in ["b", "c"] {
        let session = chat().dialog(dialog);
        let change = DialogChange::SetCurrent { session: session.clone() };
        stores.ledger.commit(vec![change.into()]).await.unwrap();
        assert_eq!(stores.dialogs.current(&chat()).await.unwrap(), Some(session));
    }
    assert_eq!(stores.dialogs.current(&ChatKey::new("cli", "other")).await.unwrap(), None);
}

async fn settings_are_kept_by_owner(stores: &Stores) {
    let setting = |owner: &str, name: &str, value| SettingRecord {
        owner: owner.into(),
        name: name.into(),
        value,
        set_at: UnixMs(5),
    };
    let (b, a) =
        (setting("kernel", "b", 1.into()), setting("kernel", "a", serde_json::json!({"深": [1.5, null]})));
    let other = setting("plugin", "a", true.into());
    let put = |setting: &SettingRecord| SettingChange::Put(setting.clone()).into();
    stores.ledger.commit(vec![put(&b), put(&a), put(&other)]).await.unwrap();
    assert_eq!(stores.settings.of_owner("kernel").await.unwrap(), [a.clone(), b.clone()]);
    assert_eq!(stores.settings.get("plugin", "a").await.unwrap(), Some(other));
    assert_eq!(stores.settings.get("plugin", "b").await.unwrap(), None);

    let changed = SettingRecord { value: serde_json::Value::Null, set_at: UnixMs(6), ..b };
    let remove = SettingChange::Remove { owner: "kernel".into(), name: "a".into() };
    stores.ledger.commit(vec![put(&changed), remove.into()]).await.unwrap();
    assert_eq!(stores.settings.of_owner("kernel").await.unwrap(), [changed]);
}

async fn usage_is_summed_by_day_source_and_model(stores: &Stores) {
    const DAY: i64 = 86_400_000;
    let add = |at, session: &hearth_contract::id::SessionKey, model: &str, tokens| {
        UsageChange::Add(UsageRecord {
            at: UnixMs(at),
            turn: TurnId::new(),
            session: session.clone(),
            user: "42".into(),
            purpose: "chat".into(),
            source: "main".into(),
            model: model.into(),
            usage: Usage { prompt_tokens: tokens, cached_tokens: 1, completion_tokens: 2 },
        })
        .into()
    };
    let other = chat().dialog("other");
    let changes = vec![
        add(DAY - 1, &session(), "m", 100),
        add(DAY, &session(), "m", 10),
        add(2 * DAY - 1, &other, "m", 20),
        add(DAY + 7, &session(), "n", 30),
        add(2 * DAY, &session(), "m", 40),
    ];
    stores.ledger.commit(changes).await.unwrap();
    let total = |day: &str, model: &str, calls: u64, prompt_tokens| UsageTotal {
        day: day.into(),
        source: "main".into(),
        model: model.into(),
        calls,
        usage: Usage { prompt_tokens, cached_tokens: calls, completion_tokens: 2 * calls },
    };
    assert_eq!(
        stores.usage.totals(UnixMs(DAY), None).await.unwrap(),
        [total("1970-01-02", "m", 2, 30), total("1970-01-02", "n", 1, 30), total("1970-01-03", "m", 1, 40)]
    );
    assert_eq!(
        stores.usage.totals(UnixMs(0), Some(&other)).await.unwrap(),
        [total("1970-01-02", "m", 1, 20)]
    );
    assert_eq!(stores.usage.totals(UnixMs(3 * DAY), None).await.unwrap(), []);
}
