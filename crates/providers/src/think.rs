//! Thoughts that a model writes into its text, between `<think>` and `</think>` (Qwen, DeepSeek R1 and others behind
//! servers that do not take them apart).

/// A piece of text, told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// For the reader.
    Text(String),
    /// A thought.
    Thought(String),
}

/// Takes text in pieces, cut anywhere, and tells thoughts from words. Tags count only at the very beginning of the
/// answer: further on `<think>` is something the model talks about.
#[derive(Debug)]
pub(crate) struct ThinkSplitter {
    state: State,
    held: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing but space has been seen.
    Beginning,
    /// The thought has been opened; space before its first word is dropped.
    BeforeThought,
    Thinking,
    /// The thought is over; space before the first word is dropped.
    AfterThought,
    Talking,
}

const OPEN: &[&str] = &["<think>", "<thinking>"];
const CLOSE: &[&str] = &["</think>", "</thinking>"];

impl ThinkSplitter {
    pub(crate) fn new() -> Self {
        Self { state: State::Beginning, held: String::new() }
    }

    /// Takes more text; gives what is certain by now.
    pub(crate) fn push(&mut self, text: &str) -> Vec<Piece> {
        self.held.push_str(text);
        let mut pieces = Vec::new();
        while self.step(&mut pieces) {}
        pieces
    }

    /// Gives what is left at the end.
    pub(crate) fn finish(&mut self) -> Vec<Piece> {
        let rest = std::mem::take(&mut self.held);
        match self.state {
            _ if rest.is_empty() => Vec::new(),
            State::Thinking => vec![Piece::Thought(rest)],
            State::BeforeThought | State::AfterThought if rest.trim().is_empty() => Vec::new(),
            _ => vec![Piece::Text(rest)],
        }
    }

    /// Does one step; false when more text is needed.
    fn step(&mut self, pieces: &mut Vec<Piece>) -> bool {
        match self.state {
            State::Beginning => self.look_for_the_opening(),
            State::Thinking => self.look_for_the_closing(pieces),
            State::BeforeThought => self.drop_space_then(State::Thinking),
            State::AfterThought => self.drop_space_then(State::Talking),
            State::Talking => {
                if !self.held.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut self.held)));
                }
                false
            }
        }
    }

    fn drop_space_then(&mut self, next: State) -> bool {
        let words = self.held.trim_start();
        if words.is_empty() {
            return false;
        }
        self.held = words.to_owned();
        self.state = next;
        true
    }

    fn look_for_the_opening(&mut self) -> bool {
        let seen = self.held.trim_start();
        if let Some(rest) = OPEN.iter().find_map(|tag| seen.strip_prefix(tag)) {
            self.held = rest.to_owned();
            self.state = State::BeforeThought;
            return true;
        }
        if OPEN.iter().any(|tag| tag.starts_with(seen)) {
            return false;
        }
        self.state = State::Talking;
        true
    }

    fn look_for_the_closing(&mut self, pieces: &mut Vec<Piece>) -> bool {
        let found = CLOSE.iter().filter_map(|tag| Some((self.held.find(tag)?, tag.len()))).min();
        if let Some((at, length)) = found {
            let rest = self.held.split_off(at + length);
            self.held.truncate(at);
            push_thought(pieces, std::mem::replace(&mut self.held, rest));
            self.state = State::AfterThought;
            return true;
        }
        // Keep back what may be the beginning of a closing tag.
        let keep = (0..self.held.len())
            .filter(|at| self.held.is_char_boundary(*at))
            .find(|at| CLOSE.iter().any(|tag| tag.starts_with(&self.held[*at..])))
            .unwrap_or(self.held.len());
        let rest = self.held.split_off(keep);
        push_thought(pieces, std::mem::replace(&mut self.held, rest));
        false
    }
}

fn push_thought(pieces: &mut Vec<Piece>, thought: String) {
    if !thought.is_empty() {
        pieces.push(Piece::Thought(thought));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, thought: &str, words: &str) {
        for size in [1, 2, 3, 5, 1_000] {
            let mut splitter = ThinkSplitter::new();
            let chars: Vec<char> = text.chars().collect();
            let mut pieces: Vec<Piece> =
                chars.chunks(size).flat_map(|part| splitter.push(&part.iter().collect::<String>())).collect();
            pieces.extend(splitter.finish());
            let (mut thoughts, mut said) = (String::new(), String::new());
            for piece in pieces {
                match piece {
                    Piece::Text(text) => said.push_str(&text),
                    Piece::Thought(text) => thoughts.push_str(&text),
                }
            }
            assert_eq!((thoughts.as_str(), said.as_str()), (thought, words), "{text:?} in pieces of {size}");
        }
    }

    #[test]
    fn thoughts_are_told_from_words() {
        check("<think>\n想一想</think>\n\n你好", "想一想", "你好");
        check("\n<thinking>a < b</thinking>c", "a < b", "c");
        check("<think></think>hi", "", "hi");
        check("<think>never closed", "never closed", "");
        check("<think>x</think>\n", "x", "");
    }

    #[test]
    fn a_tag_further_on_is_something_talked_about() {
        check("the tag <think> opens a thought</think>", "", "the tag <think> opens a thought</think>");
        check("<b>bold</b>", "", "<b>bold</b>");
        check("<think>a</think>b <think>c</think>", "a", "b <think>c</think>");
        check("<thin", "", "<thin");
        check("", "", "");
    }
}
