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

#[cfg(test)]
mod tests {
    use super::*;

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
