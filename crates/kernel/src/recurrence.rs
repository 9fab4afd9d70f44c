//! When a schedule is due next.
//!
//! A schedule by the calendar runs by the clock on the wall of its zone. A fixed time of day that a change of the clocks
//! leaves out runs at the first moment after the gap; one that comes twice runs once. A pattern with wildcards, steps or
//! lists of hours or minutes runs each time the wall shows a time that fits.

use std::time::Duration;

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use hearth_contract::clock::UnixMs;
use hearth_contract::language::Language;
use hearth_contract::store::ScheduleKind;
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Nothing repeats more often than this.
pub(crate) const EVERY_MIN: Duration = Duration::from_secs(60);
/// Nothing repeats more seldom than this: ten years.
pub(crate) const EVERY_MAX: Duration = Duration::from_secs(10 * 366 * 24 * 3600);
/// Characters of a cron expression at most.
const EXPRESSION_CHARS_MAX: usize = 200;

/// Why a schedule has no times.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WrongRecurrence {
    /// The expression cannot be read.
    #[error(
        "`{expression}` is no cron expression: {reason}; write minute, hour, day, month, weekday, such as `0 8 * * 1-5`"
    )]
    Expression {
        /// As it was written.
        expression: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The zone is unknown.
    #[error("there is no time zone `{0}`; write an IANA name such as `Asia/Shanghai` or `Europe/Berlin`")]
    Zone(String),
}

/// The first occurrence after a moment; none if there is none.
pub(crate) fn next_after(kind: &ScheduleKind, after: UnixMs) -> Result<Option<UnixMs>, WrongRecurrence> {
    match kind {
        ScheduleKind::At { due_at } => Ok((*due_at > after).then_some(*due_at)),
        ScheduleKind::Every { every_ms, from } => Ok(next_period(*every_ms, *from, after)),
        ScheduleKind::Cron { expression, zone } => {
            let cron = parse(expression)?;
            let zone = TimeZone::get(zone).map_err(|_| WrongRecurrence::Zone(zone.clone()))?;
            // Whole seconds, because no occurrence has a fraction.
            let Ok(start) = Timestamp::from_second(after.0.div_euclid(1000)) else { return Ok(None) };
            let found = cron.find_next_occurrence(&start.to_zoned(zone), false);
            // Only a date that never comes makes the search fail, such as the 30th of February.
            Ok(found.ok().map(|at| UnixMs(at.timestamp().as_millisecond())))
        }
    }
}

fn next_period(every_ms: u64, from: UnixMs, after: UnixMs) -> Option<UnixMs> {
    let every_ms = i64::try_from(every_ms).ok().filter(|every_ms| *every_ms > 0)?;
    let periods = after.0.saturating_sub(from.0).div_euclid(every_ms).max(0);
    let due_at = from.0.checked_add(every_ms.checked_mul(periods.checked_add(1)?)?)?;
    Some(UnixMs(due_at))
}

fn parse(expression: &str) -> Result<Cron, WrongRecurrence> {
    let wrong = |reason: String| WrongRecurrence::Expression {
        expression: expression.chars().take(40).collect(),
        reason,
    };
    if expression.chars().count() > EXPRESSION_CHARS_MAX {
        return Err(wrong(format!("it is longer than {EXPRESSION_CHARS_MAX} characters")));
    }
    let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
    parser.parse(expression).map_err(|error| wrong(error.to_string().trim_end_matches('.').to_owned()))
}

/// A time as people read it, by the clock of the schedule's own zone, or of `usual` if it has none.
pub(crate) fn shown(at: UnixMs, kind: &ScheduleKind, usual: &TimeZone) -> String {
    let own = match kind {
        ScheduleKind::Cron { zone, .. } => TimeZone::get(zone).ok(),
        ScheduleKind::At { .. } | ScheduleKind::Every { .. } => None,
    };
    let at = Timestamp::from_millisecond(at.0).unwrap_or_default();
    at.to_zoned(own.unwrap_or_else(|| usual.clone())).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// How a schedule repeats, for people; empty when it does not.
pub(crate) fn told(kind: &ScheduleKind, language: Language) -> String {
    match kind {
        ScheduleKind::At { .. } => String::new(),
        ScheduleKind::Every { every_ms, .. } => {
            let seconds = every_ms / 1000;
            language.pick(format!(" (every {seconds} s)"), format!("（每 {seconds} 秒）"))
        }
        ScheduleKind::Cron { expression, zone } => {
            language.pick(format!(" (cron {expression}, {zone})"), format!("（cron {expression}，{zone}）"))
        }
    }
}

#[cfg(test)]
mod tests;
