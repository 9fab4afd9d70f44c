//! Every bound of the gateway, by name.

use std::time::Duration;

/// The largest request body, in bytes.
pub const BODY_BYTES_MAX: usize = 1 << 20;

/// How much of an oversized body is read and thrown away, so that its sender gets to see the answer, in bytes.
pub const BODY_DRAIN_BYTES_MAX: usize = 8 << 20;

/// How long a client may take to send its body.
pub const BODY_TIME_MAX: Duration = Duration::from_secs(30);

/// How long a client may take to send the head of a request; also how long an unused connection is kept.
pub const HEAD_TIME_MAX: Duration = Duration::from_secs(30);

/// How long a client may take to accept a frame or a piece of a stream.
pub const WRITE_TIME_MAX: Duration = Duration::from_secs(30);

/// How long requests that are under way may go on after Hearth was asked to stop.
pub const STOP_TIME_MAX: Duration = Duration::from_secs(5);

/// Connections at the same time, HTTP and WebSocket together.
pub const CONNECTIONS_MAX: usize = 4096;

/// Connections at the same time on the unix socket.
pub const SOCKET_CONNECTIONS_MAX: usize = 1024;

/// Live frames that wait for one client; more than that and it has lagged.
pub const LIVE_FRAMES_MAX: usize = 1024;

/// Bytes of live frames that wait for one client; more than that and it has lagged.
pub const LIVE_BYTES_MAX: usize = 4 << 20;

/// Answers that wait for one client; it is not read from while there are more.
pub const ANSWERS_MAX: usize = 64;

/// Messages a client is remembered to have, so that it gets none twice.
pub const RECENT_MAX: usize = 1024;

/// Events kept for readers of `/api/events` that come back.
pub const RING_EVENTS_MAX: usize = 4096;

/// Events given to a reader of `/api/events` at once.
pub const RING_BATCH_MAX: usize = 256;

/// Pieces of a streamed response that wait for the client.
pub const STREAM_PIECES_MAX: usize = 64;

/// Silence after which a stream says that it is alive.
pub const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Silence after which a WebSocket client is asked whether it is there; after twice that it is not.
pub const PING_EVERY: Duration = Duration::from_secs(30);

/// Different label values of one metric; what is beyond counts as `other`.
pub const METRIC_SERIES_MAX: usize = 256;

/// Messages of a page when nothing is said.
pub const PAGE_DEFAULT: usize = 50;

/// Messages of a page at most.
pub const PAGE_MAX: usize = 500;

/// Dialogs of a list when nothing is said.
pub const DIALOGS_DEFAULT: usize = 10;

/// Dialogs of a list at most.
pub const DIALOGS_MAX: usize = 500;

/// Background tasks of a list that asks for no number.
pub const TASKS_DEFAULT: usize = 20;

/// Background tasks of a list.
pub const TASKS_MAX: usize = 500;

/// The longest id that a client may give a message, in bytes.
pub const CLIENT_ID_BYTES_MAX: usize = 200;

/// The longest name of a session or a person, in bytes.
pub const NAME_BYTES_MAX: usize = 200;

/// What is left of a message's text when its frame would be too long, in bytes.
pub const CUT_TEXT_BYTES: usize = 64 << 10;

/// Calls that changed something, of a list when nothing is said.
pub const CHANGES_DEFAULT: usize = 20;

/// Calls that changed something, of a list at the most; no more are kept.
pub const CHANGES_MAX: usize = 100;

/// Occurrences of schedules, of a list when nothing is said.
pub const OCCURRENCES_DEFAULT: usize = 10;

/// Occurrences of schedules, of a list at the most.
pub const OCCURRENCES_MAX: usize = 100;
