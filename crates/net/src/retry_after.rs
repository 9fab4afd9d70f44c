//! What a server says about when to come again.

use hearth_contract::clock::UnixMs;
use http::HeaderMap;

/// The wait that the headers of an answer ask for, in milliseconds from `now`.
///
/// Reads `retry-after-ms` (OpenAI), then `retry-after` as seconds (with a fraction, as some send) or as an HTTP date
/// (RFC 9110 §10.2.3). None when neither is there or neither makes sense; a date that has passed is zero.
pub fn retry_after_ms(headers: &HeaderMap, now: UnixMs) -> Option<u64> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(wait) = text("retry-after-ms").and_then(|value| milliseconds(value, 1.0)) {
        return Some(wait);
    }
    let value = text("retry-after")?;
    milliseconds(value, 1_000.0).or_else(|| {
        let at = jiff::fmt::rfc2822::parse(value).ok()?.timestamp().as_millisecond();
        Some(u64::try_from(at.saturating_sub(now.0)).unwrap_or(0))
    })
}

/// Waits above this are taken as nonsense; a year, in milliseconds.
const WAIT_MS_MAX: f64 = 365.0 * 86_400_000.0;

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to lie between 0 and a year"
)]
fn milliseconds(value: &str, unit_ms: f64) -> Option<u64> {
    let wait = value.parse::<f64>().ok()? * unit_ms;
    (wait.is_finite() && (0.0..=WAIT_MS_MAX).contains(&wait)).then_some(wait.ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(header: (&'static str, &'static str), expected: Option<u64>) {
        let headers = HeaderMap::from_iter([(header.0.parse().unwrap(), header.1.parse().unwrap())]);
        // 2026-11-30T12:00:00Z
        assert_eq!(retry_after_ms(&headers, UnixMs(1_796_040_000_000)), expected, "{header:?}");
    }

    #[test]
    fn seconds_dates_and_milliseconds_are_read() {
        check(("retry-after", "7"), Some(7_000));
        check(("retry-after", " 0.25 "), Some(250));
        check(("retry-after", "0"), Some(0));
        check(("retry-after-ms", "1500"), Some(1_500));
        check(("retry-after", "Mon, 30 Nov 2026 12:00:30 GMT"), Some(30_000));
        check(("retry-after", "Mon, 30 Nov 2026 11:00:00 GMT"), Some(0));
    }

    #[test]
    fn nonsense_is_no_wish() {
        for value in ["", "soon", "-5", "NaN", "1e300", "Mon, 99 Nov 2026 12:00:30 GMT"] {
            check(("retry-after", value), None);
        }
        check(("x-other", "7"), None);
    }
}
