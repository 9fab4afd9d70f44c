//! Which part of the transcript is seen. Lines are known only when it is drawn, so what the person wants is kept
//! until then.

/// Which part is seen.
#[derive(Debug, Default)]
pub struct Scroll {
    /// The first line that is seen; none while the end is followed.
    anchor: Option<Anchor>,
    pending: i32,
    pages_pending: i32,
    wants_top: Option<Top>,
    /// The line of the top of the screen when it was last drawn.
    top: usize,
    /// How many lines are hidden below.
    below: usize,
}

/// A line of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchor {
    /// The entry.
    pub key: u64,
    /// Its line.
    pub line: usize,
}

#[derive(Debug)]
struct Top;

impl Scroll {
    /// Follows the end.
    pub fn follow(&mut self) {
        *self = Self::default();
    }

    /// Goes to the beginning.
    pub fn to_top(&mut self) {
        self.wants_top = Some(Top);
    }

    /// Goes so many lines down, or up if negative.
    pub fn by(&mut self, lines: i32) {
        self.pending = self.pending.saturating_add(lines);
    }

    /// Goes so many screens down, or up if negative.
    pub fn by_pages(&mut self, pages: i32) {
        self.pages_pending = self.pages_pending.saturating_add(pages);
    }

    /// The end is followed.
    pub fn is_following(&self) -> bool {
        self.anchor.is_none()
    }

    /// The top of the screen was near the beginning when it was last drawn.
    pub fn is_near_top(&self) -> bool {
        self.top < 20
    }

    /// How many lines are hidden below.
    pub fn below(&self) -> usize {
        self.below
    }

    /// Decides which line is at the top of a screen of `height` lines. `heights` are the entries' keys and lines.
    pub fn resolve(&mut self, heights: &[(u64, usize)], height: usize) -> usize {
        let total: usize = heights.iter().map(|(_, lines)| lines).sum();
        let last_top = total.saturating_sub(height);
        let page = i32::try_from(height.saturating_sub(1).max(1)).unwrap_or(i32::MAX);
        let lines = self.pending.saturating_add(self.pages_pending.saturating_mul(page));
        let moves = lines != 0;
        let at = if self.wants_top.take().is_some() { 0 } else { self.anchored(heights).unwrap_or(last_top) };
        let wants_follow = self.anchor.is_none() && lines >= 0 && at == last_top;
        let at = at.saturating_add_signed(lines as isize).min(last_top);
        (self.pending, self.pages_pending) = (0, 0);
        let reached_end = at == last_top && (moves || self.anchor.is_none());
        self.anchor = if wants_follow || reached_end { None } else { anchor_at(heights, at) };
        self.top = at;
        self.below = last_top - at;
        at
    }

    fn anchored(&self, heights: &[(u64, usize)]) -> Option<usize> {
        let anchor = self.anchor?;
        let mut line = 0;
        for (key, lines) in heights {
            if *key == anchor.key {
                return Some(line + anchor.line.min(lines.saturating_sub(1)));
            }
            line += lines;
        }
        // The entry is gone with the oldest ones.
        Some(0)
    }
}

fn anchor_at(heights: &[(u64, usize)], at: usize) -> Option<Anchor> {
    let mut first = 0;
    for (key, lines) in heights {
        if at < first + lines {
            return Some(Anchor { key: *key, line: at - first });
        }
        first += lines;
    }
    None
}

#[cfg(test)]
mod tests;
