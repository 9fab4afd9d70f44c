//! Prometheus text.

use super::*;

#[test]
fn durations_are_cumulative_and_in_seconds() {
    let mut books = Books::default();
    for ms in [3, 20, 600_000] {
        books.time("hearth_turn_duration_seconds", &[], ms);
    }
    let text = Meter(Mutex::new(books)).render(&[]);
    for line in [
        "hearth_turn_duration_seconds_bucket{le=\"0.005\"} 1",
        "hearth_turn_duration_seconds_bucket{le=\"0.02\"} 2",
        "hearth_turn_duration_seconds_bucket{le=\"120\"} 2",
        "hearth_turn_duration_seconds_bucket{le=\"+Inf\"} 3",
        "hearth_turn_duration_seconds_sum 600.023",
        "hearth_turn_duration_seconds_count 3",
    ] {
        assert!(text.lines().any(|have| have == line), "{line}\n{text}");
    }
}

#[test]
fn labels_are_escaped() {
    assert_eq!(labels_text(&[("a", "q\"\\\n"), ("b", "茶")]), r#"a="q\"\\\n",b="茶""#);
}

#[test]
fn made_up_labels_do_not_grow_without_end() {
    let mut books = Books::default();
    for number in 0..METRIC_SERIES_MAX * 2 {
        books.count("hearth_tool_calls_total", &[("tool", &number.to_string()), ("status", "done")], 1);
    }
    let series = &books.counters["hearth_tool_calls_total"];
    assert_eq!(series.len(), METRIC_SERIES_MAX + 1);
    assert_eq!(series[r#"tool="other",status="other""#], METRIC_SERIES_MAX as u64);
}

#[test]
fn every_metric_is_explained_once() {
    let text = Meter::default().render(&[]);
    let helps: Vec<_> = text.lines().filter(|line| line.starts_with("# HELP")).collect();
    let names: std::collections::BTreeSet<_> = helps.iter().map(|line| line.split(' ').nth(2)).collect();
    assert_eq!(names.len(), helps.len());
    assert_eq!(helps.len(), COUNTERS.len() + DURATIONS.len());
}
