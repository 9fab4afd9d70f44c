//! Times as people write and read them.

use std::str::FromStr;

use hearth_contract::clock::{Clock, SystemClock};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// How far back to look: `90s`, `30m`, `12h`, `7d`, `2w`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Since {
    seconds: i64,
}

impl Since {
    /// The moment, in milliseconds since 1970 UTC.
    pub(crate) fn at_ms(self) -> i64 {
        SystemClock.now().0.saturating_sub(self.seconds.saturating_mul(1000))
    }
}

impl FromStr for Since {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "write a number and s, m, h, d or w, such as 7d";
        let text = text.trim();
        let unit = text.chars().next_back().ok_or(WRONG)?;
        let seconds: i64 = match unit {
            's' => 1,
            'm' => 60,
            'h' => 3_600,
            'd' => 86_400,
            'w' => 604_800,
            _ => return Err(WRONG),
        };
        let number: u32 = text[..text.len() - unit.len_utf8()].parse().map_err(|_| WRONG)?;
        Ok(Self { seconds: seconds.saturating_mul(i64::from(number)) })
    }
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

/// A length of time in the largest unit that fits it, as [`Since`] reads it.
pub(crate) fn span(seconds: u64) -> String {
    let units = [(604_800, 'w'), (86_400, 'd'), (3_600, 'h'), (60, 'm')];
    match units.into_iter().find(|(length, _)| seconds > 0 && seconds % length == 0) {
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
            assert_eq!(text.parse(), Ok(Since { seconds }), "{text}");
        }
        for text in ["", "d", "7", "7x", "-1d", "7日", "1.5h"] {
            assert!(text.parse::<Since>().is_err(), "{text}");
        }
    }
}
