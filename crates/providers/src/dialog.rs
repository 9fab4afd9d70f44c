//! The neutral transcript as a dialog in which the two sides take turns, which every vendor can be given.
//!
//! It begins and ends with the user's side, the sides alternate, no side is empty, and a message of the model with
//! calls is followed at once by their results. What is left to the vendors' encoders is spelling.

use std::borrow::Cow;

use hearth_contract::language::Language;
use hearth_contract::provider::{CompletionRequest, ContextBlock};
use hearth_contract::transcript::{
    Reasoning, Round, ToolExchange, ToolResult, ToolStatus, TurnTranscript, UserInput,
};

/// The longest name of a tool that vendors take, in characters.
const TOOL_NAME_CHARS_MAX: usize = 64;

/// One side's message.
#[derive(Debug)]
pub(crate) enum Message<'a> {
    User(UserMessage<'a>),
    Model(ModelMessage<'a>),
}

/// What the user's side says: results of calls, then texts. One of both is not empty.
#[derive(Debug, Default)]
pub(crate) struct UserMessage<'a> {
    pub(crate) results: &'a [ToolExchange],
    pub(crate) texts: Vec<Cow<'a, str>>,
}

/// What the model said: a text (may be empty) and calls. One of both is not empty.
#[derive(Debug)]
pub(crate) struct ModelMessage<'a> {
    pub(crate) text: &'a str,
    pub(crate) calls: &'a [ToolExchange],
    /// Only what the source that is asked has thought itself.
    pub(crate) own_reasoning: &'a [Reasoning],
    /// It belongs to the turn that is going on.
    pub(crate) current: bool,
}

/// The whole dialog.
#[derive(Debug)]
pub(crate) struct Dialog<'a> {
    pub(crate) messages: Vec<Message<'a>>,
    /// How many messages at the beginning belong to earlier turns only.
    pub(crate) history: usize,
    pub(crate) language: Language,
}

impl<'a> Dialog<'a> {
    /// Lays out a request for the source with this name.
    pub(crate) fn of(request: &'a CompletionRequest, source: &str) -> Self {
        let language = Language::of(&request.system);
        let mut dialog = Self { messages: Vec::new(), history: 0, language };
        for turn in &request.history {
            dialog.push_turn(turn, &[], source, false);
        }
        dialog.history = dialog.messages.len();
        if let Some(Message::User(_)) = dialog.messages.last() {
            // The current input joins this message, which is so no longer of earlier turns only.
            dialog.history -= 1;
        }
        dialog.push_turn(&request.current, &request.context, source, true);
        if !matches!(dialog.messages.last(), Some(Message::User(_))) {
            dialog.push_text(language.pick("Go on.", "请继续。").into());
        }
        dialog
    }

    fn push_turn(&mut self, turn: &'a TurnTranscript, context: &[ContextBlock], source: &str, current: bool) {
        if let Some(text) = context_text(context) {
            self.push_text(text.into());
        }
        let said = self.push_inputs(&turn.inputs);
        if !said && (current || turn.rounds.iter().any(has_content)) {
            self.push_text(self.language.pick("(no text)", "（没有文字）").into());
        }
        for round in &turn.rounds {
            self.push_round(round, source, current);
        }
    }

    fn push_round(&mut self, round: &'a Round, source: &str, current: bool) {
        if has_content(round) {
            if !matches!(self.messages.last(), Some(Message::User(_))) {
                self.push_text(self.language.pick("Go on.", "请继续。").into());
            }
            let own_reasoning: &[Reasoning] = if round.source == source { &round.reasoning } else { &[] };
            let text = if round.text.trim().is_empty() { "" } else { round.text.as_str() };
            self.messages.push(Message::Model(ModelMessage {
                text,
                calls: &round.calls,
                own_reasoning,
                current,
            }));
            if !round.calls.is_empty() {
                self.messages.push(Message::User(UserMessage { results: &round.calls, texts: Vec::new() }));
            }
        }
        self.push_inputs(&round.joined);
    }

    /// Adds the inputs that say something; false when none does.
    fn push_inputs(&mut self, inputs: &'a [UserInput]) -> bool {
        let mut said = false;
        for input in inputs.iter().filter(|input| !input.text.trim().is_empty()) {
            self.push_text(input.text.as_str().into());
            said = true;
        }
        said
    }

    fn push_text(&mut self, text: Cow<'a, str>) {
        if let Some(Message::User(message)) = self.messages.last_mut() {
            message.texts.push(text);
            return;
        }
        self.messages.push(Message::User(UserMessage { results: &[], texts: vec![text] }));
    }
}

fn has_content(round: &Round) -> bool {
    !round.calls.is_empty() || !round.text.trim().is_empty()
}

/// The context of this turn as one text: fenced, each block under its name, so that it is not taken for something the
/// user said. None when there is nothing.
fn context_text(blocks: &[ContextBlock]) -> Option<String> {
    let mut text = String::from("<context>\n");
    let mut any = false;
    for block in blocks.iter().filter(|block| !block.text.trim().is_empty()) {
        // What stands in a block must not be able to close the fence.
        let inner = block.text.trim().replace("</context", "< /context");
        text.push_str(&format!("## {}\n{inner}\n\n", block.name));
        any = true;
    }
    text.truncate(text.trim_end().len());
    text.push_str("\n</context>");
    any.then_some(text)
}

/// The result of a call as the model reads it: how it ended, unless it worked, and its text. Never empty.
pub(crate) fn result_text(result: &ToolResult, language: Language) -> Cow<'_, str> {
    let status = match result.status {
        ToolStatus::Done if result.text.trim().is_empty() => {
            return language.pick("(no output)", "（无输出）").into();
        }
        ToolStatus::Done => return result.text.as_str().into(),
        ToolStatus::Failed => language.pick("failed", "失败"),
        ToolStatus::Denied => language.pick("not allowed", "不允许"),
        ToolStatus::Unknown => language.pick("outcome unknown", "结果未知"),
        ToolStatus::Interrupted => language.pick("interrupted", "已中断"),
    };
    format!("[{status}] {}", result.text).trim_end().to_owned().into()
}

/// A tool's name as vendors take it. Ours are such already; a model may have asked for any.
pub(crate) fn tool_name(name: &str) -> String {
    let name: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' })
        .take(TOOL_NAME_CHARS_MAX)
        .collect();
    if name.is_empty() { "unnamed".to_owned() } else { name }
}
