//! Chinese expressions of time.

use std::ops::Range;

use jiff::civil::Weekday;
use regex::Captures;

use super::{Clock, Day, Length, Part, Piece, Reading, Says};
use crate::offline::number;
use crate::offline::pattern::Pattern;

/// Everything in the image that speaks of time.
pub(super) fn pieces(image: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    found.extend(all(&AFTER, image, |captures| amounts(&captures["len"]).map(Says::After)));
    found.extend(all(&DAYS_AWAY, image, |captures| {
        number::whole(&captures["n"]).map(|n| Says::Day(Day::Offset(n), None))
    }));
    found.extend(all(&DAY, image, relative_day));
    found.extend(all(&WEEKDAY, image, weekday));
    found.extend(all(&DATE, image, date));
    found.extend(
        all(&CLOCK, image, clock)
            .into_iter()
            .filter(|piece| !is_little(image, piece))
            .map(|piece| after_day(image, piece)),
    );
    found.extend(all(&DIGITAL, image, digital).into_iter().map(|piece| after_day(image, piece)));
    found.extend(all(&PASSING, image, |captures| amounts(&captures["len"]).map(Says::After)));
    found.extend(all(&MONTH_END, image, month_end));
    found.extend(all(&PART, image, |captures| part_of(&captures["part"]).map(Says::Part)));
    found
}

/// A bare length of time.
pub(super) fn length(image: &str) -> Option<(Range<usize>, Length)> {
    let found = BARE.regex().find(image)?;
    amounts(found.as_str()).map(|length| (found.range(), length))
}

fn all(pattern: &'static Pattern, image: &str, read: impl Fn(&Captures<'_>) -> Option<Says>) -> Vec<Piece> {
    if !pattern.suits(image) {
        return Vec::new();
    }
    let whole =
        |captures: &Captures<'_>| captures.name("all").or_else(|| captures.get(0)).map(|whole| whole.range());
    pattern
        .regex()
        .captures_iter(image)
        .filter_map(|captures| Some(Piece { span: whole(&captures)?, says: read(&captures)? }))
        .collect()
}

/// `有一点累` says a little, not one o'clock.
fn is_little(image: &str, piece: &Piece) -> bool {
    const BEFORE: [char; 14] =
        ['有', '快', '多', '少', '慢', '好', '大', '小', '差', '高', '低', '轻', '这', '那'];
    matches!(&image[piece.span.clone()], "一点" | "1点") && image[..piece.span.start].ends_with(BEFORE)
}

/// In `今晚9点` the `晚` belongs to the day.
fn after_day(image: &str, mut piece: Piece) -> Piece {
    let after_day = image[..piece.span.start].ends_with(['今', '明', '昨']);
    let first =
        image[piece.span.clone()].chars().next().filter(|first| after_day && "早晚夜晨".contains(*first));
    piece.span.start += first.map_or(0, char::len_utf8);
    piece
}

static AMOUNT: Pattern = Pattern::new(
    r"(?P<n>\d+(?:\.\d+)?|[零一二两三四五六七八九十百]+(?:点[一二三四五六七八九]+)?|几|半)\s*(?:个|來)?\s*(?P<half>半)?\s*(?P<unit>秒钟|秒|分钟|分|刻钟|刻|小时|钟头|天|日|周|星期|礼拜|月|年|mins?|min|hours?|hrs?|h|secs?|s)(?P<more>半)?",
);
static BARE: Pattern = Pattern::new(
    r"(?:(?:\d+(?:\.\d+)?|[零一二两三四五六七八九十百]+(?:点[一二三四五六七八九]+)?|几|半)\s*个?\s*半?\s*(?:秒钟|秒|分钟|刻钟|小时|钟头|天|周|星期|礼拜)半?[\s零又加]*(?:\d+分(?:半|\b)?)?)+",
);
static AFTER: Pattern = Pattern::new(
    r"(?:(?:再?过|等|再等)\s*(?P<pre>))?(?P<len>(?:(?:\d+(?:\.\d+)?|[零一二两三四五六七八九十百]+(?:点[一二三四五六七八九]+)?|几|半)\s*个?\s*半?\s*(?:秒钟|秒|分钟|分|刻钟|小时|钟头|天|日|周|星期|礼拜|月|年|mins?|hours?|hrs?|h|secs?|s)半?[\s零又加,]*)+)\s*(?:之后|以后|过后|后|(?P<then>的时候|时))",
);
static PASSING: Pattern = Pattern::new(
    r"(?:再?过|等|再等|隔)\s*(?P<len>(?:(?:\d+(?:\.\d+)?|[零一二两三四五六七八九十百]+(?:点[一二三四五六七八九]+)?|半)\s*个?\s*半?\s*(?:秒钟|秒|分钟|刻钟|小时|钟头)半?[\s零又加]*)+)(?:之后|以后|后)?",
);
static DAYS_AWAY: Pattern = Pattern::new(r"(?:再?过)(?P<n>\d+|[一二两三四五六七八九十]+)天");
static DAY: Pattern = Pattern::new(
    r"(?P<day>大后天|大后日|昨天|昨日|昨晚|前天|今天|今日|今儿|明天|明日|明儿|后天|后日|今早|今晨|今晚|今夜|明早|明晨|明晚|明夜|后晚)(?P<part>个)?",
);
static WEEKDAY: Pattern = Pattern::new(
    r"(?P<rel>下+|这|本)?(?:一?个)?(?:周|星期|礼拜)(?P<day>[一二三四五六日天末1-6])|(?P<bare>下+)(?:一?个)?(?:周|星期|礼拜)|(?P<wkend>周末)|(?P<mon>下+)(?:一?个)?月(?:\s|$|提|叫|的)",
);
static DATE: Pattern = Pattern::both(
    r"(?P<iso>(?P<iy>\d{4})[-/.](?P<im>\d{1,2})[-/.](?P<id>\d{1,2}))|(?:(?P<y>\d{4}|[二〇零一三四五六七八九]{4}|明|今)年)?\s*(?P<m>\d{1,2}|[一二三四五六七八九十]{1,3})月\s*(?P<d>\d{1,2}|[一二三四五六七八九十]{1,3})(?:日|号)?|(?P<rel>下+|这|本)个?月\s*(?P<rd>\d{1,2}|[一二三四五六七八九十]{1,3})(?:日|号)|(?P<all>(?P<od>\d{1,2}|[一二三四五六七八九十]{1,3})号)(?:[^线楼门院桌房口码]|$)",
);
static CLOCK: Pattern = Pattern::new(
    r"(?:(?P<part>凌晨|清晨|清早|大早|早晨|早上|早|上午|中午|正午|午后|下午|傍晚|黄昏|晚上|晚间|晚|夜里|夜晚|夜间|深夜|半夜|午夜|夜)\s*)?(?P<short>差(?:(?P<k>[一1])刻|(?P<less>\d{1,2}|[一二两三四五六七八九十]{1,3})分?)(?:钟)?(?:到)?\s*)?(?P<h>\d{1,2}|[零〇一二两三四五六七八九十]{1,3})\s*(?:点钟|点整|点|时整|时(?P<needs>))\s*(?:(?P<half>半)|(?P<quarter>[一三13])刻|过?(?P<m>\d{1,2}|[二三四五]?十[一二三四五六七八九]?|零?[一二三四五六七八九])分?)?",
);
static DIGITAL: Pattern = Pattern::new(
    r"(?:(?P<part>凌晨|清晨|早晨|早上|早|上午|中午|下午|傍晚|晚上|晚|夜里|深夜|半夜)\s*)(?P<h>\d{1,2}):(?P<m>\d{2})(?::(?P<s>\d{2}))?",
);
static MONTH_END: Pattern = Pattern::new(r"(?:(?P<rel>下+|这|本)个?)?月(?:底|末)");
static PART: Pattern = Pattern::new(
    r"(?P<part>凌晨|清晨|清早|早晨|早上|上午|中午|正午|午后|下午|傍晚|黄昏|晚上|晚间|夜里|夜晚|深夜|半夜|午夜)",
);

/// The sum of a run of amounts (`一小时三十分钟`).
fn amounts(text: &str) -> Option<Length> {
    let mut total: Option<Length> = None;
    for captures in AMOUNT.regex().captures_iter(text) {
        let count = match &captures["n"] {
            "几" => return None,
            count => number::parse(count)?,
        };
        let halves = [captures.name("half"), captures.name("more")].iter().flatten().count() as f64 * 0.5;
        let length = length_of(&captures["unit"], count + halves)?;
        total = Some(total.unwrap_or_default().add(length));
    }
    total
}

fn length_of(unit: &str, count: f64) -> Option<Length> {
    let seconds = match unit {
        "秒" | "秒钟" | "s" | "sec" | "secs" => 1.0,
        "分" | "分钟" | "min" | "mins" => 60.0,
        "刻" | "刻钟" => 900.0,
        "小时" | "钟头" | "h" | "hr" | "hrs" | "hour" | "hours" => 3_600.0,
        "天" | "日" => 86_400.0,
        "周" | "星期" | "礼拜" => 604_800.0,
        "月" => return Some(months(count)),
        "年" => return Some(months(count * 12.0)),
        _ => return None,
    };
    Some(Length { months: 0, seconds: count * seconds })
}

/// Half a month is fifteen days.
pub(super) fn months(count: f64) -> Length {
    Length { months: count.trunc() as i64, seconds: count.fract() * 30.0 * 86_400.0 }
}

fn relative_day(captures: &Captures<'_>) -> Option<Says> {
    let (offset, part) = match &captures["day"] {
        "前天" => (-2, None),
        "昨天" | "昨日" => (-1, None),
        "昨晚" => (-1, Some(Part::Night)),
        "今天" | "今日" | "今儿" => (0, None),
        "今早" | "今晨" => (0, Some(Part::Morning)),
        "今晚" | "今夜" => (0, Some(Part::Night)),
        "明天" | "明日" | "明儿" => (1, None),
        "明早" | "明晨" => (1, Some(Part::Morning)),
        "明晚" | "明夜" => (1, Some(Part::Night)),
        "后天" | "后日" => (2, None),
        "后晚" => (2, Some(Part::Night)),
        "大后天" | "大后日" => (3, None),
        _ => return None,
    };
    Some(Says::Day(Day::Offset(offset), part))
}

fn weekday(captures: &Captures<'_>) -> Option<Says> {
    if let Some(bare) = captures.name("bare") {
        return Some(Says::Day(Day::Offset(7 * weeks(bare.as_str())), None));
    }
    if let Some(month) = captures.name("mon") {
        return Some(Says::Day(Day::Months(weeks(month.as_str())), None));
    }
    let weekday = match captures.name("day").map(|day| day.as_str()) {
        Some("一" | "1") => Weekday::Monday,
        Some("二" | "2") => Weekday::Tuesday,
        Some("三" | "3") => Weekday::Wednesday,
        Some("四" | "4") => Weekday::Thursday,
        Some("五" | "5") => Weekday::Friday,
        Some("六" | "末" | "6") => Weekday::Saturday,
        Some("日" | "天") => Weekday::Sunday,
        _ => Weekday::Saturday,
    };
    let day = match captures.name("rel").map(|rel| rel.as_str()) {
        None => Day::Weekday(weekday),
        Some("这" | "本") => Day::WeekdayIn { weeks: 0, weekday },
        Some(rel) => Day::WeekdayIn { weeks: weeks(rel), weekday },
    };
    Some(Says::Day(day, None))
}

fn month_end(captures: &Captures<'_>) -> Option<Says> {
    let months = match captures.name("rel").map(|rel| rel.as_str()) {
        None | Some("这" | "本") => 0,
        Some(rel) => weeks(rel),
    };
    Some(Says::Day(Day::MonthEnd(months), None))
}

/// `下` is one on, `下下` two.
fn weeks(rel: &str) -> i64 {
    i64::try_from(rel.chars().count()).unwrap_or(1)
}

fn date(captures: &Captures<'_>) -> Option<Says> {
    let small =
        |name: &str| captures.name(name).and_then(|found| i8::try_from(number::whole(found.as_str())?).ok());
    let day = if captures.name("iso").is_some() {
        Day::Date { year: captures["iy"].parse().ok()?, month: small("im")?, day: small("id")? }
    } else if let Some(month) = small("m") {
        let day = small("d")?;
        match captures.name("y").map(|year| year.as_str()) {
            None | Some("今" | "明") => Day::InYear { month, day },
            Some(year) => Day::Date { year: i16::try_from(number::whole(year)?).ok()?, month, day },
        }
    } else if let Some(day) = small("rd") {
        let months = match &captures["rel"] {
            "这" | "本" => 0,
            rel => weeks(rel),
        };
        Day::InMonth { months, day }
    } else {
        Day::InMonth { months: 0, day: small("od")? }
    };
    Some(Says::Day(day, None))
}

fn clock(captures: &Captures<'_>) -> Option<Says> {
    let hour_text = &captures["h"];
    let whole = captures.get(0)?.as_str();
    let minute_said = ["half", "quarter", "m"].iter().any(|name| captures.name(name).is_some());
    // `早一点`, `晚一点` compare, they do not tell the time; an hour with `时` needs its minutes.
    if matches!(whole.trim(), "早一点" | "晚一点" | "早点" | "一点")
        && !minute_said
        && captures.name("part").is_some()
    {
        return None;
    }
    if captures.name("needs").is_some() && !minute_said {
        return None;
    }
    let hour = i8::try_from(number::whole(hour_text)?).ok().filter(|hour| (0..=24).contains(hour))?;
    let minute = if captures.name("half").is_some() {
        30
    } else if let Some(quarter) = captures.name("quarter") {
        if matches!(quarter.as_str(), "一" | "1") { 15 } else { 45 }
    } else if let Some(minute) = captures.name("m") {
        i8::try_from(number::whole(minute.as_str().trim_start_matches('零'))?)
            .ok()
            .filter(|minute| *minute < 60)?
    } else {
        0
    };
    let (hour, minute) = match short_by(captures)? {
        0 => (hour, minute),
        less => (if hour == 0 { 23 } else { hour - 1 }, 60 - less),
    };
    let exact = hour == 0 || hour > 12 || (hour_text.starts_with('0') && hour_text.len() == 2);
    let reading = if exact { Reading::Exact } else { Reading::TwelveHour };
    Some(Says::Clock(
        Clock { hour, minute, second: 0, reading },
        captures.name("part").and_then(|part| part_of(part.as_str())),
    ))
}

/// How many minutes before the hour (`差十分八点`).
fn short_by(captures: &Captures<'_>) -> Option<i8> {
    if captures.name("short").is_none() {
        return Some(0);
    }
    if captures.name("k").is_some() {
        return Some(15);
    }
    i8::try_from(number::whole(&captures["less"])?).ok().filter(|less| (1..60).contains(less))
}

fn digital(captures: &Captures<'_>) -> Option<Says> {
    let small = |name: &str| captures.name(name).map_or(Some(0), |found| found.as_str().parse::<i8>().ok());
    let hour = small("h").filter(|hour| (0..=24).contains(hour))?;
    let minute = small("m").filter(|minute| *minute < 60)?;
    let second = small("s").filter(|second| *second < 60)?;
    let reading = if hour == 0 || hour > 12 { Reading::Exact } else { Reading::TwelveHour };
    Some(Says::Clock(Clock { hour, minute, second, reading }, part_of(&captures["part"])))
}

fn part_of(word: &str) -> Option<Part> {
    Some(match word {
        "凌晨" => Part::Dawn,
        "清晨" | "清早" | "大早" | "早晨" | "早上" | "早" | "上午" => Part::Morning,
        "中午" | "正午" => Part::Noon,
        "午后" | "下午" => Part::Afternoon,
        "傍晚" | "黄昏" => Part::Evening,
        "晚上" | "晚间" | "晚" | "夜里" | "夜晚" | "夜间" | "深夜" | "夜" => Part::Night,
        "半夜" | "午夜" => Part::Midnight,
        _ => return None,
    })
}
