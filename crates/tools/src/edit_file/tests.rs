//! Tests of replacing.

use super::*;

fn edited(text: &str, old: &str, new: &str, all: Option<bool>) -> Result<(String, usize), String> {
    let arguments = Arguments { path: "a".into(), old: old.into(), new: new.into(), all };
    replaced(text, &arguments).map_err(|error| error.to_string())
}

#[test]
fn the_piece_is_replaced_once_or_everywhere() {
    for (text, old, new, all, expected) in [
        ("红茶和绿茶", "绿茶", "乌龙茶", None, ("红茶和乌龙茶", 1)),
        ("a b a", "a", "c", Some(true), ("c b c", 2)),
        ("a b", "a", "c", Some(true), ("c b", 1)),
        ("a\nb\n", "a\n", "", None, ("b\n", 1)),
    ] {
        assert_eq!(edited(text, old, new, all).unwrap(), (expected.0.to_owned(), expected.1));
    }
}

#[test]
fn an_edit_that_cannot_be_meant_is_refused_with_what_to_do() {
    for (text, old, new, part) in [
        ("a b a", "a", "c", "2 times"),
        ("a", "b", "c", "does not occur"),
        ("a\r\nb", "a\nb", "c", "\\r\\n"),
        ("a", "", "c", "`old` is empty"),
        ("a", "a", "a", "nothing would change"),
    ] {
        let error = edited(text, old, new, None).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
}
