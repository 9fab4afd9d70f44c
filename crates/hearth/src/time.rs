//! Times as people write and read them.

use std::str::FromStr;

use hearth_contract::clock::{Clock, SystemClock};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::failure::Failure;
use crate::words::words;

/// How far back to look: `90s`, `30m`, `12h`, `7d`, `2w`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Since(Span);

impl Since {
    /// The moment, in milliseconds since 1970 UTC.
    pub(crate) fn at_ms(self) -> i64 {
        SystemClock.now().0.saturating_sub(i64::try_from(self.0.ms()).unwrap_or(i64::MAX))
    }
}

impl FromStr for Since {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

/// A length of time: `90s`, `30m`, `12h`, `7d`, `2w`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    seconds: u64,
}

impl Span {
    /// In milliseconds.
    pub(crate) fn ms(self) -> u64 {
        self.seconds.saturating_mul(1000)
    }
}

impl FromStr for Span {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "write a number and s, m, h, d or w, such as 7d";
        let text = text.trim();
        let unit = text.chars().next_back().ok_or(WRONG)?;
        let seconds: u64 = match unit {
            's' => 1,
            'm' => 60,
            'h' => 3_600,
            'd' => 86_400,
            'w' => 604_800,
            _ => return Err(WRONG),
        };
        let number: u32 = text[..text.len() - unit.len_utf8()].parse().map_err(|_| WRONG)?;
        Ok(Self { seconds: seconds.saturating_mul(u64::from(number)) })
    }
}

/// The moment that people write as `2027-01-31 08:00`, by the clock of the zone or of this machine, or as
/// `2027-01-31T08:00:00Z`; in milliseconds since 1970 UTC.
pub(crate) fn at_ms(text: &str, zone: Option<&str>) -> Result<i64, Failure> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(time.as_millisecond());
    }
    let zone = match zone {
        None => TimeZone::system(),
        Some(name) => TimeZone::get(name).map_err(|_| {
            Failure::misuse(
                words!("there is no time zone \"{name}\"", "没有时区 \"{name}\""),
                words!("write an IANA name such as Asia/Shanghai", "请写 IANA 名称，例如 Asia/Shanghai"),
            )
        })?,
    };
    let time = text.parse::<DateTime>().and_then(|time| time.to_zoned(zone));
    time.map(|time| time.timestamp().as_millisecond()).map_err(|_| {
        Failure::misuse(
            words!("\"{text}\" is not a time", "\"{text}\" 不是时间"),
            words!(
                "write date and time, such as \"2027-01-31 08:00\"",
                "请写日期和时间，例如 \"2027-01-31 08:00\""
            ),
        )
    })
}

/// A moment in the time zone of this machine, to the second.
pub(crate) fn shown(at_ms: i64) -> String {
    match Timestamp::from_millisecond(at_ms) {
        Ok(time) => time.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_) => at_ms.to_string(),
    }
}

/// A moment by the clock of a zone, to the second, and the zone's name.
pub(crate) fn shown_in(at_ms: i64, zone: &str) -> String {
    match (Timestamp::from_millisecond(at_ms), TimeZone::get(zone)) {
        (Ok(time), Ok(found)) => format!("{} {zone}", time.to_zoned(found).strftime("%Y-%m-%d %H:%M:%S")),
        _ => shown(at_ms),
    }
}

/// A length of time in the largest unit that fits it, as [`Span`] reads it.
pub(crate) fn span(seconds: u64) -> String {
    let units = [(604_800, 'w'), (86_400, 'd'), (3_600, 'h'), (60, 'm')];
    match units.into_iter().find(|(length, _)| seconds > 0 && seconds.is_multiple_of(*length)) {
        Some((length, unit)) => format!("{}{unit}", seconds / length),
        None => format!("{seconds}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_shown_by_the_clock_of_a_zone() {
        assert_eq!(shown_in(0, "Asia/Shanghai"), "1970-01-01 08:00:00 Asia/Shanghai");
    }

    #[test]
    fn a_time_is_by_the_clock_of_a_zone_or_exact() {
        assert_eq!(at_ms("1970-01-01 08:00", Some("Asia/Shanghai")).ok(), Some(0));
        assert_eq!(at_ms("1970-01-01T00:00:01Z", None).ok(), Some(1000));
        assert!(at_ms("tomorrow", None).is_err() && at_ms("1970-01-01 08:00", Some("Mars/Base")).is_err());
    }

    #[test]
    fn a_span_is_written_as_it_is_read() {
        for (seconds, text) in [(90, "90s"), (7_200, "2h"), (86_400, "1d"), (1_209_600, "2w"), (0, "0s")] {
            assert_eq!(span(seconds), text);
        }
    }

    #[test]
    fn a_span_is_a_number_and_a_unit() {
        for (text, seconds) in
            [("90s", 90), ("30m", 1_800), ("12h", 43_200), ("7d", 604_800), ("2w", 1_209_600)]
        {
            assert_eq!(text.parse(), Ok(Span { seconds }), "{text}");
        }
        for text in ["", "d", "7", "7x", "-1d", "7日", "1.5h"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
    }
}
