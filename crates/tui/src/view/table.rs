//! A table in a given width: cells wrap, and where there is no room for columns each row becomes a list.

use pulldown_cmark::Alignment;
use ratatui::text::{Line, Span};

use super::style::{BOLD, DIM};
use super::wrap::{Cut, Indent, columns, wrap};

/// The fewest columns of the screen that a column of a table is worth having.
const COLUMN_MIN: usize = 4;

/// Between two columns.
const BETWEEN: &str = " │ ";

type Cell = Vec<Span<'static>>;

/// A table that is being read.
pub(super) struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// An empty one.
    pub(super) fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new() }
    }

    /// Begins a row; the first is the head.
    pub(super) fn begin_row(&mut self) {
        self.rows.push(Vec::new());
    }

    /// Adds a cell to the row.
    pub(super) fn cell(&mut self, cell: Cell) {
        if let Some(row) = self.rows.last_mut() {
            row.push(cell);
        }
    }

    /// The rows of the screen.
    pub(super) fn rows(mut self, width: usize) -> Vec<Line<'static>> {
        let count = self.alignments.len();
        for cell in self.rows.first_mut().into_iter().flatten().flatten() {
            cell.style = cell.style.patch(BOLD);
        }
        let between = columns(BETWEEN) * count.saturating_sub(1);
        match fit(&self.natural_widths(), width.saturating_sub(between)) {
            Some(widths) => self.grid(&widths),
            None => self.list(width),
        }
    }

    fn natural_widths(&self) -> Vec<usize> {
        let mut widths = vec![1; self.alignments.len()];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell_columns(cell));
            }
        }
        widths
    }

    fn grid(&self, widths: &[usize]) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            let cells: Vec<Vec<Line<'static>>> = widths
                .iter()
                .enumerate()
                .map(|(column, width)| {
                    let empty = Vec::new();
                    wrap(row.get(column).unwrap_or(&empty), *width, &Indent::default(), Cut::Words)
                })
                .collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or(1);
            for line in 0..height {
                lines.push(self.grid_line(&cells, widths, line));
            }
            if at == 0 {
                let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                lines.push(Line::from(Span::styled(rule.join("─┼─"), DIM)));
            }
        }
        lines
    }

    fn grid_line(&self, cells: &[Vec<Line<'static>>], widths: &[usize], line: usize) -> Line<'static> {
        let mut spans: Vec<Span<'static>> = Vec::new();
        for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
            if column > 0 {
                spans.push(Span::styled(BETWEEN, DIM));
            }
            let text = cell.get(line).map(|line| line.spans.clone()).unwrap_or_default();
            let free = width.saturating_sub(cell_columns(&text));
            let before = match self.alignments.get(column) {
                Some(Alignment::Right) => free,
                Some(Alignment::Center) => free / 2,
                _ => 0,
            };
            spans.push(Span::raw(" ".repeat(before)));
            spans.extend(text);
            spans.push(Span::raw(" ".repeat(free - before)));
        }
        Line::from(spans)
    }

    fn list(&self, width: usize) -> Vec<Line<'static>> {
        let Some((head, body)) = self.rows.split_first() else { return Vec::new() };
        let mut lines = Vec::new();
        for row in body {
            for (at, cell) in row.iter().enumerate() {
                let mut spans = head.get(at).cloned().unwrap_or_default();
                spans.push(Span::raw(": "));
                spans.extend(cell.clone());
                let mark = if at == 0 { "▪ " } else { "  " };
                lines.extend(wrap(&spans, width, &Indent::mark(Span::styled(mark, DIM)), Cut::Words));
            }
        }
        lines
    }
}

fn cell_columns(cell: &[Span<'static>]) -> usize {
    cell.iter().map(|span| columns(&span.content)).sum()
}

/// Takes from the widest columns until all fit. None if that leaves too little.
fn fit(natural: &[usize], room: usize) -> Option<Vec<usize>> {
    let mut widths = natural.to_vec();
    while widths.iter().sum::<usize>() > room {
        let widest = widths.iter_mut().max()?;
        if *widest <= COLUMN_MIN {
            return None;
        }
        *widest -= 1;
    }
    Some(widths)
}
