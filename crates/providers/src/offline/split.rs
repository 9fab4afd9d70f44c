//! Cuts what was said in one breath into its tasks: `记住我叫小明，然后10分钟后提醒我喝水` is two.
//!
//! A cut is made only where every piece is understood by itself, so the comma inside a reminder or the full stop
//! inside a file's text stay what they are.

use std::ops::Range;

use super::clause::Clause;
use super::dialogue::Dialogue;
use super::pattern::Pattern;
use super::skills::{self, Job, Kind};
use super::spelling;
use super::text::Text;
use super::when::Moment;

/// A clause and what is to be done about it.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) clause: Clause,
    pub(crate) skill: &'static str,
    pub(crate) job: Box<dyn Job>,
}

/// So many tasks of one input; the rest of a longer list is refused with the last one.
const TASKS_MAX: usize = 16;
/// Longer inputs are not cut by commas.
const CUT_CHARS_MAX: usize = 2_000;

/// What one input asks for, in order.
pub(crate) fn tasks(input: &str, dialogue: &Dialogue) -> Vec<Task> {
    let text = Text::new(input);
    let bare = ADDRESS
        .find(&text)
        .and_then(|found| found.get("rest").map(str::to_owned))
        .unwrap_or_else(|| text.raw().to_owned());
    let tasks = mended(&bare, cut(&bare, dialogue), dialogue);
    if !is_all_unknown(&tasks) {
        return tasks;
    }
    // In a group the name stands before what was said.
    let named = SPEAKER.find(&text).filter(|_| !COMMAND.is_match(&text));
    let named = named.and_then(|found| found.get("rest").map(str::to_owned));
    let without_name = named.map(|rest| {
        let rest = Text::new(&rest);
        ADDRESS
            .find(&rest)
            .and_then(|found| found.get("rest").map(str::to_owned))
            .unwrap_or_else(|| rest.raw().to_owned())
    });
    without_name.map(|rest| cut(&rest, dialogue)).filter(|named| !is_all_unknown(named)).unwrap_or(tasks)
}

/// The tasks with slips of the keyboard put right, where that makes more of what was said.
fn mended(raw: &str, tasks: Vec<Task>, dialogue: &Dialogue) -> Vec<Task> {
    let lost = is_all_unknown(&tasks);
    let timed = tasks.iter().any(|task| task.skill == "timer_set");
    let remarked = tasks.iter().any(|task| task.job.kind() == Kind::Remark);
    if !lost && !timed && !remarked {
        return tasks;
    }
    let Some(again) = spelling::mended(raw).map(|raw| cut(&raw, dialogue)) else { return tasks };
    let better = if remarked {
        again.iter().all(|task| task.job.kind() != Kind::Remark)
    } else {
        timed || !is_all_unknown(&again)
    };
    if better { again } else { tasks }
}

fn is_all_unknown(tasks: &[Task]) -> bool {
    tasks.iter().all(|task| matches!(task.job.kind(), Kind::Unknown | Kind::Guess))
}

fn one(raw: &str, dialogue: &Dialogue) -> Task {
    let clause = Clause::new(raw);
    let (skill, job) = skills::understand(&clause, dialogue);
    Task { clause, skill, job }
}

fn cut(raw: &str, dialogue: &Dialogue) -> Vec<Task> {
    let whole = one(raw, dialogue);
    if whole.skill == "due" || raw.chars().count() > CUT_CHARS_MAX {
        return vec![whole];
    }
    let text = Text::new(raw);
    for separator in [&THEN, &SENTENCE, &COMMA, &JOINED] {
        let pieces = pieces(separator, &text);
        if pieces.len() < 2 || pieces.len() > TASKS_MAX {
            continue;
        }
        // Text that is to be written may hold anything; only an explicit "then" ends it.
        if whole.job.kind() == Kind::Content && !std::ptr::eq(separator, &THEN) {
            continue;
        }
        let grain = match separator {
            _ if std::ptr::eq(separator, &COMMA) => Grain::Comma,
            _ if std::ptr::eq(separator, &JOINED) => Grain::Joined,
            _ => Grain::Sentence,
        };
        if let Some(tasks) = understand_all(&pieces, dialogue, grain) {
            // A single fact with its `don't forget` is an order as a whole.
            let order = tasks.len() == 1 && whole.skill == "remember";
            return if order { vec![whole] } else { tasks };
        }
    }
    // `Cheers, thanks a lot`: a chain of courtesies asks for nothing else.
    let courtesies = pieces(&COMMA, &text).iter().map(|piece| one(piece, dialogue)).collect::<Vec<_>>();
    let courteous =
        courtesies.len() <= TASKS_MAX && courtesies.iter().all(|task| task.job.kind() == Kind::Talk);
    if whole.job.kind() == Kind::Unknown && courteous && !courtesies.is_empty() {
        return courtesies;
    }
    vec![whole]
}

/// How fine a cut is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grain {
    Sentence,
    Comma,
    Joined,
}

/// A statement about the same person as the one before (`我妈叫王芳，生日是5月3号`).
fn of_the_same(last: &Task, piece: &str, dialogue: &Dialogue) -> Option<Task> {
    let about_kin = last.job.kind() == Kind::Fact && KIN.is_match(&last.clause.text);
    let own_subject = SUBJECT.is_match(&Text::new(piece));
    if about_kin && !own_subject { carry(last, piece, dialogue) } else { None }
}

/// Every piece as its own task, or none if one of them is not a task of its own.
fn understand_all(pieces: &[String], dialogue: &Dialogue, grain: Grain) -> Option<Vec<Task>> {
    let (strict, joined) = (grain != Grain::Sentence, grain == Grain::Joined);
    let mut tasks: Vec<Task> = Vec::new();
    let mut echoed = false;
    for piece in pieces {
        if tasks.last().is_some_and(keeps) && ECHO.is_match(&Clause::new(piece).text) {
            echoed = true;
            continue;
        }
        let subject = tasks.last().and_then(|last| of_the_same(last, piece, dialogue));
        if let Some(task) = subject {
            tasks.push(task);
            continue;
        }
        let alone = if joined { vec![one(piece, dialogue)] } else { cut(piece, dialogue) };
        if alone.iter().all(|task| stands_alone(task.job.kind(), strict)) {
            tasks.extend(alone);
            continue;
        }
        let carried = tasks.last().and_then(|last| carry(last, piece, dialogue));
        match carried {
            Some(task) => tasks.push(task),
            // Between sentences, what cannot be understood is refused by itself.
            None if !strict && alone.iter().all(|task| task.clause.question || is_command(task)) => {
                tasks.extend(alone)
            }
            None => return None,
        }
    }
    let something = tasks.len() > 1 && !is_all_unknown(&tasks);
    let enough = something || (echoed && !tasks.is_empty());
    enough.then_some(tasks)
}

/// Whether it already does what `don't forget` asks for.
fn keeps(task: &Task) -> bool {
    task.job.kind() == Kind::Fact || task.skill == "timer_set"
}

fn is_command(task: &Task) -> bool {
    task.job.kind() == Kind::Unknown && COMMAND.is_match(&task.clause.text)
}

fn stands_alone(kind: Kind, strict: bool) -> bool {
    match kind {
        Kind::Act | Kind::Fact | Kind::Content => true,
        Kind::Talk | Kind::Remark => !strict,
        Kind::Guess | Kind::Unknown => false,
    }
}

/// A piece that leaves out what the one before it began with (`我叫李雷，住在杭州`).
fn carry(last: &Task, piece: &str, dialogue: &Dialogue) -> Option<Task> {
    let openings = openings(last);
    let piece = Clause::new(piece).lead.raw().to_owned();
    openings.iter().find_map(|opening| {
        let chinese = !opening.trim_end().ends_with(|c: char| c.is_ascii());
        let fits = piece
            .chars()
            .next()
            .is_some_and(|first| chinese != first.is_ascii() || (chinese && first.is_ascii_digit()));
        let task = fits.then(|| one(&format!("{opening}{piece}"), dialogue))?;
        // The time must be the piece's own; a mere day comes from the piece before.
        let own = super::when::find(&Text::new(&piece))
            .is_some_and(|own| own.clock.is_some() || own.after.is_some());
        let timed = task.skill == "timer_set" && own;
        let same_person = KIN.is_match(&last.clause.text) && task.job.kind() == Kind::Remark;
        let fact = last.job.kind() == Kind::Fact && (task.job.kind() == Kind::Fact || same_person);
        let question = task.skill == "recall" && last.skill == "recall";
        (fact || question || (timed && last.skill == "timer_set")).then_some(task)
    })
}

/// How a piece that leaves its beginning out may begin.
fn openings(last: &Task) -> Vec<String> {
    let text = &last.clause.text;
    let owned = |openings: &[&str]| openings.iter().map(|opening| (*opening).to_owned()).collect();
    match last.job.kind() {
        Kind::Fact => match KIN.find(text).and_then(|found| found.get("kin").map(str::to_owned)) {
            Some(kin) if kin.is_ascii() => vec![format!("{kin} "), format!("{kin} is ")],
            Some(kin) => vec![kin],
            None if HAVING.is_match(text) => owned(&["我有", "我", "I have ", "I "]),
            None => owned(&["我", "I ", "my ", "I'm "]),
        },
        Kind::Act if last.skill == "recall" => owned(&["我", "my ", "I "]),
        Kind::Act if last.skill == "timer_set" => {
            // A reminder without a time is still being said.
            let Some(moment) =
                super::when::find(text).or_else(|| super::when::find_length(text).map(|_| Moment::default()))
            else {
                return Vec::new();
            };
            let day = moment.day_span.map(|span| text.raw_slice(span).trim().to_owned()).unwrap_or_default();
            vec![
                format!("提醒我{day}"),
                "提醒我".to_owned(),
                "set ".to_owned(),
                format!("remind me {day} "),
                "remind me ".to_owned(),
            ]
        }
        Kind::Act | Kind::Content | Kind::Remark | Kind::Talk | Kind::Guess | Kind::Unknown => Vec::new(),
    }
}

/// The pieces between separators that stand outside quotation marks.
fn pieces(separator: &'static Pattern, text: &Text) -> Vec<String> {
    let quoted = quoted(text.image());
    let mut pieces = Vec::new();
    let mut from = 0;
    for found in separator.regex().captures_iter(text.image()) {
        let Some(cut) = found.name("cut").map(|cut| cut.range()) else { continue };
        let abbreviated = text.image()[cut.clone()].starts_with('.')
            && ABBREVIATED.is_match(&Text::new(&text.image()[..cut.start]));
        if abbreviated || quoted.iter().any(|quote| quote.contains(&cut.start)) {
            continue;
        }
        pieces.push(text.raw_slice(from..cut.start).trim().to_owned());
        from = cut.end;
    }
    pieces.push(text.raw_slice(from..text.image().len()).trim().to_owned());
    pieces.retain(|piece| piece.chars().any(char::is_alphanumeric));
    pieces
}

fn quoted(image: &str) -> Vec<Range<usize>> {
    let marks: Vec<usize> = image.match_indices(['"', '`']).map(|(at, _)| at).collect();
    marks.chunks_exact(2).map(|pair| pair[0]..pair[1] + 1).collect()
}

static ADDRESS: Pattern = Pattern::new(r"(?s)^(?:(?:\[quote: [^\]]*\]|@[^\s]+)\s*)+(?P<rest>\S.*)$");
static SPEAKER: Pattern = Pattern::new(r"(?s)^[^:\n]{1,40}:\s*(?P<rest>\S.*)$");
static HAVING: Pattern = Pattern::new(r"^(?:我(?:有|养)|i (?:have|'ve got|own|got) )");
static SUBJECT: Pattern = Pattern::new(r"^(?:我|咱|你|my |our |i\b|i'|the |{kin})");
static KIN: Pattern = Pattern::new(r"^(?P<who>(?P<kin>(?:我|咱)(?:家)?的?{kin}|(?:my|our) {kin}))");
static THEN: Pattern = Pattern::new(
    r"(?P<cut>[\s,，。;.!]*(?:然后再?|接着再?|随后再?|之后再|完了再?|另外再?|还有[,，]|顺便再?|同时再?|并且|而且|最后再?|,\s*(?:再|也|并|还要))|[,.;]?\s+(?:and then|and also|then|after that|afterwards|and afterwards|also|plus|and)(?:,|\s+(?:please|pls))\s*|[,.;]\s*(?:and then|and also|then|after that|afterwards|also|plus) |\s+and (?:then|also|afterwards) |\n+\s*(?:[-*•]|\d+[.)、])?\s*)",
);
static SENTENCE: Pattern = Pattern::new(r"(?P<cut>[。;?!][\s。;?!~]*|[.?!]+\s+|\n+)");
static COMMA: Pattern = Pattern::new(r"(?P<cut>,\s*(?:and |but )?|、)");
static JOINED: Pattern = Pattern::new(r"(?P<cut>\s+and (?:that )?|\s+but |并|和|还有|以及|但是|而且|但|而)");
/// The full stop after these ends no sentence.
static ABBREVIATED: Pattern = Pattern::new(
    r"\b(?:dr|mr|mrs|ms|prof|st|mt|rev|sgt|capt|jr|sr|no|nr|vs|etc|e\.g|i\.e|approx|apt|ave|dept|fig|[a-z])$",
);
/// Asks again to keep what was just said, and says nothing of its own.
static ECHO: Pattern = Pattern::new(
    r"^(?:(?:and|so|but|do|you|must|should) )*(?:remember|note|keep|bear|write|jot|save|store|(?:don't|do not|never) (?:you )?forget|make a (?:mental )?note|make sure (?:you |to )?(?:remember|(?:don't|do not) forget))(?: (?:that|this|it|these|those|them|about|of|down|in mind|for me|for later|to remember|both|all))*$|^(?:你|您|都|也|可|要|千万|一定|务必|帮我|给我|替我)*(?:记住|记一?下来?|记好|记着|记牢|记得|记住|记一记|别忘了?|别忘记|不要忘了?|不要忘记|备注一下|记在心里)(?:了|哦|这些?|那些?|个|点儿?|件事|它|一下|都)*$",
);
static COMMAND: Pattern = Pattern::new(
    r"^(?:write|translate|tell|give|make|play|sing|draw|explain|summari[sz]e|book|buy|order|send|call|写|翻译|讲|唱|画|播放|放一|解释|总结|订|买|发)",
);
