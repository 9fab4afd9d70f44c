//! Counters fed by events, written as Prometheus text (format 0.0.4).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hearth_contract::event::{Event, EventKind};

use crate::limits::METRIC_SERIES_MAX;

/// Upper bounds of the buckets of a duration, in milliseconds.
const BUCKETS_MS: [u64; 12] = [5, 20, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 120_000];

/// Names and explanations of all counters.
const COUNTERS: &[(&str, &str)] = &[
    ("hearth_deliveries_total", "Deliveries by the state they moved to."),
    ("hearth_events_missed_total", "Events that watchers did not get because the gateway was too slow."),
    ("hearth_hook_failures_total", "Hooks that were skipped because they failed."),
    ("hearth_messages_accepted_total", "Messages taken."),
    ("hearth_messages_ended_total", "Messages by their end."),
    ("hearth_messages_sent_total", "Messages that Hearth said."),
    ("hearth_model_calls_total", "Model calls by source, model and error (empty if none)."),
    ("hearth_model_tokens_total", "Tokens by source and kind."),
    ("hearth_notices_total", "Notices to the owner."),
    ("hearth_schedules_fired_total", "Schedules that became due."),
    ("hearth_tasks_total", "Background tasks that began or ended, by kind and state."),
    ("hearth_turns_suspended_total", "Turns that made room for an interrupt."),
    ("hearth_tool_calls_total", "Tool calls by tool and status."),
    ("hearth_turns_started_total", "Turns begun or taken up again."),
    ("hearth_turns_total", "Turns by how they ended."),
];

/// Names and explanations of all durations.
const DURATIONS: &[(&str, &str)] = &[
    ("hearth_model_call_duration_seconds", "How long a model call took."),
    ("hearth_tool_call_duration_seconds", "How long a tool call took."),
    ("hearth_turn_duration_seconds", "How long a turn took."),
];

/// Something that has a value now.
#[derive(Debug)]
pub(crate) struct Gauge {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    pub(crate) value: u64,
}

/// The counters of one running Hearth.
#[derive(Debug, Default)]
pub(crate) struct Meter(Mutex<Books>);

#[derive(Debug, Default)]
struct Books {
    counters: BTreeMap<&'static str, BTreeMap<String, u64>>,
    durations: BTreeMap<&'static str, BTreeMap<String, Duration>>,
}

#[derive(Debug, Default, Clone)]
struct Duration {
    buckets: [u64; BUCKETS_MS.len()],
    count: u64,
    sum_ms: u64,
}

impl Meter {
    /// Counts what an event tells.
    pub(crate) fn observe(&self, event: &Event) {
        let mut books = self.lock();
        match &event.kind {
            EventKind::MessageAccepted { .. } => books.count("hearth_messages_accepted_total", &[], 1),
            EventKind::MessageEnded { end, .. } => {
                books.count("hearth_messages_ended_total", &[("end", end.name())], 1);
            }
            EventKind::MessageSent { .. } => books.count("hearth_messages_sent_total", &[], 1),
            EventKind::TurnStarted { .. } => books.count("hearth_turns_started_total", &[], 1),
            EventKind::TurnEnded { state, duration_ms, .. } => {
                books.count("hearth_turns_total", &[("state", state.name())], 1);
                books.time("hearth_turn_duration_seconds", &[], *duration_ms);
            }
            EventKind::ModelCalled { source, model, duration_ms, usage, error, .. } => {
                let labels =
                    [("source", source.as_str()), ("model", model.as_str()), ("error", error.as_str())];
                books.count("hearth_model_calls_total", &labels, 1);
                books.time("hearth_model_call_duration_seconds", &[("source", source)], *duration_ms);
                let kinds = [
                    ("prompt", usage.prompt_tokens),
                    ("cached", usage.cached_tokens),
                    ("completion", usage.completion_tokens),
                ];
                for (kind, tokens) in kinds {
                    books.count("hearth_model_tokens_total", &[("source", source), ("kind", kind)], tokens);
                }
            }
            EventKind::ToolStarted { .. } => {}
            EventKind::ToolEnded { tool, status, duration_ms, .. } => {
                let labels = [("tool", tool.as_str()), ("status", status.name())];
                books.count("hearth_tool_calls_total", &labels, 1);
                books.time("hearth_tool_call_duration_seconds", &[("tool", tool)], *duration_ms);
            }
            EventKind::DeliveryMoved { state, .. } => {
                books.count("hearth_deliveries_total", &[("state", state.name())], 1);
            }
            EventKind::ScheduleFired { .. } => books.count("hearth_schedules_fired_total", &[], 1),
            EventKind::TaskMoved { task_kind, state, .. } => {
                let labels = [("kind", task_kind.as_str()), ("state", state.name())];
                books.count("hearth_tasks_total", &labels, 1);
            }
            EventKind::TurnSuspended { .. } => books.count("hearth_turns_suspended_total", &[], 1),
            EventKind::TurnContinued { .. } => {}
            EventKind::HookFailed { hook, .. } => {
                books.count("hearth_hook_failures_total", &[("hook", hook)], 1);
            }
            EventKind::Notice { code, .. } => books.count("hearth_notices_total", &[("code", code)], 1),
        }
    }

    /// Counts events that were lost.
    pub(crate) fn events_missed(&self, missed: u64) {
        self.lock().count("hearth_events_missed_total", &[], missed);
    }

    /// Whether a source was ever asked.
    pub(crate) fn was_asked(&self, source: &str) -> bool {
        let books = self.lock();
        let wanted = labels_text(&[("source", source)]);
        books
            .durations
            .get("hearth_model_call_duration_seconds")
            .is_some_and(|series| series.contains_key(&wanted))
    }

    /// Everything as text, with these gauges.
    pub(crate) fn render(&self, gauges: &[Gauge]) -> String {
        let books = self.lock();
        let mut text = String::new();
        for gauge in gauges {
            head(&mut text, gauge.name, gauge.help, "gauge");
            line(&mut text, gauge.name, "", gauge.value);
        }
        for (name, help) in COUNTERS {
            head(&mut text, name, help, "counter");
            for (labels, value) in books.counters.get(name).into_iter().flatten() {
                line(&mut text, name, labels, *value);
            }
        }
        for (name, help) in DURATIONS {
            head(&mut text, name, help, "histogram");
            for (labels, duration) in books.durations.get(name).into_iter().flatten() {
                duration.render(&mut text, name, labels);
            }
        }
        text
    }

    fn lock(&self) -> MutexGuard<'_, Books> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Books {
    fn count(&mut self, name: &'static str, labels: &[(&str, &str)], by: u64) {
        *bounded(self.counters.entry(name).or_default(), labels) += by;
    }

    fn time(&mut self, name: &'static str, labels: &[(&str, &str)], duration_ms: u64) {
        let duration = bounded(self.durations.entry(name).or_default(), labels);
        duration.count += 1;
        duration.sum_ms += duration_ms;
        for (bucket, bound) in duration.buckets.iter_mut().zip(BUCKETS_MS) {
            *bucket += u64::from(duration_ms <= bound);
        }
    }
}

/// The value of these labels. Some labels are made up by a model, so their number is bounded.
fn bounded<'a, T: Default>(series: &'a mut BTreeMap<String, T>, labels: &[(&str, &str)]) -> &'a mut T {
    let mut key = labels_text(labels);
    if series.len() >= METRIC_SERIES_MAX && !series.contains_key(&key) {
        let other: Vec<_> = labels.iter().map(|(name, _)| (*name, "other")).collect();
        key = labels_text(&other);
    }
    series.entry(key).or_default()
}

impl Duration {
    fn render(&self, text: &mut String, name: &str, labels: &str) {
        let comma = if labels.is_empty() { "" } else { "," };
        let bucket = format!("{name}_bucket");
        for (count, bound_ms) in self.buckets.iter().zip(BUCKETS_MS) {
            line(text, &bucket, &format!("{labels}{comma}le=\"{}\"", seconds(bound_ms)), count);
        }
        line(text, &bucket, &format!("{labels}{comma}le=\"+Inf\""), self.count);
        line(text, &format!("{name}_sum"), labels, seconds(self.sum_ms));
        line(text, &format!("{name}_count"), labels, self.count);
    }
}

fn seconds(ms: u64) -> String {
    let text = format!("{}.{:03}", ms / 1000, ms % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn head(text: &mut String, name: &str, help: &str, kind: &str) {
    // silent-ok: writing into a string cannot fail.
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn line(text: &mut String, name: &str, labels: &str, value: impl std::fmt::Display) {
    // silent-ok: writing into a string cannot fail.
    let _ = match labels {
        "" => writeln!(text, "{name} {value}"),
        _ => writeln!(text, "{name}{{{labels}}} {value}"),
    };
}

fn labels_text(labels: &[(&str, &str)]) -> String {
    let one = |(name, value): &(&str, &str)| {
        format!("{name}=\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
    };
    labels.iter().map(one).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests;
