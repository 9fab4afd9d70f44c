//! What was said just before, for answers that only make sense with it (`in ten minutes`, `no, it is green`).

use hearth_contract::provider::CompletionRequest;
use hearth_contract::transcript::TurnTranscript;

/// So many turns back a correction may reach; what lies further back is told anew.
const TURNS_BACK_MAX: usize = 12;

/// The turns before this one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dialogue {
    /// What the user said, newest first.
    pub(crate) said: Vec<String>,
    /// The id of the timer that was set in the turn before, as its tool told it.
    pub(crate) timer_set: Option<String>,
    /// Whether the turn before was about timers, so that `the bank one` means one of them.
    pub(crate) timers: bool,
}

impl Dialogue {
    pub(crate) fn of(request: &CompletionRequest) -> Self {
        let newest_first = request.history.iter().rev().take(TURNS_BACK_MAX);
        let said = newest_first.filter_map(|turn| last_input(turn)).collect();
        let last = request.history.last();
        let called = |prefix: &str| {
            last.iter()
                .flat_map(|turn| &turn.rounds)
                .flat_map(|round| &round.calls)
                .rfind(|exchange| exchange.call.name.starts_with(prefix))
        };
        Self {
            said,
            timer_set: called("timer_set").map(|exchange| exchange.result.text.clone()),
            timers: called("timer_").is_some(),
        }
    }
}

fn last_input(turn: &TurnTranscript) -> Option<String> {
    let joined = turn.rounds.iter().flat_map(|round| &round.joined);
    turn.inputs.iter().chain(joined).last().map(|input| input.text.clone())
}
