//! Printing: lines, tables with the right width for Chinese, JSON, failures. A reader that has gone away ends the
//! command without a word, as is usual in a pipe.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use hearth_contract::language::Language;
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use crate::failure::{Exit, Failure};
use crate::words::{Words, words};

/// How answers are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Prints a line on standard output.
pub(crate) fn line(text: &str) -> Result<(), Failure> {
    written(writeln!(io::stdout().lock(), "{}", for_terminal(text)))
}

/// On a terminal, what others wrote must not command it: control characters but line ends and tabs are left out
/// (C0 and C1 of ECMA-48). A program gets the text as it is.
fn for_terminal(text: &str) -> Cow<'_, str> {
    let commands = |c: char| c.is_control() && c != '\n' && c != '\t';
    if io::stdout().is_terminal() && text.contains(commands) {
        Cow::Owned(text.replace(commands, ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// Prints a text on standard output at once, without ending the line.
pub(crate) fn piece(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    written(write!(out, "{text}").and_then(|()| out.flush()))
}

/// Prints a value as JSON on one line.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).map_err(|error| {
        Failure::new(words!("cannot write this as JSON: {error}", "无法写成 JSON：{error}"), Words::default())
    })?;
    line(&text)
}

fn written(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(Exit::Done as i32),
        Err(error) => Err(Failure::of_file(std::path::Path::new("stdout"), &error)),
    }
}

/// What a failure's lines begin with, in English and Chinese.
pub(crate) const ERROR_MARKS: [&str; 2] = ["error: ", "错误："];
pub(crate) const HINT_MARKS: [&str; 2] = ["hint: ", "怎么办："];

/// Prints a failure on standard error: a line what, a line what to do.
pub(crate) fn failure(failure: &Failure, language: Language) {
    let mut error = io::stderr().lock();
    // When standard error is closed there is nobody left to tell.
    let _ = writeln!(
        error,
        "{}{}",
        language.pick(ERROR_MARKS[0], ERROR_MARKS[1]),
        failure.what.in_language(language)
    );
    if !failure.hint.is_empty() {
        let _ = writeln!(
            error,
            "{}{}",
            language.pick(HINT_MARKS[0], HINT_MARKS[1]),
            failure.hint.in_language(language)
        );
    }
}

/// Says something beside the answer, on standard error.
pub(crate) fn note(words: &Words, language: Language) {
    // As above.
    let _ = writeln!(io::stderr().lock(), "{}", words.in_language(language));
}

/// Whether a person looks at standard output and can type.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal() && io::stdin().is_terminal()
}

/// Lines of cells, set in columns.
#[derive(Debug, Default)]
pub(crate) struct Table {
    headings: Option<Vec<String>>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these headings.
    pub(crate) fn new(headings: &[&str]) -> Self {
        Self {
            headings: Some(headings.iter().map(|heading| (*heading).to_owned()).collect()),
            rows: Vec::new(),
        }
    }

    /// A table of names and values, which needs no headings.
    pub(crate) fn without_headings() -> Self {
        Self::default()
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| one_line(&cell)).collect());
    }

    /// Whether it has no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table as text, a line a row.
    pub(crate) fn render(&self) -> String {
        let rows = || self.headings.iter().chain(&self.rows);
        let columns = rows().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            rows().filter_map(|row| row.get(column)).map(|cell| cell.width()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let lines = rows().map(|row| {
            let cells = row.iter().zip(&widths).map(|(cell, width)| pad(cell, *width));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Prints the table, or this sentence if it is empty.
    pub(crate) fn print(&self, if_empty: &str) -> Result<(), Failure> {
        if self.is_empty() { line(if_empty) } else { line(&self.render()) }
    }
}

fn pad(cell: &str, width: usize) -> String {
    format!("{cell}{}", " ".repeat(width.saturating_sub(cell.width())))
}

/// The text without line breaks and other control characters, which would break a table or a terminal.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split(|c: char| c.is_control()).filter(|part| !part.is_empty()).collect();
    words.join(" ")
}

/// The beginning of a text, at most so many columns wide.
pub(crate) fn shortened(text: &str, columns_max: usize) -> String {
    let text = one_line(text);
    if text.width() <= columns_max {
        return text;
    }
    let mut short = String::new();
    for character in text.chars() {
        let mut longer = short.clone();
        longer.push(character);
        if longer.width() + 1 > columns_max {
            break;
        }
        short = longer;
    }
    short + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_for_wide_characters() {
        let mut table = Table::new(&["NAME", "状态"]);
        table.row(["默认对话".to_owned(), "好".to_owned()]);
        table.row(["a\nb".to_owned(), "ok".to_owned()]);
        assert_eq!(table.render(), "NAME      状态\n默认对话  好\na b       ok");
    }

    #[test]
    fn a_text_is_cut_by_its_width() {
        assert_eq!(shortened("记住我喜欢", 6), "记住…");
        assert_eq!(shortened("short", 6), "short");
        assert_eq!(shortened("two\nlines", 20), "two lines");
    }
}
