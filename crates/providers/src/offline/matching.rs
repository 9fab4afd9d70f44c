//! Which words of a text carry its meaning, and how many of them another text shares.

use hearth_contract::language::is_han;

/// The words that carry meaning: English ones by their stem, Chinese as pairs of neighbouring characters.
pub(crate) fn content_words(image: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut spaced = image.to_owned();
    for stop in STOP_ZH {
        spaced = spaced.replace(stop, " ");
    }
    for run in spaced.split(|c: char| !(c.is_alphanumeric() || c == '\'')) {
        let (mut latin, mut han) = (String::new(), String::new());
        for c in run.chars() {
            if is_han(c) {
                flush_latin(&mut latin, &mut words);
                han.push(c);
            } else {
                flush_han(&mut han, &mut words);
                latin.push(c);
            }
        }
        flush_latin(&mut latin, &mut words);
        flush_han(&mut han, &mut words);
    }
    words.dedup();
    words
}

/// The share of `wanted` that occurs in a text, 0 to 1; 0 if nothing is wanted.
pub(crate) fn coverage(wanted: &[String], image: &str) -> f64 {
    if wanted.is_empty() {
        return 0.0;
    }
    let latin: Vec<String> = image
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .map(stem)
        .collect();
    let there =
        |word: &&String| if word.is_ascii() { latin.contains(word) } else { image.contains(word.as_str()) };
    wanted.iter().filter(there).count() as f64 / wanted.len() as f64
}

fn flush_latin(latin: &mut String, words: &mut Vec<String>) {
    let word = std::mem::take(latin);
    if !word.is_empty() && !STOP_EN.contains(&word.trim_end_matches("'s")) {
        words.push(stem(&word));
    }
}

fn flush_han(han: &mut String, words: &mut Vec<String>) {
    let run: Vec<char> = std::mem::take(han).chars().collect();
    match run.len() {
        0 => {}
        1 => words.push(run.iter().collect()),
        _ => words.extend(run.windows(2).map(|pair| pair.iter().collect::<String>())),
    }
}

/// A crude stem: enough that `meetings` meets `meeting` and `parked` meets `park`.
fn stem(word: &str) -> String {
    let word = word.trim_end_matches("'s").trim_matches('\'');
    for (ending, left_min) in [("ies", 3), ("ing", 3), ("ed", 3), ("es", 3), ("s", 3), ("e", 3)] {
        if let Some(root) = word.strip_suffix(ending)
            && root.len() >= left_min
            && !root.ends_with('s')
        {
            return if ending == "ies" { format!("{root}y") } else { root.to_owned() };
        }
    }
    word.to_owned()
}

const STOP_ZH: &[&str] = &[
    "什么时候",
    "搁哪儿",
    "放哪儿",
    "搁哪里",
    "放哪里",
    "搁哪",
    "放哪",
    "丢哪",
    "摆哪",
    "喜欢",
    "做",
    "什么",
    "为什么",
    "怎么样",
    "怎么",
    "哪里",
    "哪儿",
    "哪个",
    "哪些",
    "哪天",
    "哪",
    "多少",
    "几个",
    "几点",
    "几号",
    "几",
    "谁",
    "是不是",
    "有没有",
    "知道",
    "记得",
    "还记得",
    "告诉",
    "请问",
    "我们",
    "我的",
    "我",
    "你的",
    "你",
    "您",
    "的",
    "了",
    "吗",
    "呢",
    "吧",
    "啊",
    "是",
    "在",
    "有",
    "那个",
    "这个",
    "那",
    "这",
    "和",
    "跟",
    "把",
    "来着",
    "一下",
    "关于",
    "叫",
    "过",
    "着",
    "都",
    "也",
    "就",
    "还",
    "啥",
    "呀",
    "嘛",
    "提醒",
    "闹钟",
    "定时器",
    "请",
    "帮",
    "说",
    "到底",
    "究竟",
];

const STOP_EN: &[&str] = &[
    "a",
    "an",
    "the",
    "is",
    "are",
    "am",
    "was",
    "were",
    "be",
    "been",
    "do",
    "does",
    "did",
    "have",
    "has",
    "had",
    "i",
    "me",
    "my",
    "mine",
    "we",
    "us",
    "our",
    "you",
    "your",
    "it",
    "its",
    "he",
    "she",
    "they",
    "that",
    "this",
    "these",
    "those",
    "of",
    "in",
    "on",
    "at",
    "to",
    "for",
    "from",
    "with",
    "by",
    "about",
    "and",
    "or",
    "what",
    "who",
    "whom",
    "whose",
    "where",
    "when",
    "which",
    "why",
    "how",
    "many",
    "much",
    "there",
    "any",
    "some",
    "again",
    "please",
    "tell",
    "know",
    "remember",
    "recall",
    "can",
    "could",
    "will",
    "would",
    "should",
    "shall",
    "may",
    "if",
    "so",
    "as",
    "not",
    "i'm",
    "im",
    "what",
    "whats",
    "what's",
    "where's",
    "who's",
    "when's",
    "don't",
    "it's",
    "that's",
    "did",
    "let",
    "still",
    "now",
    "just",
    "s",
    "reminder",
    "timer",
    "alarm",
    "reminders",
    "timers",
    "alarms",
    "called",
    "name",
];
