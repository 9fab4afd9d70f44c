//! Estimates how many tokens a text costs. Errs on the high side; a vendor that still finds the prompt too long is
//! handled where it says so.

use hearth_contract::language::is_han;
use hearth_contract::provider::CompletionRequest;
use hearth_contract::tool::ToolSpec;
use hearth_contract::transcript::{ToolArguments, TurnTranscript};

/// What the frame of one message costs beside its text.
const MESSAGE_FRAME_TOKENS: u64 = 6;

/// Tokens of a text: a Chinese character one, four ASCII bytes one, other characters one.
pub(crate) fn of_text(text: &str) -> u64 {
    let (mut quarters, mut wholes) = (0u64, 0u64);
    for c in text.chars() {
        if c.is_ascii() {
            quarters += 1;
        } else if is_han(c) || !c.is_whitespace() {
            wholes += 1;
        }
    }
    wholes + quarters.div_ceil(4)
}

/// Tokens of a turn as a model sees it.
pub(crate) fn of_turn(turn: &TurnTranscript) -> u64 {
    let input = |text: &str| of_text(text) + MESSAGE_FRAME_TOKENS;
    let inputs: u64 = turn.inputs.iter().map(|one| input(&one.text)).sum();
    let rounds: u64 = turn
        .rounds
        .iter()
        .map(|round| {
            let thoughts: u64 = round.reasoning.iter().map(|one| of_text(&one.text)).sum();
            let joined: u64 = round.joined.iter().map(|one| input(&one.text)).sum();
            let calls: u64 = round
                .calls
                .iter()
                .map(|one| {
                    let arguments = match &one.call.arguments {
                        ToolArguments::Object(object) => {
                            object.iter().map(|(key, value)| of_text(key) + of_text(&value.to_string())).sum()
                        }
                        ToolArguments::Malformed(text) => of_text(text),
                    };
                    arguments + of_text(&one.call.name) + of_text(&one.result.text) + 3 * MESSAGE_FRAME_TOKENS
                })
                .sum();
            of_text(&round.text) + MESSAGE_FRAME_TOKENS + thoughts + joined + calls
        })
        .sum();
    inputs + rounds
}

/// Tokens of the tools on offer.
pub(crate) fn of_tools(tools: &[ToolSpec]) -> u64 {
    let one = |tool: &ToolSpec| {
        of_text(&tool.name)
            + of_text(&tool.description)
            + of_text(&tool.parameters.to_string())
            + MESSAGE_FRAME_TOKENS
    };
    tools.iter().map(one).sum()
}

/// Tokens of a whole request without its history.
pub(crate) fn of_request(request: &CompletionRequest) -> u64 {
    let context: u64 = request.context.iter().map(|block| of_text(&block.name) + of_text(&block.text)).sum();
    of_text(&request.system) + context + of_turn(&request.current) + of_tools(&request.tools)
}
