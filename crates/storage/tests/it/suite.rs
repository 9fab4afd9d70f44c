//! Every case of the store's suite.

use hearth_storage::{Durability, StorageConfig, open};
use hearth_testkit::suite::storage::ALL;

async fn run_all(durability: Durability) {
    let config = StorageConfig { durability, ..StorageConfig::default() };
    let mut count = 0;
    for case in ALL.iter().copied().flatten() {
        eprintln!("{}", case.name);
        let home = tempfile::tempdir().unwrap();
        let opened = open(&config, home.path()).unwrap();
        (case.run)(opened.stores.clone()).await;
        opened.handle.close().await.unwrap();
        count += 1;
    }
    assert!(count > 40, "only {count} cases were run");
}

#[tokio::test]
async fn with_durability_power() {
    run_all(Durability::Power).await;
}

#[tokio::test]
async fn with_durability_process() {
    run_all(Durability::Process).await;
}
