//! Statements about people as attributes: whose, which, and under which key a newer value replaces an older one.
//!
//! The same reading serves both sides: a statement is read when it is stored, and every remembered text is read again
//! when a question looks for its attribute, so facts that another model has stored are understood too.

use super::categories::{self, Class};
use super::pattern::{Found, Pattern};
use super::people;
use super::text::Text;

mod attributes;
mod named;

pub(crate) use attributes::ATTRIBUTES;

/// One attribute of somebody that a text states or asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Topic {
    /// The stable name of the attribute.
    pub(crate) attribute: &'static str,
    /// Whose: empty for the user, a stable name (`mother`), or a name as it was written.
    pub(crate) who: String,
    /// What of it: a category of likes, the thing a code opens, a noun.
    pub(crate) what: String,
    /// The words of which one must be in the fact; empty when any will do.
    pub(crate) narrow: &'static [&'static str],
    /// Whether it says favourite, or better than before.
    pub(crate) strong: bool,
}

/// How an attribute is stated and asked for.
#[derive(Debug)]
pub(crate) struct Attribute {
    pub(crate) name: &'static str,
    /// A newer value replaces the older one.
    pub(crate) single: bool,
    /// What its value is about, which becomes [`Topic::what`].
    pub(crate) about: About,
    /// Statements. Groups: `kin` or `whose` for whose it is, `thing` for a noun, `cat` for a kind, `v` for the value,
    /// `fav` if it is the favourite.
    pub(crate) tell: Vec<Pattern>,
    /// Questions; they need not match the whole text. The same groups.
    pub(crate) ask: Vec<Pattern>,
}

/// What distinguishes two facts of the same attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    /// Nothing: there is one a person.
    Person,
    /// The kind of thing.
    Category,
    /// A noun.
    Thing,
}

/// The attributes a statement gives.
pub(crate) fn stated(text: &Text) -> Vec<Topic> {
    let own;
    let text = match first_person(text) {
        Some(turned) => {
            own = turned;
            &own
        }
        None => text,
    };
    let mut topics = Vec::new();
    for attribute in ATTRIBUTES.iter() {
        let found =
            attribute.tell.iter().filter_map(|pattern| pattern.find(text)).find(is_name_where_it_must_be);
        if let Some(found) = found {
            topics.push(topic(attribute, &found, text, false));
        }
    }
    if let Some(named) = named::stated(text) {
        topics.extend(named.give_back(stated(&named.own)));
    }
    specific(topics)
}

/// `I'm Sam` gives a name, `I'm tired` and `I'm German` do not.
fn is_name_where_it_must_be(found: &Found<'_>) -> bool {
    let capital = |name: &str| name.split(' ').all(|word| word.starts_with(char::is_uppercase));
    found.get("proper").is_none_or(|name| capital(name) && !NO_NAME.is_match(&Text::new(name)))
}

/// What any noun could be is not looked at beside what is known better.
fn specific(mut topics: Vec<Topic>) -> Vec<Topic> {
    const VAGUE: [&str; 3] = ["identity", "my", "note"];
    if topics.iter().any(|topic| !VAGUE.contains(&topic.attribute)) {
        topics.retain(|topic| !VAGUE.contains(&topic.attribute));
    }
    // `I don't like` holds `like`.
    if topics.iter().any(|topic| topic.attribute == "dislike") {
        topics.retain(|topic| topic.attribute != "like");
    }
    topics
}

/// The attributes a question asks for, the most telling first.
pub(crate) fn asked(text: &Text) -> Vec<Topic> {
    let mut topics = Vec::new();
    for attribute in ATTRIBUTES.iter() {
        if let Some(found) = attribute.ask.iter().find_map(|pattern| pattern.find(text)) {
            topics.push(topic(attribute, &found, text, true));
        }
    }
    if let Some(named) = named::asked(text) {
        topics = named.give_back(asked(&named.own));
    }
    let mut topics = specific(topics);
    // `Who is my landlord` asks for a name, or for whatever else was said that the landlord is.
    topics.extend(WHO_IS.find(text).and_then(|found| {
        let what = noun(found.any_of(&["kin", "k2"])?.to_lowercase().as_str());
        Some(Topic { attribute: "my", who: String::new(), what, narrow: &[], strong: false })
    }));
    topics
}

fn topic(attribute: &Attribute, found: &Found<'_>, text: &Text, question: bool) -> Topic {
    let class = match attribute.about {
        About::Category => class_of(found, text, question),
        About::Person | About::Thing => None,
    };
    let what = match attribute.about {
        About::Person => String::new(),
        About::Category => class
            .map(|class| class.category.to_owned())
            .or_else(|| found.image("cat").map(noun))
            .unwrap_or_default(),
        About::Thing => thing_of(found),
    };
    Topic {
        attribute: attribute.name,
        who: whose(found),
        what,
        narrow: class.map(|class| class.narrow).unwrap_or_default(),
        strong: found.has("fav"),
    }
}

/// The thing itself: `the wifi password at the cabin` is that of the cabin wifi.
fn thing_of(found: &Found<'_>) -> String {
    let mut nouns: Vec<String> =
        ["t2", "thing"].iter().filter_map(|name| found.image(name)).map(noun).collect();
    nouns.dedup();
    nouns.join(" ")
}

/// The kind of thing: as it was named, or else by the thing itself. A question asks narrowly only when it names a thing.
fn class_of(found: &Found<'_>, text: &Text, question: bool) -> Option<Class> {
    let named = found.image("cat").and_then(categories::kind);
    if question {
        return categories::thing(text.image()).or(named).or_else(|| categories::kind(text.image()));
    }
    let by_value = found.image("v").and_then(categories::classify);
    let by_verb = found.image("verb").and_then(categories::kind);
    let mut class = named.or(by_verb).or(by_value)?;
    if let Some(thing) = by_value.filter(|thing| thing.category == class.category) {
        class.narrow = thing.narrow;
    }
    Some(class)
}

fn whose(found: &Found<'_>) -> String {
    if let Some(kin) = ["kin", "k2", "k3", "k4"].iter().find_map(|name| found.image(name)) {
        return people::canonical(kin).map_or_else(|| kin.to_owned(), str::to_owned);
    }
    ["whose", "w2"]
        .iter()
        .find_map(|name| found.image(name))
        .map(|name| name.trim_end_matches("'s").trim_end_matches('的').trim().to_owned())
        .unwrap_or_default()
}

/// Nouns that mean the same thing, under the name that stands in keys.
const SAME_NOUNS: &[(&str, &[&str])] = &[
    (
        "door",
        &[
            "大门",
            "门禁",
            "房门",
            "家门",
            "门锁",
            "门",
            "front door",
            "door lock",
            "entrance",
            "gate",
            "flat door",
            "house",
            "apartment",
        ],
    ),
    (
        "wifi",
        &[
            "wi-fi",
            "wifi网络",
            "无线网络",
            "无线网",
            "无线",
            "网络",
            "路由器",
            "router",
            "network",
            "wireless",
            "家里wifi",
        ],
    ),
    ("phone", &["手机", "cell phone", "mobile", "iphone"]),
    ("computer", &["电脑", "laptop", "pc", "笔记本"]),
    ("bank card", &["银行卡", "bank", "card", "信用卡", "credit card"]),
    ("safe", &["保险箱", "保险柜"]),
    ("luggage", &["行李箱", "suitcase", "箱子"]),
    (
        "phone number",
        &[
            "电话",
            "手机号",
            "手机号码",
            "电话号码",
            "联系电话",
            "号码",
            "phone",
            "mobile number",
            "cell number",
            "cell",
            "number",
            "telephone",
            "telephone number",
        ],
    ),
    ("email", &["邮箱", "邮件地址", "电子邮箱", "电子邮件", "e-mail", "email address", "mail"]),
    ("shoe size", &["鞋码", "鞋子尺码", "鞋的尺码", "鞋号", "shoe size"]),
    ("height", &["身高"]),
    ("weight", &["体重"]),
    ("blood type", &["血型", "blood group"]),
    ("zodiac", &["星座", "star sign", "zodiac sign", "sign"]),
    ("school", &["学校", "大学", "university", "college"]),
    ("company", &["公司", "employer", "单位"]),
    ("license plate", &["车牌", "车牌号", "number plate", "licence plate", "plate", "plate number"]),
    ("car", &["车", "汽车"]),
    ("wedding anniversary", &["结婚纪念日", "anniversary", "纪念日"]),
    ("nationality", &["国籍"]),
    ("major", &["专业"]),
    ("chinese zodiac", &["属相", "生肖", "属"]),
    ("wechat", &["微信", "微信号"]),
    ("qq", &["qq号"]),
];

/// A noun as it is compared: without articles, with the same word in both languages where the dictionary has it.
pub(crate) fn noun(image: &str) -> String {
    let plain = image
        .trim()
        .trim_start_matches("the ")
        .trim_start_matches("my ")
        .trim_start_matches("our ")
        .trim_start_matches("家里的")
        .trim_start_matches("家的")
        .trim_start_matches("我家")
        .trim_start_matches("我的")
        .trim_start_matches('我')
        .trim_end_matches("'s")
        .trim_end_matches('的')
        .trim();
    let same = |plain: &str| SAME_NOUNS.iter().find(|(same, words)| *same == plain || words.contains(&plain));
    // The anniversary date is the anniversary.
    let dated = || plain.strip_suffix(" date").or_else(|| plain.strip_suffix("日期")).and_then(same);
    same(plain).or_else(dated).map_or_else(|| plain.to_owned(), |(same, _)| (*same).to_owned())
}

/// Facts that a model has written about `the user` or `用户`, turned to the first person.
pub(crate) fn first_person(text: &Text) -> Option<Text> {
    let found = THIRD_PERSON.find(text)?;
    let rest = found.get("rest")?;
    if found.has("zh") {
        return Some(Text::new(&format!("我{rest}")));
    }
    if found.has("own") {
        return Some(Text::new(&format!("my {rest}")));
    }
    let verb = match found.image("verb")? {
        "is" => "am".to_owned(),
        "has" => "have".to_owned(),
        "does" => "do".to_owned(),
        "doesn't" => "don't".to_owned(),
        verb => verb.strip_suffix('s').unwrap_or(verb).to_owned(),
    };
    Some(Text::new(&format!("i {verb} {rest}")))
}

static WHO_IS: Pattern = Pattern::new(
    r"\bwho(?:'s| is| was|s)? (?:my|our) (?P<kin>{kin})\b|我(?:们|家)?的?(?P<k2>{kin})(?:是|叫)(?:谁|哪位|什么人)",
);

static NO_NAME: Pattern = Pattern::new(
    r"^(?:german|french|swiss|american|chinese|english|italian|korean|japanese|spanish|russian|british|irish|scottish|welsh|dutch|danish|swedish|norwegian|finnish|polish|turkish|greek|indian|canadian|australian|mexican|brazilian|portuguese|vietnamese|thai|arab|austrian|belgian|ukrainian|czech|european|asian|african|jewish|muslim|christian|catholic|buddhist|vegan|vegetarian|ok|okay|fine|here|back|done|sorry|happy|sad|tired|late|home)$",
);

static THIRD_PERSON: Pattern = Pattern::new(
    r"^(?:(?P<zh>用户|主人|对方)|(?:the )?(?:user|owner)(?:(?P<own>'s) | (?P<verb>[a-z']+) ))(?P<rest>.+)$",
);

/// Under which key a statement is stored, if a newer value is to replace it.
pub(crate) fn key_of(topic: &Topic) -> Option<String> {
    let attribute = ATTRIBUTES.iter().find(|attribute| attribute.name == topic.attribute)?;
    let likes = matches!(topic.attribute, "like" | "dislike");
    if !attribute.single || (likes && (!topic.strong || topic.what.is_empty())) {
        return None;
    }
    let name = if topic.attribute == "like" { "favourite" } else { topic.attribute };
    let parts = [name, topic.what.as_str(), topic.who.as_str()];
    let key = parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(":");
    Some(key.chars().take(KEY_CHARS_MAX).collect())
}

/// The longest key.
const KEY_CHARS_MAX: usize = 80;

/// Whether a fact with this attribute answers a question for that one.
pub(crate) fn answers(fact: &Topic, fact_image: &str, question: &Topic) -> bool {
    const SAME: &[(&str, &str)] =
        &[("job", "identity"), ("job", "workplace"), ("pet", "animal"), ("home", "address"), ("my", "note")];
    let same = fact.attribute == question.attribute
        || SAME.iter().any(|pair| {
            *pair == (question.attribute, fact.attribute) || *pair == (fact.attribute, question.attribute)
        });
    let who = fact.who == question.who || people::compatible(&fact.who, &question.who);
    let what = fact.what.is_empty() && question.attribute != "like" && question.attribute != "dislike"
        || question.what.is_empty()
        || fact.what == question.what
        || related(&fact.what, &question.what)
            // The code of the wifi is not that of the cabin wifi.
            && (question.attribute != "code" || categories::contains_word(&fact.what, &question.what));
    let narrow = question.narrow.is_empty()
        || question.narrow.iter().any(|word| categories::contains_word(fact_image, word));
    same && who && what && narrow
}

/// A hobby may be a sport, music, a game; everything else is what it is.
fn related(fact: &str, question: &str) -> bool {
    question == "hobby" && matches!(fact, "sport" | "music" | "game" | "book" | "film")
        || (!fact.is_empty()
            && !question.is_empty()
            && fact.len() > 2
            && question.len() > 2
            && (categories::contains_word(fact, question) || categories::contains_word(question, fact)))
}
