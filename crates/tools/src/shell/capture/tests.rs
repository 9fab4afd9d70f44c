//! Tests of keeping head and tail.

use super::*;

#[test]
fn what_fits_is_kept_whole() {
    let mut capture = Capture::default();
    let text = "茶".repeat(5_000);
    for chunk in text.as_bytes().chunks(7) {
        capture.push(chunk);
    }
    assert_eq!(capture.text(), text);
}

#[test]
fn of_a_flood_the_ends_are_kept_and_no_character_is_cut_in_two() {
    for shift in 0..4 {
        let mut capture = Capture::default();
        let text = "x".repeat(shift) + &"茶".repeat(100_000) + "end";
        for chunk in text.as_bytes().chunks(1000) {
            capture.push(chunk);
        }
        let shown = capture.text();
        let (head, rest) = shown.split_once("\n[… ").unwrap();
        let (count, tail) = rest.split_once(" bytes cut …]\n").unwrap();
        assert!(text.starts_with(head) && text.ends_with(tail), "{shift}");
        assert_eq!(head.len() + tail.len() + count.parse::<usize>().unwrap(), text.len());
        assert!(shown.len() < HEAD_BYTES + TAIL_BYTES + 100);
    }
}

#[test]
fn bytes_that_are_no_text_are_shown_as_such() {
    let mut capture = Capture::default();
    capture.push(b"a\xff\xfeb");
    assert_eq!(capture.text(), "a\u{fffd}\u{fffd}b");
}
