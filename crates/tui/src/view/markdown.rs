//! Markdown as rows of a given width.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::style::{BOLD, CODE, DIM, HEADING, LINK};
use super::table::Table;
use super::wrap::{Cut, Indent, columns, wrap, wrap_text};

/// Renders Markdown. A single line end is kept as one, as in a chat.
pub(super) fn render(text: &str, width: usize) -> Vec<Line<'static>> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let text = crate::clean::clean(text);
    let mut page = Page::new(width);
    for event in Parser::new_ext(&text, options) {
        page.take(event);
    }
    page.finish()
}

struct Page {
    width: usize,
    rows: Vec<Line<'static>>,
    /// The text of the block that is being read.
    inline: Vec<Span<'static>>,
    styles: Vec<Style>,
    /// What stands before the lines of the blocks we are in.
    marks: Vec<Mark>,
    /// The numbers of the lists we are in; none for bullets.
    lists: Vec<Option<u64>>,
    table: Option<Table>,
    code: Option<String>,
    link: Option<(String, usize)>,
    /// The next block follows its mark at once, without an empty line.
    is_first_in_item: bool,
}

/// A quotation's or list item's mark.
struct Mark {
    first: Option<Span<'static>>,
    rest: Span<'static>,
}

impl Page {
    fn new(width: usize) -> Self {
        Self {
            width,
            rows: Vec::new(),
            inline: Vec::new(),
            styles: vec![Style::default()],
            marks: Vec::new(),
            lists: Vec::new(),
            table: None,
            code: None,
            link: None,
            is_first_in_item: true,
        }
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.push(&text, self.style()),
            },
            Event::Code(text) => self.push(&text, self.style().patch(CODE)),
            Event::Html(text) | Event::InlineHtml(text) => self.html(&text),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.push(&text, self.style()),
            Event::FootnoteReference(name) => self.push(&format!("[{name}]"), DIM),
            Event::SoftBreak | Event::HardBreak if self.table.is_some() => self.push(" ", self.style()),
            Event::SoftBreak | Event::HardBreak => self.flush(),
            Event::TaskListMarker(done) => self.push(if done { "☑ " } else { "☐ " }, self.style()),
            Event::Rule => {
                self.gap();
                let indent = self.indent();
                let room = self.room();
                self.rows.extend(wrap(
                    &[Span::styled("─".repeat(room), DIM)],
                    self.width,
                    &indent,
                    Cut::Anywhere,
                ));
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.gap(),
            Tag::Heading { level, .. } => {
                self.gap();
                let big = matches!(level, HeadingLevel::H1);
                let style = if big { HEADING.add_modifier(Modifier::UNDERLINED) } else { HEADING };
                self.styles.push(style);
            }
            Tag::BlockQuote(_) => {
                self.gap();
                let bar = Span::styled("▎ ", DIM);
                self.marks.push(Mark { first: Some(bar.clone()), rest: bar });
                self.is_first_in_item = true;
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                self.gap();
                if let CodeBlockKind::Fenced(language) = kind
                    && !language.is_empty()
                {
                    let indent = self.indent();
                    let label = Span::styled(format!("  {language}"), DIM);
                    self.rows.extend(wrap(&[label], self.width, &indent, Cut::Anywhere));
                }
                self.code = Some(String::new());
            }
            Tag::List(first) => {
                self.flush();
                if self.lists.is_empty() {
                    self.gap();
                }
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::Table(alignments) => {
                self.gap();
                self.table = Some(Table::new(alignments));
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.begin_row();
                }
            }
            Tag::Emphasis => self.add_style(Style::new().add_modifier(Modifier::ITALIC)),
            Tag::Strong => self.add_style(BOLD),
            Tag::Strikethrough => self.add_style(Style::new().add_modifier(Modifier::CROSSED_OUT)),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.link = Some((dest_url.to_string(), self.inline.len()));
                self.add_style(LINK);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.flush(),
            TagEnd::Heading(_) => {
                self.flush();
                self.styles.pop();
            }
            TagEnd::BlockQuote(_) | TagEnd::Item => {
                self.flush();
                self.flush_mark();
                self.marks.pop();
                self.is_first_in_item = false;
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    let indent = self.indent();
                    let room = self.room();
                    for row in table.rows(room) {
                        let mut spans = indent.first.clone();
                        spans.extend(row.spans);
                        self.rows.push(Line::from(spans));
                    }
                }
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.inline);
                if let Some(table) = &mut self.table {
                    table.cell(cell);
                }
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link | TagEnd::Image => self.end_link(),
            _ => {}
        }
    }

    fn item(&mut self) {
        self.flush();
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                let mark = format!("{number}. ");
                *number += 1;
                mark
            }
            _ => "• ".to_owned(),
        };
        let rest = Span::raw(" ".repeat(columns(&mark)));
        self.marks.push(Mark { first: Some(Span::styled(mark, DIM)), rest });
        self.is_first_in_item = true;
    }

    fn end_code(&mut self) {
        let Some(code) = self.code.take() else { return };
        let mut indent = self.indent();
        indent.first.push(Span::raw("  "));
        indent.rest.push(Span::raw("  "));
        let code = code.strip_suffix('\n').unwrap_or(&code);
        self.rows.extend(wrap_text(code, CODE, self.width, &indent, Cut::Anywhere));
    }

    fn end_link(&mut self) {
        self.styles.pop();
        let Some((url, from)) = self.link.take() else { return };
        let shown: String = self.inline.iter().skip(from).map(|span| span.content.as_ref()).collect();
        if shown.is_empty() {
            self.push(&url, LINK);
        } else if !url.contains(&shown) {
            self.push(&format!(" ({url})"), DIM);
        }
    }

    fn html(&mut self, text: &str) {
        let style = self.style().patch(DIM);
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                self.flush();
            }
            self.push(line, style);
        }
    }

    fn push(&mut self, text: &str, style: Style) {
        if !text.is_empty() {
            self.inline.push(Span::styled(text.replace('\n', " "), style));
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn add_style(&mut self, style: Style) {
        self.styles.push(self.style().patch(style));
    }

    /// Writes the text of the block.
    fn flush(&mut self) {
        if self.inline.is_empty() || self.table.is_some() {
            return;
        }
        let spans = std::mem::take(&mut self.inline);
        let indent = self.indent();
        self.rows.extend(wrap(&spans, self.width, &indent, Cut::Words));
        self.is_first_in_item = false;
    }

    /// An item without text still shows its mark.
    fn flush_mark(&mut self) {
        if self.marks.last().is_some_and(|mark| mark.first.is_some()) {
            let indent = self.indent();
            self.rows.push(Line::from(indent.first));
        }
    }

    /// An empty line between blocks, but not within lists.
    fn gap(&mut self) {
        if !self.rows.is_empty() && !self.is_first_in_item && self.lists.is_empty() {
            let marks: Vec<Span<'static>> = self.marks.iter().map(|mark| mark.rest.clone()).collect();
            self.rows.push(Line::from(marks));
        }
        self.is_first_in_item = self.marks.iter().any(|mark| mark.first.is_some());
    }

    fn indent(&mut self) -> Indent {
        let rest: Vec<Span<'static>> = self.marks.iter().map(|mark| mark.rest.clone()).collect();
        let first = self
            .marks
            .iter_mut()
            .map(|mark| mark.first.take().unwrap_or_else(|| mark.rest.clone()))
            .collect();
        Indent { first, rest }
    }

    fn room(&self) -> usize {
        let marks: usize = self.marks.iter().map(|mark| columns(&mark.rest.content)).sum();
        self.width.saturating_sub(marks).max(2)
    }

    fn finish(mut self) -> Vec<Line<'static>> {
        self.flush();
        self.rows
    }
}

#[cfg(test)]
mod tests;
