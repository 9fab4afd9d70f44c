//! A turn as it is shown: thoughts, tools, the draft, what was said in the end.

use std::time::Duration;

use hearth_protocol::Message;

/// The turn that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Live {
    /// Its id.
    pub turn: String,
    /// From 1; more after a crash.
    pub attempt: u32,
    /// Since when, by the clock of [`super::App::update`].
    pub since: Duration,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnEnd {
    /// `done`, `failed`, `cancelled`.
    pub state: String,
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// How long it took.
    pub duration_ms: u64,
}

/// A part of a turn.
#[derive(Debug, Default)]
pub struct Segment {
    /// The turn; empty for what was said by none.
    pub turn: String,
    /// In order.
    pub blocks: Vec<Block>,
}

/// Something a turn did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// What the model thought.
    Thought {
        /// It.
        text: String,
    },
    /// A tool.
    Tool(Tool),
    /// What it has written so far.
    Draft {
        /// It.
        text: String,
        /// Its beginning, or a piece of it, was missed.
        starts_late: bool,
    },
    /// What it said.
    Final(Message),
    /// It did not end well.
    End {
        /// `failed`, `cancelled`.
        state: String,
    },
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// The call's id.
    pub call: String,
    /// The tool.
    pub name: String,
    /// As JSON, perhaps cut.
    pub arguments: String,
    /// How far it is.
    pub state: ToolState,
}

/// How far a tool call is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolState {
    /// It runs.
    Running {
        /// Since when, by the clock of [`super::App::update`].
        since: Duration,
    },
    /// It has ended.
    Ended {
        /// `done`, `failed`, `denied`, `unknown`, `interrupted`.
        status: String,
        /// The beginning of its result.
        result: String,
        /// How long it took.
        duration_ms: u64,
    },
}

impl ToolState {
    /// Whether it runs.
    pub fn is_running(&self) -> bool {
        matches!(self, Self::Running { .. })
    }
}

impl Segment {
    /// Its tool calls.
    pub fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Tool(tool) => Some(tool),
            _ => None,
        })
    }

    /// What it said.
    pub fn finals(&self) -> impl Iterator<Item = &Message> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Final(message) => Some(message),
            _ => None,
        })
    }

    /// Whether a tool of it runs.
    pub fn is_running(&self) -> bool {
        self.tools().any(|tool| tool.state.is_running())
    }

    /// Replaces a message that it has said already. Whether it had.
    pub(super) fn replace_final(&mut self, message: &Message) -> bool {
        for block in &mut self.blocks {
            if let Block::Final(known) = block
                && known.id == message.id
            {
                known.clone_from(message);
                return true;
            }
        }
        false
    }

    /// Tools whose end was not told have been interrupted.
    pub(super) fn close_tools(&mut self) {
        for block in &mut self.blocks {
            if let Block::Tool(tool) = block
                && tool.state.is_running()
            {
                tool.state = ToolState::Ended {
                    status: "interrupted".to_owned(),
                    result: String::new(),
                    duration_ms: 0,
                };
            }
        }
    }
}
