//! Everyday words that mean much the same, in both languages, so that a question finds a fact which says it otherwise
//! (`what do I drink` and `她最爱乌龙茶` meet in `drink`).
//!
//! This is a small dictionary, not knowledge about anybody: it only widens what is looked at, and a match through it
//! counts less than the word itself.

/// Words of one meaning.
struct Concept {
    /// Its name, which becomes an index word.
    name: &'static str,
    /// English words that say it; compared by stem.
    en: &'static [&'static str],
    /// Chinese words that say it; compared whole.
    zh: &'static [&'static str],
    /// English words for a kind of it (`tea` is a kind of drink).
    en_kinds: &'static [&'static str],
    /// Ends of Chinese words for a kind of it (`茶` for 乌龙茶, 红茶).
    zh_kinds: &'static [&'static str],
}

/// How a word belongs to a concept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sense {
    /// It says the concept itself.
    Itself(&'static str),
    /// It says a kind of it.
    Kind(&'static str),
}

const CONCEPTS: &[Concept] = &[
    Concept {
        name: "like",
        en: &["like", "love", "favourite", "favorite", "prefer", "preference", "enjoy", "fond"],
        zh: &["喜欢", "喜爱", "最爱", "偏爱", "偏好", "钟爱", "热爱", "爱", "爱好", "爱吃", "爱喝"],
        en_kinds: &[],
        zh_kinds: &[],
    },
    Concept {
        name: "dislike",
        en: &["dislike", "hate", "detest"],
        zh: &["讨厌", "厌恶", "反感", "受不了"],
        en_kinds: &[],
        zh_kinds: &[],
    },
    Concept {
        name: "drink",
        en: &["drink", "beverage"],
        zh: &["喝", "爱喝", "饮料", "饮品"],
        en_kinds: &["tea", "coffee", "juice", "beer", "wine", "milk", "cola", "soda", "water", "latte"],
        zh_kinds: &["茶", "酒", "咖啡", "果汁", "牛奶", "豆浆", "可乐", "开水", "拿铁"],
    },
    Concept {
        name: "food",
        en: &["eat", "food", "dish", "meal", "cuisine"],
        zh: &["吃", "爱吃", "食物", "美食", "菜", "口味"],
        en_kinds: &[
            "breakfast",
            "lunch",
            "dinner",
            "fruit",
            "snack",
            "noodle",
            "dumpling",
            "pizza",
            "hotpot",
            "rice",
        ],
        zh_kinds: &["菜", "饭", "面", "面条", "火锅", "饺子", "早餐", "午餐", "晚餐", "水果", "零食", "披萨"],
    },
    Concept {
        name: "name",
        en: &["name", "call", "nickname"],
        zh: &["名字", "姓名", "叫", "称呼", "昵称", "叫做", "名叫"],
        en_kinds: &[],
        zh_kinds: &[],
    },
    Concept {
        name: "home",
        en: &["live", "home", "address", "house", "reside", "residence"],
        zh: &["住", "住在", "家", "家里", "住址", "地址", "居住"],
        en_kinds: &[],
        zh_kinds: &[],
    },
    Concept {
        name: "work",
        en: &["work", "job", "company", "employer", "profession", "occupation", "career"],
        zh: &["工作", "上班", "公司", "职业", "职位", "单位", "就职", "任职"],
        en_kinds: &[],
        zh_kinds: &[],
    },
    Concept {
        name: "birthday",
        en: &["birthday", "born", "birth"],
        zh: &["生日", "出生", "生于"],
        en_kinds: &[],
        zh_kinds: &[],
    },
    Concept {
        name: "phone",
        en: &["phone", "mobile", "telephone", "cellphone"],
        zh: &["电话", "手机", "手机号", "电话号码", "手机号码", "号码"],
        en_kinds: &[],
        zh_kinds: &[],
    },
    Concept {
        name: "email",
        en: &["email", "mail", "e-mail"],
        zh: &["邮箱", "邮件", "电子邮件"],
        en_kinds: &[],
        zh_kinds: &[],
    },
    Concept {
        name: "pet",
        en: &["pet"],
        zh: &["宠物"],
        en_kinds: &["cat", "dog", "kitten", "puppy", "hamster", "parrot"],
        zh_kinds: &["猫", "狗", "猫咪", "仓鼠", "鹦鹉"],
    },
    Concept {
        name: "spouse",
        en: &["wife", "husband", "spouse"],
        zh: &["妻子", "老婆", "太太", "丈夫", "老公"],
        en_kinds: &[],
        zh_kinds: &[],
    },
    Concept {
        name: "child",
        en: &["child", "children", "kid"],
        zh: &["孩子", "小孩"],
        en_kinds: &["son", "daughter"],
        zh_kinds: &["儿子", "女儿"],
    },
    Concept {
        name: "mother",
        en: &["mother", "mom", "mum"],
        zh: &["妈妈", "母亲", "妈"],
        en_kinds: &[],
        zh_kinds: &[],
    },
    Concept {
        name: "father",
        en: &["father", "dad"],
        zh: &["爸爸", "父亲", "爸"],
        en_kinds: &[],
        zh_kinds: &[],
    },
    Concept {
        name: "colour",
        en: &["colour", "color"],
        zh: &["颜色", "色彩"],
        en_kinds: &["red", "blue", "green", "yellow", "purple", "orange", "pink", "black", "white"],
        zh_kinds: &["色"],
    },
    Concept {
        name: "password",
        en: &["password", "passcode", "pin"],
        zh: &["密码", "口令"],
        en_kinds: &[],
        zh_kinds: &[],
    },
    Concept {
        name: "meeting",
        en: &["meeting", "appointment"],
        zh: &["会议", "开会", "约会", "预约"],
        en_kinds: &[],
        zh_kinds: &[],
    },
];

/// What an English word means, given by its stem (made by `stem`): usually nothing known or one sense.
pub(crate) fn of_english(word: &str, stem: fn(&str) -> String) -> Vec<Sense> {
    senses(|concept| {
        let has = |words: &[&str]| words.iter().any(|en| stem(en) == word);
        (has(concept.en), has(concept.en_kinds))
    })
}

/// What a Chinese word means: usually nothing known or one sense.
pub(crate) fn of_chinese(word: &str) -> Vec<Sense> {
    senses(|concept| (concept.zh.contains(&word), concept.zh_kinds.iter().any(|end| word.ends_with(end))))
}

fn senses(fits: impl Fn(&Concept) -> (bool, bool)) -> Vec<Sense> {
    let sense = |concept: &Concept| match fits(concept) {
        (true, _) => Some(Sense::Itself(concept.name)),
        (false, true) => Some(Sense::Kind(concept.name)),
        (false, false) => None,
    };
    CONCEPTS.iter().filter_map(sense).collect()
}
