//! Patterns of the grammar: regular expressions with named fragments, compiled when first needed.

use std::sync::OnceLock;

use hearth_contract::language::is_han;
use regex::{Captures, Regex, RegexBuilder};

use super::people;
use super::text::Text;

/// What one pattern may keep to match faster. There are hundreds of patterns, and what people say is short.
const CACHE_BYTES_MAX: usize = 128 * 1024;

/// One way of saying something. Matches the image of a [`Text`]; what it captures is given in the user's own spelling.
#[derive(Debug)]
pub(crate) struct Pattern {
    source: &'static str,
    both: bool,
    script: OnceLock<Script>,
    regex: OnceLock<Regex>,
}

/// What a text must hold for a pattern to be worth compiling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    /// All its words are Chinese.
    Han,
    /// All its words are English.
    Latin,
    Any,
}

impl Pattern {
    pub(crate) const fn new(source: &'static str) -> Self {
        Self { source, both: false, script: OnceLock::new(), regex: OnceLock::new() }
    }

    /// One that may match without any of its words, so in either language.
    pub(crate) const fn both(source: &'static str) -> Self {
        Self { source, both: true, script: OnceLock::new(), regex: OnceLock::new() }
    }

    #[allow(
        clippy::expect_used,
        reason = "every source is a constant of the grammar, and the tests compile each"
    )]
    pub(crate) fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| {
            let built =
                RegexBuilder::new(&narrowed(&expand(self.source))).dfa_size_limit(CACHE_BYTES_MAX).build();
            built.expect("a pattern of the grammar")
        })
    }

    /// Whether it could match at all: who speaks one language never needs the patterns of the other.
    pub(crate) fn suits(&self, image: &str) -> bool {
        if self.both {
            return true;
        }
        match self.script.get_or_init(|| script_of(self.source)) {
            Script::Han => image.chars().any(is_han),
            Script::Latin => image.bytes().any(|byte| byte.is_ascii_lowercase()),
            Script::Any => true,
        }
    }

    pub(crate) fn is_match(&self, text: &Text) -> bool {
        self.suits(text.image()) && self.regex().is_match(text.image())
    }

    pub(crate) fn find<'t>(&self, text: &'t Text) -> Option<Found<'t>> {
        let captures = if self.suits(text.image()) { self.regex().captures(text.image()) } else { None };
        captures.map(|captures| Found { text, captures })
    }
}

/// The first pattern that matches.
pub(crate) fn first<'t>(patterns: &[Pattern], text: &'t Text) -> Option<Found<'t>> {
    patterns.iter().find_map(|pattern| pattern.find(text))
}

/// Whether one of them matches.
pub(crate) fn any(patterns: &[Pattern], text: &Text) -> bool {
    patterns.iter().any(|pattern| pattern.is_match(text))
}

/// What a pattern captured.
#[derive(Debug)]
pub(crate) struct Found<'t> {
    text: &'t Text,
    captures: Captures<'t>,
}

impl<'t> Found<'t> {
    /// A group in the user's spelling, trimmed; none if it is absent or empty.
    pub(crate) fn get(&self, name: &str) -> Option<&'t str> {
        let group = self.captures.name(name)?;
        Some(self.text.raw_slice(group.range()).trim()).filter(|slice| !slice.is_empty())
    }

    /// The first of these groups that captured something: the alternatives of one pattern cannot share a name.
    pub(crate) fn any_of(&self, names: &[&str]) -> Option<&'t str> {
        names.iter().find_map(|name| self.get(name))
    }

    /// A group as it was matched: folded to half-width, simplified, lower case.
    pub(crate) fn image(&self, name: &str) -> Option<&'t str> {
        self.captures.name(name).map(|group| group.as_str().trim()).filter(|slice| !slice.is_empty())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.image(name).is_some()
    }
}

/// The script of a pattern's own words, its group names and fragments aside.
fn script_of(source: &str) -> Script {
    let mut words = source.to_owned();
    for (open, close) in [("(?P<", ">"), ("{", "}"), ("(?", ":"), ("[", "]")] {
        while let Some(from) = words.find(open) {
            let Some(length) = words[from..].find(close) else { break };
            words.replace_range(from..=from + length, "#");
        }
    }
    let han = words.chars().any(is_han);
    let latin = words.as_bytes().windows(2).any(|pair| pair.iter().all(u8::is_ascii_lowercase));
    match (han, latin) {
        (true, false) => Script::Han,
        (false, true) => Script::Latin,
        _ => Script::Any,
    }
}

/// Writes the named fragments (`{end}`, `{kin}` …) out.
fn expand(source: &str) -> String {
    let mut text = source.to_owned();
    for (name, fragment) in FRAGMENTS {
        text = text.replace(name, fragment);
    }
    if text.contains("{kin}") {
        text = text.replace("{kin}", &people::alternatives());
    }
    text
}

/// With the classes of characters cut down to what an image can hold: the tables of all Unicode would make every
/// pattern ten times as large.
fn narrowed(source: &str) -> String {
    const WORD: &str = r"a-z0-9_\u{c0}-\u{52f}\u{3040}-\u{30ff}\u{3400}-\u{9fff}";
    let mut text = String::with_capacity(source.len());
    let mut in_class = false;
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        let escaped = if c == '\\' { chars.next() } else { None };
        match (escaped, in_class) {
            (Some('d'), true) => text.push_str("0-9"),
            (Some('d'), false) => text.push_str("[0-9]"),
            (Some('s'), true) => text.push_str(r" \n"),
            (Some('s'), false) => text.push_str(r"[ \n]"),
            (Some('S'), false) => text.push_str(r"[^ \n]"),
            (Some('w'), true) => text.push_str(WORD),
            (Some('w'), false) => {
                text.push('[');
                text.push_str(WORD);
                text.push(']');
            }
            (Some('b'), false) => text.push_str(r"(?-u:\b)"),
            (Some(other), _) => {
                text.push('\\');
                text.push(other);
            }
            (None, _) => {
                in_class = (in_class || c == '[') && c != ']';
                text.push(c);
            }
        }
    }
    text
}

/// The fragments that patterns share.
const FRAGMENTS: &[(&str, &str)] = &[
    // What may stand at the end of a statement without meaning anything.
    ("{end}", r"[\s.。!~,…]*(?:了|哦|噢|喔|啊|呀|啦|哈|呢|吧|的说)?[\s.。!~,…]*$"),
    // The same after a question.
    ("{ask}", r"[\s.。!?~,…]*(?:吗|么|呢|呀|啊|吧|啦|来着|来的|了|的)*[\s.。!?~,…]*$"),
    // Zero or more small words around a verb.
    (
        "{adv}",
        r"(?:现在|其实|真的|更加?|最|很|非常|特别|尤其|超级?|比较|还是?|也|一直|都|平时|平常|从小|就|最近|已经|目前|如今|可|好|挺|蛮|总是|改|开始|变得|又|才)*",
    ),
    (
        "{adverb}",
        r"(?:(?:really|just|absolutely|still|now|also|do|only|actually|always|quite|totally|currently|recently|usually|mostly|definitely|especially|particularly|kind of|truly|much|rather|most|mainly|generally) )*",
    ),
    (
        "{file}",
        r#"(?P<file>"[^"\s]+\.[a-z0-9]{1,8}"|`[^`\s]+`|'[^'\s]+\.[a-z0-9]{1,8}'|(?:[\w\-./~]+)?\.?[\w\-]+\.[a-z0-9]{1,8}|(?:readme|makefile|license|dockerfile))"#,
    ),
    // The common Chinese surnames.
    (
        "{surname}",
        r"[赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜谢邹苏潘葛范彭鲁马方任袁柳史唐薛雷贺倪汤罗毕郝安常于傅齐康伍余顾孟黄穆萧尹姚邵汪毛明戴宋庞熊纪舒项祝董梁杜阮蓝闵季贾江童郭梅林钟徐邱骆高夏蔡田胡凌霍万卢莫房丁邓单洪包左石崔龚程邢裴陆翁段侯武刘龙叶黎白赖乔谭温庄柴曾]",
    ),
    // English lengths of time.
    (
        "{amount}",
        r"(?:(?:three quarters of an|three quarter|quarter of an|a quarter of an|half of an|half an|half a|a half|half|an? couple of|couple of|a few|several)[ -]*{unit}|\d+h ?\d+(?:m|mins?)?|(?:\d+(?:\.\d+)?|{words}|an? )(?: and a half)?[ -]*{unit}(?: and a half)?)\b",
    ),
    (
        "{unit}",
        r"(?:seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|fortnights?|months?|years?)\b",
    ),
    (
        "{words}",
        r"(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|one|two|three|four|five|six|seven|eight|nine)",
    ),
    (
        "{month}",
        r"(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?",
    ),
];
