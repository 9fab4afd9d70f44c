//! The context window: which earlier turns of a dialog the model is shown.
//!
//! Turns are only appended, so that the vendor's prefix cache keeps hitting; when too many have gathered, the oldest
//! leave together, whole. The ledger keeps them all.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use hearth_contract::id::{MessageId, SessionKey};
use hearth_contract::message::{Direction, MessageRecord};
use hearth_contract::store::{StoreError, Stores, TurnHistory, TurnState};
use hearth_contract::transcript::{Round, ToolCall, ToolExchange, ToolResult, ToolStatus, TurnTranscript};

use crate::journal::Journal;
use crate::prompt::user_input;
use crate::tokens;

/// When the history takes more than this share of its room, the oldest turns leave …
const FULL_SHARE: f64 = 0.7;
/// … until it takes no more than this.
const KEPT_SHARE: f64 = 0.5;
/// How many turns are read from the ledger at a time.
const READ_STEP: usize = 20;

/// The earlier turns of one dialog that are in view, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Window {
    turns: VecDeque<(Arc<TurnTranscript>, u64)>,
    tokens: u64,
}

impl Window {
    /// The newest turns of a dialog that fit into `room_tokens`.
    pub(crate) async fn load(
        stores: &Stores,
        session: &SessionKey,
        room_tokens: u64,
    ) -> Result<Self, StoreError> {
        let mut window = Self::default();
        let kept = share(room_tokens, KEPT_SHARE);
        let mut before = None;
        loop {
            let histories = stores.turns.ended(session, before, READ_STEP).await?;
            before = histories.last().map(|history| history.turn.id);
            let all_read = histories.len() < READ_STEP;
            for history in histories {
                let transcript = transcript_of(&history);
                let tokens = tokens::of_turn(&transcript);
                if window.tokens + tokens > kept {
                    return Ok(window);
                }
                window.tokens += tokens;
                window.turns.push_front((Arc::new(transcript), tokens));
            }
            if all_read {
                return Ok(window);
            }
        }
    }

    /// The turns in view.
    pub(crate) fn history(&self) -> Vec<Arc<TurnTranscript>> {
        self.turns.iter().map(|(turn, _)| turn.clone()).collect()
    }

    /// A turn has ended. One that was suspended began before others that have ended, and stands before them.
    pub(crate) fn push(&mut self, turn: TurnTranscript) {
        let tokens = tokens::of_turn(&turn);
        self.tokens += tokens;
        let later = self.turns.iter().rev().take_while(|(other, _)| other.turn > turn.turn).count();
        self.turns.insert(self.turns.len() - later, (Arc::new(turn), tokens));
    }

    /// Lets the oldest turns go if there are too many for `room_tokens`.
    pub(crate) fn fit(&mut self, room_tokens: u64) {
        if self.tokens > share(room_tokens, FULL_SHARE) {
            self.drop_until(share(room_tokens, KEPT_SHARE));
        }
    }

    /// Lets the older half go, because the model found the prompt too long. False when there is nothing to let go.
    pub(crate) fn shorten(&mut self) -> bool {
        let had_some = !self.turns.is_empty();
        self.drop_until(self.tokens / 2);
        had_some
    }

    fn drop_until(&mut self, tokens: u64) {
        while self.tokens > tokens {
            let Some((_, dropped)) = self.turns.pop_front() else { break };
            self.tokens -= dropped;
        }
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a share of a window"
)]
fn share(room_tokens: u64, share: f64) -> u64 {
    (room_tokens as f64 * share) as u64
}

/// A stored turn as a model sees it. A call without a result is closed as interrupted.
pub(crate) fn transcript_of(history: &TurnHistory) -> TurnTranscript {
    let journal = Journal::resumed(history.turn.id, &history.steps, &[]);
    let messages: HashMap<MessageId, &MessageRecord> =
        history.messages.iter().map(|message| (message.id, message)).collect();
    let heard = |message: &MessageRecord| user_input(&journal.as_heard(message));
    let steered: Vec<MessageId> = journal.all_joined().collect();
    let started = history.messages.iter().filter(|message| message.direction == Direction::In);
    let mut inputs: Vec<_> = started.filter(|message| !steered.contains(&message.id)).map(heard).collect();
    let joined_at = |round: u32| {
        let ids = journal.joined(round);
        ids.iter().filter_map(|id| messages.get(id)).map(|message| heard(message)).collect::<Vec<_>>()
    };
    inputs.extend(joined_at(0));
    let mut rounds = Vec::new();
    for round in 0.. {
        let Some(response) = journal.response(round).cloned() else { break };
        let exchange = |call: ToolCall| {
            let result = journal.result(&call.id).cloned().unwrap_or_else(|| interrupted(history.turn.state));
            ToolExchange { call, result }
        };
        let calls = response.calls.iter().cloned().map(exchange).collect();
        let joined = joined_at(round + 1);
        rounds.push(Round { joined, ..response.into_round(calls) });
    }
    TurnTranscript { turn: history.turn.id, inputs, rounds }
}

/// What stands in the place of the result of a call that did not come to its end.
pub(crate) fn interrupted(state: TurnState) -> ToolResult {
    let text = match state {
        TurnState::Cancelled => "The turn was stopped before this call ended.",
        TurnState::Running | TurnState::Done | TurnState::Failed => {
            "The turn broke off before this call ended."
        }
    };
    ToolResult { status: ToolStatus::Interrupted, text: text.into() }
}

#[cfg(test)]
mod tests;
