//! What our own clients speak: one JSON frame a WebSocket text message (`/ws`) or a line (unix socket).
//!
//! A promise to other versions: fields and frames are added, never changed. A reader skips frames and fields it does
//! not know.

mod schema;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use schema::schema;

/// Rises when a client of before can no longer be served.
pub const PROTOCOL_VERSION: u32 = 1;

/// The longest frame either side takes, in bytes.
pub const FRAME_BYTES_MAX: usize = 1 << 20;

/// From a client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ClientFrame {
    /// Begins to watch a session: what is said in it and what its turns do is sent from now on, after what the client
    /// has missed. May be sent again to watch another one.
    Watch {
        /// `channel:chat:dialog`, or `channel:chat` for the chat's current dialog.
        session: String,
        /// The last message the client has; everything after it is sent first. None: the newest 50.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<String>,
    },
    /// Says something. Answered by `accepted` once it is durable, or by `failed`.
    Send {
        /// Made by the client; the same one twice is the same message.
        id: String,
        /// Where to; the watched session if none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<String>,
        /// What.
        text: String,
        /// How it meets a running turn.
        #[serde(default)]
        arrival: Arrival,
    },
    /// Stops the turn that runs in the watched session.
    Stop,
    /// Asks something; answered by `result` or `failed` with the same id.
    Call {
        /// Made by the client.
        id: String,
        /// What.
        call: Call,
    },
}

/// How a message meets a running turn: `"enqueue"` (after it), `"steer"` (at its next round), `"interrupt"` (at once: the
/// model call in flight is cancelled, and it joins the turn), or `{"interrupt": LEVEL}`: level 1 is the same as
/// `"interrupt"`; levels 2 and 3 are answered first, in a turn of their own, while the running one stands still unless it
/// is as urgent itself. A level above 3 is taken as 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(from = "ArrivalForm", into = "ArrivalForm")]
#[schemars(with = "ArrivalForm")]
pub enum Arrival {
    /// After it.
    Enqueue,
    /// At its next round.
    #[default]
    Steer,
    /// First, as urgent as this.
    Interrupt(u8),
}

/// [`Arrival`] as it is written.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum ArrivalForm {
    Named(ArrivalName),
    Level(InterruptForm),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ArrivalName {
    Enqueue,
    Steer,
    Interrupt,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct InterruptForm {
    /// From 1 to 3.
    interrupt: u8,
}

impl From<ArrivalForm> for Arrival {
    fn from(form: ArrivalForm) -> Self {
        match form {
            ArrivalForm::Named(ArrivalName::Enqueue) => Self::Enqueue,
            ArrivalForm::Named(ArrivalName::Steer) => Self::Steer,
            ArrivalForm::Named(ArrivalName::Interrupt) => Self::Interrupt(1),
            ArrivalForm::Level(InterruptForm { interrupt }) => Self::Interrupt(interrupt),
        }
    }
}

impl From<Arrival> for ArrivalForm {
    fn from(arrival: Arrival) -> Self {
        match arrival {
            Arrival::Enqueue => Self::Named(ArrivalName::Enqueue),
            Arrival::Steer => Self::Named(ArrivalName::Steer),
            Arrival::Interrupt(0 | 1) => Self::Named(ArrivalName::Interrupt),
            Arrival::Interrupt(interrupt) => Self::Level(InterruptForm { interrupt }),
        }
    }
}

/// Everything a client can ask. The same questions are the routes of the HTTP API.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "method", rename_all = "snake_case")]
pub enum Call {
    /// The state of the daemon: [`Status`].
    Status,
    /// Dialogs, the last active first: a list of [`Dialog`].
    SessionList {
        /// Of this chat (`channel:chat`) only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        chat: Option<String>,
        /// At most this many; 10 if none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<usize>,
    },
    /// Messages of a dialog, oldest first: a list of [`Message`].
    SessionMessages {
        /// `channel:chat:dialog`.
        session: String,
        /// Only those before this message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<String>,
        /// Only those after this message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<String>,
        /// At most this many; 50 if none, never more than 500.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<usize>,
    },
    /// Makes a dialog in a chat and goes to it: [`Dialog`].
    SessionNew {
        /// `channel:chat`.
        chat: String,
        /// Its title.
        #[serde(default)]
        title: String,
    },
    /// Makes it the chat's current dialog: [`Dialog`].
    SessionSwitch {
        /// `channel:chat:dialog`.
        session: String,
    },
    /// Gives it a title: [`Dialog`].
    SessionRename {
        /// `channel:chat:dialog`.
        session: String,
        /// The title.
        title: String,
    },
    /// Hides it: [`Dialog`].
    SessionArchive {
        /// `channel:chat:dialog`.
        session: String,
    },
    /// Deletes it; it can be restored for 30 days: [`Dialog`].
    SessionDelete {
        /// `channel:chat:dialog`.
        session: String,
    },
    /// Brings it back from the archive or from deletion: [`Dialog`].
    SessionRestore {
        /// `channel:chat:dialog`.
        session: String,
    },
    /// Why a message was answered as it was, or not: [`Explanation`].
    Why {
        /// A message, turn or delivery; the beginning of its id is enough if only one begins so.
        id: String,
        /// `en` or `zh`.
        #[serde(default)]
        language: Language,
    },
    /// The counts of what was accepted, by end: an object as in `hearth prove --json`.
    Prove {
        /// Since then, in milliseconds since 1970 UTC; everything if none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since_ms: Option<i64>,
    },
    /// Tokens by day, source and model: a list of [`UsageRow`].
    Usage {
        /// Since then, in milliseconds since 1970 UTC; everything if none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since_ms: Option<i64>,
        /// Of this session only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<String>,
    },
    /// Active schedules, the soonest first: a list of [`Schedule`].
    ScheduleList {
        /// Of this chat (`channel:chat`) only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        chat: Option<String>,
    },
    /// The next occurrences of schedules, the soonest first: a list of [`Schedule`], each with the time of one of them.
    ScheduleNext {
        /// Of this schedule only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// At most this many; 10 if none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<usize>,
    },
    /// Makes a schedule; answers with it as a [`Schedule`].
    ScheduleAdd(ScheduleAdd),
    /// Does now what an active schedule is for, beside its plan: `{}`. Only a running daemon can.
    ScheduleRun {
        /// Its id.
        id: String,
    },
    /// Cancels a schedule: `{}`.
    ScheduleCancel {
        /// Its id.
        id: String,
    },
    /// Background tasks, the newest first: a list of [`Task`].
    TaskList {
        /// Of this chat (`channel:chat`) only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        chat: Option<String>,
        /// At most this many; 20 if none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<usize>,
    },
    /// Cancels a background task that has not ended: `{}`.
    TaskCancel {
        /// Its id.
        id: String,
    },
    /// What tool calls changed in the workspace, the newest first: a list of [`Changes`].
    ChangeList {
        /// At most this many; 20 if none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<usize>,
    },
    /// Puts back what a call changed: the [`Changes`] of doing so, which can be undone in turn.
    ChangeUndo {
        /// The call; the beginning of its id is enough if only one begins so.
        call: String,
        /// The language of what is said about a mistake.
        #[serde(default)]
        language: Language,
    },
    /// Every setting: a list of [`Setting`].
    SettingList {
        /// The language of the descriptions.
        #[serde(default)]
        language: Language,
    },
    /// Sets one, over the config file: `{}`. It holds a moment later.
    SettingSet {
        /// Its key.
        key: String,
        /// Its value. The text of a value that is no text is read as JSON.
        value: serde_json::Value,
        /// The language of what is said about a mistake.
        #[serde(default)]
        language: Language,
    },
    /// Takes back what was set: `{}`. The file's value holds again, or the default.
    SettingUnset {
        /// Its key.
        key: String,
        /// The language of what is said about a mistake.
        #[serde(default)]
        language: Language,
    },
}

/// The language of what is written for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Chinese.
    Zh,
}

/// To a client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerFrame {
    /// The first frame of a connection.
    Welcome {
        /// [`PROTOCOL_VERSION`].
        protocol: u32,
        /// The daemon's version.
        version: String,
    },
    /// What a `watch` asked for has been sent; what follows is new.
    Watching {
        /// The session, whole.
        session: String,
        /// Its title; empty while it has none.
        title: String,
    },
    /// What the client said is durable.
    Accepted {
        /// The client's id.
        id: String,
        /// The message's id.
        message: String,
        /// Where it went.
        session: String,
        /// It had arrived before.
        duplicate: bool,
    },
    /// A message of the watched session, in or out, whole and final. One of a turn replaces the turn's draft.
    Message(Message),
    /// Hearth said this in another dialog of the watched chat: a reminder, or an answer to what was said there before.
    Elsewhere(Box<Message>),
    /// A message reached its end.
    Ended {
        /// The message's id.
        message: String,
        /// `answered`, `joined`, `silent`, `stale`, `cancelled`, `failed_told`, `dead_lettered`, `erased`.
        end: String,
    },
    /// A turn began, or was taken up again after a crash (attempt above 1): its draft starts anew.
    TurnStarted {
        /// The turn's id.
        turn: String,
        /// From 1.
        attempt: u32,
    },
    /// More of the answer that a turn is writing.
    Draft {
        /// The turn's id.
        turn: String,
        /// The piece.
        text: String,
    },
    /// More of what the model thinks, where it shows that.
    Reasoning {
        /// The turn's id.
        turn: String,
        /// The piece.
        text: String,
    },
    /// The draft so far is void: it is written again.
    DraftRestart {
        /// The turn's id.
        turn: String,
    },
    /// A tool runs.
    ToolStarted {
        /// The turn's id.
        turn: String,
        /// The call's id.
        call: String,
        /// The tool.
        tool: String,
        /// Its arguments as JSON, shortened.
        arguments: String,
    },
    /// A tool has ended.
    ToolEnded {
        /// The turn's id.
        turn: String,
        /// The call's id.
        call: String,
        /// The tool.
        tool: String,
        /// `done`, `failed`, `denied`, `unknown`, `interrupted`.
        status: String,
        /// The beginning of its result.
        result: String,
        /// How long it took.
        duration_ms: u64,
    },
    /// A turn ended.
    TurnEnded {
        /// The turn's id.
        turn: String,
        /// `done`, `failed`, `cancelled`.
        state: String,
        /// Tokens read.
        prompt_tokens: u64,
        /// Tokens written.
        completion_tokens: u64,
        /// How long it took.
        duration_ms: u64,
    },
    /// The owner should know this.
    Notice {
        /// A stable code.
        code: String,
        /// What happened and what to do.
        text: String,
    },
    /// The daemon runs, but not as it was told to; the same is in [`Status`] from now on.
    Warned(Warning),
    /// The client was too slow and has missed frames: it should `watch` again.
    Lagged,
    /// The answer to a call.
    Result {
        /// The client's id.
        id: String,
        /// As the call says.
        value: serde_json::Value,
    },
    /// Something the client asked for did not work.
    Failed {
        /// The client's id; empty where the frame had none.
        #[serde(default)]
        id: String,
        /// What went wrong.
        error: Problem,
    },
}

/// What went wrong, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// Stable: `invalid`, `unauthorized`, `forbidden`, `not_found`, `method`, `timeout`, `refused`, `too_large`, `full`,
    /// `unavailable`, `stopping`; of a message's end: `failed`, `cancelled`, `stale`, `erased`.
    pub code: String,
    /// What happened, in a line.
    pub text: String,
    /// What to do, in a line; may be empty.
    #[serde(default)]
    pub hint: String,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// Its id; ids rise with time.
    pub id: String,
    /// The dialog.
    pub session: String,
    /// `in`: said to Hearth. `out`: said by it.
    pub direction: String,
    /// Who said it.
    pub sender: String,
    /// What.
    pub text: String,
    /// When, in milliseconds since 1970 UTC.
    pub at_ms: i64,
    /// The turn that took it up or said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// Of an incoming one: its end, as in [`ServerFrame::Ended`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// `user`, `notice`, `schedule`, `task`.
    pub origin: String,
    /// The id the client gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
}

/// A dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dialog {
    /// `channel:chat:dialog`.
    pub session: String,
    /// Its title; empty while it has none.
    pub title: String,
    /// `active`, `archived`, `deleted`.
    pub state: String,
    /// Whether the chat's messages go to it.
    pub current: bool,
    /// When it was made.
    pub created_at_ms: i64,
    /// When something was last said in it.
    pub active_at_ms: i64,
}

/// The state of the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Status {
    /// Its version.
    pub version: String,
    /// Its process id.
    pub pid: u32,
    /// How long it runs.
    pub uptime_ms: u64,
    /// Where it answers HTTP; empty if it does not.
    pub address: String,
    /// The folder it lives in.
    pub home: String,
    /// Turns that run.
    pub turns_running: u64,
    /// Messages that wait for a turn.
    pub messages_waiting: u64,
    /// Connected clients.
    pub clients: u64,
    /// Configured sources of models, in the order they are asked.
    pub sources: Vec<SourceStatus>,
    /// Channels.
    pub channels: Vec<ChannelStatus>,
    /// In what it does not run as it was told to; mostly empty.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// Why it is in safe mode: `asked` for, or after `crashes`; empty if it is not.
    #[serde(default)]
    pub safe_mode: String,
}

/// Something in which the daemon does not run as it was told to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Warning {
    /// Stable: `http` (no HTTP is answered), `config` (the config that was saved is not used).
    pub code: String,
    /// What it is and what to do, in English.
    pub en: String,
    /// The same in Chinese.
    pub zh: String,
}

impl Warning {
    /// In this language.
    pub fn in_language(&self, language: Language) -> &str {
        match language {
            Language::En => &self.en,
            Language::Zh => &self.zh,
        }
    }
}

/// A source of models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceStatus {
    /// Its name in the config.
    pub name: String,
    /// `openai`, `anthropic`, `offline`.
    pub kind: String,
    /// The model.
    pub model: String,
    /// `untried`, `ok`, or the code of the last error.
    pub state: String,
}

/// A channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChannelStatus {
    /// Its name in the config.
    pub name: String,
    /// Its kind.
    pub kind: String,
}

/// The chain from a message to its answer, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// One a link of the chain, in order.
    pub lines: Vec<ExplanationLine>,
}

/// A link of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExplanationLine {
    /// When, in milliseconds since 1970 UTC.
    pub at_ms: i64,
    /// Stable: `accepted`, `trigger`, `turn`, `recall`, `prompt`, `model`, `tool`, `note`, `delivery`, `end`.
    pub kind: String,
    /// In words.
    pub text: String,
}

/// Tokens of one day, source and model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UsageRow {
    /// `YYYY-MM-DD` in UTC.
    pub day: String,
    /// The source.
    pub source: String,
    /// The model.
    pub model: String,
    /// Model calls.
    pub calls: u64,
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Of these, from the vendor's cache.
    pub cached_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
}

/// A setting: a key of the config, what it means, and what holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Setting {
    /// Its key, with dots between the names.
    pub key: String,
    /// What holds; secrets are masked.
    pub value: serde_json::Value,
    /// Where that comes from: `default`, `config.toml:LINE` with the variables used, or `setting`.
    pub from: String,
    /// What holds when nobody says anything; null if there is no such value.
    pub default: serde_json::Value,
    /// What it may be: a type of JSON Schema.
    pub kind: String,
    /// The only values it may have; empty if its kind alone decides.
    pub choices: Vec<serde_json::Value>,
    /// What it is for.
    pub description: String,
    /// Whether it can be set while Hearth runs; the others only in the file.
    pub at_run_time: bool,
}

/// A schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Schedule {
    /// Its id.
    pub id: String,
    /// The dialog in which it fires.
    pub session: String,
    /// What is to be done.
    pub text: String,
    /// When it is due, in milliseconds since 1970 UTC.
    pub due_at_ms: i64,
    /// How it repeats; none if it is due once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<Repeats>,
}

/// A schedule that is to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduleAdd {
    /// `channel:chat:dialog`, or `channel:chat` for the chat's current dialog.
    pub session: String,
    /// What is to be done each time; at most 2000 characters.
    pub text: String,
    /// When.
    pub due: Due,
}

/// When a schedule that is to be made is due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Due {
    /// Once.
    At {
        /// Then, in milliseconds since 1970 UTC.
        at_ms: i64,
    },
    /// After each period.
    Every {
        /// The period in milliseconds, from a minute to ten years.
        every_ms: u64,
    },
    /// By the calendar and the clock on the wall of a zone.
    Cron {
        /// Minute, hour, day of the month, month, day of the week.
        expression: String,
        /// The IANA name of the zone; the zone in which Hearth tells time if none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        zone: Option<String>,
    },
}

/// How a schedule repeats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Repeats {
    /// After each period.
    Every {
        /// The period, in milliseconds.
        every_ms: u64,
    },
    /// By the calendar and the clock on the wall of a zone.
    Cron {
        /// Minute, hour, day of the month, month, day of the week.
        expression: String,
        /// The IANA name of the zone.
        zone: String,
    },
}

/// What a tool call changed in the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Changes {
    /// The call's id.
    pub call: String,
    /// The tool; `undo` for what put another call's changes back.
    pub tool: String,
    /// The dialog it was called in.
    pub session: String,
    /// For whom.
    pub caller: String,
    /// When it began, in milliseconds since 1970 UTC.
    pub at_ms: i64,
    /// `open` while it runs, `settled`, or `too_much` if the workspace was too large for its changes to be known.
    pub state: String,
    /// What is different since, by path; at most 100 of them.
    pub paths: Vec<ChangedPath>,
    /// How many paths are different.
    pub paths_total: u64,
    /// The call that this one undid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// The call by which it was undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undone_by: Option<String>,
}

/// A path that a call left different from how it found it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedPath {
    /// Relative to the workspace.
    pub path: String,
    /// `made`, `changed`, `removed`.
    pub change: String,
    /// Whether what was there before is kept; it is not if it was too large.
    pub kept: bool,
}

/// A background task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// What kind of work it is: `child` for a sub-agent.
    pub kind: String,
    /// The dialog that is told of its end.
    pub session: String,
    /// What it is about.
    pub title: String,
    /// `queued`, `running`, `done`, `failed`, `cancelled`.
    pub state: String,
    /// Of one that is done or failed: whether the model has been shown that (`shown`) or will be (`pending`); of others
    /// `nothing`.
    pub notice: String,
    /// How often it was begun.
    pub attempts: u32,
    /// What came of it; of a cancelled one, who cancelled it.
    pub result: String,
    /// When it was made, in milliseconds since 1970 UTC.
    pub created_at_ms: i64,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at_ms: Option<i64>,
}
