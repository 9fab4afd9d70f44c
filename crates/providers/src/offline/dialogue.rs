//! What was said just before, for answers that only make sense with it (`in ten minutes`, `no, it is green`).

use hearth_contract::provider::CompletionRequest;
use hearth_contract::transcript::TurnTranscript;

/// The turn before this one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dialogue {
    /// What the user said last.
    pub(crate) said: Option<String>,
    /// The id of the timer that was set last, as its tool told it.
    pub(crate) timer_set: Option<String>,
}

impl Dialogue {
    pub(crate) fn of(request: &CompletionRequest) -> Self {
        request.history.last().map(|turn| Self::after(turn)).unwrap_or_default()
    }

    fn after(turn: &TurnTranscript) -> Self {
        let joined = turn.rounds.iter().flat_map(|round| &round.joined);
        let timer = turn
            .rounds
            .iter()
            .flat_map(|round| &round.calls)
            .rfind(|exchange| exchange.call.name == "timer_set");
        Self {
            said: turn.inputs.iter().chain(joined).last().map(|input| input.text.clone()),
            timer_set: timer.map(|exchange| exchange.result.text.clone()),
        }
    }
}
