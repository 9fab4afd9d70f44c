//! The connection guard: which addresses may be reached when the address comes from outside.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;

/// A host and port that the operator named; the guard lets it pass.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Endpoint {
    /// The host, in lower case, as a URL shows it (an IPv6 address without its brackets).
    pub host: String,
    /// The port.
    pub port: u16,
}

impl Endpoint {
    /// The endpoint of a URL. None when it has no host or no known port.
    pub fn of(url: &str) -> Option<Self> {
        Self::of_url(&Url::parse(url).ok()?)
    }

    pub(crate) fn of_url(url: &Url) -> Option<Self> {
        let host = url.host_str()?.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        Some(Self { host, port: url.port_or_known_default()? })
    }
}

/// Checks an address that is written in a URL or that a name resolved to. The error says what kind it is.
///
/// Public is what IANA's special-purpose registries leave as globally reachable unicast. Forms that hide an IPv4
/// address in an IPv6 one (mapped, compatible, 6to4, NAT64, Teredo) are refused whatever they hide.
pub(crate) fn is_public(address: IpAddr) -> Result<(), &'static str> {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> Result<(), &'static str> {
    match address.octets() {
        [0, ..] => Err("an unspecified address"),
        [127, ..] => Err("a loopback address"),
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Err("a private address"),
        [100, 64..=127, ..] => Err("an address behind a carrier's NAT"),
        [169, 254, ..] => Err("a link-local address"),
        // Azure's virtual host; the other clouds' metadata services are link-local or private.
        [168, 63, 129, 16] => Err("a cloud's metadata address"),
        [192, 0, 0 | 2, _] | [192, 88, 99, _] | [198, 18 | 19, ..] | [198, 51, 100, _] | [203, 0, 113, _] => {
            Err("a reserved address")
        }
        [224..=239, ..] => Err("a multicast address"),
        [240..=255, ..] => Err("a reserved address"),
        _ => Ok(()),
    }
}

fn is_public_v6(address: Ipv6Addr) -> Result<(), &'static str> {
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => Err("an unspecified address"),
        [0, 0, 0, 0, 0, 0, 0, 1] => Err("a loopback address"),
        [0, 0, 0, 0, 0, 0 | 0xffff, ..] | [0, 0, 0, 0, 0xffff, 0, ..] | [0x64, 0xff9b, ..] | [0x2002, ..] => {
            Err("an IPv4 address in an IPv6 one")
        }
        [0xfc00..=0xfdff, ..] => Err("a private address"),
        [0xfe80..=0xfebf, ..] => Err("a link-local address"),
        [0xff00..=0xffff, ..] => Err("a multicast address"),
        // 2001::/23 holds Teredo, benchmarking and ORCHID; 2001:db8::/32 and 3fff::/20 are for documents.
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Err("a reserved address"),
        [0x2000..=0x3fff, ..] => Ok(()),
        _ => Err("a reserved address"),
    }
}

/// Checks what can be checked of a URL before its name is looked up.
pub(crate) fn check_url(url: &Url) -> Result<(), String> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("only http and https addresses can be read, not {}:", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("an address with a name or password in it is not opened".to_owned());
    }
    let Some(Endpoint { host, .. }) = Endpoint::of_url(url) else {
        return Err("the address has no host".to_owned());
    };
    if let Ok(address) = host.parse::<IpAddr>() {
        return is_public(address).map_err(|kind| refusal(&host, kind));
    }
    let name = host.trim_end_matches('.');
    let is_local = |suffix: &str| name == suffix || name.ends_with(&format!(".{suffix}"));
    if ["localhost", "local", "internal", "home.arpa"].into_iter().any(is_local) {
        return Err(refusal(&host, "a name of the local network"));
    }
    Ok(())
}

/// The sentence for a refused host.
pub(crate) fn refusal(host: &str, kind: &str) -> String {
    format!("{host} is {kind}; only public addresses are opened")
}

#[cfg(test)]
mod tests;
