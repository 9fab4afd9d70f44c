//! People by their names: `Anna works at Siemens` and `小李住在杭州` are read as if they spoke of themselves.

use super::Topic;
use crate::offline::pattern::Pattern;
use crate::offline::text::Text;

/// A statement or a question about somebody with a name, turned to the first person.
pub(super) struct Named {
    pub(super) own: Text,
    who: String,
}

impl Named {
    /// The topics of the turned text, given back to whom they belong.
    pub(super) fn give_back(&self, topics: Vec<Topic>) -> Vec<Topic> {
        topics
            .into_iter()
            .filter(|topic| PERSONAL.contains(&topic.attribute) && topic.who.is_empty())
            .map(|topic| Topic { who: self.who.clone(), ..topic })
            .collect()
    }
}

/// What people with a name are remembered by; what else is said of them is a note.
const PERSONAL: &[&str] = &["age", "allergy", "home", "origin", "job", "dislike", "like"];

/// A statement about somebody with a name.
pub(super) fn stated(text: &Text) -> Option<Named> {
    if let Some(found) = TOLD_ZH.find(text) {
        return named(found.image("who")?, &format!("我{}", found.get("rest")?));
    }
    let found = TOLD_EN.find(text)?;
    let capital = found.get("who")?.split(' ').all(|word| word.starts_with(char::is_uppercase));
    let verb = match found.image("verb")? {
        "is" => "am",
        "has" => "have",
        "doesn't" => "don't",
        "moved" => "moved",
        verb => verb.strip_suffix('s').unwrap_or(verb),
    };
    let own = format!("i {verb} {}", found.get("rest")?);
    capital.then(|| named(found.image("who")?, &own)).flatten()
}

/// A question about somebody with a name.
pub(super) fn asked(text: &Text) -> Option<Named> {
    if let Some(found) = ASKED_ZH.find(text) {
        return named(found.image("who")?, &format!("我{}", found.get("rest")?));
    }
    let found = ASKED_EN.find(text)?;
    let verb = if found.has("be") { "am" } else { "do" };
    let before = found.image("before").unwrap_or_default();
    named(
        found.any_of(&["who", "w2"])?.to_lowercase().as_str(),
        &format!("{before} {verb} i {}", found.get("rest")?),
    )
}

fn named(who: &str, own: &str) -> Option<Named> {
    let nobody = who.split(' ').any(|word| NOBODY.contains(&word))
        || NOBODY_ZH.iter().any(|word| who.starts_with(word));
    (!nobody).then(|| Named { own: Text::new(own), who: who.to_owned() })
}

/// Words that stand where a name would and are none.
const NOBODY: &[&str] = &[
    "i",
    "you",
    "he",
    "she",
    "it",
    "we",
    "they",
    "that",
    "this",
    "these",
    "those",
    "there",
    "here",
    "who",
    "what",
    "which",
    "one",
    "each",
    "everyone",
    "everybody",
    "everything",
    "nobody",
    "noone",
    "nothing",
    "someone",
    "somebody",
    "something",
    "anyone",
    "anybody",
    "anything",
    "the",
    "a",
    "an",
    "my",
    "your",
    "his",
    "her",
    "our",
    "their",
    "its",
    "god",
    "all",
    "most",
    "some",
    "water",
    "money",
    "time",
    "love",
];
/// Words that begin like a Chinese name.
const NOBODY_ZH: &[&str] = &[
    "高中",
    "高兴",
    "高铁",
    "高速",
    "马上",
    "马路",
    "金鱼",
    "金融",
    "金属",
    "黄瓜",
    "黄色",
    "黄河",
    "白菜",
    "白天",
    "白色",
    "江苏",
    "江西",
    "于是",
    "何时",
    "何况",
    "任何",
    "石头",
    "路上",
    "许多",
    "常常",
    "方便",
    "方法",
    "方向",
    "万一",
    "熊猫",
    "夏天",
    "叶子",
    "安全",
    "安静",
    "毛巾",
    "余下",
    "施工",
    "严重",
    "孔雀",
    "钱",
    "周末",
    "周围",
    "周年",
    "华",
    "包",
    "单",
    "管",
    "时",
    "和",
    "成",
    "水",
    "左边",
    "武汉",
    "武器",
    "梅花",
    "林子",
    "森林",
    "雷雨",
    "龙虾",
    "汤",
    "张开",
    "项目",
    "程序",
    "史上",
    "宋朝",
    "唐朝",
    "明",
    "秦朝",
    "汪汪",
    "顾客",
    "温度",
    "温州",
    "胡萝卜",
    "蓝色",
    "蓝天",
    "房",
    "季节",
    "章鱼",
    "康复",
    "陆地",
    "海",
    "田野",
    "石",
    "童年",
    "贺",
    "祝",
    "傅",
    "常",
    "平时",
    "平",
    "关",
    "尤其",
    "戴着",
    "雷",
    "莫",
    "万",
];

static TOLD_EN: Pattern = Pattern::new(
    r"^(?P<who>[a-z][a-z'-]+(?: [a-z][a-z'-]+)?) (?:(?P<verb>lives|works|likes|loves|enjoys|prefers|hates|dislikes|moved|doesn't|is|has) )(?P<rest>(?:in|at|for|as|to|like|eat|drink|allergic to|from|an? [a-z]+ allergy|[a-z]).{0,60})$",
);
static ASKED_EN: Pattern = Pattern::new(
    r"^(?P<before>(?:what|where|which [a-z]+|who)?)\s?(?:does (?P<who>[a-z][a-z'-]+)|(?P<be>is) (?P<w2>[a-z][a-z'-]+)) (?P<rest>(?:live|work|like|love|enjoy|prefer|hate|dislike|allergic|living|working|not like|drink|eat)\b.*)$",
);
/// A nickname, a surname with a given name, or one with a title: what else begins a sentence is no person.
static TOLD_ZH: Pattern = Pattern::new(
    r"^(?P<who>(?:[小老]{surname}|阿[^姨\s]|{surname}(?:[^\s,，的是在和住对]{1,2}?|先生|女士|老师|医生|师傅|总|哥|姐|叔|阿姨|同学|经理)))(?P<rest>(?:现在|也|很|最|一直|已经|刚|特别|非常)*(?:住在?|家住|搬到|在.{1,20}(?:上班|工作|读书|上学|当|做)|对.{1,20}过敏|喜欢|爱吃|爱喝|讨厌|不喜欢|不吃|不喝|今年|来自).+?|在.{1,20}(?:上班|工作)|对.{1,20}过敏)$",
);
static ASKED_ZH: Pattern = Pattern::new(
    r"^(?P<who>(?:[小老]{surname}|阿[^姨\s]|{surname}(?:[^\s,，的是在和住对]{1,2}?|先生|女士|老师|医生|师傅|总|哥|姐|叔|阿姨|同学|经理)))(?P<rest>(?:现在|最|平时|到底|今年)*(?:住|家在|在哪.{0,3}(?:上班|工作)|在什么(?:公司|单位)|对什么.{0,4}过敏|喜欢|爱吃|爱喝|讨厌|不喜欢|不吃|不喝|不能吃|多大|几岁|是做什么|做什么工作|来自).*)$",
);
