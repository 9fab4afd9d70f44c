//! Lines cut to a width: at spaces, between Chinese characters, never within one, and with no punctuation at the
//! beginning of a line that belongs to the end of the one before.

use ratatui::buffer::CellWidth;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;

/// Characters that do not begin a line (closing punctuation, GB/T 15834 and JLREQ).
const NOT_FIRST: &str = "，。、；：？！）》」』】〕〉”’…—·,.;:?!)]}%％～";

/// Characters that do not end a line (opening punctuation).
const NOT_LAST: &str = "（《「『【〔〈“‘([{";

/// What a line begins with.
#[derive(Debug, Clone, Default)]
pub(super) struct Indent {
    /// The first line.
    pub(super) first: Vec<Span<'static>>,
    /// All others.
    pub(super) rest: Vec<Span<'static>>,
}

impl Indent {
    /// The same spaces before each line.
    pub(super) fn spaces(columns: usize) -> Self {
        let spaces = vec![Span::raw(" ".repeat(columns))];
        Self { first: spaces.clone(), rest: spaces }
    }

    /// `mark` before the first line, and spaces of its width before all others.
    pub(super) fn mark(mark: Span<'static>) -> Self {
        let rest = vec![Span::raw(" ".repeat(columns(&mark.content)))];
        Self { first: vec![mark], rest }
    }
}

/// How lines may be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// Where words and sentences allow it.
    Words,
    /// Anywhere, with every space kept: for code.
    Anywhere,
}

#[derive(Debug, Clone)]
struct Glyph {
    text: String,
    columns: usize,
    style: Style,
}

/// The columns that a text takes on one line.
pub(super) fn columns(text: &str) -> usize {
    text.graphemes(true).map(glyph_columns).sum()
}

/// The text cut to at most so many columns, with an ellipsis if something is left out.
pub(super) fn truncate(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let mut cut = String::new();
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        let more = glyph_columns(grapheme);
        if used + more + 1 > most {
            break;
        }
        cut.push_str(grapheme);
        used += more;
    }
    if most > 0 {
        cut.push('…');
    }
    cut
}

/// Cuts one line of text to `width` columns, indents included.
pub(super) fn wrap(spans: &[Span<'static>], width: usize, indent: &Indent, cut: Cut) -> Vec<Line<'static>> {
    let taken = |spans: &[Span<'static>]| spans.iter().map(|span| columns(&span.content)).sum::<usize>();
    let first_room = width.saturating_sub(taken(&indent.first)).max(2);
    let rest_room = width.saturating_sub(taken(&indent.rest)).max(2);
    let rows = cut_rows(glyphs(spans), first_room, rest_room, cut);
    rows.into_iter()
        .enumerate()
        .map(|(at, row)| {
            let mut spans = if at == 0 { indent.first.clone() } else { indent.rest.clone() };
            join(row, &mut spans);
            Line::from(spans)
        })
        .collect()
}

/// Cuts text with line ends.
pub(super) fn wrap_text(
    text: &str,
    style: Style,
    width: usize,
    indent: &Indent,
    cut: Cut,
) -> Vec<Line<'static>> {
    let mut rows = Vec::new();
    for (at, line) in text.split('\n').enumerate() {
        let rest = Indent { first: indent.rest.clone(), rest: indent.rest.clone() };
        let indent = if at == 0 { indent } else { &rest };
        rows.extend(wrap(&[Span::styled(line.to_owned(), style)], width, indent, cut));
    }
    rows
}

fn cut_rows(glyphs: Vec<Glyph>, first_room: usize, rest_room: usize, cut: Cut) -> Vec<Vec<Glyph>> {
    let mut rows: Vec<Vec<Glyph>> = Vec::new();
    let mut row: Vec<Glyph> = Vec::new();
    let mut used = 0;
    // Where the row may be cut: before the glyph of this index.
    let mut cut_at: Option<usize> = None;
    for glyph in glyphs {
        let room = if rows.is_empty() { first_room } else { rest_room };
        if cut == Cut::Words && row.last().is_some_and(|last| may_part(last, &glyph)) {
            cut_at = Some(row.len());
        }
        if used + glyph.columns > room {
            if cut == Cut::Words && glyph.text == " " {
                // A space at the end of a line is the line's end.
                continue;
            }
            let next = row.split_off(cut_at.take().unwrap_or(row.len()));
            rows.push(trim_end(std::mem::replace(&mut row, next), cut));
            used = row.iter().map(|glyph| glyph.columns).sum();
        }
        used += glyph.columns;
        row.push(glyph);
    }
    rows.push(trim_end(row, cut));
    rows
}

fn trim_end(mut row: Vec<Glyph>, cut: Cut) -> Vec<Glyph> {
    while cut == Cut::Words && row.last().is_some_and(|last| last.text == " ") {
        row.pop();
    }
    row
}

fn may_part(before: &Glyph, after: &Glyph) -> bool {
    if after.text == " " {
        return false;
    }
    if before.text == " " {
        return true;
    }
    let wide = before.columns > 1 || after.columns > 1;
    wide && !NOT_FIRST.contains(after.text.as_str()) && !NOT_LAST.contains(before.text.as_str())
}

fn glyphs(spans: &[Span<'static>]) -> Vec<Glyph> {
    let mut glyphs = Vec::new();
    for span in spans {
        for text in span.content.graphemes(true) {
            let columns = glyph_columns(text);
            if columns > 0 {
                glyphs.push(Glyph { text: text.to_owned(), columns, style: span.style });
            }
        }
    }
    glyphs
}

fn glyph_columns(grapheme: &str) -> usize {
    if grapheme.contains(char::is_control) { 0 } else { usize::from(grapheme.cell_width()) }
}

fn join(row: Vec<Glyph>, spans: &mut Vec<Span<'static>>) {
    let mut text = String::new();
    let mut style = Style::default();
    for glyph in row {
        if glyph.style != style && !text.is_empty() {
            spans.push(Span::styled(std::mem::take(&mut text), style));
        }
        style = glyph.style;
        text.push_str(&glyph.text);
    }
    if !text.is_empty() {
        spans.push(Span::styled(text, style));
    }
}

#[cfg(test)]
mod tests;
