//! Times in words, both languages, and the way to the time now.

use hearth_contract::language::{Language, is_han};
use hearth_contract::transcript::ToolResult;
use jiff::civil::{Date, DateTime, Weekday};

use super::skills::Step;
use super::when::Note;
use super::world::{World, local_time};

/// The local time and the results that are left; or the step that finds it out.
pub(crate) fn ensure_now<'r, 'a>(
    results: &'r [&'a ToolResult],
    world: &World,
) -> Result<(DateTime, &'r [&'a ToolResult]), Step> {
    if let Some(now) = world.now {
        return Ok((now, results));
    }
    match results.split_first() {
        None => Err(Step::Call { tool: "now", arguments: serde_json::Map::new() }),
        Some((first, rest)) => match local_time(&first.text) {
            Some(now) => Ok((now, rest)),
            None => Err(Step::Say(format!(
                "I cannot find out what time it is. / 我查不到现在的时间。 {}",
                first.text.trim()
            ))),
        },
    }
}

/// `1 小时 30 分钟` as it is said.
pub(crate) fn length_in_words(language: Language, seconds: i64) -> String {
    let units = [(86_400, "day", "天"), (3_600, "hour", "小时"), (60, "minute", "分钟"), (1, "second", "秒")];
    let mut left = seconds.max(0);
    let mut parts = Vec::new();
    for (size, en, zh) in units {
        let count = left / size;
        left %= size;
        if count > 0 {
            let plural = if count == 1 { "" } else { "s" };
            parts.push(language.pick(format!("{count} {en}{plural}"), format!("{count}{zh}")));
        }
    }
    if parts.is_empty() {
        return language.pick("0 seconds", "0秒").to_owned();
    }
    parts.join(language.pick(" ", ""))
}

/// A date and time as it is said from now: `tomorrow (Tuesday, 1 December) at 08:00`.
pub(crate) fn at_in_words(language: Language, at: DateTime, now: DateTime) -> String {
    let time = if at.second() == 0 { at.strftime("%H:%M") } else { at.strftime("%H:%M:%S") }.to_string();
    let days = days_between(now.date(), at.date());
    let near = match days {
        0 => Some(("today", "今天")),
        1 => Some(("tomorrow", "明天")),
        2 => Some(("the day after tomorrow", "后天")),
        _ => None,
    };
    let date = date_in_words(language, at.date(), now.date());
    match near {
        Some((en, _)) if days == 0 => language.pick(format!("{en} at {time}"), format!("今天 {time} ")),
        Some((en, zh)) => language.pick(format!("{en} ({date}) at {time}"), format!("{zh}（{date}）{time} ")),
        None => language.pick(format!("on {date} at {time}"), format!("{date} {time} ")),
    }
}

/// A date with its weekday; the year only if it is another one.
pub(crate) fn date_in_words(language: Language, date: Date, today: Date) -> String {
    let weekday = weekday_in_words(language, date.weekday());
    let other_year = date.year() != today.year();
    match language {
        Language::En => {
            let year = if other_year { format!(" {}", date.year()) } else { String::new() };
            format!("{weekday}, {} {}{year}", date.day(), date.strftime("%B"))
        }
        Language::Zh => {
            let year = if other_year { format!("{}年", date.year()) } else { String::new() };
            format!("{year}{}月{}日 {weekday}", date.month(), date.day())
        }
    }
}

/// The name of a weekday.
pub(crate) fn weekday_in_words(language: Language, weekday: Weekday) -> &'static str {
    let (en, zh) = match weekday {
        Weekday::Monday => ("Monday", "星期一"),
        Weekday::Tuesday => ("Tuesday", "星期二"),
        Weekday::Wednesday => ("Wednesday", "星期三"),
        Weekday::Thursday => ("Thursday", "星期四"),
        Weekday::Friday => ("Friday", "星期五"),
        Weekday::Saturday => ("Saturday", "星期六"),
        Weekday::Sunday => ("Sunday", "星期日"),
    };
    language.pick(en, zh)
}

/// How a time was read, if that needs saying.
pub(crate) fn note_in_words(language: Language, note: Note) -> &'static str {
    match note {
        Note::Plain => "",
        Note::MovedToTomorrow => language.pick(
            " (That time is over for today, so I took tomorrow.)",
            "（今天这个时间已经过了，所以设在明天。）",
        ),
        Note::MovedToNextYear => language.pick(
            " (That date is over for this year, so I took next year.)",
            "（今年这个日期已经过了，所以设在明年。）",
        ),
        Note::AssumedTime => {
            language.pick(" (You named no time of day, so I took 9:00.)", "（没说几点，我先按早上9点。）")
        }
    }
}

/// Whole days from one date to another, negative if the other is earlier.
pub(crate) fn days_between(from: Date, to: Date) -> i64 {
    from.until(to).map(|span| i64::from(span.get_days())).unwrap_or(0)
}

/// Without the blanks between Chinese characters.
pub(crate) fn close_gaps(text: &str) -> String {
    let chars: Vec<char> = text.trim().chars().collect();
    let is_gap = |at: usize| {
        chars[at] == ' '
            && at.checked_sub(1).and_then(|before| chars.get(before)).is_some_and(|c| is_han(*c))
            && chars.get(at + 1).is_some_and(|c| is_han(*c))
    };
    (0..chars.len()).filter(|at| !is_gap(*at)).map(|at| chars[at]).collect()
}
