//! The people, animals and things whose names, birthdays and numbers are remembered, in both languages.

use std::sync::LazyLock;

/// The stable name in keys, and the words for it. Longer words before shorter ones that they contain.
const PEOPLE: &[(&str, &[&str])] = &[
    ("grandmother", &["grandmother", "grandma", "granny", "nana", "奶奶", "姥姥", "外婆", "祖母"]),
    ("grandfather", &["grandfather", "grandpa", "granddad", "grandad", "爷爷", "姥爷", "外公", "祖父"]),
    ("mother_in_law", &["mother-in-law", "mother in law", "岳母", "丈母娘", "婆婆"]),
    ("father_in_law", &["father-in-law", "father in law", "岳父", "老丈人", "公公"]),
    (
        "mother",
        &["mother", "mummy", "mommy", "mum", "mom", "mama", "妈妈", "老妈", "母亲", "妈咪", "我娘", "妈"],
    ),
    ("father", &["father", "daddy", "dad", "papa", "爸爸", "老爸", "父亲", "老爹", "爸"]),
    ("wife", &["wife", "老婆", "妻子", "太太", "媳妇", "爱人"]),
    ("husband", &["husband", "老公", "丈夫", "先生"]),
    ("girlfriend", &["girlfriend", "女朋友", "女友", "对象"]),
    ("boyfriend", &["boyfriend", "男朋友", "男友"]),
    ("partner", &["partner", "fiancee", "fiance", "伴侣", "未婚妻", "未婚夫"]),
    (
        "elder_brother",
        &["elder brother", "older brother", "big brother", "哥哥", "大哥", "二哥", "老哥", "哥"],
    ),
    ("younger_brother", &["younger brother", "little brother", "弟弟", "老弟", "弟"]),
    ("elder_sister", &["elder sister", "older sister", "big sister", "姐姐", "大姐", "二姐", "老姐", "姐"]),
    ("younger_sister", &["younger sister", "little sister", "妹妹", "老妹", "妹"]),
    ("brother", &["brother", "兄弟"]),
    ("sister", &["sister", "姐妹"]),
    ("daughter", &["daughter", "女儿", "闺女"]),
    ("son", &["son", "儿子"]),
    ("child", &["child", "kid", "baby", "孩子", "小孩", "宝宝", "娃"]),
    ("nephew", &["nephew", "外甥", "侄子", "侄儿"]),
    ("niece", &["niece", "外甥女", "侄女"]),
    ("grandson", &["grandson", "孙子", "外孙"]),
    ("granddaughter", &["granddaughter", "孙女", "外孙女"]),
    ("uncle", &["uncle", "叔叔", "舅舅", "伯伯", "大伯", "姑父", "姨父"]),
    ("aunt", &["aunt", "auntie", "阿姨", "姑姑", "姑妈", "姨妈", "舅妈", "婶婶"]),
    ("cousin", &["cousin", "表哥", "表弟", "表姐", "表妹", "堂哥", "堂弟", "堂姐", "堂妹"]),
    ("boss", &["boss", "manager", "老板", "领导", "上司", "经理"]),
    ("colleague", &["colleague", "coworker", "co-worker", "同事"]),
    ("best_friend", &["best friend", "最好的朋友", "闺蜜", "死党"]),
    ("friend", &["friend", "朋友", "哥们"]),
    ("teacher", &["teacher", "老师", "班主任"]),
    ("dentist", &["dentist", "牙医"]),
    ("doctor", &["doctor", "医生", "大夫"]),
    ("neighbour", &["neighbour", "neighbor", "邻居"]),
    ("roommate", &["roommate", "flatmate", "housemate", "室友", "舍友"]),
    ("landlord", &["landlord", "landlady", "房东"]),
    ("dog", &["puppy", "dog", "小狗", "狗狗", "狗"]),
    ("cat", &["kitten", "cat", "小猫", "猫咪", "猫"]),
    ("rabbit", &["rabbit", "bunny", "兔子"]),
    ("hamster", &["hamster", "仓鼠"]),
    ("parrot", &["parrot", "鹦鹉"]),
    ("goldfish", &["goldfish", "金鱼"]),
    ("pet", &["pet", "宠物"]),
];

/// An alternation of all the words, for patterns.
pub(crate) fn alternatives() -> String {
    ALTERNATIVES.clone()
}

static ALTERNATIVES: LazyLock<String> = LazyLock::new(|| {
    let mut words: Vec<&str> = PEOPLE.iter().flat_map(|(_, words)| words.iter().copied()).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    format!("(?:{})", words.join("|"))
});

/// The stable name of a word for somebody (`我妈妈` and `my mum` are both `mother`).
pub(crate) fn canonical(word: &str) -> Option<&'static str> {
    let word = word
        .trim()
        .trim_end_matches("'s")
        .trim_end_matches('的')
        .trim_start_matches("my ")
        .trim_start_matches('我');
    let exact = PEOPLE.iter().find(|(_, words)| words.contains(&word));
    exact
        .or_else(|| {
            word.strip_suffix('s').and_then(|one| PEOPLE.iter().find(|(_, words)| words.contains(&one)))
        })
        .map(|(name, _)| *name)
}

/// The words for somebody, to widen a search.
pub(crate) fn words(name: &str) -> &'static [&'static str] {
    PEOPLE.iter().find(|(stable, _)| *stable == name).map_or(&[], |(_, words)| words)
}

/// Whether a fact about one may answer a question about the other: a younger sister is a sister, a dog is a pet.
pub(crate) fn compatible(one: &str, other: &str) -> bool {
    const WIDER: &[(&str, &[&str])] = &[
        ("sister", &["elder_sister", "younger_sister"]),
        ("brother", &["elder_brother", "younger_brother"]),
        ("child", &["son", "daughter"]),
        ("partner", &["wife", "husband", "girlfriend", "boyfriend"]),
        ("pet", &["dog", "cat", "rabbit", "hamster", "parrot", "goldfish"]),
        ("friend", &["best_friend"]),
    ];
    let covers =
        |wide: &str, narrow: &str| WIDER.iter().any(|(name, below)| *name == wide && below.contains(&narrow));
    one == other || covers(one, other) || covers(other, one)
}
