//! Signatures of bodies: HMAC-SHA256 (RFC 2104), written `sha256=` and hexadecimal digits, as most webhooks do.

use hmac::{Hmac, Mac};
use sha2::Sha256;

/// The signature of a body.
pub(crate) fn sign(secret: &str, body: &[u8]) -> String {
    let mut text = String::from("sha256=");
    for byte in keyed(secret, body).finalize().into_bytes() {
        text.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
        text.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
    }
    text
}

/// Whether it is the signature of the body, in a time that does not tell how much of it is right.
pub(crate) fn is_signed(secret: &str, body: &[u8], signature: &str) -> bool {
    let digits = signature.trim().strip_prefix("sha256=");
    digits.and_then(unhex).is_some_and(|given| keyed(secret, body).verify_slice(&given).is_ok())
}

#[allow(clippy::expect_used, reason = "HMAC takes a key of any length")]
fn keyed(secret: &str, body: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key of any length");
    mac.update(body);
    mac
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let nibbles: Option<Vec<u32>> = digits.chars().map(|digit| digit.to_digit(16)).collect();
    let (pairs, rest) = nibbles.as_deref()?.as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| u8::try_from(high * 16 + low).ok());
    if rest.is_empty() { bytes.collect() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_that_of_rfc_4231() {
        // Test case 2 of RFC 4231.
        let expected = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(sign("Jefe", b"what do ya want for nothing?"), expected);
        assert!(is_signed("Jefe", b"what do ya want for nothing?", expected));
        assert!(is_signed("Jefe", b"what do ya want for nothing?", &expected.replace("bdcc", "BDCC")));
    }

    #[test]
    fn anything_else_is_not_a_signature() {
        let good = sign("secret", b"body");
        for bad in [
            "",
            "sha256=",
            "sha256=zz",
            "sha1=00",
            &good[7..],
            &good[..good.len() - 1],
            &good[..good.len() - 2],
        ] {
            assert!(!is_signed("secret", b"body", bad), "{bad}");
        }
        assert!(!is_signed("secret", b"other", &good));
        assert!(!is_signed("other", b"body", &good));
    }
}
