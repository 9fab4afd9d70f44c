//! Cutting lines.

use ratatui::style::Style;

use super::{Cut, Indent, columns, truncate, wrap_text};

fn check(text: &str, width: usize, cut: Cut, expected: &[&str]) {
    let rows = wrap_text(text, Style::default(), width, &Indent::default(), cut);
    let rows: Vec<String> = rows.iter().map(ToString::to_string).collect();
    assert_eq!(rows, expected, "{text:?} at {width}");
    assert!(rows.iter().all(|row| columns(row) <= width), "{rows:?} is wider than {width}");
}

#[test]
fn words_are_kept_whole_where_they_fit() {
    check("the quick brown fox", 10, Cut::Words, &["the quick", "brown fox"]);
    check("a verylongwordindeed b", 8, Cut::Words, &["a", "verylong", "wordinde", "ed b"]);
    check("", 8, Cut::Words, &[""]);
    check("one\n\ntwo", 8, Cut::Words, &["one", "", "two"]);
}

#[test]
fn chinese_is_cut_between_characters_and_never_within_one() {
    check("记住我最喜欢乌龙茶", 6, Cut::Words, &["记住我", "最喜欢", "乌龙茶"]);
    // A wide character that has one column left goes to the next line.
    check("记住我最喜欢乌龙茶", 7, Cut::Words, &["记住我", "最喜欢", "乌龙茶"]);
    check("用Rust写的agent程序", 8, Cut::Words, &["用Rust写", "的agent", "程序"]);
}

#[test]
fn punctuation_stays_with_what_it_belongs_to() {
    check("你好世界，再见", 8, Cut::Words, &["你好世", "界，再见"]);
    check("他说（真的）好", 6, Cut::Words, &["他说", "（真", "的）好"]);
}

#[test]
fn code_keeps_its_spaces() {
    check("    let x = 1;", 8, Cut::Anywhere, &["    let ", "x = 1;"]);
}

#[test]
fn emoji_and_combined_characters_are_one_piece() {
    check("👨‍👩‍👧👨‍👩‍👧", 3, Cut::Words, &["👨‍👩‍👧", "👨‍👩‍👧"]);
    check("e\u{301}e\u{301}e\u{301}", 2, Cut::Words, &["e\u{301}e\u{301}", "e\u{301}"]);
}

#[test]
fn indents_take_their_room() {
    let indent = Indent::mark("• ".into());
    let rows = wrap_text("甲乙丙丁", Style::default(), 6, &indent, Cut::Words);
    let rows: Vec<String> = rows.iter().map(ToString::to_string).collect();
    assert_eq!(rows, ["• 甲乙", "  丙丁"]);
}

#[test]
fn a_cut_text_says_that_it_is_cut() {
    assert_eq!(truncate("short", 5), "short");
    assert_eq!(truncate("longer", 5), "long…");
    assert_eq!(truncate("中文标题", 5), "中文…");
    assert_eq!(truncate("中文标题", 4), "中…");
    assert_eq!(truncate("x", 0), "");
}
