//! Makes readable text of an HTML page, roughly: tags go, blocks become lines, links keep nothing but their words.

/// Elements whose content is not for reading.
const UNREADABLE: &[&str] = &["script", "style", "noscript", "template", "svg", "head", "iframe", "object"];
/// Elements that begin and end a line.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "dd",
    "div",
    "dl",
    "dt",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "ol",
    "option",
    "p",
    "pre",
    "section",
    "table",
    "tr",
    "ul",
];

/// The text of a page; its title first.
pub(crate) fn to_text(page: &str) -> String {
    let mut text = Lines::default();
    if let Some(title) = title(page) {
        text.push(&title);
        text.end_line();
    }
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        text.push(&rest[..start]);
        rest = &rest[start..];
        let tag = Tag::read(rest);
        rest = &rest[tag.length..];
        if tag.name.is_empty() {
            // A `<` that begins no tag is text.
            text.push(if tag.length == 1 { "<" } else { "" });
            continue;
        }
        if !tag.closes && UNREADABLE.contains(&tag.name.as_str()) && !tag.is_whole {
            rest = after_end(rest, &tag.name);
        } else if BLOCKS.contains(&tag.name.as_str()) {
            text.end_line();
            if tag.name == "li" && !tag.closes {
                text.push("- ");
            }
        } else if tag.name == "td" || tag.name == "th" {
            text.push(" ");
        }
    }
    text.push(rest);
    text.finish()
}

/// A tag, a comment or a declaration at the beginning of a text.
struct Tag {
    /// In lower case; empty if it is none.
    name: String,
    closes: bool,
    /// Whether it closes itself (`<br/>`).
    is_whole: bool,
    /// Bytes it takes, at least 1.
    length: usize,
}

impl Tag {
    /// Reads what begins with `<`.
    fn read(text: &str) -> Self {
        let none = |length| Self { name: String::new(), closes: false, is_whole: false, length };
        if let Some(comment) = text.strip_prefix("<!--") {
            return none(comment.find("-->").map_or(text.len(), |end| 4 + end + 3));
        }
        if text.starts_with("<!") || text.starts_with("<?") {
            return none(text.find('>').map_or(text.len(), |end| end + 1));
        }
        let closes = text.starts_with("</");
        let after = &text[if closes { 2 } else { 1 }..];
        if !after.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return none(1);
        }
        let end_of_name = after.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(after.len());
        let name = after[..end_of_name].to_ascii_lowercase();
        let length = end_of_tag(text);
        Self { name, closes, is_whole: text[..length].ends_with("/>"), length }
    }
}

/// How far the end of a tag is looked for outside quotes. Beyond it, and where a quote is never closed, the first `>`
/// ends the tag; the bound keeps a hostile page from being read over and over.
const TAG_BYTES_MAX: usize = 4096;

/// Where a tag ends; the whole text if it never does.
fn end_of_tag(text: &str) -> usize {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().take(TAG_BYTES_MAX) {
        match (quote, byte) {
            (None, b'>') => return at + 1,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    text.find('>').map_or(text.len(), |end| end + 1)
}

/// What follows the end of an element; nothing if it never ends.
fn after_end<'a>(text: &'a str, name: &str) -> &'a str {
    let bytes = text.as_bytes();
    let wanted = name.as_bytes();
    let mut from = 0;
    while let Some(at) = text[from..].find("</").map(|at| from + at) {
        let found = bytes.get(at + 2..at + 2 + wanted.len());
        if found.is_some_and(|found| found.eq_ignore_ascii_case(wanted)) {
            return &text[at + end_of_tag(&text[at..])..];
        }
        from = at + 2;
    }
    ""
}

fn title(page: &str) -> Option<String> {
    let at = page.as_bytes().windows(6).position(|window| window.eq_ignore_ascii_case(b"<title"))?;
    let start = at + end_of_tag(&page[at..]);
    let end = page[start..].find('<').map_or(page.len(), |end| start + end);
    Some(page[start..end].trim().to_owned()).filter(|title| !title.is_empty())
}

/// Text in lines, with single blanks and no empty lines.
#[derive(Default)]
struct Lines {
    done: String,
    line: String,
}

impl Lines {
    fn push(&mut self, text: &str) {
        for c in decode_entities(text).chars() {
            if !c.is_whitespace() {
                self.line.push(c);
            } else if !self.line.ends_with(' ') && !self.line.is_empty() {
                self.line.push(' ');
            }
        }
    }

    fn end_line(&mut self) {
        let line = self.line.trim();
        if !line.is_empty() && line != "-" {
            self.done.push_str(line);
            self.done.push('\n');
        }
        self.line.clear();
    }

    fn finish(mut self) -> String {
        self.end_line();
        self.done.truncate(self.done.trim_end().len());
        self.done
    }
}

/// Decodes the common named entities and all numbered ones; others stay as they are.
fn decode_entities(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        decoded.push_str(&rest[..start]);
        rest = &rest[start..];
        // The longest that is known has 8 characters between its ends.
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        match end.and_then(|end| Some((entity(&rest[1..end])?, end))) {
            Some((c, end)) => {
                decoded.push(c);
                rest = &rest[end + 1..];
            }
            None => {
                decoded.push('&');
                rest = &rest[1..];
            }
        }
    }
    decoded.push_str(rest);
    decoded
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code);
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" | "ensp" | "emsp" | "thinsp" => ' ',
        "ndash" => '–',
        "mdash" => '—',
        "hellip" => '…',
        "lsquo" => '‘',
        "rsquo" => '’',
        "ldquo" => '“',
        "rdquo" => '”',
        "laquo" => '«',
        "raquo" => '»',
        "bull" | "middot" => '·',
        "copy" => '©',
        "reg" => '®',
        "trade" => '™',
        "times" => '×',
        "deg" => '°',
        "euro" => '€',
        "yen" => '¥',
        "pound" => '£',
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
