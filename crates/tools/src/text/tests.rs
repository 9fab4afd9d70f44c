//! Tests of the bounds.

use super::*;

#[test]
fn short_text_stays_as_it_is() {
    assert_eq!(head_and_tail("乌龙茶", 9), "乌龙茶");
}

#[test]
fn long_text_keeps_its_ends_and_no_character_is_cut_in_two() {
    for bytes_max in 0..40 {
        let text = "乌龙茶a喜欢b乌龙茶c喜欢";
        let cut = head_and_tail(text, bytes_max);
        if bytes_max >= text.len() {
            assert_eq!(cut, text);
            continue;
        }
        let (start, rest) = cut.split_once("\n[… ").unwrap();
        let (count, end) = rest.split_once(" bytes cut …]\n").unwrap();
        assert!(text.starts_with(start) && text.ends_with(end), "{bytes_max}: {cut}");
        assert!(start.len() + end.len() <= bytes_max);
        assert_eq!(start.len() + end.len() + count.parse::<usize>().unwrap(), text.len());
    }
}
