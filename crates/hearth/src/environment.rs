//! The variables that config values may name: the process environment, and below it the `.env` file of the home.
//! The process environment itself is never changed.

use std::collections::BTreeMap;
use std::path::Path;

use hearth_contract::language::Language;

use crate::failure::Failure;
use crate::words::words;

/// Variables by name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    process: BTreeMap<String, String>,
    file: BTreeMap<String, String>,
}

/// Where a variable was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VariablePlace {
    /// In the environment of the process.
    Process,
    /// In `.env`.
    DotEnv,
}

impl Environment {
    /// The environment of this process. Variables that are not Unicode cannot be named in a config and are left out.
    pub(crate) fn of_process() -> Self {
        let process = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Self { process, file: BTreeMap::new() }
    }

    /// Only these variables.
    #[cfg(test)]
    pub(crate) fn of(pairs: &[(&str, &str)]) -> Self {
        let process = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self { process, file: BTreeMap::new() }
    }

    /// With the variables of a `.env` file below those of the process. A file that is not there has none.
    pub(crate) fn with_file(mut self, path: &Path) -> Result<Self, Failure> {
        match std::fs::read_to_string(path) {
            Ok(text) => self.file = parse(&text).map_err(|line| bad_line(path, line))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => self.file.clear(),
            Err(error) => return Err(Failure::of_file(path, &error)),
        }
        Ok(self)
    }

    /// A variable's value, and where it was found.
    pub(crate) fn get(&self, name: &str) -> Option<(&str, VariablePlace)> {
        let process = self.process.get(name).map(|value| (value.as_str(), VariablePlace::Process));
        process.or_else(|| self.file.get(name).map(|value| (value.as_str(), VariablePlace::DotEnv)))
    }

    /// A variable's value if it is set and not empty.
    pub(crate) fn filled(&self, name: &str) -> Option<&str> {
        self.get(name).map(|(value, _)| value).filter(|value| !value.is_empty())
    }

    /// The language of the person at the terminal, by the usual variables in their usual order.
    pub(crate) fn language(&self) -> Language {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(|name| self.filled(name));
        match locale {
            Some(locale) if locale.starts_with("zh") => Language::Zh,
            _ => Language::En,
        }
    }
}

fn bad_line(path: &Path, line: usize) -> Failure {
    let path = path.display();
    Failure::new(
        words!("{path} line {line} is not NAME=VALUE", "{path} 第 {line} 行不是 NAME=VALUE"),
        words!(
            "write one NAME=VALUE a line, or begin the line with #",
            "每行写一个 NAME=VALUE，注释行以 # 开头"
        ),
    )
}

/// Reads `NAME=VALUE` lines; the error is the number of a line that is none. `export ` before the name, comments,
/// and values in single quotes (as they are) or double quotes (with `\n`, `\"`, `\\`) are understood.
fn parse(text: &str) -> Result<BTreeMap<String, String>, usize> {
    let mut variables = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, value) = parse_line(line).ok_or(index + 1)?;
        variables.insert(name, value);
    }
    Ok(variables)
}

fn parse_line(line: &str) -> Option<(String, String)> {
    let (name, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
    let name = name.trim();
    if !is_variable_name(name) {
        return None;
    }
    Some((name.to_owned(), parse_value(value.trim())?))
}

/// Whether this can be the name of a variable.
pub(crate) fn is_variable_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn parse_value(value: &str) -> Option<String> {
    if let Some(rest) = value.strip_prefix('\'') {
        let (inside, after) = rest.split_once('\'')?;
        return only_comment(after).then(|| inside.to_owned());
    }
    if let Some(rest) = value.strip_prefix('"') {
        return parse_double_quoted(rest);
    }
    let end = value.find(" #").unwrap_or(value.len());
    Some(value[..end].trim_end().to_owned())
}

fn parse_double_quoted(rest: &str) -> Option<String> {
    let mut value = String::new();
    let mut characters = rest.chars();
    loop {
        match characters.next()? {
            '"' => return only_comment(characters.as_str()).then_some(value),
            '\\' => match characters.next()? {
                'n' => value.push('\n'),
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
}

fn only_comment(after: &str) -> bool {
    let after = after.trim();
    after.is_empty() || after.starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_name_and_a_value() {
        for (line, name, value) in [
            ("A=1", "A", "1"),
            ("export KEY = spaced ", "KEY", "spaced"),
            ("A=", "A", ""),
            ("A=b=c", "A", "b=c"),
            ("A=x # why", "A", "x"),
            ("A=x#y", "A", "x#y"),
            ("A='it # is $as' # ok", "A", "it # is $as"),
            (r#"A="two\nlines \"q\" 中文""#, "A", "two\nlines \"q\" 中文"),
        ] {
            assert_eq!(parse_line(line), Some((name.to_owned(), value.to_owned())), "{line}");
        }
    }

    #[test]
    fn a_bad_line_is_named() {
        for (text, line) in
            [("A=1\nnonsense", 2), ("1A=x", 1), ("\n#c\nA='open", 3), ("A=\"x\" y", 1), ("=x", 1)]
        {
            assert_eq!(parse(text), Err(line), "{text}");
        }
    }

    #[test]
    fn the_process_wins_over_the_file_and_a_missing_file_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".env");
        let environment = || Environment::of(&[("A", "process")]);
        assert_eq!(environment().with_file(&path).unwrap().get("B"), None);
        std::fs::write(&path, "A=file\nB=file\n").unwrap();
        let environment = environment().with_file(&path).unwrap();
        assert_eq!(environment.get("A"), Some(("process", VariablePlace::Process)));
        assert_eq!(environment.get("B"), Some(("file", VariablePlace::DotEnv)));
    }

    #[test]
    fn the_language_is_that_of_the_locale() {
        for (pairs, language) in [
            (&[("LANG", "zh_CN.UTF-8")][..], Language::Zh),
            (&[("LANG", "en_US.UTF-8")][..], Language::En),
            (&[("LANG", "zh_CN.UTF-8"), ("LC_ALL", "C")][..], Language::En),
            (&[("LANG", "C"), ("LC_ALL", ""), ("LC_MESSAGES", "zh_TW")][..], Language::Zh),
            (&[][..], Language::En),
        ] {
            assert_eq!(Environment::of(pairs).language(), language, "{pairs:?}");
        }
    }
}
