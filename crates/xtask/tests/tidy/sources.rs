//! What every source file keeps to.

use crate::tree::{self, SourceFile};

/// More lines than this in one file are a reason to cut it.
const LINES_MAX: usize = 800;

/// Marks that work in progress leaves behind. Put together here so that this file does not hold them.
fn left_over_marks() -> [String; 7] {
    [
        ["TO", "DO"].concat(),
        ["FIX", "ME"].concat(),
        ["XX", "X"].concat(),
        ["todo", "!("].concat(),
        ["unimplemented", "!("].concat(),
        ["dbg", "!("].concat(),
        ["<<<<", "<<<"].concat(),
    ]
}

/// Where a word may stand, and why nowhere else.
struct OnlyIn {
    words: &'static [&'static str],
    folders: &'static [&'static str],
    because: &'static str,
}

const ONLY_IN: &[OnlyIn] = &[
    OnlyIn {
        words: &["SELECT ", "INSERT INTO", "DELETE FROM", "CREATE TABLE", "PRAGMA ", "rusqlite"],
        folders: &["crates/storage/"],
        because: "SQL stays in storage",
    },
    OnlyIn { words: &["reqwest"], folders: &["crates/net/"], because: "only net makes HTTP clients" },
];

/// A rule looks at a file and returns complaints.
type Rule = fn(&SourceFile) -> Vec<String>;

/// `tests.rs` stands beside what it tests, and needs no words for that.
fn begins_with_its_purpose(file: &SourceFile) -> Vec<String> {
    let first = file.text.lines().next().unwrap_or_default();
    let says_something = first.strip_prefix("//! ").is_some_and(|text| !text.trim().is_empty());
    if says_something || file.path.ends_with("/tests.rs") {
        Vec::new()
    } else {
        vec![format!("{} does not begin with `//! ` and what it is for", file.path)]
    }
}

fn is_not_too_long(file: &SourceFile) -> Vec<String> {
    let lines = file.text.lines().count();
    if lines <= LINES_MAX {
        Vec::new()
    } else {
        vec![format!("{} has {lines} lines, at most {LINES_MAX}", file.path)]
    }
}

fn has_no_left_over_marks(file: &SourceFile) -> Vec<String> {
    let marks = left_over_marks();
    let lines = file.text.lines().enumerate();
    let complaint = |(index, line): (usize, &str)| {
        let mark = marks.iter().find(|mark| is_word_in(line, mark))?;
        Some(format!("{}:{} has {mark}", file.path, index + 1))
    };
    lines.filter_map(complaint).collect()
}

/// Whether `line` holds `word` and not just as a part of a longer one.
fn is_word_in(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let joins = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
        !joins(before) && (!joins(after) || word.ends_with('('))
    })
}

fn keeps_words_where_they_belong(file: &SourceFile) -> Vec<String> {
    let is_this_file = file.path.ends_with("xtask/tests/tidy/sources.rs");
    let mut complaints = Vec::new();
    for rule in
        ONLY_IN.iter().filter(|rule| !is_this_file && !rule.folders.iter().any(|f| file.path.starts_with(f)))
    {
        for (index, line) in
            file.text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"))
        {
            for word in rule.words.iter().filter(|word| line.contains(**word)) {
                complaints.push(format!(
                    "{}:{} has `{}`: {}",
                    file.path,
                    index + 1,
                    word.trim(),
                    rule.because
                ));
            }
        }
    }
    complaints
}

fn check(name: &str, rule: Rule) {
    let files = tree::files(&["crates"], &[".rs"]);
    let complaints: Vec<String> = files.iter().flat_map(rule).collect();
    tree::assert_tidy(name, files.len(), &complaints);
}

#[test]
fn every_file_says_what_it_is_for() {
    check("first line", begins_with_its_purpose);
}

#[test]
fn no_file_is_too_long() {
    check("file length", is_not_too_long);
}

#[test]
fn nothing_is_left_over() {
    check("left-over marks", has_no_left_over_marks);
}

#[test]
fn sql_and_http_stay_where_they_belong() {
    check("words in their place", keeps_words_where_they_belong);
}

#[test]
fn each_rule_finds_what_it_is_for() {
    let file = |path: &str, text: &str| SourceFile { path: path.into(), text: text.into() };
    let marks = left_over_marks();
    assert_eq!(begins_with_its_purpose(&file("a.rs", "use x;\n")).len(), 1);
    assert_eq!(begins_with_its_purpose(&file("a.rs", "//! Does this and that.\n")).len(), 0);
    assert_eq!(is_not_too_long(&file("a.rs", &"x\n".repeat(LINES_MAX + 1))).len(), 1);
    assert_eq!(has_no_left_over_marks(&file("a.rs", &format!("// {}: later", marks[0]))).len(), 1);
    assert_eq!(has_no_left_over_marks(&file("a.rs", &format!("{})", marks[3]))).len(), 1);
    assert_eq!(has_no_left_over_marks(&file("a.rs", "let AUTODOC = 1;")).len(), 0);
    let sql = "let q = \"SELECT 1\";";
    assert_eq!(keeps_words_where_they_belong(&file("crates/kernel/src/a.rs", sql)).len(), 1);
    assert_eq!(keeps_words_where_they_belong(&file("crates/storage/src/a.rs", sql)).len(), 0);
    assert_eq!(
        keeps_words_where_they_belong(&file("crates/tools/src/a.rs", "use reqwest::Client;")).len(),
        1
    );
}
