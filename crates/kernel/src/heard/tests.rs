//! What comes next is the most urgent, and of that what was begun.

use hearth_contract::clock::UnixMs;
use hearth_contract::id::{ChatKey, MessageId, TurnId};
use hearth_contract::message::{ChatKind, Direction, Origin, Segment, Sender};
use hearth_contract::rights::Role;
use hearth_contract::store::{Lease, TurnRecord, TurnState};

use super::*;

fn message(text: &str, arrival: Arrival) -> MessageRecord {
    MessageRecord {
        id: MessageId::new(),
        session: ChatKey::new("cli", "me").dialog("default"),
        chat_kind: ChatKind::Private,
        account: String::new(),
        direction: Direction::In,
        origin: Origin::User,
        sender: Sender { id: "a".into(), name: "a".into(), role: Role::Member },
        segments: vec![Segment::text(text)],
        text: text.into(),
        addressed: true,
        arrival,
        platform_id: None,
        sent_at: UnixMs(0),
        accepted_at: UnixMs(0),
        turn: None,
        end: None,
    }
}

fn broken(text: &str, arrival: Arrival) -> TurnHistory {
    let cause = message(text, arrival);
    let turn = TurnRecord {
        id: TurnId::new(),
        session: cause.session.clone(),
        cause: cause.id,
        state: TurnState::Running,
        attempt: 1,
        lease: Lease { owner: String::new(), fence: 1 },
        started_at: UnixMs(0),
        ended_at: None,
        usage: Usage::default(),
        detail: text.into(),
    };
    TurnHistory { turn, messages: vec![cause], steps: Vec::new() }
}

/// What the work is, in a word or two.
fn told(work: Option<Work>) -> String {
    match work {
        None => "nothing".into(),
        Some(Work::GoOn) => "go on".into(),
        Some(Work::Resume(history)) => format!("resume {}", history.turn.detail),
        Some(Work::Answer(messages)) => {
            messages.iter().map(|message| message.text.as_str()).collect::<Vec<_>>().join("+")
        }
    }
}

const URGENT: Arrival = Arrival::Interrupt(InterruptLevel::Urgent);
const HIGHEST: Arrival = Arrival::Interrupt(InterruptLevel::Highest);

#[test]
fn the_most_urgent_comes_next_and_of_that_what_was_begun() {
    let mut heard = Heard::default();
    heard.broke_off(broken("slow", Arrival::Steer));
    heard.broke_off(broken("b2", URGENT));
    let waiting = [
        ("one", Arrival::Steer),
        ("two", Arrival::Steer),
        ("w2", URGENT),
        ("three", Arrival::Enqueue),
        ("w3", HIGHEST),
    ];
    for (text, arrival) in waiting {
        heard.take_to_answer(message(text, arrival), &[]);
    }
    let order: Vec<String> = std::iter::from_fn(|| heard.next(None).map(|work| told(Some(work)))).collect();
    assert_eq!(order, ["w3", "resume b2", "w2", "resume slow", "one+two", "three"]);
}

#[test]
fn a_turn_that_stands_still_goes_on_before_what_is_not_more_urgent() {
    let mut heard = Heard::default();
    for (text, arrival) in [("later", Arrival::Steer), ("w2", URGENT)] {
        heard.take_to_answer(message(text, arrival), &[]);
    }
    assert_eq!(told(heard.next(Some(2))), "go on");
    assert_eq!(told(heard.next(Some(0))), "w2");
    assert_eq!(told(heard.next(Some(0))), "go on");
    assert_eq!(told(heard.next(None)), "later");
    assert_eq!(told(heard.next(None)), "nothing");
}

#[tokio::test]
async fn only_what_is_strictly_more_urgent_suspends() {
    let clock = hearth_contract::clock::SystemClock;
    for (running, comes, suspends) in
        [(0, 2, true), (2, 2, false), (2, 3, true), (3, 2, false), (0, 1, false), (3, 4, true), (4, 4, false)]
    {
        let turn = TurnHandle { urgency: running, control: Arc::default() };
        make_room(std::slice::from_ref(&turn), comes);
        let stands = tokio::select! {
            biased;
            _ = turn.control.gap(&clock) => false,
            () = turn.control.stands() => true,
        };
        assert_eq!(stands, suspends, "{comes} comes while {running} runs");
    }
}
