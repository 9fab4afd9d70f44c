//! Tests of index words and questions.

use super::*;

async fn indexed(text: &str) -> Vec<String> {
    index_words(text).await.split(' ').map(str::to_owned).collect()
}

#[tokio::test]
async fn texts_are_found_under_their_words() {
    for (text, expected) in [
        ("我最喜欢乌龙茶", &["喜欢", "乌龙茶", "乌龙", "_乌龙", "_龙茶", "__drink.kind", "__like"][..]),
        ("南京市长江大桥", &["南京", "南京市", "长江", "大桥", "长江大桥", "_市长"][..]),
        ("She likes running and studied cities", &["lik", "run", "studi", "citi"][..]),
        ("uses C++ and C# on v1.2.3.", &["c++", "c#", "v1.2.3"][..]),
        ("see project-12, mail a.b@c-d.cn!", &["project-12", "project", "a.b@c-d.cn"][..]),
        ("房间号是 12，WiFi 密码 hearth_2026", &["12", "hearth_2026", "hearth", "密码", "wifi"][..]),
        ("Ｖ２ 版本", &["v2", "版本"][..]),
        ("Alice's café", &["alic", "café"][..]),
        ("東京タワーに行く", &["_タワ", "_ワー"][..]),
    ] {
        let words = indexed(text).await;
        for word in expected {
            assert!(words.contains(&(*word).to_owned()), "{text}: {word} is not in {words:?}");
        }
    }
}

#[tokio::test]
async fn the_same_word_in_another_form_has_the_same_stem() {
    for forms in [
        &["like", "likes", "liked", "liking"][..],
        &["study", "studies", "studied", "studying"][..],
        &["plan", "plans", "planned", "planning"][..],
        &["box", "boxes"][..],
        &["favourite", "favorite", "favourites"][..],
        &["colour", "colors"][..],
        &["hour", "hours"][..],
        &["class", "classes"][..],
    ] {
        let stems: BTreeSet<String> = forms.iter().map(|form| stem::stem(form)).collect();
        assert_eq!(stems.len(), 1, "{forms:?}: {stems:?}");
    }
    for (one, other) in [("bus", "bu"), ("sing", "s"), ("red", "r"), ("this", "thi")] {
        assert_ne!(stem::stem(one), stem::stem(other));
    }
}

#[tokio::test]
async fn index_words_hold_only_what_an_index_can_keep() {
    let hostile = "a\"b OR c* (d) NEAR/2 e:f 你'好\u{0}\n\u{200b} -x- __like _乌龙 .env 😀 ٣ e\u{301}";
    for word in indexed(hostile).await {
        assert!(word.chars().all(|c| c.is_alphanumeric() || "+#.-_@".contains(c)), "{word:?}");
    }
    // A text cannot name a pair or a concept.
    let words = indexed("__drink _ab").await;
    assert_eq!(words, ["__drink", "ab", "drink"].map(str::to_owned));
}

#[tokio::test]
async fn questions_drop_what_every_question_has() {
    for (text, expected) in [
        ("你还记得我之前说过我喜欢喝什么吗？", &["喜欢", "喝"][..]),
        ("Do you remember what I told you about the garden?", &["garden"][..]),
        ("我是谁", &[][..]),
        ("what is it?", &[][..]),
        ("", &[][..]),
        ("？！ …", &[][..]),
    ] {
        let question = Question::of(text).await;
        let surfaces: Vec<&str> = question.units.iter().map(|unit| unit.surface.as_str()).collect();
        assert_eq!(surfaces, expected, "{text}");
    }
}

#[tokio::test]
async fn coverage_tells_what_fits_from_what_does_not() {
    let tea = "我最喜欢乌龙茶";
    let oolong = "The user loves oolong tea";
    for (question, text, fits) in [
        ("我喜欢喝什么？", tea, true),
        ("我最爱的饮料是什么", tea, true),
        ("what do I like to drink?", oolong, true),
        ("my favourite drink", oolong, true),
        ("我爱喝什么", oolong, true),
        ("我喜欢什么颜色？", tea, false),
        ("what colour do I like?", oolong, false),
        ("what colour do I like?", "The spare key is under the blue flowerpot", false),
        ("what colour do I like?", "I love blue", true),
        ("do I like coffee?", "I hate tea", false),
        ("明天天气怎么样", tea, false),
        ("how is the weather tomorrow", oolong, false),
        ("张三丰的电话", "张三丰的手机号是 13800000000", true),
        ("Where does Alice work?", "Alice is an engineer at Acme", true),
        ("Where does Bob work?", "Alice is an engineer", false),
        ("project-12 的负责人", "project-12 由李雷负责", true),
        ("project-13 的截止日期", "project-12 由李雷负责", false),
        ("我老婆生日是哪天", "妻子的生日是五月三日", true),
    ] {
        let coverage = Question::of(question).await.coverage(text).await;
        assert_eq!(coverage >= crate::plain::COVERAGE_MIN, fits, "{question} / {text}: {coverage}");
    }
}
