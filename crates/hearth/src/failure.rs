//! How a command fails: what happened, what to do, and the exit code.

use std::io;
use std::path::Path;

use crate::words::{Words, words};

/// A command did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// What happened, in a line.
    pub(crate) what: Words,
    /// What to do, in a line; may be empty where everything has been said.
    pub(crate) hint: Words,
    /// What the shell is told.
    pub(crate) exit: Exit,
}

/// The exit codes of `6-interfaces`: scripts rely on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done = 0,
    /// It was tried and failed.
    Failed = 1,
    /// It was asked for in a wrong way.
    Misuse = 2,
}

/// What a command comes to. `Exit::Failed` without a [`Failure`] is for answers that are themselves a "no" and have
/// been printed already (`prove`, `doctor`).
pub(crate) type Outcome = Result<Exit, Failure>;

impl Failure {
    /// Something did not work.
    pub(crate) fn new(what: Words, hint: Words) -> Self {
        Self { what, hint, exit: Exit::Failed }
    }

    /// The command line asks for something that cannot be.
    pub(crate) fn misuse(what: Words, hint: Words) -> Self {
        Self { what, hint, exit: Exit::Misuse }
    }

    /// A file or folder could not be used.
    pub(crate) fn of_file(path: &Path, error: &io::Error) -> Self {
        let path = path.display();
        let reason = error_text(error);
        Self::new(words!("{path}: {reason}", "{path}：{reason}"), file_hint(error))
    }
}

/// What to do about a file error, by its kind.
fn file_hint(error: &io::Error) -> Words {
    match error.kind() {
        io::ErrorKind::ReadOnlyFilesystem => words!(
            "the disk is mounted read-only: mount it writable, or choose another folder with --home",
            "磁盘是只读的：请以可写方式挂载，或用 --home 换一个目录",
        ),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => words!(
            "the disk is full: free some space, then run the command again",
            "磁盘已满：请腾出空间后再试",
        ),
        io::ErrorKind::PermissionDenied => words!(
            "give your user access to it, or choose another folder with --home",
            "请给当前用户访问权限，或用 --home 换一个目录",
        ),
        io::ErrorKind::NotFound => words!("check the path", "请检查路径"),
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => words!(
            "a file is where a folder should be: move it away, or choose another folder with --home",
            "该有目录的地方是一个文件：请把它移开，或用 --home 换一个目录",
        ),
        _ => words!("check the disk and the permissions of the path", "请检查磁盘和路径权限"),
    }
}

/// The error without the number that the standard library appends.
fn error_text(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_error_says_what_to_do_in_both_languages() {
        for (kind, en, zh) in [
            (io::ErrorKind::ReadOnlyFilesystem, "read-only", "只读"),
            (io::ErrorKind::StorageFull, "full", "已满"),
            (io::ErrorKind::PermissionDenied, "access", "权限"),
            (io::ErrorKind::NotADirectory, "folder", "目录"),
            (io::ErrorKind::Other, "check", "检查"),
        ] {
            let failure = Failure::of_file(Path::new("/x"), &io::Error::from(kind));
            assert!(failure.hint.en.contains(en), "{failure:?}");
            assert!(failure.hint.zh.contains(zh), "{failure:?}");
            assert!(failure.what.en.starts_with("/x: "), "{failure:?}");
        }
    }

    #[test]
    fn the_number_of_an_os_error_is_left_out() {
        let failure = Failure::of_file(Path::new("/x"), &io::Error::from_raw_os_error(28));
        assert_eq!(failure.what.en, "/x: No space left on device");
    }
}
