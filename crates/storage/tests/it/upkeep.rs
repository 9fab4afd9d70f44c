//! Backups, restores, reading beside a writer, closing.

use std::path::Path;

use hearth_contract::store::{MessagePage, StoreError, Urgency};
use hearth_storage::{
    OpenError, OpenOptions, Opened, StorageConfig, UpkeepError, backup, check, open, open_read_only,
    open_with, restore,
};
use hearth_testkit::suite::storage::samples::{accept, incoming, session};

fn open_in(home: &Path) -> Opened {
    open(&StorageConfig::default(), home).unwrap()
}

async fn say(opened: &Opened, text: &str) {
    opened.stores.ledger.commit(vec![accept(&incoming(&session(), text, text))]).await.unwrap();
}

async fn texts(opened: &Opened) -> Vec<String> {
    let page = opened.stores.messages.page(&session(), MessagePage::Newest, 100).await.unwrap();
    page.into_iter().map(|message| message.text).collect()
}

#[tokio::test]
async fn a_backup_is_what_was_there_and_a_restore_brings_it_back() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("backup.db");
    let opened = open_in(home.path());
    say(&opened, "one").await;
    say(&opened, "two").await;
    opened.handle.backup(&file).await.unwrap();
    say(&opened, "three").await;
    opened.handle.close().await.unwrap();
    assert_eq!(check(&file).unwrap().messages, 2);

    let config = StorageConfig::default();
    let replaced = restore(&config, &file, home.path()).unwrap().unwrap();
    assert_eq!(check(&replaced).unwrap().messages, 3);
    let opened = open_in(home.path());
    assert_eq!(texts(&opened).await, ["one", "two"]);
    say(&opened, "four").await;
    opened.handle.close().await.unwrap();

    let second = restore(&config, &file, home.path()).unwrap().unwrap();
    assert_ne!(second, replaced);
    assert_eq!(check(&file).unwrap().messages, 2);
}

#[tokio::test]
async fn a_restore_into_an_empty_home_replaces_nothing() {
    let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = home.path().join("backup.db");
    let opened = open_in(home.path());
    say(&opened, "one").await;
    backup(&StorageConfig::default(), home.path(), &file).unwrap();
    assert_eq!(restore(&StorageConfig::default(), &file, other.path()).unwrap(), None);
    assert_eq!(texts(&open_in(other.path())).await, ["one"]);
}

#[tokio::test]
async fn a_restore_takes_the_log_of_a_dead_process_along() {
    let (home, crashed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let opened = open_in(home.path());
    say(&opened, "one").await;
    say(&opened, "two").await;
    let file = home.path().join("backup.db");
    opened.handle.backup(&file).await.unwrap();
    for name in ["hearth.db", "hearth.db-wal"] {
        std::fs::copy(home.path().join(name), crashed.path().join(name)).unwrap();
    }
    let replaced = restore(&StorageConfig::default(), &file, crashed.path()).unwrap().unwrap();
    assert_eq!(check(&replaced).unwrap().messages, 2);
    let restored = open_in(crashed.path());
    assert_eq!(texts(&restored).await, ["one", "two"]);
}

#[tokio::test]
async fn a_backup_overwrites_nothing() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("backup.db");
    std::fs::write(&file, "mine").unwrap();
    let opened = open_in(home.path());
    let error = opened.handle.backup(&file).await.unwrap_err();
    assert!(matches!(error, UpkeepError::Exists { .. }), "{error}");
    assert_eq!(std::fs::read(&file).unwrap(), b"mine");
    let error = opened.handle.backup(&home.path().join("missing/backup.db")).await.unwrap_err();
    assert!(matches!(error, UpkeepError::Unavailable { .. }), "{error}");
}

#[tokio::test]
async fn a_damaged_backup_is_refused_and_the_database_stays() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("backup.db");
    let opened = open_in(home.path());
    for number in 0..50 {
        say(&opened, &format!("{number}")).await;
    }
    opened.handle.backup(&file).await.unwrap();
    opened.handle.close().await.unwrap();
    let whole = std::fs::read(&file).unwrap();
    let mut one_page_lost = whole.clone();
    let at = whole.len() - 4096 * 3;
    one_page_lost[at..at + 4096].fill(0x5a);
    let before = std::fs::read(home.path().join("hearth.db")).unwrap();
    for damaged in [b"no database at all".repeat(100), whole[..whole.len() - 4096].to_vec(), one_page_lost] {
        std::fs::write(&file, damaged).unwrap();
        let error = restore(&StorageConfig::default(), &file, home.path()).unwrap_err();
        assert!(matches!(error, UpkeepError::Open(OpenError::Damaged { .. })), "{error}");
        assert_eq!(std::fs::read(home.path().join("hearth.db")).unwrap(), before);
    }
    let missing = restore(&StorageConfig::default(), &home.path().join("none.db"), home.path()).unwrap_err();
    assert!(matches!(missing, UpkeepError::Open(OpenError::Missing { .. })), "{missing}");
}

#[tokio::test]
async fn a_reader_sees_a_running_ledger_and_writes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let config = StorageConfig::default();
    let missing = open_read_only(&config, home.path()).unwrap_err();
    assert!(matches!(missing, OpenError::Missing { .. }), "{missing}");
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);

    let opened = open_in(home.path());
    say(&opened, "one").await;
    let reader = open_read_only(&config, home.path()).unwrap();
    say(&opened, "two").await;
    assert_eq!(reader.messages.open().await.unwrap().len(), 2);
    let refused = reader.ledger.commit(vec![accept(&incoming(&session(), "", "x"))]).await.unwrap_err();
    assert!(matches!(refused, StoreError::Unavailable { .. }), "{refused}");

    drop(reader);
    opened.handle.close().await.unwrap();
    let alone = open_read_only(&config, home.path()).unwrap();
    assert_eq!(alone.messages.open().await.unwrap().len(), 2);
}

#[tokio::test]
async fn closing_keeps_every_promise_and_refuses_what_comes_later() {
    let home = tempfile::tempdir().unwrap();
    let options = OpenOptions { interval: std::time::Duration::from_secs(3600), ..OpenOptions::default() };
    let opened = open_with(&StorageConfig::default(), home.path(), &options).unwrap();
    let message = incoming(&session(), "", "one");
    let promise = opened.stores.ledger.apply(vec![accept(&message)], Urgency::Later).await.unwrap();
    opened.stores.ledger.record(vec![accept(&incoming(&session(), "", "two"))]);
    opened.handle.close().await.unwrap();
    promise.wait().await.unwrap();
    opened.handle.close().await.unwrap();
    assert!(opened.stores.ledger.commit(vec![]).await.is_err());
    assert!(opened.stores.messages.get(message.id).await.is_err());
    let names: Vec<_> =
        std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["hearth.db"]);
    assert_eq!(texts(&open_in(home.path())).await, ["one", "two"]);
}

#[tokio::test]
async fn dropping_the_store_lets_its_threads_end() {
    let home = tempfile::tempdir().unwrap();
    let opened = open_in(home.path());
    say(&opened, "one").await;
    assert_eq!(texts(&opened).await, ["one"]);
    drop(opened);
    let opened = open_in(home.path());
    assert_eq!(texts(&opened).await, ["one"]);
}

#[test]
fn another_backend_is_refused_with_what_to_write() {
    let config = StorageConfig { url: "mysql://x".into(), ..StorageConfig::default() };
    let error = open(&config, Path::new("/")).unwrap_err();
    assert!(error.to_string().contains("\"sqlite\""), "{error}");
}
