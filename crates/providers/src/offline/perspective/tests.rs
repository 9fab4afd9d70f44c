//! Saying back what was said.

use super::*;

#[test]
fn shifts_to_the_other_side() {
    for (said, back) in [
        ("我最喜欢乌龙茶", "你最喜欢乌龙茶"),
        ("我妈生日是5月3日", "你妈生日是5月3日"),
        ("我们住在杭州", "你们住在杭州"),
        ("自我介绍", "自我介绍"),
        ("你叫小火", "我叫小火"),
        ("用户对花生过敏", "你对花生过敏"),
        ("I am allergic to peanuts", "you are allergic to peanuts"),
        ("I'm Sam", "you're Sam"),
        ("my mum gave me her car, which is mine now", "your mum gave you her car, which is yours now"),
        ("call me Sam", "call you Sam"),
        ("the door code is 4711", "the door code is 4711"),
        ("I was born in May", "you were born in May"),
        ("you are called Ember", "I am called Ember"),
    ] {
        assert_eq!(shift(said), back);
    }
}

#[test]
fn makes_sentences() {
    assert_eq!(sentence("your name is Sam"), "Your name is Sam.");
    assert_eq!(sentence("你叫李雷。"), "你叫李雷。");
    assert_eq!(sentence("wifi密码是 1"), "wifi密码是 1。");
    assert_eq!(sentence("really?"), "Really?");
}
