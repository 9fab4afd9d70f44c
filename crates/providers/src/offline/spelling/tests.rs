//! Slips are mended, words are not.

use super::mended;

#[test]
fn slips_are_mended() {
    for (slip, right) in [
        ("show my remiders", "show my reminders"),
        ("Remnid me tommorow at 8", "remind me tomorrow at 8"),
        ("wake me on Wensday mornign", "wake me on wednesday morning"),
        ("what's my brithday?", "what's my birthday?"),
        ("in 10 minuts", "in 10 minutes"),
    ] {
        assert_eq!(mended(slip).as_deref(), Some(right));
    }
}

#[test]
fn words_names_and_quotations_stay() {
    for said in [
        "the remainder of 7",
        "I forgot the minuet",
        "he cancels and reminds",
        "write \"remeber me\" to a.txt",
        "he said “tommorow”",
        "提醒我",
        "",
        "cancer",
        "Sunday mourning",
    ] {
        assert_eq!(mended(said), None, "{said}");
    }
}
