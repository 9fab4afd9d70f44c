//! Dates and times as people say them, Chinese and English, turned into seconds from now or a local date and time.
//!
//! [`find`] reads the expression and says which parts of the text it used; [`Moment::resolve`] needs the time now.
//! Both are pure.

mod chinese;
mod english;
mod resolve;

use std::ops::Range;

use jiff::civil::{DateTime, Weekday};

use super::feasts::{self, Feast};
use super::text::Text;

/// What was said about a time.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Moment {
    /// The byte ranges of the image that say it, sorted.
    pub(crate) spans: Vec<Range<usize>>,
    /// The range that says the day, if one does.
    pub(crate) day_span: Option<Range<usize>>,
    /// This long from now.
    pub(crate) after: Option<Length>,
    pub(crate) day: Option<Day>,
    pub(crate) part: Option<Part>,
    pub(crate) clock: Option<Clock>,
}

/// A length of time: calendar months do not have a fixed number of seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Length {
    pub(crate) months: i64,
    pub(crate) seconds: f64,
}

impl Length {
    pub(crate) fn add(self, other: Length) -> Self {
        Self { months: self.months + other.months, seconds: self.seconds + other.seconds }
    }

    /// Whole days, if it is nothing else.
    fn whole_days(self) -> Option<i64> {
        let days = self.seconds / 86_400.0;
        (self.months == 0 && days >= 1.0 && days.fract() == 0.0 && days < 10_000.0).then_some(days as i64)
    }
}

/// Which day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Day {
    /// So many days from today.
    Offset(i64),
    /// The next one that fits, today included.
    Weekday(Weekday),
    /// In the calendar week so many weeks from this one.
    WeekdayIn { weeks: i64, weekday: Weekday },
    /// Without a year: the next one.
    InYear { month: i8, day: i8 },
    /// So many months from this one.
    InMonth { months: i64, day: i8 },
    /// A full date.
    Date { year: i16, month: i8, day: i8 },
    /// The same day of the month, so many months from now.
    Months(i64),
    /// The last day of the month, so many months from this one.
    MonthEnd(i64),
    /// A feast day, the next one.
    Feast(Feast),
}

/// A part of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Dawn,
    Morning,
    Noon,
    Afternoon,
    Evening,
    Night,
    Midnight,
}

/// A time of day as it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Clock {
    pub(crate) hour: i8,
    pub(crate) minute: i8,
    pub(crate) second: i8,
    /// How the hour is to be read.
    pub(crate) reading: Reading,
}

/// How an hour is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// By the 24-hour clock.
    Exact,
    /// Morning or afternoon: what comes next.
    TwelveHour,
    /// Said with `am`.
    Am,
    /// Said with `pm`.
    Pm,
}

/// Which half of the day an hour without one is more likely to mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prefer {
    Next,
    Morning,
}

/// When it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Due {
    In { seconds: i64 },
    At { at: DateTime, note: Note },
}

/// What to tell about how a time was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Note {
    Plain,
    /// The time had passed today, so it is tomorrow.
    MovedToTomorrow,
    /// The date had passed this year, so it is next year.
    MovedToNextYear,
    /// No time of day was said.
    AssumedTime,
}

/// Why there is no such time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It is over.
    Past(DateTime),
    /// The calendar has no such day, or it is too far away.
    NoSuchTime,
}

/// A piece of a text that says something about time.
#[derive(Debug, Clone, PartialEq)]
struct Piece {
    span: Range<usize>,
    says: Says,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Says {
    After(Length),
    Day(Day, Option<Part>),
    Clock(Clock, Option<Part>),
    Part(Part),
}

/// The time that a text speaks of, if it does.
pub(crate) fn find(text: &Text) -> Option<Moment> {
    let feast =
        feasts::place(text).map(|(span, feast)| Piece { span, says: Says::Day(Day::Feast(feast), None) });
    let pieces = apart(
        chinese::pieces(text.image()).into_iter().chain(english::pieces(text.image())).chain(feast).collect(),
    );
    let first_clock = pieces.iter().find(|piece| matches!(piece.says, Says::Clock(..)));
    let after = pieces.iter().find_map(|piece| match piece.says {
        Says::After(length) => Some((piece, length)),
        Says::Day(..) | Says::Clock(..) | Says::Part(_) => None,
    });
    if let Some((piece, length)) = after {
        let days = length.whole_days().filter(|_| first_clock.is_some()).map(Day::Offset);
        let Some(day) = days else {
            return Some(Moment {
                spans: vec![piece.span.clone()],
                after: Some(length),
                ..Moment::default()
            });
        };
        return Some(assemble(text.image(), &pieces, first_clock, Some((piece, day, None))));
    }
    let day = first_day(text.image(), &pieces, first_clock);
    if first_clock.is_none()
        && day.is_none()
        && !pieces.iter().any(|piece| matches!(piece.says, Says::Part(_)))
    {
        return None;
    }
    Some(assemble(text.image(), &pieces, first_clock, day))
}

/// A length of time said without "from now" (`5分钟`, `an hour and a half`).
pub(crate) fn find_length(text: &Text) -> Option<(Range<usize>, Length)> {
    chinese::length(text.image()).or_else(|| english::length(text.image()))
}

type SaidDay<'p> = (&'p Piece, Day, Option<Part>);

/// The day that belongs to the clock time: the one beside it, or else the first.
fn first_day<'p>(image: &str, pieces: &'p [Piece], clock: Option<&Piece>) -> Option<SaidDay<'p>> {
    let days = || {
        pieces.iter().filter_map(|piece| match piece.says {
            Says::Day(day, part) => Some((piece, day, part)),
            Says::After(_) | Says::Clock(..) | Says::Part(_) => None,
        })
    };
    let beside = clock.and_then(|clock| days().find(|(piece, ..)| touch(image, &piece.span, &clock.span)));
    beside.or_else(|| days().next())
}

fn assemble(image: &str, pieces: &[Piece], clock: Option<&Piece>, day: Option<SaidDay<'_>>) -> Moment {
    let mut moment = Moment::default();
    if let Some((piece, said, part)) = day {
        moment.day = Some(said);
        moment.part = part;
        moment.spans.push(piece.span.clone());
        moment.day_span = Some(piece.span.clone());
    }
    if let Some(Piece { span, says: Says::Clock(said, part) }) = clock {
        moment.clock = Some(*said);
        moment.part = part.or(moment.part);
        moment.spans.push(span.clone());
    }
    // A part of the day counts when it stands beside the rest, or when there is nothing else.
    let part = pieces.iter().find_map(|piece| match piece.says {
        Says::Part(part) => Some((piece, part)),
        Says::After(_) | Says::Day(..) | Says::Clock(..) => None,
    });
    if let Some((piece, said)) = part.filter(|(piece, _)| {
        moment.spans.is_empty()
            || moment.clock.is_none()
            || moment.spans.iter().any(|span| touch(image, span, &piece.span))
    }) {
        moment.part = moment.part.or(Some(said));
        moment.spans.push(piece.span.clone());
    }
    moment.spans.sort_by_key(|span| span.start);
    moment.spans.iter_mut().for_each(|span| with_preposition(image, span));
    moment
}

/// The `在` before a time goes with it.
fn with_preposition(image: &str, span: &mut Range<usize>) {
    let before = image[..span.start].trim_end_matches(' ');
    if let Some(rest) = before.strip_suffix('在').or_else(|| before.strip_suffix('于')) {
        span.start = rest.len();
    }
}

/// Whether nothing but small words stands between two spans.
fn touch(image: &str, one: &Range<usize>, other: &Range<usize>) -> bool {
    let gap = if one.end <= other.start { one.end..other.start } else { other.end..one.start };
    let between = image.get(gap).unwrap_or("-");
    matches!(
        between.trim_matches([' ', ',', '、', '的']),
        "" | "at" | "on" | "in the" | "by" | "around" | "of"
    )
}

/// Pieces that do not overlap: the earlier wins, of two that begin together the longer.
fn apart(mut pieces: Vec<Piece>) -> Vec<Piece> {
    pieces.sort_by_key(|piece| (piece.span.start, std::cmp::Reverse(piece.span.end)));
    let mut kept: Vec<Piece> = Vec::new();
    for piece in pieces {
        if kept.last().is_none_or(|last| piece.span.start >= last.span.end) {
            kept.push(piece);
        }
    }
    kept
}

#[cfg(test)]
mod tests;
