//! Tests of hiding a folder inside one that is shown.

use super::*;

#[test]
fn what_is_hidden_is_cut_out_of_what_is_shown() {
    let outer = tempfile::tempdir().unwrap();
    let outer = outer.path();
    for folder in ["a/home/workspace", "a/other", "b"] {
        std::fs::create_dir_all(outer.join(folder)).unwrap();
    }
    let hidden = [outer.join("a/home")];
    let mut shown = around(outer, &hidden);
    shown.sort();
    assert_eq!(shown, [outer.join("a/other"), outer.join("b")]);
    assert_eq!(around(&outer.join("b"), &hidden), [outer.join("b")]);
    assert!(around(&outer.join("a/home/workspace"), &hidden).is_empty());
}
