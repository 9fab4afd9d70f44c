//! Text from outside made fit for a terminal: no control sequences, no characters that reorder what is shown.

/// How many columns a tab stands for.
const TAB: &str = "    ";

/// The text without control characters (line ends stay, tabs become spaces), without whole ANSI sequences, and without
/// the characters that change the direction of writing.
pub fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\n' => clean.push('\n'),
            '\r' => {
                if rest.peek() != Some(&'\n') {
                    clean.push('\n');
                }
            }
            '\t' => clean.push_str(TAB),
            '\u{1b}' => skip_sequence(&mut rest),
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => {}
            c if c.is_control() => {}
            c => clean.push(c),
        }
    }
    clean
}

/// The text on one line.
pub fn one_line(text: &str) -> String {
    clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Skips what follows an escape character (ECMA-48): a control sequence up to its final byte, a string up to its
/// terminator, or one character.
fn skip_sequence(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            while let Some(c) = rest.peek().copied() {
                if c == '\n' {
                    return;
                }
                rest.next();
                if ('\u{40}'..='\u{7e}').contains(&c) {
                    return;
                }
            }
        }
        Some(']' | 'P' | '_' | '^' | 'X') => {
            while let Some(c) = rest.peek().copied() {
                // A string that is not closed ends with its line, so that no message can hide the rest.
                if c == '\n' {
                    return;
                }
                rest.next();
                if c == '\u{7}' {
                    return;
                }
                if c == '\u{1b}' && rest.peek() == Some(&'\\') {
                    rest.next();
                    return;
                }
            }
        }
        Some('\n') | None => {}
        Some(_) => {
            rest.next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_command_the_terminal_is_gone() {
        for (text, expected) in [
            ("plain 中文 😀\nnext", "plain 中文 😀\nnext"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]0;title\u{7}text", "text"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}]0;never closed\nstill here", "\nstill here"),
            ("a\tb\r\nc\rd", "a    b\nc\nd"),
            ("\u{202e}evil\u{202c}", "evil"),
            ("bell\u{7}back\u{8}", "bellback"),
            ("\u{1b}", ""),
        ] {
            assert_eq!(clean(text), expected, "{text:?}");
        }
    }

    #[test]
    fn one_line_has_no_line_ends() {
        assert_eq!(one_line(" a\n\n b\tc "), "a b c");
    }
}
