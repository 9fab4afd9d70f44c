//! Every bound of the kernel, with its name. Full means: refuse and say so, never grow.

use std::time::Duration;

/// The bounds of a running kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Accepted messages that have not reached their end, over all sessions.
    pub messages_open_max: usize,
    /// Messages waiting in one session.
    pub mailbox_max: usize,
    /// Characters of one message.
    pub message_chars_max: usize,
    /// Turns working at the same time, over all sessions.
    pub turns_running_max: usize,
    /// How long a session with nothing to do is kept in memory.
    pub session_idle: Duration,
    /// Messages said without the agent being asked that it sees in its next turn.
    pub background_max: usize,
    /// Tool calls of one model answer; the others are refused.
    pub tool_calls_per_round_max: usize,
    /// Characters of a tool result as the model sees it; the middle of longer ones is left out.
    pub tool_result_chars_max: usize,
    /// How often one source is asked for the same answer.
    pub model_attempts_max: u32,
    /// The first wait between two attempts; it doubles.
    pub model_backoff: Duration,
    /// The longest wait between two attempts; a vendor that asks for more is left for the next source.
    pub model_backoff_max: Duration,
    /// How long a source that failed for good is not asked.
    pub source_cooldown: Duration,
    /// How often a prompt that was too long is shortened and sent again.
    pub shorten_attempts_max: u32,
    /// How long a hook may take at one stage.
    pub hook_time_max: Duration,
    /// Failures in a row after which a hook is switched off.
    pub hook_failures_max: u32,
    /// How often a delivery is tried.
    pub delivery_attempts_max: u32,
    /// The first wait between two tries of a delivery; it doubles.
    pub delivery_backoff: Duration,
    /// The longest wait between two tries of a delivery.
    pub delivery_backoff_max: Duration,
    /// The longest a single sending may take.
    pub send_time_max: Duration,
    /// How often the ledger is asked to give a turn back that broke off, before it waits for the next start.
    pub ledger_attempts_max: u32,
    /// The first wait between two such tries; it doubles.
    pub ledger_backoff: Duration,
    /// Background tasks that have not ended, over all chats.
    pub tasks_open_max: usize,
    /// Background tasks that are worked on at the same time.
    pub tasks_running_max: usize,
    /// Characters of what comes of a background task; the middle of longer results is left out.
    pub task_result_chars_max: usize,
    /// How long a tool waits for a background task before it says that the result comes later.
    pub task_wait_max: Duration,
    /// How long a result rests after a turn that held it has ended without showing it; it doubles.
    pub notice_backoff: Duration,
    /// The longest such rest.
    pub notice_backoff_max: Duration,
    /// How long a sub-agent may work; then it must answer.
    pub child_time_max: Duration,
    /// Facts put into the prompt unasked.
    pub recall_max: usize,
    /// Events a watcher may lag behind before it misses some.
    pub events_max: usize,
    /// How late a schedule must be for the model to be told so.
    pub late_after: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            messages_open_max: 50_000,
            mailbox_max: 1_000,
            message_chars_max: 200_000,
            turns_running_max: 64,
            session_idle: Duration::from_secs(600),
            background_max: 50,
            tool_calls_per_round_max: 32,
            tool_result_chars_max: 16_000,
            model_attempts_max: 3,
            model_backoff: Duration::from_millis(500),
            model_backoff_max: Duration::from_secs(30),
            source_cooldown: Duration::from_secs(60),
            shorten_attempts_max: 4,
            hook_time_max: Duration::from_secs(5),
            hook_failures_max: 5,
            delivery_attempts_max: 20,
            delivery_backoff: Duration::from_secs(1),
            delivery_backoff_max: Duration::from_secs(300),
            send_time_max: Duration::from_secs(60),
            ledger_attempts_max: 8,
            ledger_backoff: Duration::from_millis(500),
            tasks_open_max: 256,
            tasks_running_max: 16,
            task_result_chars_max: 16_000,
            task_wait_max: Duration::from_secs(10),
            notice_backoff: Duration::from_secs(30),
            notice_backoff_max: Duration::from_secs(3_600),
            child_time_max: Duration::from_secs(300),
            recall_max: 5,
            events_max: 4_096,
            late_after: Duration::from_secs(60),
        }
    }
}
