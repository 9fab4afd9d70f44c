//! From what was said about a time to the time itself.

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::{Span, ToSpan};

use super::{Clock, Day, Due, Length, Moment, Note, Part, Prefer, Reading, Trouble};

/// No timer is set further ahead than this.
const SECONDS_AHEAD_MAX: f64 = 20.0 * 366.0 * 86_400.0;

impl Moment {
    /// The time it means, from the local time now.
    pub(crate) fn resolve(&self, now: DateTime, prefer: Prefer) -> Result<Due, Trouble> {
        if let Some(length) = self.after {
            return after(now, length);
        }
        let date = self.day.map(|day| date_of(day, now.date())).transpose()?;
        let open = date.is_none_or(|date| date == now.date());
        let due = if open {
            self.today_or_tomorrow(now, prefer)?
        } else {
            self.on(date.unwrap_or(now.date()), prefer)?
        };
        self.not_past(due, now)
    }

    /// Only the date it means.
    pub(crate) fn date(&self, now: DateTime) -> Result<Date, Trouble> {
        match (self.after, self.day) {
            (Some(length), _) => Ok(later(now, length)?.date()),
            (None, Some(day)) => date_of(day, now.date()),
            (None, None) => Ok(now.date()),
        }
    }

    /// On a day that is not today.
    fn on(&self, date: Date, prefer: Prefer) -> Result<Due, Trouble> {
        let note = if self.clock.is_none() && self.part.is_none() { Note::AssumedTime } else { Note::Plain };
        let (days, time) = match self.clock {
            Some(clock) => time_of(clock, self.part, usual(clock, prefer))?,
            None => usual_time(self.part),
        };
        Ok(Due::At { at: plus_days(date, days)?.to_datetime(time), note })
    }

    /// The next time that fits; tomorrow if it is over today.
    fn today_or_tomorrow(&self, now: DateTime, prefer: Prefer) -> Result<Due, Trouble> {
        let mut candidates = Vec::new();
        match self.clock {
            None => candidates.push(usual_time(self.part)),
            Some(clock)
                if clock.reading == Reading::TwelveHour && self.part.is_none() && prefer == Prefer::Next =>
            {
                candidates.push(time_of(clock, None, Half::First)?);
                candidates.push(time_of(clock, None, Half::Second)?);
            }
            Some(clock) => candidates.push(time_of(clock, self.part, usual(clock, prefer))?),
        }
        for (days, time) in &candidates {
            let at = plus_days(now.date(), *days)?.to_datetime(*time);
            if at > now {
                let note =
                    if self.clock.is_none() && self.part.is_none() { Note::AssumedTime } else { Note::Plain };
                return Ok(Due::At { at, note });
            }
        }
        let due = self.on(plus_days(now.date(), 1)?, prefer)?;
        Ok(match due {
            Due::At { at, .. } => Due::At { at, note: Note::MovedToTomorrow },
            Due::In { seconds } => Due::In { seconds },
        })
    }

    /// A weekday or a date without a year that is over means the next one.
    fn not_past(&self, due: Due, now: DateTime) -> Result<Due, Trouble> {
        let Due::At { at, note } = due else { return Ok(due) };
        if at > now {
            let this_year_over = matches!(self.day, Some(Day::InYear { .. })) && at.year() > now.year();
            let note = if this_year_over && note == Note::Plain { Note::MovedToNextYear } else { note };
            return Ok(Due::At { at, note });
        }
        match self.day {
            Some(Day::Weekday(_)) => shifted(at, 7.days(), note),
            Some(Day::InYear { .. }) => shifted(at, 1.year(), Note::MovedToNextYear),
            Some(Day::InMonth { months: 0, .. }) => shifted(at, 1.month(), note),
            _ => Err(Trouble::Past(at)),
        }
    }
}

fn shifted(at: DateTime, span: Span, note: Note) -> Result<Due, Trouble> {
    at.checked_add(span).map(|at| Due::At { at, note }).map_err(|_| Trouble::NoSuchTime)
}

fn after(now: DateTime, length: Length) -> Result<Due, Trouble> {
    if length.months > 0 {
        return Ok(Due::At { at: later(now, length)?, note: Note::Plain });
    }
    let seconds = length.seconds.round();
    if !(1.0..=SECONDS_AHEAD_MAX).contains(&seconds) {
        return Err(Trouble::NoSuchTime);
    }
    Ok(Due::In { seconds: seconds as i64 })
}

fn later(now: DateTime, length: Length) -> Result<DateTime, Trouble> {
    if length.seconds > SECONDS_AHEAD_MAX || length.months > 240 {
        return Err(Trouble::NoSuchTime);
    }
    let span = Span::new().months(length.months);
    let at = now.checked_add(span).map_err(|_| Trouble::NoSuchTime)?;
    at.checked_add(Span::new().seconds(length.seconds.round() as i64)).map_err(|_| Trouble::NoSuchTime)
}

fn plus_days(date: Date, days: i64) -> Result<Date, Trouble> {
    if !(-100_000..=100_000).contains(&days) {
        return Err(Trouble::NoSuchTime);
    }
    date.checked_add(Span::new().days(days)).map_err(|_| Trouble::NoSuchTime)
}

fn plus_months(date: Date, months: i64) -> Result<Date, Trouble> {
    date.checked_add(Span::new().months(months.clamp(0, 240))).map_err(|_| Trouble::NoSuchTime)
}

fn date_of(day: Day, today: Date) -> Result<Date, Trouble> {
    let no = |_: jiff::Error| Trouble::NoSuchTime;
    match day {
        Day::Offset(days) => plus_days(today, days),
        Day::Weekday(weekday) => plus_days(today, days_until(today, weekday)),
        Day::WeekdayIn { weeks, weekday } => {
            let monday = plus_days(today, -i64::from(today.weekday().to_monday_zero_offset()))?;
            plus_days(monday, weeks * 7 + i64::from(weekday.to_monday_zero_offset()))
        }
        Day::InYear { month, day } => {
            let this_year = Date::new(today.year(), month, day);
            match this_year {
                Ok(date) if date >= today => Ok(date),
                _ => next_existing(today.year() + 1, month, day),
            }
        }
        Day::InMonth { months, day } => {
            let month = plus_months(today.first_of_month(), months)?;
            let date = Date::new(month.year(), month.month(), day);
            match date {
                Ok(date) if months > 0 || date >= today => Ok(date),
                _ if months > 0 => Err(Trouble::NoSuchTime),
                _ => {
                    let next = plus_months(today.first_of_month(), 1)?;
                    Date::new(next.year(), next.month(), day).map_err(no)
                }
            }
        }
        Day::Date { year, month, day } => Date::new(year, month, day).map_err(no),
        Day::Months(months) => plus_months(today, months),
        Day::MonthEnd(months) => Ok(plus_months(today.first_of_month(), months)?.last_of_month()),
        Day::Feast(feast) => feast.next(today).ok_or(Trouble::NoSuchTime),
    }
}

/// 29 February exists only in some years.
fn next_existing(from_year: i16, month: i8, day: i8) -> Result<Date, Trouble> {
    (from_year..from_year + 8).find_map(|year| Date::new(year, month, day).ok()).ok_or(Trouble::NoSuchTime)
}

fn days_until(today: Date, weekday: Weekday) -> i64 {
    let from = i64::from(today.weekday().to_monday_zero_offset());
    (i64::from(weekday.to_monday_zero_offset()) - from).rem_euclid(7)
}

/// Which half of the day a 12-hour time is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    First,
    Second,
}

/// The half that is usually meant: one to five in the afternoon, the rest in the morning; for waking, the morning.
fn usual(clock: Clock, prefer: Prefer) -> Half {
    match prefer {
        Prefer::Morning => Half::First,
        Prefer::Next if (1..=5).contains(&clock.hour) || clock.hour == 12 => Half::Second,
        Prefer::Next => Half::First,
    }
}

/// Days to add and the time of day. Twelve at night belongs to the next day.
fn time_of(clock: Clock, part: Option<Part>, half: Half) -> Result<(i64, Time), Trouble> {
    let hour = clock.hour;
    let (days, hour) = match (clock.reading, part) {
        (Reading::Exact, _) if hour == 24 => (1, 0),
        (Reading::Exact, Some(Part::Night | Part::Midnight)) if hour < 5 => (1, hour),
        (Reading::Exact, _) => (0, hour),
        (Reading::Am, _) => (0, hour % 12),
        (Reading::Pm, _) => (0, hour % 12 + 12),
        (Reading::TwelveHour, None) => match half {
            Half::First if hour == 12 => (0, 12),
            Half::First => (0, hour),
            Half::Second if hour == 12 => (1, 0),
            Half::Second => (0, hour + 12),
        },
        (Reading::TwelveHour, Some(part)) => in_part(hour, part),
    };
    Time::new(hour, clock.minute, clock.second, 0).map(|time| (days, time)).map_err(|_| Trouble::NoSuchTime)
}

fn in_part(hour: i8, part: Part) -> (i64, i8) {
    match part {
        Part::Dawn => (0, hour % 12),
        Part::Morning => (0, hour),
        Part::Noon if hour <= 3 => (0, hour + 12),
        Part::Noon => (0, hour),
        Part::Afternoon | Part::Evening => (0, hour % 12 + 12),
        Part::Night | Part::Midnight if hour == 12 => (1, 0),
        Part::Night | Part::Midnight if hour <= 4 => (1, hour),
        Part::Night | Part::Midnight => (0, hour % 12 + 12),
    }
}

/// The time of day that is taken when only a part of the day, or nothing, was said.
fn usual_time(part: Option<Part>) -> (i64, Time) {
    let (days, hour) = match part {
        None => (0, 9),
        Some(Part::Dawn) => (0, 5),
        Some(Part::Morning) => (0, 8),
        Some(Part::Noon) => (0, 12),
        Some(Part::Afternoon) => (0, 15),
        Some(Part::Evening) => (0, 18),
        Some(Part::Night) => (0, 20),
        Some(Part::Midnight) => (1, 0),
    };
    (days, Time::constant(hour, 0, 0, 0))
}
