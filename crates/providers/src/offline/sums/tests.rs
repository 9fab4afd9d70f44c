//! The calculator.

use proptest::prelude::*;

use super::*;

fn result(said: &str) -> String {
    match evaluate(said) {
        Some(Ok(sum)) => sum.text,
        Some(Err(trouble)) => format!("{trouble:?}"),
        None => "none".into(),
    }
}

#[test]
fn sums() {
    for (said, value) in [
        ("1+2*3", "7"),
        ("(1+2)*3", "9"),
        ("2^3^2", "512"),
        ("-5 + 3", "-2"),
        ("10 - -2", "12"),
        ("1/8", "0.125"),
        ("0.1+0.2", "0.3"),
        ("15% of 80", "12"),
        ("80的15%", "12"),
        ("百分之二十的50", "10"),
        ("三十七加五", "42"),
        ("4除12", "3"),
        ("12除以4", "3"),
        ("2**10", "1024"),
        ("√2", "1.4142135623"),
        ("9的平方根", "3"),
        ("10的3次方", "1000"),
        ("7 mod 3", "1"),
        ("50的一半", "25"),
        ("1/0", "DivisionByZero"),
        ("10^100", "TooLarge"),
        ("5", "none"),
        ("", "none"),
        ("1+", "none"),
        ("(1", "none"),
        ("hello", "none"),
        ("x", "none"),
        ("100-37", "63"),
    ] {
        assert_eq!(result(said), value, "{said}");
    }
}

proptest! {
    /// Nothing brings it down.
    #[test]
    fn never_panics(said in "[0-9+*/().%^ 一二三十百千万加减乘除以的-]{0,40}") {
        let _ = evaluate(&said);
    }

    /// It agrees with the machine on what the machine can do.
    #[test]
    fn agrees_with_integers(a in -10_000i64..10_000, b in 1i64..10_000, c in -10_000i64..10_000) {
        prop_assert_eq!(result(&format!("{a} + {b} * ({c})")), (a + b * c).to_string());
        prop_assert_eq!(result(&format!("({a} * {b}) / {b}")), a.to_string());
    }
}
