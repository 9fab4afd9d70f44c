//! Tests of showing a file in parts.

use super::*;

#[test]
fn files_are_shown_whole_or_in_parts() {
    let text = "一\n二\n三\n四";
    for (offset, limit, expected) in [
        (0, None, text),
        (0, Some(9), text),
        (1, None, "二\n三\n四\n[lines 2-4 of 4.]"),
        (1, Some(2), "二\n三\n[lines 2-3 of 4. Next: offset_lines=3]"),
        (4, None, "[the file has only 4 lines]"),
    ] {
        assert_eq!(part(text, offset, limit), expected);
    }
    assert_eq!(part("", 0, None), "[the file is empty]");
}

#[test]
fn long_files_and_long_lines_are_cut_at_the_bound() {
    let text = "0123456789\n".repeat(SHOWN_BYTES_MAX / 10);
    let shown = part(&text, 0, None);
    assert!(shown.len() < SHOWN_BYTES_MAX + 100 && shown.contains("Next: offset_lines="), "{}", shown.len());
    let shown = part(&"茶".repeat(SHOWN_BYTES_MAX), 0, None);
    assert!(shown.starts_with('茶') && shown.contains("its beginning is shown"), "{}", shown.len());
    assert!(shown.len() < SHOWN_BYTES_MAX + 200);
}
