//! English expressions of time.

use std::ops::Range;

use jiff::civil::Weekday;
use regex::Captures;

use super::chinese::months;
use super::{Clock, Day, Length, Part, Piece, Reading, Says};
use crate::offline::number;
use crate::offline::pattern::Pattern;

/// Everything in the image that speaks of time.
pub(super) fn pieces(image: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    for (pattern, read) in READERS.iter().filter(|(pattern, _)| pattern.suits(image)) {
        found.extend(pattern.regex().captures_iter(image).filter_map(|captures| {
            let span = captures.name("all").or_else(|| captures.get(0))?.range();
            Some(Piece { span, says: read(&captures)? })
        }));
    }
    found
}

/// A bare length of time.
pub(super) fn length(image: &str) -> Option<(Range<usize>, Length)> {
    let found = LENGTH.regex().find(image)?;
    amounts(found.as_str()).map(|length| (found.range(), length))
}

type Read = fn(&Captures<'_>) -> Option<Says>;

const READERS: &[(&Pattern, Read)] = &[
    (&AFTER, |captures| amounts(&captures["len"]).map(Says::After)),
    (&LATER, |captures| amounts(&captures["len"]).map(Says::After)),
    (&IN_BARE, |captures| {
        Some(Says::After(Length { months: 0, seconds: number::parse(&captures["n"])? * 60.0 }))
    }),
    (&DAY, relative_day),
    (&WEEKDAY, weekday),
    (&DATE, date),
    (&DIGITAL, digital),
    (&HOUR, hour),
    (&FOR_HOUR, hour),
    (&FRACTION, fraction),
    (&NAMED, named),
    (&PART, |captures| part_of(&captures["part"]).map(Says::Part)),
];

static AFTER: Pattern = Pattern::new(
    r"\b(?:in(?: about| around| exactly)?|after|within|for)\s+(?P<len>(?:another |the next )?(?:{amount})(?:(?:,? and |, | )(?:{amount}|a half|half|a quarter))*)(?:'s? time)?\b",
);
static LATER: Pattern = Pattern::new(
    r"\b(?P<len>(?:{amount})(?:(?:,? and |, | )(?:{amount}|a half|half))*) (?:from now|later|hence|from today)\b",
);
static LENGTH: Pattern = Pattern::new(r"\b(?:{amount})(?:(?:,? and |, | |)(?:{amount}|a half|half))*");
static IN_BARE: Pattern =
    Pattern::new(r"(?P<all>\bin (?P<n>\d{1,3}|ten|fifteen|twenty|thirty|five))(?:$|,| to\b| remind\b)");
static AMOUNT: Pattern = Pattern::new(
    r"\b(?P<hh>\d+)h ?(?P<mm>\d+)(?:m|mins?)?\b|(?P<and_half>(?:and )?a half$|\bhalf$)|(?P<quarter>\ba quarter$)|\b(?P<special>three quarters of an|three quarter|quarter of an|a quarter of an|quarter|half of an|half an|half a|a half|half|an? couple of|couple of|a few|several)[ -]*(?P<u1>{unit})|\b(?P<n>\d+(?:\.\d+)?|{words}|an? )(?P<nhalf> and a half)?[ -]*(?P<u2>{unit})(?P<ahalf> and a half)?",
);
static DAY: Pattern = Pattern::new(
    r"\b(?P<day>the day before yesterday|yesterday|last night|the day after tomorrow|day after tomorrow|today|tomorrow|tmrw|tmr|tomorow|tommorow|tonight|this morning|this afternoon|this evening|a week from now|next week|next month|in a week)\b",
);
static WEEKDAY: Pattern = Pattern::new(
    r"\b(?:on |by )?(?P<rel>next |this |this coming |coming |the )?(?P<day>mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|mon|tues?|wed|thurs?|fri|sat|sun|weekend)(?P<week> next week| week)?\b",
);
static DATE: Pattern = Pattern::both(
    r"\b(?P<iso>(?P<iy>\d{4})-(?P<im>\d{1,2})-(?P<id>\d{1,2}))(?:\b|t)|\b(?:on )?(?:the )?(?P<d1>\d{1,2})(?:st|nd|rd|th)?(?: of)? (?P<m1>{month})(?:,? (?P<y1>\d{4}))?\b|\b(?:on )?(?P<m2>{month}) (?:the )?(?P<d2>\d{1,2})(?:st|nd|rd|th)?(?:,? (?P<y2>\d{4}))?\b|\bon the (?P<od>\d{1,2})(?:st|nd|rd|th)\b",
);
static DIGITAL: Pattern = Pattern::both(
    r"(?:^|[^a-z0-9:.])(?P<all>(?:(?:at|by|around|about|for) |@ ?)?(?P<h>\d{1,2}):(?P<m>\d{2})(?::(?P<s>\d{2}))?(?:\s*(?P<ap>a\.m\.?|p\.m\.?|am|pm))?)(?:[^\d:a-z]|$)",
);
static HOUR: Pattern = Pattern::new(
    r"(?P<all>\b(?:(?P<at>at|by|around) )?(?P<h>\d{1,2}|{words})(?:[ .](?P<m>\d{2}|thirty|fifteen|twenty|forty-five|forty five|ten))?\s*(?:(?P<ap>am\b|pm\b|a\.m\.?|p\.m\.?)|(?P<oc>o'? ?clock)))|(?P<plain>\b(?:at|by|around|@) ?(?P<h2>\d{1,2}|{words})(?:[ .](?P<m2>\d{2}|thirty|fifteen|twenty|forty-five|forty five))?)(?:$|[^\w%$:./-]|[.,](?:\s|$))",
);
static FOR_HOUR: Pattern = Pattern::new(
    r"(?P<all>\bfor (?P<h>\d{1,2}|{words}))(?:$|[.,!]| (?:tomorrow|tonight|today|please|in the|on)\b)",
);
static FRACTION: Pattern = Pattern::new(
    r"\b(?:at |by )?(?:(?P<half>half) (?:past )?|(?P<quarter>(?:a )?quarter) (?P<q>past|to|after|before|till) |(?P<n>\d{1,2}|{words})(?: minutes?)? (?P<w>past|to|till) )(?P<h>\d{1,2}|{words})(?:\s*(?P<ap>am|pm|a\.m\.|p\.m\.))?(?:$|[^\w%$:-])",
);
static NAMED: Pattern = Pattern::new(r"\b(?:at |by |around )?(?P<name>noon|midday|midnight)\b");
static PART: Pattern = Pattern::new(
    r"\b(?:in the |at |this |by )?(?P<part>early morning|morning|lunch ?time|lunch|afternoon|evening|night|bed ?time|dawn)\b",
);

/// The sum of a run of amounts (`an hour and a half`, `1h 30m`).
fn amounts(text: &str) -> Option<Length> {
    let mut total: Option<Length> = None;
    let mut last_unit = 0.0;
    for captures in AMOUNT.regex().captures_iter(text) {
        let length = if let Some(hours) = captures.name("hh") {
            let minutes = number::parse(&captures["mm"])?;
            Length { months: 0, seconds: number::parse(hours.as_str())? * 3_600.0 + minutes * 60.0 }
        } else if captures.name("and_half").is_some() {
            Length { months: 0, seconds: last_unit * 0.5 }
        } else if captures.name("quarter").is_some() {
            Length { months: 0, seconds: last_unit * 0.25 }
        } else {
            let unit = captures.name("u1").or_else(|| captures.name("u2"))?.as_str();
            let count = count_of(&captures)?;
            let one = length_of(unit, 1.0)?;
            last_unit = one.seconds;
            length_of(unit, count)?
        };
        total = Some(total.unwrap_or_default().add(length));
    }
    total
}

fn count_of(captures: &Captures<'_>) -> Option<f64> {
    if let Some(special) = captures.name("special") {
        return Some(match special.as_str() {
            "three quarters of an" | "three quarter" => 0.75,
            "quarter of an" | "a quarter of an" | "quarter" => 0.25,
            "a few" | "several" => 3.0,
            word if word.ends_with("couple of") => 2.0,
            _ => 0.5,
        });
    }
    let count = match captures["n"].trim() {
        "a" | "an" => 1.0,
        said => number::parse(said)?,
    };
    let half = ["nhalf", "ahalf"].iter().any(|name| captures.name(name).is_some());
    Some(if half { count + 0.5 } else { count })
}

fn length_of(unit: &str, count: f64) -> Option<Length> {
    let seconds = match unit.trim_end_matches('s') {
        "" | "ec" | "sec" | "second" => 1.0,
        "m" | "min" | "minute" => 60.0,
        "h" | "hr" | "hour" => 3_600.0,
        "d" | "day" => 86_400.0,
        "w" | "week" | "wk" => 604_800.0,
        "fortnight" => 1_209_600.0,
        "month" => return Some(months(count)),
        "year" => return Some(months(count * 12.0)),
        _ => return None,
    };
    Some(Length { months: 0, seconds: count * seconds })
}

fn relative_day(captures: &Captures<'_>) -> Option<Says> {
    let (day, part) = match &captures["day"] {
        "the day before yesterday" => (Day::Offset(-2), None),
        "yesterday" | "last night" => (Day::Offset(-1), None),
        "today" => (Day::Offset(0), None),
        "tonight" => (Day::Offset(0), Some(Part::Night)),
        "this morning" => (Day::Offset(0), Some(Part::Morning)),
        "this afternoon" => (Day::Offset(0), Some(Part::Afternoon)),
        "this evening" => (Day::Offset(0), Some(Part::Evening)),
        "tomorrow" | "tmrw" | "tmr" | "tomorow" | "tommorow" => (Day::Offset(1), None),
        "the day after tomorrow" | "day after tomorrow" => (Day::Offset(2), None),
        "next month" => (Day::Months(1), None),
        _ => (Day::Offset(7), None),
    };
    Some(Says::Day(day, part))
}

fn weekday(captures: &Captures<'_>) -> Option<Says> {
    let word = &captures["day"];
    // Short forms are words of their own (`sat`, `sun`, `wed`), so they need something beside them.
    let preposition = captures.get(0).is_some_and(|all| all.as_str().len() > word.len());
    if word.len() <= 5 && !preposition && !matches!(word, "mon" | "tue" | "tues" | "thu" | "fri") {
        return None;
    }
    let weekday = match word.get(..3)? {
        "mon" => Weekday::Monday,
        "tue" => Weekday::Tuesday,
        "wed" => Weekday::Wednesday,
        "thu" => Weekday::Thursday,
        "fri" => Weekday::Friday,
        "sun" => Weekday::Sunday,
        _ => Weekday::Saturday,
    };
    let next =
        captures.name("rel").is_some_and(|rel| rel.as_str() == "next ") || captures.name("week").is_some();
    Some(Says::Day(if next { Day::WeekdayIn { weeks: 1, weekday } } else { Day::Weekday(weekday) }, None))
}

fn date(captures: &Captures<'_>) -> Option<Says> {
    let small = |name: &str| captures.name(name).and_then(|found| found.as_str().parse::<i8>().ok());
    if captures.name("iso").is_some() {
        let day = Day::Date { year: captures["iy"].parse().ok()?, month: small("im")?, day: small("id")? };
        return Some(Says::Day(day, None));
    }
    if let Some(day) = small("od") {
        return Some(Says::Day(Day::InMonth { months: 0, day }, None));
    }
    let month = month_of(captures.name("m1").or_else(|| captures.name("m2"))?.as_str())?;
    let day = small("d1").or_else(|| small("d2"))?;
    let year =
        captures.name("y1").or_else(|| captures.name("y2")).and_then(|year| year.as_str().parse().ok());
    Some(Says::Day(year.map_or(Day::InYear { month, day }, |year| Day::Date { year, month, day }), None))
}

fn month_of(word: &str) -> Option<i8> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let index = MONTHS.iter().position(|month| word.starts_with(month))?;
    i8::try_from(index + 1).ok()
}

fn reading_of(hour: i8, half_of_day: Option<&str>) -> Option<Reading> {
    match half_of_day.and_then(|half| half.chars().next()) {
        Some('a') if (1..=12).contains(&hour) => Some(Reading::Am),
        Some('p') if (1..=12).contains(&hour) => Some(Reading::Pm),
        Some(_) if hour > 12 => Some(Reading::Exact),
        Some(_) => None,
        None if hour == 0 || hour > 12 => Some(Reading::Exact),
        None => Some(Reading::TwelveHour),
    }
}

fn digital(captures: &Captures<'_>) -> Option<Says> {
    let hour: i8 = captures["h"].parse().ok().filter(|hour| (0..=24).contains(hour))?;
    let minute: i8 = captures["m"].parse().ok().filter(|minute| *minute < 60)?;
    let second = captures.name("s").map_or(Some(0), |second| second.as_str().parse().ok())?;
    let reading = match reading_of(hour, captures.name("ap").map(|half| half.as_str()))? {
        Reading::TwelveHour if captures["h"].starts_with('0') => Reading::Exact,
        reading => reading,
    };
    Some(Says::Clock(Clock { hour, minute, second, reading }, None))
}

fn hour(captures: &Captures<'_>) -> Option<Says> {
    let said = captures.name("h").or_else(|| captures.name("h2"))?.as_str();
    let hour = i8::try_from(number::whole(said)?).ok().filter(|hour| (0..=24).contains(hour))?;
    let minute = match captures.name("m").or_else(|| captures.name("m2")) {
        None => 0,
        Some(minute) => i8::try_from(number::whole(minute.as_str())?).ok().filter(|minute| *minute < 60)?,
    };
    let reading = reading_of(hour, captures.name("ap").map(|half| half.as_str()))?;
    Some(Says::Clock(Clock { hour, minute, second: 0, reading }, None))
}

fn fraction(captures: &Captures<'_>) -> Option<Says> {
    let hour = i8::try_from(number::whole(&captures["h"])?).ok().filter(|hour| (1..=24).contains(hour))?;
    let word = captures.name("q").or_else(|| captures.name("w")).map_or("past", |word| word.as_str());
    let minutes = if captures.name("half").is_some() {
        30
    } else if captures.name("quarter").is_some() {
        15
    } else {
        i8::try_from(number::whole(&captures["n"])?).ok().filter(|minute| (1..60).contains(minute))?
    };
    let reading = reading_of(hour, captures.name("ap").map(|half| half.as_str()))?;
    let (hour, minute) = match word {
        "to" | "before" | "till" => (if hour == 1 { 12 } else { hour - 1 }, 60 - minutes),
        _ => (hour, minutes),
    };
    Some(Says::Clock(Clock { hour, minute, second: 0, reading }, None))
}

fn named(captures: &Captures<'_>) -> Option<Says> {
    let hour = if &captures["name"] == "midnight" { 24 } else { 12 };
    Some(Says::Clock(Clock { hour, minute: 0, second: 0, reading: Reading::Exact }, None))
}

fn part_of(word: &str) -> Option<Part> {
    Some(match word {
        "early morning" | "dawn" => Part::Dawn,
        "morning" => Part::Morning,
        "lunch" | "lunchtime" | "lunch time" => Part::Noon,
        "afternoon" => Part::Afternoon,
        "evening" => Part::Evening,
        "night" | "bedtime" | "bed time" => Part::Night,
        _ => return None,
    })
}
