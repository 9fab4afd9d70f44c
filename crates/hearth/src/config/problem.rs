//! What is wrong with a config: where, what, and what to do.

use std::path::Path;

use crate::failure::Failure;
use crate::words::{Words, words};

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The line of the config file, from 1; none where no line is to blame.
    pub(crate) line: Option<usize>,
    /// What is wrong, in a line.
    pub(crate) what: Words,
    /// What to do, in a line; may be empty.
    pub(crate) hint: Words,
}

impl Problem {
    /// Something wrong at a line.
    pub(crate) fn at(line: Option<usize>, what: Words, hint: Words) -> Self {
        Self { line, what, hint }
    }

    /// As a failure of the command that wanted the config.
    pub(crate) fn into_failure(self, file: &Path) -> Failure {
        let Words { en, zh } = self.what;
        let file = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
        let what = match self.line {
            Some(line) => words!("{file} line {line}: {en}", "{file} 第 {line} 行：{zh}"),
            None => words!("{file}: {en}", "{file}：{zh}"),
        };
        Failure::new(what, self.hint)
    }
}

/// Several problems as one failure: the first one, and how many more there are.
pub(crate) fn summary(mut problems: Vec<Problem>, file: &Path) -> Failure {
    problems.sort_by_key(|problem| problem.line.unwrap_or(usize::MAX));
    let more = problems.len().saturating_sub(1);
    let Some(first) = problems.into_iter().next() else {
        return Failure::new(words!("the config cannot be used", "配置无法使用"), Words::default());
    };
    let mut failure = first.into_failure(file);
    if more > 0 {
        let Words { en, zh } = &failure.what;
        failure.what = words!(
            "{en} (and {more} more: hearth config check)",
            "{zh}（另有 {more} 处：hearth config check）"
        );
    }
    failure
}
