//! Tests of reading and showing times.

use super::*;

fn shanghai() -> TimeZone {
    TimeZone::get("Asia/Shanghai").unwrap()
}

#[test]
fn times_are_read_with_offset_zone_or_in_local_time() {
    for (text, expected) in [
        ("2026-11-30T19:12:03+08:00", 1_796_037_123_000),
        ("2026-11-30T11:12:03Z", 1_796_037_123_000),
        ("2026-11-30T19:12:03+08:00[Asia/Shanghai]", 1_796_037_123_000),
        ("2026-11-30 19:12:03", 1_796_037_123_000),
        ("2026-11-30T19:12", 1_796_037_120_000),
        (" 2026-11-30 ", 1_795_968_000_000),
    ] {
        assert_eq!(parse("at", text, &shanghai()).unwrap(), UnixMs(expected), "{text}");
    }
}

#[test]
fn what_is_no_time_is_named_with_an_example() {
    for text in ["", "tomorrow", "明天", "25:00", "2026-13-01"] {
        let error = parse("since", text, &shanghai()).unwrap_err().to_string();
        assert!(error.contains("`since`") && error.contains("2026-12-01"), "{error}");
    }
}

#[test]
fn times_are_shown_in_the_zone() {
    assert_eq!(
        show(UnixMs(1_796_037_123_456), &shanghai()),
        "2026-11-30T19:12:03+08:00[Asia/Shanghai] Monday"
    );
    assert_eq!(rfc3339(UnixMs(1_796_037_123_456), &TimeZone::UTC), "2026-11-30T11:12:03+00:00");
}
