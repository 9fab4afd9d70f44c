//! Addresses that pass and addresses that do not, in all their spellings.

use super::*;

fn check(url: &str, expected: Result<(), &str>) {
    let result = check_url(&Url::parse(url).unwrap());
    match expected {
        Ok(()) => assert_eq!(result, Ok(()), "{url}"),
        Err(part) => {
            let error = result.expect_err(url);
            assert!(error.contains(part), "{url}: {error}");
        }
    }
}

#[test]
fn public_addresses_pass() {
    for url in [
        "https://example.com/x",
        "http://1.1.1.1/",
        "http://8.8.8.8:8080/",
        "http://172.15.0.1/",
        "http://172.32.0.1/",
        "http://100.63.255.255/",
        "http://100.128.0.1/",
        "http://[2606:4700::1111]/",
        "http://[2001:4860:4860::8888]/",
        "http://localhost.example.com/",
    ] {
        check(url, Ok(()));
    }
}

#[test]
fn the_local_network_is_refused() {
    for (url, kind) in [
        ("http://127.0.0.1/", "loopback"),
        ("http://127.255.1.2:8420/", "loopback"),
        ("http://0.0.0.0/", "unspecified"),
        ("http://10.0.0.1/", "private"),
        ("http://172.16.0.1/", "private"),
        ("http://172.31.255.255/", "private"),
        ("http://192.168.1.1/", "private"),
        ("http://169.254.169.254/latest/meta-data", "link-local"),
        ("http://100.64.0.1/", "carrier"),
        ("http://100.100.100.200/", "carrier"),
        ("http://168.63.129.16/", "metadata"),
        ("http://192.0.0.1/", "reserved"),
        ("http://198.18.0.1/", "reserved"),
        ("http://224.0.0.1/", "multicast"),
        ("http://255.255.255.255/", "reserved"),
        ("http://localhost/", "local network"),
        ("http://LOCALHOST./", "local network"),
        ("http://x.localhost/", "local network"),
        ("http://printer.local/", "local network"),
        ("http://metadata.google.internal/", "local network"),
    ] {
        check(url, Err(kind));
    }
}

#[test]
fn other_spellings_of_an_ipv4_address_are_seen_through() {
    for url in [
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.1/",
        "http://017700000001/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://127.0.0.1./",
        "http://１２７.0.0.1/",
        "http://127%2e0%2e0%2e1/",
    ] {
        check(url, Err("loopback"));
    }
}

#[test]
fn ipv6_forms_are_refused() {
    for (url, kind) in [
        ("http://[::]/", "unspecified"),
        ("http://[::1]/", "loopback"),
        ("http://[::ffff:127.0.0.1]/", "IPv4"),
        ("http://[::ffff:8.8.8.8]/", "IPv4"),
        ("http://[::127.0.0.1]/", "IPv4"),
        ("http://[::ffff:0:127.0.0.1]/", "IPv4"),
        ("http://[64:ff9b::7f00:1]/", "IPv4"),
        ("http://[64:ff9b:1::1]/", "IPv4"),
        ("http://[2002:7f00:1::]/", "IPv4"),
        ("http://[2001:0:7f00:1::]/", "reserved"),
        ("http://[2001:db8::1]/", "reserved"),
        ("http://[3fff::1]/", "reserved"),
        ("http://[fc00::1]/", "private"),
        ("http://[fd00:ec2::254]/", "private"),
        ("http://[fe80::1]/", "link-local"),
        ("http://[fec0::1]/", "reserved"),
        ("http://[ff02::1]/", "multicast"),
        ("http://[100::1]/", "reserved"),
    ] {
        check(url, Err(kind));
    }
}

#[test]
fn other_schemes_and_passwords_are_refused() {
    check("file:///etc/passwd", Err("only http"));
    check("ftp://example.com/", Err("only http"));
    check("http://me:secret@example.com/", Err("password"));
}

#[test]
fn an_endpoint_is_read_from_a_url() {
    assert_eq!(
        Endpoint::of("https://API.example.com/v1"),
        Some(Endpoint { host: "api.example.com".into(), port: 443 })
    );
    assert_eq!(Endpoint::of("http://[::1]:8080/"), Some(Endpoint { host: "::1".into(), port: 8080 }));
    assert_eq!(Endpoint::of("not a url"), None);
}
