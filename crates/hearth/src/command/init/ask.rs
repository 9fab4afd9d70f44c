//! Questions at the terminal.

use std::io::{self, BufRead, Write};
use std::path::Path;

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use super::Language;
use crate::failure::Failure;
use crate::words::{Words, words};

/// Asks the person at the terminal.
#[derive(Debug)]
pub(super) struct Terminal {
    language: Language,
}

impl Terminal {
    /// In this language.
    pub(super) fn new(language: Language) -> Self {
        Self { language }
    }

    /// Shows something.
    pub(super) fn say(&mut self, text: &Words) -> Result<(), Failure> {
        crate::output::line(text.in_language(self.language))
    }

    /// Asks for a line; an empty answer is the default.
    pub(super) fn ask(&mut self, question: &Words, default: &str) -> Result<String, Failure> {
        let shown = if default.is_empty() { String::new() } else { format!(" [{default}]") };
        crate::output::piece(&format!("{}{shown} ", question.in_language(self.language)))?;
        let answer = read_line()?;
        Ok(if answer.is_empty() { default.to_owned() } else { answer })
    }

    /// Asks for a secret; what is typed is not shown.
    pub(super) fn ask_secret(&mut self, question: &Words) -> Result<String, Failure> {
        crate::output::piece(&format!("{} ", question.in_language(self.language)))?;
        let silence = Silence::begin();
        let answer = read_line();
        drop(silence);
        crate::output::line("")?;
        answer
    }

    /// Asks whether a file that is there may be replaced; the default is no.
    pub(super) fn confirm_replace(&mut self, path: &Path) -> Result<bool, Failure> {
        let path = path.display();
        let answer =
            self.ask(&words!("{path} exists. Replace it? (y/n)", "{path} 已存在，要替换吗？(y/n)"), "n")?;
        Ok(matches!(answer.to_lowercase().as_str(), "y" | "yes" | "是" | "好"))
    }
}

fn read_line() -> Result<String, Failure> {
    let ended = || {
        Failure::new(
            words!("the answers ended", "没有更多回答"),
            words!(
                "run hearth init again, or hearth init --yes",
                "请重新运行 hearth init，或 hearth init --yes"
            ),
        )
    };
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line) {
        Ok(0) => Err(ended()),
        Ok(_) => Ok(line.trim().to_owned()),
        Err(error) => Err(Failure::of_file(Path::new("stdin"), &error)),
    }
}

/// While it lives, the terminal does not show what is typed.
struct Silence {
    before: Option<rustix::termios::Termios>,
}

impl Silence {
    fn begin() -> Self {
        // A terminal that cannot be silenced shows what is typed; that is no reason not to ask.
        let before = tcgetattr(io::stdin()).ok();
        if let Some(mut modes) = before.clone() {
            modes.local_modes.remove(LocalModes::ECHO);
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &modes);
        }
        Self { before }
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
        }
        let _ = io::stdout().flush();
    }
}
