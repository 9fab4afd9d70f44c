//! A small exact calculator: fractions of whole numbers, so `0.1 + 0.2` is `0.3`.

use super::number;
use super::pattern::Pattern;

/// What came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) text: String,
    /// Whether `text` is the whole value.
    pub(crate) exact: bool,
}

/// Why nothing came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    DivisionByZero,
    TooLarge,
}

/// Longer sums are not worked out.
const TOKENS_MAX: usize = 200;
/// Deeper brackets are not worked out.
const DEPTH_MAX: usize = 32;
/// Decimals shown of a value that has more.
const DECIMALS: usize = 10;

/// Works out a text that is a sum and nothing else; none if it is not one.
pub(crate) fn evaluate(image: &str) -> Option<Result<Sum, Trouble>> {
    let image = POWER.regex().replace_all(image, "^($n)");
    let tokens = tokens(&image)?;
    let works = tokens.iter().any(|token| !matches!(token, Token::Number(_) | Token::Open | Token::Close));
    if !works || tokens.len() < 2 {
        return None;
    }
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0 };
    let value = match parser.sum() {
        Ok(value) => value,
        Err(Stop::Trouble(trouble)) => return Some(Err(trouble)),
        Err(Stop::NoSum) => return None,
    };
    (parser.at == tokens.len()).then(|| Ok(value.show()))
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token {
    Number(Fraction),
    Plus,
    Minus,
    Times,
    Over,
    /// `4 除 12`: the other way round.
    Under,
    Modulo,
    Power,
    Percent,
    /// `百分之十五`, `20%的`: percent of what follows.
    PercentOf,
    Root,
    Squared,
    Cubed,
    Half,
    Open,
    Close,
}

/// Words before shorter ones that they contain.
const WORDS: &[(&str, &[Token])] = &[
    ("multiplied by", &[Token::Times]),
    ("divided by", &[Token::Over]),
    ("to the power of", &[Token::Power]),
    ("the square root of", &[Token::Root]),
    ("square root of", &[Token::Root]),
    ("sqrt", &[Token::Root]),
    ("percent of", &[Token::PercentOf]),
    ("per cent of", &[Token::PercentOf]),
    ("% of", &[Token::PercentOf]),
    ("percent", &[Token::Percent]),
    ("half of", &[Token::Half]),
    ("squared", &[Token::Squared]),
    ("cubed", &[Token::Cubed]),
    ("plus", &[Token::Plus]),
    ("add", &[Token::Plus]),
    ("and", &[Token::Plus]),
    ("minus", &[Token::Minus]),
    ("less", &[Token::Minus]),
    ("times", &[Token::Times]),
    ("over", &[Token::Over]),
    ("modulo", &[Token::Modulo]),
    ("mod", &[Token::Modulo]),
    ("x", &[Token::Times]),
    ("加上", &[Token::Plus]),
    ("加", &[Token::Plus]),
    ("减去", &[Token::Minus]),
    ("减掉", &[Token::Minus]),
    ("减", &[Token::Minus]),
    ("乘以", &[Token::Times]),
    ("乘上", &[Token::Times]),
    ("乘", &[Token::Times]),
    ("除以", &[Token::Over]),
    ("除", &[Token::Under]),
    ("的平方根", &[Token::Power]),
    ("的平方", &[Token::Squared]),
    ("的立方", &[Token::Cubed]),
    ("的一半", &[Token::Over]),
    ("根号", &[Token::Root]),
    ("开方", &[Token::Power]),
    ("%的", &[Token::PercentOf]),
    ("**", &[Token::Power]),
    ("+", &[Token::Plus]),
    ("-", &[Token::Minus]),
    ("*", &[Token::Times]),
    ("×", &[Token::Times]),
    ("·", &[Token::Times]),
    ("/", &[Token::Over]),
    ("÷", &[Token::Over]),
    ("^", &[Token::Power]),
    ("%", &[Token::Percent]),
    ("√", &[Token::Root]),
    ("²", &[Token::Squared]),
    ("³", &[Token::Cubed]),
    ("(", &[Token::Open]),
    (")", &[Token::Close]),
];

/// `10的3次方`.
static POWER: Pattern = Pattern::new(r"的(?P<n>\d+|[一二三四五六七八九十]+)次(?:方|幂)");

fn tokens(image: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = image.trim_start();
    while !rest.is_empty() {
        if tokens.len() > TOKENS_MAX {
            return None;
        }
        if let Some(after) = rest.strip_prefix("百分之") {
            let (number, after) = leading_number(after)?;
            tokens.extend([Token::Number(number), Token::Percent]);
            rest = after.strip_prefix('的').unwrap_or(after).trim_start();
            continue;
        }
        if let Some((number, after)) = leading_number(rest) {
            tokens.push(Token::Number(number));
            let of = skip_of(after);
            if of.len() < after.len() && leading_number(of.trim_start()).is_some() {
                tokens.push(Token::Times);
            }
            rest = of.trim_start();
            continue;
        }
        let (word, said) = WORDS.iter().find(|(word, _)| rest.starts_with(word))?;
        let whole_word = !word.ends_with(|c: char| c.is_ascii_alphabetic())
            || !rest[word.len()..].starts_with(|c: char| c.is_ascii_alphabetic());
        if !whole_word {
            return None;
        }
        match *word {
            "的平方根" | "开方" => tokens.extend([Token::Power, Token::Number(Fraction::of(1, 2)?)]),
            "的一半" => tokens.extend([Token::Over, Token::Number(Fraction::of(2, 1)?)]),
            _ => tokens.extend_from_slice(said),
        }
        rest = rest[word.len()..].trim_start();
    }
    percent_of(&mut tokens);
    Some(tokens)
}

/// `百分之十五 的 80` has no word between, so a percentage right before a number is one of it.
fn percent_of(tokens: &mut [Token]) {
    for at in 1..tokens.len().saturating_sub(1) {
        if tokens[at] == Token::Percent && matches!(tokens[at + 1], Token::Number(_) | Token::Open) {
            tokens[at] = Token::PercentOf;
        }
    }
}

/// A number at the beginning, and what follows. Digits, Chinese numerals or English words.
fn leading_number(text: &str) -> Option<(Fraction, &str)> {
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(text.len());
    if digits > 0 && text.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        let said = text[..digits].trim_end_matches([',', '.']);
        let after = &text[said.len()..];
        let number = Fraction::parse(&said.replace(',', ""))?;
        let scale = [("万", 10_000), ("千", 1_000), ("百", 100), ("亿", 100_000_000)];
        if let Some((unit, size)) = scale.iter().find(|(unit, _)| after.starts_with(unit)) {
            return Some((number.times(Fraction::of(*size, 1)?).ok()?, &after[unit.len()..]));
        }
        return Some((number, after));
    }
    let is_numeral = |c: char| "零〇一二两三四五六七八九十百千万亿点".contains(c);
    let han = text.find(|c: char| !is_numeral(c)).unwrap_or(text.len());
    if han > 0 {
        return Some((chinese(&text[..han])?, &text[han..]));
    }
    english_number(text)
}

/// `80的` and `80` mean the same before an operator that says what is done with it.
fn skip_of(after: &str) -> &str {
    let keeps = ["的平方", "的立方", "的一半"].iter().any(|word| after.starts_with(word));
    if keeps { after } else { after.strip_prefix('的').unwrap_or(after) }
}

fn chinese(text: &str) -> Option<Fraction> {
    match text.split_once('点') {
        None => Fraction::of(i128::from(number::chinese_whole(text)?), 1),
        Some((before, after)) => {
            let digits: String = after
                .chars()
                .map(|c| number::chinese_whole(&c.to_string()).map(|digit| digit.to_string()))
                .collect::<Option<_>>()?;
            Fraction::parse(&format!("{}.{digits}", number::chinese_whole(before)?))
        }
    }
}

/// The longest run of words that is a number.
fn english_number(text: &str) -> Option<(Fraction, &str)> {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let ends: Vec<usize> = text.match_indices(' ').map(|(at, _)| at).chain([text.len()]).take(8).collect();
    ends.into_iter().rev().find_map(|end| {
        let words = &text[..end];
        if words.ends_with("and") || words.starts_with("and") {
            return None;
        }
        // `two and two` is a sum, `one hundred and five` is a number.
        if words.contains(" and ") && !words.contains("hundred") && !words.contains("thousand") {
            return None;
        }
        let value = number::english(words)?;
        Some((Fraction::of(i128::from(value), 1)?, &text[end..]))
    })
}

/// Why a run of tokens is given up.
enum Stop {
    NoSum,
    Trouble(Trouble),
}

impl From<Trouble> for Stop {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    fn take(&mut self, token: Token) -> bool {
        let there = self.peek() == Some(token);
        self.at += usize::from(there);
        there
    }

    fn sum(&mut self) -> Result<Fraction, Stop> {
        let mut value = self.product()?;
        loop {
            let minus = match self.peek() {
                Some(Token::Plus) => false,
                Some(Token::Minus) => true,
                _ => return Ok(value),
            };
            self.at += 1;
            let other = self.product()?;
            value = value.plus(if minus { other.negated() } else { other })?;
        }
    }

    fn product(&mut self) -> Result<Fraction, Stop> {
        let mut value = self.signed()?;
        loop {
            let Some(token) = self.peek() else { return Ok(value) };
            value = match token {
                Token::Times => {
                    self.at += 1;
                    value.times(self.signed()?)?
                }
                Token::Over => {
                    self.at += 1;
                    value.over(self.signed()?)?
                }
                Token::Under => {
                    self.at += 1;
                    self.signed()?.over(value)?
                }
                Token::Modulo => {
                    self.at += 1;
                    value.modulo(self.signed()?)?
                }
                Token::PercentOf => {
                    self.at += 1;
                    value.percent()?.times(self.signed()?)?
                }
                _ => return Ok(value),
            };
        }
    }

    fn signed(&mut self) -> Result<Fraction, Stop> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(Stop::NoSum);
        }
        let value = if self.take(Token::Minus) {
            self.signed()?.negated()
        } else if self.take(Token::Plus) {
            self.signed()?
        } else if self.take(Token::Root) {
            self.signed()?.root()?
        } else if self.take(Token::Half) {
            self.signed()?.over(Fraction { top: 2, bottom: 1 })?
        } else {
            self.power()?
        };
        self.depth -= 1;
        Ok(value)
    }

    fn power(&mut self) -> Result<Fraction, Stop> {
        let mut value = self.atom()?;
        loop {
            let Some(token) = self.peek() else { return Ok(value) };
            value = match token {
                Token::Percent => {
                    self.at += 1;
                    value.percent()?
                }
                Token::Squared => {
                    self.at += 1;
                    value.times(value)?
                }
                Token::Cubed => {
                    self.at += 1;
                    value.times(value)?.times(value)?
                }
                Token::Power => {
                    self.at += 1;
                    let exponent = self.signed()?;
                    if exponent == (Fraction { top: 1, bottom: 2 }) {
                        value.root()?
                    } else {
                        value.power(exponent)?
                    }
                }
                _ => return Ok(value),
            };
        }
    }

    fn atom(&mut self) -> Result<Fraction, Stop> {
        match self.peek() {
            Some(Token::Number(value)) => {
                self.at += 1;
                Ok(value)
            }
            Some(Token::Open) => {
                self.at += 1;
                let value = self.sum()?;
                if self.take(Token::Close) { Ok(value) } else { Err(Stop::NoSum) }
            }
            _ => Err(Stop::NoSum),
        }
    }
}

/// A fraction in lowest terms with a positive bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fraction {
    top: i128,
    bottom: i128,
}

impl Fraction {
    fn of(top: i128, bottom: i128) -> Option<Self> {
        let divisor = gcd(top.checked_abs()?, bottom.checked_abs()?).max(1);
        let sign = bottom.signum();
        (sign != 0).then(|| Self { top: top / divisor * sign, bottom: bottom / divisor * sign })
    }

    fn parse(text: &str) -> Option<Self> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let scale = 10i128.checked_pow(u32::try_from(decimals.len()).ok()?)?;
        let whole = if whole.is_empty() { 0 } else { whole.parse::<i128>().ok()? };
        let part = if decimals.is_empty() { 0 } else { decimals.parse::<i128>().ok()? };
        Self::of(whole.checked_mul(scale)?.checked_add(part)?, scale)
    }

    fn plus(self, other: Self) -> Result<Self, Trouble> {
        let top = self
            .top
            .checked_mul(other.bottom)
            .zip(other.top.checked_mul(self.bottom))
            .and_then(|(a, b)| a.checked_add(b));
        Self::made(top, self.bottom.checked_mul(other.bottom))
    }

    fn times(self, other: Self) -> Result<Self, Trouble> {
        // Crosswise first, so that products stay small.
        let (one, two) = (
            gcd(self.top.unsigned_abs() as i128, other.bottom).max(1),
            gcd(other.top.unsigned_abs() as i128, self.bottom).max(1),
        );
        Self::made(
            (self.top / one).checked_mul(other.top / two),
            (self.bottom / two).checked_mul(other.bottom / one),
        )
    }

    fn over(self, other: Self) -> Result<Self, Trouble> {
        if other.top == 0 {
            return Err(Trouble::DivisionByZero);
        }
        self.times(Self {
            top: other.bottom * other.top.signum(),
            bottom: other.top.checked_abs().ok_or(Trouble::TooLarge)?,
        })
    }

    fn modulo(self, other: Self) -> Result<Self, Trouble> {
        let quotient = self.over(other)?;
        let whole = Self { top: quotient.top.div_euclid(quotient.bottom), bottom: 1 };
        self.plus(whole.times(other)?.negated())
    }

    fn percent(self) -> Result<Self, Trouble> {
        self.times(Self { top: 1, bottom: 100 })
    }

    fn negated(self) -> Self {
        Self { top: -self.top, bottom: self.bottom }
    }

    fn power(self, exponent: Self) -> Result<Self, Stop> {
        if exponent.bottom != 1 {
            return Err(Stop::NoSum);
        }
        let times = u32::try_from(exponent.top.unsigned_abs()).map_err(|_| Trouble::TooLarge)?;
        let value = Self {
            top: self.top.checked_pow(times).ok_or(Trouble::TooLarge)?,
            bottom: self.bottom.checked_pow(times).ok_or(Trouble::TooLarge)?,
        };
        if exponent.top < 0 { Ok(Self { top: 1, bottom: 1 }.over(value)?) } else { Ok(value) }
    }

    /// The square root, exact for squares, otherwise to ten decimals.
    fn root(self) -> Result<Self, Stop> {
        if self.top < 0 {
            return Err(Stop::NoSum);
        }
        let (top, bottom) = (self.top.isqrt(), self.bottom.isqrt());
        if top * top == self.top && bottom * bottom == self.bottom {
            return Ok(Self { top, bottom });
        }
        const SCALE: i128 = 1_000_000_000_000;
        let scaled =
            self.top.checked_mul(SCALE).and_then(|top| top.checked_mul(SCALE)).ok_or(Trouble::TooLarge)?
                / self.bottom;
        // One unit in the last place keeps it from looking exact.
        Self::of(scaled.isqrt() * 3 + 1, SCALE * 3).ok_or(Stop::Trouble(Trouble::TooLarge))
    }

    fn made(top: Option<i128>, bottom: Option<i128>) -> Result<Self, Trouble> {
        top.zip(bottom).and_then(|(top, bottom)| Self::of(top, bottom)).ok_or(Trouble::TooLarge)
    }

    fn show(self) -> Sum {
        let sign = if self.top < 0 { "-" } else { "" };
        let (whole, mut rest) = (self.top.abs() / self.bottom, self.top.abs() % self.bottom);
        let mut decimals = String::new();
        while rest != 0 && decimals.len() < DECIMALS {
            let Some(shifted) = rest.checked_mul(10) else { break };
            decimals.push(char::from(b'0' + u8::try_from(shifted / self.bottom).unwrap_or(0)));
            rest = shifted % self.bottom;
        }
        let exact = rest == 0;
        let decimals = if exact { decimals.trim_end_matches('0').to_owned() } else { decimals };
        let point = if decimals.is_empty() { "" } else { "." };
        Sum { text: format!("{sign}{whole}{point}{decimals}"), exact }
    }
}

fn gcd(one: i128, other: i128) -> i128 {
    let (mut one, mut other) = (one, other);
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

#[cfg(test)]
mod tests;
