//! Queues of clients.

use super::*;

fn message(number: u32) -> Arc<Live> {
    let id = MessageId::new();
    let frame = ServerFrame::Draft { turn: String::new(), text: number.to_string() };
    Arc::new(Live { json: encode(&frame), frame, message: Some(id), cause: None })
}

fn draft(text: &str) -> Arc<Live> {
    Live::new(ServerFrame::Draft { turn: String::new(), text: text.to_owned() })
}

/// What waits, as the texts of drafts or the names of answers.
fn waiting(queue: &ClientQueue) -> Vec<String> {
    let mut texts = Vec::new();
    while let Some(entry) = queue.lock().pop() {
        let json = match entry {
            Entry::Live(live) => live.json.clone(),
            Entry::Answer(json) => json,
        };
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        texts.push(value["text"].as_str().or(value["type"].as_str()).unwrap().to_owned());
    }
    texts
}

#[test]
fn nothing_is_heard_before_something_is_watched() {
    let queue = ClientQueue::default();
    queue.push_live(draft("a"));
    queue.lag();
    assert!(waiting(&queue).is_empty());
}

#[test]
fn what_came_from_the_ledger_does_not_come_again() {
    let queue = ClientQueue::default();
    queue.hold();
    let (old, new) = (message(1), message(2));
    queue.push_live(old.clone());
    queue.push_live(new.clone());
    queue.remember(old.message.unwrap());
    assert!(waiting(&queue).is_empty());
    queue.release();
    queue.push_live(new);
    queue.push_live(old);
    assert_eq!(waiting(&queue), ["2"]);
}

#[tokio::test]
async fn a_slow_client_keeps_its_answers_and_is_told_once() {
    let queue = ClientQueue::default();
    queue.hold();
    queue.release();
    queue.answer(&ServerFrame::Welcome { protocol: 1, version: String::new() }).await;
    for number in 0..=LIVE_FRAMES_MAX {
        queue.push_live(draft(&number.to_string()));
    }
    queue.push_live(draft("later"));
    queue.lag();
    assert_eq!(waiting(&queue), ["welcome", "lagged"]);
    queue.hold();
    queue.release();
    queue.push_live(draft("again"));
    assert_eq!(waiting(&queue), ["again"]);
}

#[test]
fn few_large_frames_are_too_many_as_well() {
    let queue = ClientQueue::default();
    queue.hold();
    queue.release();
    let large = draft(&"x".repeat(LIVE_BYTES_MAX / 4));
    for _ in 0..4 {
        queue.push_live(large.clone());
    }
    assert_eq!(waiting(&queue), ["lagged"]);
}

#[test]
fn too_much_while_the_ledger_is_read_is_lagging_too() {
    let queue = ClientQueue::default();
    queue.hold();
    for _ in 0..=LIVE_FRAMES_MAX {
        queue.push_live(draft("x"));
    }
    queue.release();
    queue.push_live(draft("after what was lost"));
    assert_eq!(waiting(&queue), ["lagged"]);
}

#[test]
fn memory_of_messages_is_bounded() {
    let mut recent = Recent::default();
    let first = MessageId::new();
    assert!(recent.insert(first));
    assert!(!recent.insert(first));
    for _ in 0..RECENT_MAX {
        recent.insert(MessageId::new());
    }
    assert_eq!(recent.order.len(), RECENT_MAX);
    assert!(recent.insert(first));
}

#[tokio::test]
async fn who_answers_waits_for_the_client() {
    let queue = Arc::new(ClientQueue::default());
    for _ in 0..ANSWERS_MAX {
        queue.answer(&ServerFrame::Lagged).await;
    }
    let mut blocked = std::pin::pin!(queue.answer(&ServerFrame::Lagged));
    assert!(futures::poll!(blocked.as_mut()).is_pending());
    queue.next().await;
    blocked.await;
}
