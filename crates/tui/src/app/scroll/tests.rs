//! Scrolling.

use super::Scroll;

const HEIGHTS: [(u64, usize); 4] = [(1, 5), (2, 5), (3, 5), (4, 5)];

#[test]
fn the_end_is_followed_until_one_scrolls_up_and_again_from_the_end_on() {
    let mut scroll = Scroll::default();
    assert_eq!(scroll.resolve(&HEIGHTS, 8), 12);
    assert_eq!(scroll.resolve(&[(1, 5), (2, 5), (3, 5), (4, 9)], 8), 16);
    scroll.by(-3);
    assert_eq!(scroll.resolve(&HEIGHTS, 8), 9);
    assert!(!scroll.is_following());
    assert_eq!(scroll.below(), 3);
    scroll.by(5);
    assert_eq!(scroll.resolve(&HEIGHTS, 8), 12);
    assert!(scroll.is_following());
}

#[test]
fn what_is_read_stays_when_more_comes_before_and_after() {
    let mut scroll = Scroll::default();
    scroll.by_pages(-1);
    assert_eq!(scroll.resolve(&HEIGHTS, 8), 5);
    // Older entries above, newer below: the second entry stays at the top.
    assert_eq!(scroll.resolve(&[(7, 4), (1, 5), (2, 5), (3, 5), (4, 5), (5, 3)], 8), 9);
    // Narrower: the same line of the entry, as far as there is one.
    assert_eq!(scroll.resolve(&[(1, 9), (2, 9), (3, 9), (4, 9)], 8), 9);
}

#[test]
fn the_beginning_and_an_entry_that_is_gone() {
    let mut scroll = Scroll::default();
    scroll.to_top();
    assert_eq!(scroll.resolve(&HEIGHTS, 8), 0);
    assert!(scroll.is_near_top());
    assert_eq!(scroll.resolve(&[(2, 5), (3, 5), (4, 5)], 8), 0);
    scroll.by_pages(100);
    assert_eq!(scroll.resolve(&HEIGHTS, 8), 12);
    assert!(scroll.is_following());
}

#[test]
fn less_than_a_screen_needs_no_scrolling() {
    let mut scroll = Scroll::default();
    scroll.by(-10);
    assert_eq!(scroll.resolve(&[(1, 2)], 8), 0);
    assert!(scroll.is_following());
}
