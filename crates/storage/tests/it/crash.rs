//! A process that dies at or between commits: what it was told is safe is there, and nothing is half there.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use hearth_contract::message::MessageEnd;
use hearth_contract::store::{MessageChange, MessagePage, TurnChange};
use hearth_storage::{CommitFault, OpenOptions, StorageConfig, check, open, open_with};
use hearth_testkit::suite::storage::samples::{accept, incoming, session, turn};

const HOME: &str = "STORAGE_TEST_HOME";
const FAULT: &str = "STORAGE_TEST_FAULT";
/// The most messages a child writes.
const MESSAGES_MAX: u32 = 2_000;

fn from_parent(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.into_string().unwrap())
}

/// Not a test: the process that dies. Says the number of each message that is safe.
#[tokio::test]
#[ignore = "the other tests start it as their child"]
async fn child() {
    let home = from_parent(HOME).expect("it is started by the other tests");
    let commit_fault = from_parent(FAULT).map(|text| text.parse::<CommitFault>().unwrap());
    let options = OpenOptions { commit_fault, ..OpenOptions::default() };
    let opened = open_with(&StorageConfig::default(), Path::new(&home), &options).unwrap();
    for number in 0..MESSAGES_MAX {
        let message = incoming(&session(), &format!("p{number}"), &format!("{number}"));
        let turn = turn(&session(), message.id);
        let changes = vec![
            accept(&message),
            TurnChange::Start(turn.clone()).into(),
            MessageChange::TakeUp { message: message.id, turn: turn.id }.into(),
            MessageChange::End { message: message.id, end: MessageEnd::Answered }.into(),
        ];
        opened.stores.ledger.commit(changes).await.unwrap();
        println!("safe {number}");
        std::io::stdout().flush().unwrap();
    }
}

fn start_child(home: &Path, fault: Option<&str>) -> (Child, BufReader<ChildStdout>) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "crash::child", "--ignored", "--nocapture"]).env(HOME, home);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    if let Some(fault) = fault {
        command.env(FAULT, fault);
    }
    let mut child = command.spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    (child, output)
}

fn safe_number(line: &str) -> Option<u32> {
    line.strip_prefix("safe ").map(|number| number.parse().unwrap())
}

/// Opens what the child left. `told` is the last number it was told is safe.
async fn assert_whole(home: &Path, told: Option<u32>) -> usize {
    let config = StorageConfig::default();
    let opened = open(&config, home).unwrap();
    let kept = opened.stores.messages.page(&session(), MessagePage::Newest, 5_000).await.unwrap();
    let numbers: Vec<u32> = kept.iter().map(|message| message.text.parse().unwrap()).collect();
    let count = u32::try_from(numbers.len()).unwrap();
    assert_eq!(numbers, (0..count).collect::<Vec<_>>());
    let told = told.map_or(0, |number| number + 1);
    assert!(count == told || count == told + 1, "{count} messages are there, {told} were called safe");
    for message in &kept {
        assert_eq!(message.end, Some(MessageEnd::Answered));
        let turn = opened.stores.turns.get(message.turn.unwrap()).await.unwrap().unwrap();
        assert_eq!(turn.turn.cause, message.id);
    }
    opened.handle.check().await.unwrap();
    opened.handle.close().await.unwrap();
    check(&home.join("hearth.db")).unwrap();
    numbers.len()
}

async fn dies_by_fault(fault: &str) -> usize {
    let home = tempfile::tempdir().unwrap();
    let (mut child, output) = start_child(home.path(), Some(fault));
    let told = output.lines().filter_map(|line| safe_number(&line.unwrap())).last();
    assert!(!child.wait().unwrap().success());
    assert_whole(home.path(), told).await
}

#[tokio::test]
async fn what_is_not_committed_when_the_process_dies_never_was() {
    assert_eq!(dies_by_fault("abort_before:1").await, 0);
    assert_eq!(dies_by_fault("abort_before:4").await, 3);
}

#[tokio::test]
async fn what_is_committed_when_the_process_dies_is_there() {
    assert_eq!(dies_by_fault("abort_after:1").await, 1);
    assert_eq!(dies_by_fault("abort_after:4").await, 4);
}

#[tokio::test]
async fn a_killed_process_loses_nothing_that_was_safe() {
    let home = tempfile::tempdir().unwrap();
    let (mut child, mut output) = start_child(home.path(), None);
    let mut told = None;
    let mut line = String::new();
    while told < Some(20) {
        line.clear();
        assert!(output.read_line(&mut line).unwrap() > 0, "the child ended early");
        told = safe_number(line.trim_end()).or(told);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let rest = output.lines().filter_map(|line| safe_number(&line.unwrap())).last();
    assert_whole(home.path(), rest.or(told)).await;
}
