//! What a model was newly told, and texts without what differs from run to run.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use hearth_contract::id::TurnId;
use hearth_contract::provider::CompletionRequest;
use hearth_contract::transcript::{Round, ToolExchange, TurnTranscript};

use super::line::escape;

/// What each turn's model has been told so far, and how earlier turns looked.
#[derive(Debug, Default)]
pub(super) struct Told {
    turns: HashMap<TurnId, TurnTold>,
    history: HashMap<TurnId, Arc<TurnTranscript>>,
}

#[derive(Debug, Default)]
struct TurnTold {
    inputs: usize,
    /// For each round, how many results and how many joined inputs.
    rounds: Vec<(usize, usize)>,
    blocks: HashSet<String>,
    without_tools: bool,
    earlier: Option<usize>,
}

impl Told {
    /// What this request says that its turn's earlier ones did not.
    pub(super) fn news(&mut self, request: &CompletionRequest) -> Vec<String> {
        let mut news = self.changed_history(request);
        let told = self.turns.entry(request.current.turn).or_default();
        let earlier = request.history.len();
        if told.earlier.is_none_or(|before| before != earlier) && (earlier > 0 || told.earlier.is_some()) {
            news.push(format!("[earlier turns: {earlier}]"));
        }
        told.earlier = Some(earlier);
        for block in request.context.iter().filter(|block| block.name != "now") {
            let line = format!("[{}] {}", block.name, escape(&block.text));
            if told.blocks.insert(line.clone()) {
                news.push(line);
            }
        }
        news.extend(request.current.inputs.iter().skip(told.inputs).map(|input| escape(&input.text)));
        told.inputs = request.current.inputs.len();
        for (place, round) in request.current.rounds.iter().enumerate() {
            if told.rounds.len() == place {
                told.rounds.push((0, 0));
            }
            let (results, joined) = &mut told.rounds[place];
            news.extend(of_round(round, *results, *joined));
            (*results, *joined) = (round.calls.len(), round.joined.len());
        }
        if request.tools.is_empty() && !told.without_tools {
            told.without_tools = true;
            news.push("[no tools on offer]".into());
        }
        news
    }
}

impl Told {
    /// An earlier turn must look the same whenever it is seen, whether it comes from the memory of a running Hearth
    /// or from the ledger.
    fn changed_history(&mut self, request: &CompletionRequest) -> Vec<String> {
        let mut changed = Vec::new();
        for turn in &request.history {
            let before = self.history.entry(turn.turn).or_insert_with(|| turn.clone());
            if before != turn {
                changed.push(format!("[an earlier turn is not what it was] {before:?} is now {turn:?}"));
            }
        }
        changed
    }
}

fn of_round(round: &Round, results: usize, joined: usize) -> Vec<String> {
    let results = round.calls.iter().skip(results).map(result);
    let joined = round.joined.iter().skip(joined).map(|input| escape(&input.text));
    results.chain(joined).collect()
}

fn result(exchange: &ToolExchange) -> String {
    let status = exchange.result.status.name();
    format!("{}: {status}: {}", exchange.call.name, escape(&exchange.result.text))
}

/// A text with `ID` for each id, and `N` for an estimate of tokens.
pub(super) fn steady(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let hex =
            rest.bytes().take_while(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte)).count();
        if hex == 32 {
            out.push_str("ID");
            rest = &rest[hex..];
        } else if let Some((name, after)) = other_id(rest) {
            out.push_str(name);
            rest = after;
        } else if hex > 0 {
            out.push_str(&rest[..hex]);
            rest = &rest[hex..];
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    for (before, after) in [("about ", " tokens"), ("约 ", " token")] {
        out = without_number(&out, before, after);
    }
    out
}

/// The id of a call or of an undoing, or the name of a dialog, at the beginning of `text`: what stands for it, and what follows it.
fn other_id(text: &str) -> Option<(&'static str, &str)> {
    let digits = |text: &str| text.chars().take_while(char::is_ascii_hexdigit).count();
    if let Some(after) = text.strip_prefix("d_") {
        return (digits(after) == 8).then(|| ("DIALOG", &after[8..]));
    }
    if let Some(after) = text.strip_prefix("undo_") {
        return (digits(after) == 12).then(|| ("UNDO", &after[12..]));
    }
    let after = text.strip_prefix("call_").filter(|after| digits(after) == 16).map(|after| &after[16..])?;
    Some(("CALL", after.trim_start_matches(|c: char| c == '_' || c.is_ascii_digit())))
}

/// `N` for each number that stands between the two.
fn without_number(text: &str, before: &str, after: &str) -> String {
    let mut pieces = text.split(before);
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        out.push_str(before);
        let rest = piece.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() < piece.len() && rest.starts_with(after) {
            out.push('N');
            out.push_str(rest);
        } else {
            out.push_str(piece);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_estimates_are_the_same_in_each_run() {
        let cases = [
            ("said 01934a5b6c7d7e8f9012345678abcdef: hi", "said ID: hi"),
            ("pure [call_0123456789abcdef_10_2] done", "pure [CALL] done"),
            ("prompt 0: about 812 tokens, 3 earlier turns", "prompt 0: about N tokens, 3 earlier turns"),
            ("提示 0：约 812 token，含 3 个", "提示 0：约 N token，含 3 个"),
            ("deadbeef stays", "deadbeef stays"),
            ("now in d_0123abcd.", "now in DIALOG."),
            ("undone by undo_0123456789ab.", "undone by UNDO."),
        ];
        for (text, expected) in cases {
            assert_eq!(steady(text), expected);
        }
    }
}
