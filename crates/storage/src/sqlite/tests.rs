//! The writer, looked at from inside: groups, syncs, and what happens while nothing can be written.
#![allow(clippy::disallowed_methods, reason = "a test waits for every task that it spawns")]

use std::sync::mpsc;
use std::time::Duration;

use hearth_contract::message::MessageRecord;
use hearth_contract::store::{Durable, MessagePage, StoreError, Stores, Urgency};
use hearth_testkit::suite::storage::samples::{accept, incoming, session};

use super::Database;
use super::writer::{RECORDS_KEPT_MAX, TRANSACTIONS_MAX};
use crate::config::Durability;
use crate::options::{CommitFault, FaultKind, OpenOptions};

/// Longer than any test runs.
const NEVER: Duration = Duration::from_secs(3600);
/// As soon as can be.
const AT_ONCE: Duration = Duration::from_millis(1);

struct Fixture {
    home: tempfile::TempDir,
    database: Database,
    stores: Stores,
}

impl Fixture {
    fn new(durability: Durability, interval: Duration, commit_fault: Option<CommitFault>) -> Self {
        let home = tempfile::tempdir().unwrap();
        let options = OpenOptions { commit_fault, interval };
        let database = Database::open(home.path().join("hearth.db"), durability, &options).unwrap();
        let stores = database.stores();
        Self { home, database, stores }
    }

    async fn pragma(&self, text: &'static str) -> i64 {
        self.database
            .writer
            .run(move |connection| connection.query_row(text, [], |row| row.get(0)).unwrap())
            .await
    }

    /// Lets the database grow no further, as a full disk does.
    async fn fill_the_disk(&self) {
        let pages = self.pragma("PRAGMA page_count").await;
        self.database
            .writer
            .run(move |connection| {
                let sql = format!("PRAGMA max_page_count = {pages}");
                connection.query_row(&sql, [], |_| Ok(())).unwrap();
            })
            .await;
    }

    async fn free_the_disk(&self) {
        self.pragma("PRAGMA max_page_count = 1000000").await;
    }

    /// Keeps the writer from working until the sender is used.
    async fn hold(&self) -> (tokio::task::JoinHandle<()>, mpsc::Sender<()>) {
        let (release, released) = mpsc::channel();
        let (begun, has_begun) = tokio::sync::oneshot::channel();
        let writer = std::sync::Arc::clone(&self.database.writer);
        let held = tokio::spawn(async move {
            let wait = move |_: &rusqlite::Connection| {
                begun.send(()).unwrap();
                released.recv().unwrap();
            };
            writer.run(wait).await;
        });
        has_begun.await.unwrap();
        (held, release)
    }

    /// Returns when so many transactions wait for a writer that is held.
    async fn queued(&self, count: usize) {
        while self.database.writer.queued() < count {
            tokio::task::yield_now().await;
        }
    }

    /// Returns when the groups before are through: what is asked second comes after the group of the first.
    async fn settle(&self) {
        for _ in 0..2 {
            self.pragma("PRAGMA page_count").await;
        }
    }

    async fn apply(&self, message: &MessageRecord, urgency: Urgency) -> Result<Durable, StoreError> {
        self.stores.ledger.apply(vec![accept(message)], urgency).await
    }
}

fn message(text: &str) -> MessageRecord {
    incoming(&session(), text, text)
}

/// One that needs more pages than a database has to spare.
fn long_message(text: &str) -> MessageRecord {
    MessageRecord { text: "长".repeat(40_000), ..message(text) }
}

fn reason(error: StoreError) -> String {
    match error {
        StoreError::Unavailable { reason } => reason,
        StoreError::Conflict { .. } => panic!("{error}"),
    }
}

#[tokio::test]
async fn only_an_urgent_group_is_synced_and_it_makes_all_before_it_safe() {
    let fixture = Fixture::new(Durability::Power, NEVER, None);
    let later = fixture.apply(&message("later"), Urgency::Later).await.unwrap();
    // The next call is only taken up when the group before it is through.
    assert_eq!(fixture.pragma("PRAGMA synchronous").await, 1);
    let counters = fixture.database.counters();
    assert_eq!((counters.groups, counters.groups_synced, counters.log_syncs), (1, 0, 0));

    let now = fixture.apply(&message("now"), Urgency::Now).await.unwrap();
    now.wait().await.unwrap();
    later.wait().await.unwrap();
    assert_eq!(fixture.pragma("PRAGMA synchronous").await, 1);
    let counters = fixture.database.counters();
    assert_eq!((counters.groups, counters.groups_synced, counters.log_syncs), (2, 1, 0));
}

#[tokio::test]
async fn an_urgent_group_runs_with_full_synchronous() {
    let fixture = Fixture::new(Durability::Power, NEVER, None);
    fixture.apply(&message("now"), Urgency::Now).await.unwrap().wait().await.unwrap();
    let (held, release) = fixture.hold().await;
    let urgent = fixture.stores.clone();
    let applied = tokio::spawn(async move { urgent.ledger.commit(vec![accept(&message("urgent"))]).await });
    fixture.queued(1).await;
    let seen = fixture.database.writer.run(|connection| {
        connection.query_row("PRAGMA synchronous", [], |row| row.get::<_, i64>(0)).unwrap()
    });
    let (seen, ()) = tokio::join!(seen, async { release.send(()).unwrap() });
    held.await.unwrap();
    applied.await.unwrap().unwrap();
    assert_eq!(seen, 2);
}

#[tokio::test]
async fn an_urgent_transaction_that_changes_nothing_still_syncs_what_was_before_it() {
    let fixture = Fixture::new(Durability::Power, NEVER, None);
    let later = fixture.apply(&message("later"), Urgency::Later).await.unwrap();
    fixture.stores.ledger.commit(vec![]).await.unwrap();
    later.wait().await.unwrap();
    let counters = fixture.database.counters();
    assert_eq!((counters.groups_synced, counters.log_syncs), (0, 1));
    fixture.stores.ledger.commit(vec![]).await.unwrap();
    assert_eq!(fixture.database.counters().log_syncs, 1);
}

#[tokio::test]
async fn what_is_not_urgent_is_synced_after_the_interval() {
    let fixture = Fixture::new(Durability::Power, AT_ONCE, None);
    fixture.apply(&message("later"), Urgency::Later).await.unwrap().wait().await.unwrap();
    let counters = fixture.database.counters();
    assert_eq!((counters.groups, counters.groups_synced, counters.log_syncs), (1, 0, 1));
}

#[tokio::test]
async fn with_durability_process_a_promise_is_kept_at_the_commit() {
    let fixture = Fixture::new(Durability::Process, NEVER, None);
    fixture.apply(&message("later"), Urgency::Later).await.unwrap().wait().await.unwrap();
    fixture.apply(&message("now"), Urgency::Now).await.unwrap().wait().await.unwrap();
    let counters = fixture.database.counters();
    assert_eq!((counters.groups, counters.groups_synced, counters.log_syncs), (2, 0, 0));
    fixture.database.close().await.unwrap();
    assert_eq!(fixture.database.counters().log_syncs, 1);
}

#[tokio::test]
async fn what_has_queued_up_is_one_group() {
    let fixture = Fixture::new(Durability::Power, NEVER, None);
    let (held, release) = fixture.hold().await;
    let mut tasks = Vec::new();
    for number in 0..200 {
        let stores = fixture.stores.clone();
        let text = format!("{number}");
        tasks.push(tokio::spawn(async move { stores.ledger.commit(vec![accept(&message(&text))]).await }));
    }
    fixture.queued(200).await;
    release.send(()).unwrap();
    held.await.unwrap();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    let counters = fixture.database.counters();
    assert_eq!((counters.groups, counters.groups_synced, counters.transactions), (1, 1, 200));
    let kept = fixture.stores.messages.page(&session(), MessagePage::Newest, 300).await.unwrap();
    assert_eq!(kept.len(), 200);
}

#[tokio::test]
async fn a_commit_that_fails_breaks_its_promises_and_loses_no_record() {
    let fault = CommitFault { number: 2, kind: FaultKind::Fail };
    let fixture = Fixture::new(Durability::Power, NEVER, Some(fault));
    fixture.stores.ledger.commit(vec![accept(&message("first"))]).await.unwrap();
    let (held, release) = fixture.hold().await;
    fixture.stores.ledger.record(vec![accept(&message("recorded"))]);
    let stores = fixture.stores.clone();
    let awaited = tokio::spawn(async move { stores.ledger.commit(vec![accept(&message("awaited"))]).await });
    fixture.queued(2).await;
    let stores = fixture.stores.clone();
    // Its promise is dropped at once: nobody will learn that the commit failed.
    let taken = tokio::spawn(async move {
        stores.ledger.apply(vec![accept(&message("taken"))], Urgency::Now).await.map(drop)
    });
    fixture.queued(3).await;
    release.send(()).unwrap();
    held.await.unwrap();
    let refused = awaited.await.unwrap().unwrap_err();
    assert_eq!(reason(refused), "the disk is full");
    let _ = taken.await.unwrap();
    fixture.stores.ledger.commit(vec![accept(&message("last"))]).await.unwrap();
    let page = fixture.stores.messages.page(&session(), MessagePage::Newest, 9).await.unwrap();
    let texts: Vec<_> =
        page.iter().map(|message| message.text.as_str()).filter(|text| *text != "taken").collect();
    assert_eq!(texts, ["first", "recorded", "last"]);
}

#[tokio::test]
async fn a_transaction_whose_promise_nobody_holds_survives_a_failed_commit() {
    let fault = CommitFault { number: 1, kind: FaultKind::Fail };
    let fixture = Fixture::new(Durability::Power, NEVER, Some(fault));
    let (held, release) = fixture.hold().await;
    let stores = fixture.stores.clone();
    // The caller goes away before it is answered.
    let taken =
        tokio::spawn(async move { stores.ledger.apply(vec![accept(&message("taken"))], Urgency::Now).await });
    fixture.queued(1).await;
    taken.abort();
    assert!(taken.await.unwrap_err().is_cancelled());
    release.send(()).unwrap();
    held.await.unwrap();
    fixture.settle().await;
    fixture.stores.ledger.commit(vec![accept(&message("last"))]).await.unwrap();
    assert_eq!(fixture.stores.messages.open().await.unwrap().len(), 2);
}

#[tokio::test]
async fn records_are_kept_while_the_disk_is_full_and_go_first_afterwards() {
    let fixture = Fixture::new(Durability::Power, NEVER, None);
    fixture.stores.ledger.commit(vec![accept(&message("before"))]).await.unwrap();
    fixture.fill_the_disk().await;
    for text in ["a", "b"] {
        fixture.stores.ledger.record(vec![accept(&long_message(text))]);
    }
    let refused = fixture.stores.ledger.commit(vec![accept(&message("a"))]).await.unwrap_err();
    assert_eq!(reason(refused), "the disk is full");
    // Answered by the writer only after it is through with the group before.
    fixture.pragma("PRAGMA page_count").await;
    assert_eq!(fixture.database.counters().records_kept, 2);
    assert_eq!(fixture.stores.messages.open().await.unwrap().len(), 1);

    fixture.free_the_disk().await;
    let conflict = fixture.stores.ledger.commit(vec![accept(&message("a"))]).await.unwrap_err();
    assert!(matches!(conflict, StoreError::Conflict { what: "message", .. }), "{conflict}");
    fixture.stores.ledger.commit(vec![]).await.unwrap();
    assert_eq!(fixture.database.counters().records_kept, 0);
    let open = fixture.stores.messages.open().await.unwrap();
    assert_eq!(
        open.iter().map(|message| message.platform_id.as_deref().unwrap()).collect::<Vec<_>>(),
        ["before", "a", "b"]
    );
}

#[tokio::test]
async fn what_is_kept_is_tried_again_without_being_asked() {
    let fixture = Fixture::new(Durability::Power, AT_ONCE, None);
    fixture.fill_the_disk().await;
    let kept = long_message("kept");
    fixture.stores.ledger.record(vec![accept(&kept)]);
    while fixture.database.counters().records_kept == 0 {
        fixture.pragma("PRAGMA page_count").await;
    }
    fixture.free_the_disk().await;
    while fixture.stores.messages.get(kept.id).await.unwrap().is_none() {}
}

#[tokio::test]
async fn too_much_that_is_kept_stops_what_comes_after_and_is_not_lost() {
    let fixture = Fixture::new(Durability::Process, AT_ONCE, None);
    fixture.fill_the_disk().await;
    let count = RECORDS_KEPT_MAX + TRANSACTIONS_MAX + 1;
    fixture.stores.ledger.record(vec![accept(&long_message("first"))]);
    for _ in 1..count {
        fixture.stores.ledger.record(vec![accept(&incoming(&session(), "", "x"))]);
    }
    let too_much = "too much that could not be written is waiting in memory";
    assert_eq!(reason(fixture.stores.ledger.commit(vec![]).await.unwrap_err()), too_much);
    fixture.free_the_disk().await;
    while let Err(error) = fixture.stores.ledger.commit(vec![]).await {
        assert_eq!(reason(error), too_much);
    }
    assert_eq!(fixture.stores.messages.open().await.unwrap().len(), count);
}

#[tokio::test]
async fn a_read_only_database_is_called_so() {
    let fixture = Fixture::new(Durability::Power, NEVER, None);
    fixture
        .database
        .writer
        .run(|connection| connection.pragma_update(None, "query_only", true).unwrap())
        .await;
    let refused = fixture.stores.ledger.commit(vec![accept(&message("x"))]).await.unwrap_err();
    assert_eq!(reason(refused), "the database is read-only");
    fixture
        .database
        .writer
        .run(|connection| connection.pragma_update(None, "query_only", false).unwrap())
        .await;
    fixture.stores.ledger.commit(vec![accept(&message("x"))]).await.unwrap();
}

#[tokio::test]
async fn closing_says_how_much_could_not_be_written() {
    let fixture = Fixture::new(Durability::Power, NEVER, None);
    fixture.fill_the_disk().await;
    fixture.stores.ledger.record(vec![accept(&long_message("kept"))]);
    let error = fixture.database.close().await.unwrap_err();
    assert_eq!(reason(error), "1 records could not be written");
}

#[tokio::test]
async fn a_lock_of_another_program_is_waited_for() {
    let fixture = Fixture::new(Durability::Power, NEVER, None);
    fixture.stores.ledger.commit(vec![accept(&message("first"))]).await.unwrap();
    let other = super::connect::plain(&fixture.home.path().join("hearth.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; DELETE FROM settings;").unwrap();
    let stores = fixture.stores.clone();
    let waiting = tokio::spawn(async move { stores.ledger.commit(vec![accept(&message("second"))]).await });
    // The writer has taken it from the queue and now waits for the lock; reading goes on beside it.
    while fixture.database.writer.unfinished() == 0 || fixture.database.writer.queued() > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(fixture.stores.messages.open().await.unwrap().len(), 1);
    other.execute_batch("COMMIT").unwrap();
    waiting.await.unwrap().unwrap();
    assert_eq!(fixture.stores.messages.open().await.unwrap().len(), 2);
}
