//! What a streaming client has been told so far, and what is to be added. Such a client can only be told more, never
//! that something is void; where an answer is begun anew, what it shares with the old one is not repeated.

/// The answer as the client has it.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// Everything the client was told.
    told: String,
    /// Where in it the draft begins that is being written.
    mark: usize,
    /// The draft that is being written, whole.
    draft: String,
}

impl Said {
    /// More of the draft; returns what to tell.
    pub(super) fn push(&mut self, text: &str) -> String {
        self.draft.push_str(text);
        let shown = &self.told[self.mark..];
        if self.draft.starts_with(shown) {
            let more = self.draft[shown.len()..].to_owned();
            return self.tell(more);
        }
        if shown.starts_with(&self.draft) {
            return String::new();
        }
        // It takes another course than what was told: told once more, as a paragraph of its own.
        self.paragraph()
    }

    /// The draft is written again.
    pub(super) fn restart(&mut self) {
        self.draft.clear();
    }

    /// What follows is another text than the one so far.
    pub(super) fn next(&mut self) {
        self.mark = self.told.len();
        self.draft.clear();
    }

    /// The final text; returns what is missing from it.
    pub(super) fn finish(&mut self, reply: &str) -> String {
        let shown = &self.told[self.mark..];
        // It may be only the last of the texts, or all of them.
        let known =
            [shown, &self.told].into_iter().find(|known| !known.is_empty() && reply.starts_with(*known));
        if let Some(known) = known {
            return reply[known.len()..].to_owned();
        }
        if self.told.ends_with(reply) || shown.starts_with(reply) {
            return String::new();
        }
        self.draft = reply.to_owned();
        self.paragraph()
    }

    /// Tells the draft from its beginning.
    fn paragraph(&mut self) -> String {
        self.mark = self.told.len();
        self.tell(self.draft.clone())
    }

    fn tell(&mut self, more: String) -> String {
        if more.is_empty() {
            return more;
        }
        let begins = self.mark == self.told.len() && self.mark > 0;
        if !begins {
            self.told.push_str(&more);
            return more;
        }
        self.told.push_str("\n\n");
        self.mark = self.told.len();
        self.told.push_str(&more);
        format!("\n\n{more}")
    }
}

#[cfg(test)]
mod tests;
