//! Times as they are said, from Monday 30 November 2026, 19:12:03.

use jiff::civil::{DateTime, datetime};
use proptest::prelude::*;

use super::*;

const NOW: DateTime = datetime(2026, 11, 30, 19, 12, 3, 0);

fn read(said: &str) -> String {
    let Some(moment) = find(&Text::new(said)) else { return "none".into() };
    match moment.resolve(NOW, Prefer::Next) {
        Ok(Due::In { seconds }) => format!("+{seconds}"),
        Ok(Due::At { at, .. }) => at.strftime("%m-%d %H:%M").to_string(),
        Err(trouble) => format!("{trouble:?}").chars().take(10).collect(),
    }
}

#[test]
fn lengths() {
    for (said, due) in [
        ("10秒后", "+10"),
        ("十五分钟以后", "+900"),
        ("一个半小时后", "+5400"),
        ("半小时后", "+1800"),
        ("两小时半后", "+9000"),
        ("一小时三十分钟之后", "+5400"),
        ("三刻钟后", "+2700"),
        ("2天后", "+172800"),
        ("1.5小时后", "+5400"),
        ("过5分钟", "+300"),
        ("in 10 seconds", "+10"),
        ("in half an hour", "+1800"),
        ("in an hour and a half", "+5400"),
        ("in 1h30m", "+5400"),
        ("in one and a half hours", "+5400"),
        ("in a quarter of an hour", "+900"),
        ("in three quarters of an hour", "+2700"),
        ("20 minutes from now", "+1200"),
        ("in 2 hours and 15 minutes", "+8100"),
        ("in a couple of minutes", "+120"),
        ("in a week", "+604800"),
        ("一个月后", "12-30 19:12"),
        ("in two months", "01-30 19:12"),
    ] {
        assert_eq!(read(said), due, "{said}");
    }
}

#[test]
fn clocks_and_days() {
    for (said, due) in [
        ("明天早上八点", "12-01 08:00"),
        ("今晚9点半", "11-30 21:30"),
        ("下周一上午10点", "12-07 10:00"),
        ("3点", "12-01 15:00"),
        ("8点", "11-30 20:00"),
        ("晚上十二点", "12-01 00:00"),
        ("中午1点", "12-01 13:00"),
        ("凌晨1点", "12-01 01:00"),
        ("周日下午三点一刻", "12-06 15:15"),
        ("这周五晚上7点", "12-04 19:00"),
        ("12月24日18:30", "12-24 18:30"),
        ("后天", "12-02 09:00"),
        ("3天后早上9点", "12-03 09:00"),
        ("15号下午2点", "12-15 14:00"),
        ("差五分九点", "11-30 20:55"),
        ("2027年1月2日上午8点", "01-02 08:00"),
        ("今天上午8点", "12-01 08:00"),
        ("at 7", "12-01 07:00"),
        ("at 8", "11-30 20:00"),
        ("at 9:30 pm", "11-30 21:30"),
        ("tomorrow at noon", "12-01 12:00"),
        ("at midnight", "12-01 00:00"),
        ("half past ten", "11-30 22:30"),
        ("quarter to nine", "11-30 20:45"),
        ("next Friday at 5pm", "12-11 17:00"),
        ("on Friday at 5pm", "12-04 17:00"),
        ("on Dec 24th at 18:00", "12-24 18:00"),
        ("the day after tomorrow at 3", "12-02 15:00"),
        ("tonight at 9", "11-30 21:00"),
        ("tomorrow morning at 6:30", "12-01 06:30"),
        ("2027-03-01 07:00", "03-01 07:00"),
        ("February 30", "NoSuchTime"),
        ("2020-01-01 08:00", "Past(2020-"),
        ("no time at all", "none"),
        ("早一点", "none"),
        ("有一点累", "none"),
        ("十分好", "none"),
        ("five apples", "none"),
        ("at home", "none"),
        ("I sat down", "none"),
    ] {
        assert_eq!(read(said), due, "{said}");
    }
}

proptest! {
    /// Nothing brings it down, and the ranges it names are inside the text.
    #[test]
    fn never_panics(said in "[0-9一二三十百半点分秒时天周月年后前早晚上下明今a-z: .-]{0,30}") {
        let text = Text::new(&said);
        if let Some(moment) = find(&text) {
            let _ = moment.resolve(NOW, Prefer::Next);
            let _ = text.without(&moment.spans);
        }
    }

    /// A time that is found lies ahead.
    #[test]
    fn is_in_the_future(hour in 0i8..24, minute in 0i8..60, day in 0usize..7) {
        const DAYS: [&str; 7] = ["周一", "周二", "周三", "周四", "周五", "周六", "周日"];
        for said in [format!("{hour}:{minute:02}"), format!("{}{hour}点{minute}分", DAYS[day]), format!("at {hour}:{minute:02}")] {
            let moment = find(&Text::new(&said)).unwrap();
            match moment.resolve(NOW, Prefer::Next) {
                Ok(Due::At { at, .. }) => prop_assert!(at > NOW, "{said} gave {at}"),
                other => prop_assert!(false, "{said} gave {other:?}"),
            }
        }
    }

    /// Lengths add up.
    #[test]
    fn lengths_add_up(hours in 1i64..24, minutes in 1i64..60) {
        let want = hours * 3600 + minutes * 60;
        for said in [format!("{hours}小时{minutes}分钟后"), format!("in {hours} hours and {minutes} minutes"), format!("in {hours}h{minutes}m")] {
            prop_assert_eq!(read(&said), format!("+{want}"), "{}", said);
        }
    }
}
