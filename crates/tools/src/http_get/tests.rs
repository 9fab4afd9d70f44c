//! Tests of what is made of a page.

use http::StatusCode;

use super::*;

fn page(content_type: &str, body: &[u8]) -> Fetched {
    Fetched {
        url: "https://example.com/".into(),
        status: StatusCode::OK,
        content_type: content_type.into(),
        body: body.to_vec(),
        truncated: false,
    }
}

#[test]
fn pages_are_read_in_their_own_encoding() {
    let gbk = b"<p>\xce\xda\xc1\xfa\xb2\xe8</p>";
    let gbk_with_meta = [b"<meta charset=\"gb2312\">".as_slice(), gbk].concat();
    for (content_type, body) in [
        ("text/html; charset=GBK", gbk.as_slice()),
        ("text/html;charset=\"gb18030\"", gbk),
        ("text/html", &gbk_with_meta),
        ("text/html", gbk),
        ("", gbk),
        ("text/html; charset=utf-8", "<p>乌龙茶</p>".as_bytes()),
        ("text/html", "<p>乌龙茶</p>".as_bytes()),
        ("text/plain", "乌龙茶".as_bytes()),
    ] {
        let report = report(&page(content_type, body)).unwrap();
        assert_eq!(report, "[https://example.com/, status 200]\n乌龙茶", "{content_type}");
    }
}

#[test]
fn a_utf8_page_that_was_cut_inside_a_character_stays_utf8() {
    let body = &"乌龙茶".as_bytes()[..8];
    assert!(report(&page("text/plain", body)).unwrap().contains("乌龙"));
}

#[test]
fn long_pages_are_cut_and_what_is_no_text_is_named() {
    let report_of_long = report(&page("text/plain", "茶".repeat(100_000).as_bytes())).unwrap();
    assert!(report_of_long.len() < OUTPUT_BYTES_MAX + 200 && report_of_long.contains("bytes cut"));
    let error = report(&page("image/png", b"\x89PNG")).unwrap_err().to_string();
    assert!(error.contains("image/png"), "{error}");
    let json = report(&page("application/json", b"{\"a\":\"<b>\"}")).unwrap();
    assert!(json.ends_with("{\"a\":\"<b>\"}"));
}
