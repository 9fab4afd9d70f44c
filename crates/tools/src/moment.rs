//! Points in time, as models write and read them.

use hearth_contract::clock::UnixMs;
use hearth_contract::tool::ToolError;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned, civil};

use crate::arguments::invalid;

/// A point in time as a person of this zone reads it: `2026-11-30T19:12:03+08:00[Asia/Shanghai] Monday`.
pub(crate) fn show(at: UnixMs, zone: &TimeZone) -> String {
    let zoned = zoned(at, zone);
    format!("{zoned} {}", zoned.strftime("%A"))
}

/// A point in time for a machine that also reads it: `2026-11-30T19:12:03+08:00`.
pub(crate) fn rfc3339(at: UnixMs, zone: &TimeZone) -> String {
    zoned(at, zone).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

fn zoned(at: UnixMs, zone: &TimeZone) -> Zoned {
    let seconds = at.0.div_euclid(1000);
    Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX).to_zoned(zone.clone())
}

/// Reads RFC 3339 with an offset or a zone in brackets, or a local date and time of `zone`. `field` is the argument's
/// name, for the error.
pub(crate) fn parse(field: &str, text: &str, zone: &TimeZone) -> Result<UnixMs, ToolError> {
    let text = text.trim();
    if let Ok(zoned) = text.parse::<Zoned>() {
        return Ok(UnixMs(zoned.timestamp().as_millisecond()));
    }
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Ok(UnixMs(timestamp.as_millisecond()));
    }
    let wrong = || {
        invalid(format!(
            "`{field}` is `{text}`; it must be a time like 2026-12-01T08:30:00+08:00, or 2026-12-01 08:30 for local time"
        ))
    };
    let local: civil::DateTime = text.parse().map_err(|_| wrong())?;
    let zoned = local.to_zoned(zone.clone()).map_err(|_| wrong())?;
    Ok(UnixMs(zoned.timestamp().as_millisecond()))
}

#[cfg(test)]
mod tests;
