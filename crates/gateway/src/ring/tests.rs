//! The ring of events.

use hearth_contract::clock::UnixMs;
use hearth_contract::event::EventKind;

use super::*;

fn event(number: u64) -> Arc<Event> {
    let kind = EventKind::Notice { code: String::new(), text: String::new() };
    Arc::new(Event { number, at: UnixMs(0), session: None, kind })
}

fn after(ring: &EventRing, place: u64) -> (u64, Vec<u64>) {
    let batch = ring.after(place);
    (batch.missed, batch.events.iter().map(|(_, event)| event.number).collect())
}

#[test]
fn what_comes_after_a_place_is_given() {
    let ring = EventRing::default();
    for number in 1..=3 {
        ring.push(event(number));
    }
    assert_eq!(after(&ring, 0), (0, vec![1, 2, 3]));
    assert_eq!(after(&ring, 2), (0, vec![3]));
    assert_eq!(after(&ring, 3), (0, vec![]));
}

#[test]
fn a_hole_ends_the_batch_and_is_counted_in_the_next() {
    let ring = EventRing::default();
    ring.push(event(1));
    ring.skip(5);
    ring.push(event(7));
    ring.push(event(8));
    assert_eq!(after(&ring, 0), (0, vec![1]));
    assert_eq!(after(&ring, 1), (5, vec![7, 8]));
}

#[test]
fn only_the_newest_are_kept() {
    let ring = EventRing::default();
    for number in 1..=RING_EVENTS_MAX as u64 + 3 {
        ring.push(event(number));
    }
    let (missed, events) = after(&ring, 0);
    assert_eq!((missed, events[0], events.len()), (3, 4, RING_BATCH_MAX));
}
