//! Events from bytes, cut everywhere.

use proptest::prelude::*;

use super::*;

fn parse(chunks: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Vec<SseEvent> {
    let mut parser = SseParser::new(1_000);
    for chunk in chunks {
        parser.push(chunk.as_ref()).unwrap();
    }
    parser.finish();
    std::iter::from_fn(|| parser.next_event()).collect()
}

fn check(text: &str, expected: &[(&str, &str)]) {
    let whole: Vec<SseEvent> = expected
        .iter()
        .map(|(event, data)| SseEvent { event: (*event).into(), data: (*data).into(), complete: true })
        .collect();
    assert_eq!(parse([text]), whole, "whole: {text:?}");
    assert_eq!(parse(text.as_bytes().chunks(1)), whole, "byte by byte: {text:?}");
}

#[test]
fn line_ends_of_all_kinds() {
    for end in ["\n", "\r\n", "\r"] {
        check(
            &format!("data: a{end}data:b{end}{end}event: x{end}data{end}{end}"),
            &[("", "a\nb"), ("x", "")],
        );
    }
}

#[test]
fn comments_unknown_fields_and_a_mark_at_the_start_are_dropped() {
    check("\u{feff}: hello\nid: 7\nretry: 3\n\n:\n\ndata: 你好 🍵\n\n", &[("", "你好 🍵")]);
}

#[test]
fn an_event_without_data_is_none() {
    check("event: ping\n\ndata: x\n\n", &[("", "x")]);
}

#[test]
fn the_end_of_the_connection_ends_the_last_event() {
    check("data: [DONE]\n", &[("", "[DONE]")]);
    let cut = parse(["data: one\n\ndata: {\"a\":"]);
    assert_eq!(cut[1], SseEvent { event: String::new(), data: "{\"a\":".into(), complete: false });
}

#[test]
fn a_long_event_is_refused_however_it_comes() {
    let mut parser = SseParser::new(100);
    assert_eq!(parser.push(&[b'x'; 101]), Err(SseOverflow { limit_bytes: 100 }));
    let mut parser = SseParser::new(100);
    let lines = "data: 0123456789\n".repeat(11);
    assert_eq!(
        lines.as_bytes().chunks(7).find_map(|chunk| parser.push(chunk).err()),
        Some(SseOverflow { limit_bytes: 100 })
    );
    // The bound is for an event, not for the connection.
    let mut parser = SseParser::new(100);
    for _ in 0..1_000 {
        parser.push(b"data: 0123456789\n\n").unwrap();
        assert!(parser.next_event().is_some());
    }
}

proptest! {
    #[test]
    fn any_bytes_cut_anywhere_give_the_same_events(
        bytes in proptest::collection::vec(prop_oneof![
            Just(b'\n'), Just(b'\r'), Just(b':'), Just(b' '), Just(b'd'), any::<u8>()
        ], 0..200),
        prefix in prop_oneof![Just(""), Just("data: x\n")],
        step in 1usize..20,
    ) {
        let bytes = [prefix.as_bytes(), &bytes].concat();
        prop_assert_eq!(parse([&bytes]), parse(bytes.chunks(step)));
    }
}

#[test]
fn lines_of_json_are_events_of_their_own() {
    for bytes in [1, 3, 100] {
        let mut parser = SseParser::of_lines(1_000);
        for chunk in "{\"a\": 1}\r\n\n{\"b\": \"data: x\"}\n{\"c\"".as_bytes().chunks(bytes) {
            parser.push(chunk).unwrap();
        }
        parser.finish();
        let lines: Vec<String> = std::iter::from_fn(|| parser.next_event()).map(|event| event.data).collect();
        assert_eq!(lines, ["{\"a\": 1}", "{\"b\": \"data: x\"}", "{\"c\""]);
    }
}
