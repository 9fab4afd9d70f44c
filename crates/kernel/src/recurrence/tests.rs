use jiff::civil;
use jiff::tz::Offset;
use proptest::prelude::*;

use super::*;

fn at(text: &str) -> UnixMs {
    UnixMs(text.parse::<Timestamp>().unwrap().as_millisecond())
}

fn cron(expression: &str, zone: &str) -> ScheduleKind {
    ScheduleKind::Cron { expression: expression.into(), zone: zone.into() }
}

/// All occurrences after `from` until `until`, in the order they come.
fn occurrences(kind: &ScheduleKind, from: UnixMs, until: UnixMs) -> Vec<UnixMs> {
    let step = |last: &UnixMs| next_after(kind, *last).unwrap();
    std::iter::successors(step(&from), step).take_while(|due_at| *due_at <= until).collect()
}

fn shown(times: &[UnixMs]) -> Vec<String> {
    times.iter().map(|at| Timestamp::from_millisecond(at.0).unwrap().to_string()).collect()
}

#[test]
fn a_time_of_day_that_is_left_out_runs_after_the_gap() {
    let times = occurrences(
        &cron("30 2 * * *", "Europe/Berlin"),
        at("2026-03-28T12:00:00Z"),
        at("2026-03-30T12:00:00Z"),
    );
    // 03:00 summer time, then 02:30 again.
    assert_eq!(shown(&times), ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"]);
}

#[test]
fn a_time_of_day_that_comes_twice_runs_once() {
    let times = occurrences(
        &cron("30 1 * * *", "America/New_York"),
        at("2026-10-31T12:00:00Z"),
        at("2026-11-02T12:00:00Z"),
    );
    assert_eq!(shown(&times), ["2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"]);
}

#[test]
fn an_interval_goes_on_by_real_time() {
    let every = ScheduleKind::Every { every_ms: 3_600_000, from: at("2026-03-28T23:10:00Z") };
    let times = occurrences(&every, at("2026-03-28T23:10:00Z"), at("2026-03-29T02:30:00Z"));
    assert_eq!(shown(&times), ["2026-03-29T00:10:00Z", "2026-03-29T01:10:00Z", "2026-03-29T02:10:00Z"]);
}

#[test]
fn what_cannot_be_read_or_never_comes_is_told_apart() {
    let now = at("2026-01-01T00:00:00Z");
    for expression in ["", "x", "61 * * * *", "* * * *", "0 0 8 * * *", &"1,".repeat(200)] {
        let error = next_after(&cron(expression, "UTC"), now).unwrap_err();
        assert!(matches!(error, WrongRecurrence::Expression { .. }), "{expression}: {error}");
    }
    let error = next_after(&cron("0 8 * * *", "Mars/Olympus"), now).unwrap_err();
    assert_eq!(error, WrongRecurrence::Zone("Mars/Olympus".into()));
    assert_eq!(next_after(&cron("0 0 30 2 *", "UTC"), now), Ok(None));
}

/// What a zone's wall clock shows in each minute of a span, without a word of cron: when it shows `hour:minute` for the
/// first time on a date, or the end of the gap that swallowed it.
fn wall_oracle(hour: i8, minute: i8, zone: &TimeZone, from: UnixMs, until: UnixMs) -> Vec<UnixMs> {
    let wanted = civil::time(hour, minute, 0, 0);
    let mut found: Vec<(civil::Date, UnixMs)> = Vec::new();
    let mut before: Option<civil::DateTime> = None;
    let mut now = from;
    while now <= until {
        let wall = zone.to_datetime(Timestamp::from_millisecond(now.0).unwrap());
        let target = wall.date().to_datetime(wanted);
        let jumped_over = before.is_some_and(|before| before < target && target < wall);
        if (wall == target || jumped_over) && found.last().is_none_or(|(date, _)| *date != wall.date()) {
            found.push((wall.date(), now));
        }
        before = Some(wall);
        now = now.plus(Duration::from_secs(60));
    }
    found.into_iter().map(|(_, at)| at).filter(|at| *at > from).collect()
}

/// Zones with a change of an hour in the north and the south, of half an hour, and without any.
const ZONES: [&str; 5] =
    ["America/New_York", "Europe/Berlin", "Australia/Sydney", "Australia/Lord_Howe", "Asia/Shanghai"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_year_of_a_time_of_day_is_as_the_wall_shows_it(hour in 0_i8..4, minute in 0_i8..60, zone in 0..ZONES.len()) {
        let (from, until) = (at("2026-01-01T12:00:00Z"), at("2027-01-01T12:00:00Z"));
        let zone_name = ZONES[zone];
        let found = occurrences(&cron(&format!("{minute} {hour} * * *"), zone_name), from, until);
        let expected = wall_oracle(hour, minute, &TimeZone::get(zone_name).unwrap(), from, until);
        prop_assert_eq!(shown(&found), shown(&expected));
    }

    #[test]
    fn the_next_period_is_the_first_after(every_s in 1_u64..100_000, from in 0_i64..1_000_000, after in 0_i64..10_000_000) {
        let kind = ScheduleKind::Every { every_ms: every_s * 1000, from: UnixMs(from) };
        let due_at = next_after(&kind, UnixMs(after)).unwrap().unwrap();
        let every_ms = i64::try_from(every_s * 1000).unwrap();
        prop_assert!(due_at.0 > after && due_at.0 > from);
        prop_assert_eq!((due_at.0 - from) % every_ms, 0);
        prop_assert!(due_at.0 - every_ms <= after.max(from));
    }
}

#[test]
fn steps_run_each_time_the_wall_fits() {
    // The hour from 01:00 to 02:00 comes twice: with UTC-4, then with UTC-5.
    let kind = cron("*/30 1 * * *", "America/New_York");
    let times = occurrences(&kind, at("2026-11-01T00:00:00Z"), at("2026-11-01T12:00:00Z"));
    assert_eq!(times.len(), 4);
    let zone = TimeZone::get("America/New_York").unwrap();
    let offset = |at: &UnixMs| zone.to_offset(Timestamp::from_millisecond(at.0).unwrap());
    assert_eq!(times.iter().filter(|at| offset(at) == Offset::constant(-4)).count(), 2);
}
