//! Numbers as people write them: digits, Chinese numerals, English words.

/// A non-negative number in digits (with thousands separators), Chinese numerals or English words.
pub(crate) fn parse(text: &str) -> Option<f64> {
    let text = text.trim();
    digits(text).or_else(|| chinese(text)).or_else(|| english(text).map(|whole| whole as f64))
}

/// As [`parse`], but only whole numbers.
pub(crate) fn whole(text: &str) -> Option<i64> {
    let number = parse(text)?;
    (number.fract() == 0.0 && number < 9e15).then_some(number as i64)
}

fn digits(text: &str) -> Option<f64> {
    let plain: String = text.chars().filter(|c| *c != ',' && *c != '_').collect();
    let looks_right = plain.starts_with(|c: char| c.is_ascii_digit())
        && plain.chars().all(|c| c.is_ascii_digit() || c == '.');
    if looks_right { plain.parse().ok() } else { None }
}

/// Chinese numerals with an optional decimal part (`三点五`) and mixed forms (`3万`, `2千5`).
fn chinese(text: &str) -> Option<f64> {
    if let Some((before, after)) = text.split_once('点') {
        let mut value = chinese_whole(before)? as f64;
        let mut scale = 0.1;
        for c in after.chars() {
            value += f64::from(u32::try_from(chinese_digit(c)?).ok()?) * scale;
            scale /= 10.0;
        }
        return (!after.is_empty()).then_some(value);
    }
    if text == "半" {
        return Some(0.5);
    }
    chinese_whole(text).map(|whole| whole as f64)
}

/// A whole number in Chinese numerals: positional (`一百零五`, `两万三`) or digit by digit (`二〇二六`).
pub(crate) fn chinese_whole(text: &str) -> Option<i64> {
    let text = text.replace("廿", "二十").replace("卅", "三十");
    if text.is_empty() || text.chars().count() > 24 {
        return None;
    }
    if text.chars().all(|c| chinese_digit(c).is_some()) {
        return text.chars().try_fold(0i64, |sum, c| sum.checked_mul(10)?.checked_add(chinese_digit(c)?));
    }
    let (mut total, mut section, mut digit, mut last_unit) = (0i64, 0i64, None::<i64>, 1i64);
    let mut after_zero = false;
    for c in text.chars() {
        if let Some(value) = chinese_digit(c) {
            after_zero = value == 0;
            digit = Some(match digit {
                Some(high) if c.is_ascii_digit() => high.checked_mul(10)?.checked_add(value)?,
                Some(0) | None => value,
                Some(_) => return None,
            });
            continue;
        }
        let unit = chinese_unit(c)?;
        last_unit = unit;
        if unit >= 10_000 {
            section = section.checked_add(digit.take().unwrap_or(0))?;
            total = total.checked_add(section.max(1))?.checked_mul(unit)?;
            section = 0;
        } else {
            section = section.checked_add(digit.take().unwrap_or(1).checked_mul(unit)?)?;
        }
        after_zero = false;
    }
    // `两千三` is 2300, but `两千零三` is 2003 and `十三` is 13.
    let tail_scale =
        if last_unit >= 100 && !after_zero && !text.contains('零') { last_unit / 10 } else { 1 };
    let tail = digit.unwrap_or(0);
    let tail = if tail < 10 { tail.checked_mul(tail_scale)? } else { tail };
    total.checked_add(section)?.checked_add(tail)
}

fn chinese_digit(c: char) -> Option<i64> {
    Some(match c {
        '零' | '〇' | '○' => 0,
        '一' | '壹' | '幺' => 1,
        '二' | '两' | '贰' | '俩' => 2,
        '三' | '叁' | '仨' => 3,
        '四' | '肆' => 4,
        '五' | '伍' => 5,
        '六' | '陆' => 6,
        '七' | '柒' => 7,
        '八' | '捌' => 8,
        '九' | '玖' => 9,
        '0'..='9' => i64::from(c.to_digit(10)?),
        _ => return None,
    })
}

fn chinese_unit(c: char) -> Option<i64> {
    Some(match c {
        '十' | '拾' => 10,
        '百' | '佰' => 100,
        '千' | '仟' => 1_000,
        '万' => 10_000,
        '亿' => 100_000_000,
        _ => return None,
    })
}

/// A whole number in English words: `twenty-five`, `one hundred and five`, `a dozen`.
pub(crate) fn english(text: &str) -> Option<i64> {
    let (mut total, mut section, mut seen) = (0i64, 0i64, false);
    for word in text.split([' ', '-']).filter(|word| !word.is_empty()) {
        match word {
            "and" if seen => continue,
            "a" | "an" if !seen => section = 1,
            "hundred" if seen => section = section.max(1).checked_mul(100)?,
            "dozen" => section = section.max(1).checked_mul(12)?,
            "thousand" if seen => {
                total = total.checked_add(section.max(1).checked_mul(1_000)?)?;
                section = 0;
            }
            "million" if seen => {
                total = total.checked_add(section.max(1).checked_mul(1_000_000)?)?;
                section = 0;
            }
            _ => section = section.checked_add(english_word(word)?)?,
        }
        seen = true;
    }
    let alone_article = matches!(text.trim(), "a" | "an");
    (seen && !alone_article).then_some(total.checked_add(section)?)
}

fn english_word(word: &str) -> Option<i64> {
    const SMALL: [&str; 20] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    if let Some(value) = SMALL.iter().position(|small| *small == word) {
        return i64::try_from(value).ok();
    }
    if let Some(tens) = TENS.iter().position(|tens| *tens == word) {
        return i64::try_from((tens + 2) * 10).ok();
    }
    word.bytes().all(|byte| byte.is_ascii_digit()).then(|| word.parse().ok()).flatten()
}

#[cfg(test)]
mod tests;
