//! Feast days whose dates can be known: fixed ones, and the Chinese New Year from a table.

use std::ops::Range;

use jiff::civil::Date;

use super::pattern::Pattern;
use super::text::Text;

/// A feast day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Feast {
    /// The same date every year.
    Fixed { month: i8, day: i8 },
    /// The day before, or the first day of, the Chinese year.
    ChineseNewYear { days_before: i8 },
}

/// The first days of Chinese years in the Gregorian calendar.
const NEW_YEARS: [(i16, i8, i8); 10] = [
    (2026, 2, 17),
    (2027, 2, 6),
    (2028, 1, 26),
    (2029, 2, 13),
    (2030, 2, 3),
    (2031, 1, 23),
    (2032, 2, 11),
    (2033, 1, 31),
    (2034, 2, 19),
    (2035, 2, 8),
];

impl Feast {
    /// The next one, today included; none where the table ends.
    pub(crate) fn next(self, today: Date) -> Option<Date> {
        match self {
            Self::Fixed { month, day } => (today.year()..today.year() + 2)
                .filter_map(|year| Date::new(year, month, day).ok())
                .find(|date| *date >= today),
            Self::ChineseNewYear { days_before } => NEW_YEARS
                .iter()
                .filter_map(|(year, month, day)| Date::new(*year, *month, *day).ok())
                .filter_map(|date| date.checked_sub(jiff::Span::new().days(days_before)).ok())
                .find(|date| *date >= today),
        }
    }
}

/// The feast that a text names.
pub(crate) fn find(text: &Text) -> Option<Feast> {
    place(text).map(|(_, feast)| feast)
}

/// The feast that a text names, and where.
pub(crate) fn place(text: &Text) -> Option<(Range<usize>, Feast)> {
    FEASTS.iter().find_map(|(pattern, feast)| Some((pattern.regex().find(text.image())?.range(), *feast)))
}

static FEASTS: [(Pattern, Feast); 14] = [
    (Pattern::new(r"平安夜|christmas eve"), Feast::Fixed { month: 12, day: 24 }),
    (Pattern::new(r"圣诞|christmas|\bxmas\b"), Feast::Fixed { month: 12, day: 25 }),
    (Pattern::new(r"跨年|new year'?s eve|silvester"), Feast::Fixed { month: 12, day: 31 }),
    (
        Pattern::new(r"除夕|年三十|大年夜|chinese new year'?s eve|lunar new year'?s eve"),
        Feast::ChineseNewYear { days_before: 1 },
    ),
    (
        Pattern::new(r"春节|农历新年|大年初一|过年|chinese new year|lunar new year|spring festival"),
        Feast::ChineseNewYear { days_before: 0 },
    ),
    (Pattern::new(r"元旦|新年|new year"), Feast::Fixed { month: 1, day: 1 }),
    (Pattern::new(r"情人节|valentine"), Feast::Fixed { month: 2, day: 14 }),
    (Pattern::new(r"妇女节|women's day"), Feast::Fixed { month: 3, day: 8 }),
    (Pattern::new(r"愚人节|april fool"), Feast::Fixed { month: 4, day: 1 }),
    (Pattern::new(r"劳动节|五一|may day|labou?r day"), Feast::Fixed { month: 5, day: 1 }),
    (Pattern::new(r"儿童节|六一|children's day"), Feast::Fixed { month: 6, day: 1 }),
    (Pattern::new(r"国庆|十一假|china's national day"), Feast::Fixed { month: 10, day: 1 }),
    (Pattern::new(r"万圣节|hallow?een"), Feast::Fixed { month: 10, day: 31 }),
    (Pattern::new(r"教师节|teachers'? day"), Feast::Fixed { month: 9, day: 10 }),
];
