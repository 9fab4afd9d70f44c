//! Numbers in digits, Chinese and English.

use super::*;

#[test]
fn numbers_as_they_are_said() {
    for (said, value) in [
        ("0", 0.0),
        ("12", 12.0),
        ("1,000", 1000.0),
        ("1.5", 1.5),
        ("零", 0.0),
        ("十", 10.0),
        ("十五", 15.0),
        ("二十", 20.0),
        ("二十三", 23.0),
        ("一百零五", 105.0),
        ("一百一", 110.0),
        ("两千三", 2300.0),
        ("两千零三", 2003.0),
        ("三万五", 35_000.0),
        ("一万零五", 10_005.0),
        ("二〇二六", 2026.0),
        ("两亿", 2e8),
        ("三点五", 3.5),
        ("半", 0.5),
        ("3万", 30_000.0),
        ("廿一", 21.0),
        ("five", 5.0),
        ("twenty-five", 25.0),
        ("one hundred and five", 105.0),
        ("two thousand", 2000.0),
        ("a dozen", 12.0),
        ("three million", 3e6),
    ] {
        assert_eq!(parse(said), Some(value), "{said}");
    }
    for said in ["", "abc", "一一十", "a", "五百百百百百百百百百百百百百百百百百百百百百百百百百"]
    {
        assert_eq!(parse(said), None, "{said}");
    }
}
