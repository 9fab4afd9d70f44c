//! Tokens and hosts.

use super::*;

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
}

fn how(uri: &str, pairs: &[(&'static str, &str)]) -> Result<Shown, String> {
    let uri = uri.parse().unwrap();
    shown(&Token::new("secret\n"), &uri, &headers(pairs)).map_err(|problem| problem.text)
}

#[test]
fn the_token_is_taken_from_header_query_and_cookie() {
    assert_eq!(how("/", &[("authorization", "Bearer secret")]), Ok(Shown::Header));
    assert_eq!(how("/", &[("authorization", "bearer secret")]), Ok(Shown::Header));
    assert_eq!(how("/ws?a=1&token=secret", &[]), Ok(Shown::Query));
    assert_eq!(how("/", &[("cookie", "a=b; hearth_token=secret")]), Ok(Shown::Cookie));
}

#[test]
fn a_wrong_or_missing_token_is_refused() {
    for (uri, pairs) in [
        ("/", vec![]),
        ("/", vec![("authorization", "Bearer secre")]),
        ("/", vec![("authorization", "Bearer ")]),
        ("/", vec![("authorization", "Basic secret")]),
        ("/?token=x", vec![]),
        ("/?token=secret", vec![("authorization", "Bearer wrong")]),
        ("/", vec![("cookie", "hearth_token=x")]),
    ] {
        assert!(how(uri, &pairs).is_err(), "{uri} {pairs:?}");
    }
}

#[test]
fn an_empty_token_opens_nothing() {
    assert!(!Token::new(" ").is(""));
}

#[test]
fn names_of_this_machine_are_known() {
    for (host, known) in [
        ("localhost:8420", true),
        ("127.0.0.1", true),
        ("[::1]:8420", true),
        ("127.9.9.9:1", true),
        ("evil.example:8420", false),
        ("127.0.0.1.evil.example", false),
        ("", false),
    ] {
        assert_eq!(is_loopback_name(host_name(host)), known, "{host}");
    }
}

#[test]
fn a_cookie_serves_only_our_own_pages() {
    let ours = [("host", "127.0.0.1:8420"), ("origin", "http://127.0.0.1:8420")];
    assert!(check_origin(&headers(&ours)).is_ok());
    let foreign = [("host", "127.0.0.1:8420"), ("origin", "http://127.0.0.1:9999")];
    assert!(check_origin(&headers(&foreign)).is_err());
    let none = [("host", "127.0.0.1:8420"), ("origin", "null")];
    assert!(check_origin(&headers(&none)).is_err());
}
