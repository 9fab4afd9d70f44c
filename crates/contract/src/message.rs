//! What people and the agent say to each other, free of any network's shape.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::clock::UnixMs;
use crate::id::{ChatKey, MessageId, ScheduleId, SessionKey, TaskId, TurnId};
use crate::rights::Role;

/// A piece of a message. Unknown pieces of a network are kept as [`Segment::Custom`], never dropped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Segment {
    /// Plain text or Markdown.
    Text {
        /// The text.
        text: String,
    },
    /// Somebody is addressed.
    Mention {
        /// The network's id of the person.
        user: String,
        /// How they are shown.
        name: String,
    },
    /// An earlier message is quoted.
    Quote {
        /// The network's id of the quoted message.
        platform_id: String,
        /// The beginning of what it said, when known.
        excerpt: String,
    },
    /// Something the network has and we have no word for.
    Custom {
        /// The network's name of it.
        kind: String,
        /// As it arrived.
        raw: serde_json::Value,
    },
}

impl Segment {
    /// A text piece.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// The segments as one text, as a model or a log reads them.
pub fn plain_text(segments: &[Segment]) -> String {
    let mut text = String::new();
    for segment in segments {
        match segment {
            Segment::Text { text: piece } => text.push_str(piece),
            Segment::Mention { name, .. } => {
                text.push('@');
                text.push_str(name);
            }
            Segment::Quote { excerpt, .. } => {
                text.push_str("[quote: ");
                text.push_str(excerpt);
                text.push_str("] ");
            }
            Segment::Custom { kind, .. } => {
                text.push('[');
                text.push_str(kind);
                text.push(']');
            }
        }
    }
    text
}

/// Who wrote something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sender {
    /// The network's id of the person.
    pub id: String,
    /// How they are shown.
    pub name: String,
    /// What they may do here.
    pub role: Role,
}

impl Sender {
    /// Hearth itself, as the sender of what it says. It has no rights of its own: it acts with those of who asked.
    pub fn agent() -> Self {
        Self { id: "hearth".into(), name: "Hearth".into(), role: Role::Member }
    }
}

/// Whether a chat is between two or among many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChatKind {
    /// One person and the agent.
    Private,
    /// Several people.
    Group,
}

/// Why the agent is woken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Origin {
    /// A person wrote.
    User,
    /// Something happened in the chat (a join, a recall): recorded, not answered.
    Notice,
    /// A schedule became due. The message id is the occurrence's id, so that it is taken once.
    Schedule {
        /// Which one.
        schedule: ScheduleId,
        /// When it was to happen.
        due_at: UnixMs,
    },
    /// A background task has ended; the message says what came of it.
    Task {
        /// Which one.
        task: TaskId,
    },
}

/// How a message meets a turn that is running in its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Arrival {
    /// Waits until the turn has ended.
    Enqueue,
    /// Joins the turn at its next round; if there is none, the next turn.
    #[default]
    Steer,
    /// Is heard first; how, its level says. An idle agent takes it as new input.
    Interrupt(InterruptLevel),
}

/// How urgent an interrupt is. A running turn is only suspended by a strictly higher level than its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InterruptLevel {
    /// Cancels the model call in flight and joins the running turn at once.
    Joins = 1,
    /// Suspends the running turn at its next gap, and is a turn of its own.
    Urgent = 2,
    /// The same, more urgent: the highest that anybody outside may ask for.
    Highest = 3,
    /// The same, of the kernel itself.
    Kernel = 4,
}

impl InterruptLevel {
    /// As somebody outside asks for it: below 1 is 1, above 3 is 3.
    pub fn from_outside(level: u8) -> Self {
        match level {
            0 | 1 => Self::Joins,
            2 => Self::Urgent,
            3.. => Self::Highest,
        }
    }
}

impl Arrival {
    /// How urgent it is: 0 for what is no interrupt, else the level.
    pub fn urgency(self) -> u8 {
        match self {
            Self::Enqueue | Self::Steer => 0,
            Self::Interrupt(level) => level as u8,
        }
    }

    /// Whether it is a turn of its own, also beside one that runs.
    pub fn suspends(self) -> bool {
        self.urgency() > InterruptLevel::Joins as u8
    }

    /// The stable name, as stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Enqueue => "enqueue",
            Self::Steer => "steer",
            Self::Interrupt(InterruptLevel::Joins) => "interrupt",
            Self::Interrupt(InterruptLevel::Urgent) => "interrupt_2",
            Self::Interrupt(InterruptLevel::Highest) => "interrupt_3",
            Self::Interrupt(InterruptLevel::Kernel) => "interrupt_4",
        }
    }
}

impl Serialize for Arrival {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Arrival {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let all = [
            Self::Enqueue,
            Self::Steer,
            Self::Interrupt(InterruptLevel::Joins),
            Self::Interrupt(InterruptLevel::Urgent),
            Self::Interrupt(InterruptLevel::Highest),
            Self::Interrupt(InterruptLevel::Kernel),
        ];
        let found = all.into_iter().find(|arrival| arrival.name() == name);
        found.ok_or_else(|| serde::de::Error::custom(format!("`{name}` is no way to arrive")))
    }
}

/// Something that wakes the agent: the one way in. Whoever takes it from outside bounds its level with
/// [`InterruptLevel::from_outside`].
#[derive(Debug, Clone, PartialEq)]
pub struct Inbound {
    /// Where it was said.
    pub chat: ChatKey,
    /// Private or group.
    pub chat_kind: ChatKind,
    /// Which of our accounts on the network received it; empty where there is only one.
    pub account: String,
    /// The dialog, when the client names it; otherwise the chat's current one.
    pub dialog: Option<String>,
    /// The network's id of the message; with chat and account it makes a second arrival the same message.
    pub platform_id: Option<String>,
    /// Who said it.
    pub sender: Sender,
    /// What was said.
    pub segments: Vec<Segment>,
    /// Whether the agent is addressed (mentioned or answered). Always true in a private chat.
    pub addressed: bool,
    /// When, by the network.
    pub sent_at: UnixMs,
    /// Why the agent is woken.
    pub origin: Origin,
    /// How it meets a running turn.
    pub arrival: Arrival,
}

/// Into or out of Hearth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Somebody said it to us.
    In,
    /// We said it.
    Out,
}

/// A message as the ledger keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageRecord {
    /// Ordered by acceptance.
    pub id: MessageId,
    /// The dialog it belongs to.
    pub session: SessionKey,
    /// Private or group.
    pub chat_kind: ChatKind,
    /// Our account on the network.
    pub account: String,
    /// In or out.
    pub direction: Direction,
    /// Why the agent was woken; [`Origin::User`] for what we said.
    pub origin: Origin,
    /// Who said it.
    pub sender: Sender,
    /// What was said.
    pub segments: Vec<Segment>,
    /// The same as one text.
    pub text: String,
    /// Whether the agent was addressed.
    pub addressed: bool,
    /// How it meets a running turn.
    pub arrival: Arrival,
    /// The network's id.
    pub platform_id: Option<String>,
    /// When, by the network.
    pub sent_at: UnixMs,
    /// When we took it.
    pub accepted_at: UnixMs,
    /// The turn that took it up, or that said it.
    pub turn: Option<TurnId>,
    /// How it ended; none while it is open. Outgoing messages have none: their deliveries have.
    pub end: Option<MessageEnd>,
}

/// Every end an accepted message can reach. `prove` counts these names; anything else is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum MessageEnd {
    /// It got its answer.
    Answered,
    /// It was steered into a turn that another message had started.
    Joined {
        /// That turn.
        turn: TurnId,
    },
    /// It was recorded and not answered.
    Silent {
        /// The rule that said so.
        rule: String,
    },
    /// It was read, and was too old to answer.
    Stale,
    /// Its turn was stopped.
    Cancelled {
        /// Who stopped it.
        by: String,
    },
    /// It could not be answered, and the person was told.
    FailedTold {
        /// The error's stable code.
        code: String,
    },
    /// It could not be answered, and the person could not be told.
    DeadLettered {
        /// Why.
        reason: String,
    },
    /// It was forgotten on demand.
    Erased,
}

impl MessageEnd {
    /// The stable name, as `prove` counts it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Joined { .. } => "joined",
            Self::Silent { .. } => "silent",
            Self::Stale => "stale",
            Self::Cancelled { .. } => "cancelled",
            Self::FailedTold { .. } => "failed_told",
            Self::DeadLettered { .. } => "dead_lettered",
            Self::Erased => "erased",
        }
    }
}
