//! Quotation marks around what is meant literally.

/// The path that was named. What runs into the word before it (`往想法.md`) is none, unless it is quoted.
pub(crate) fn path_of(named: &str) -> Option<String> {
    const BEFORE: [char; 10] = ['在', '往', '向', '给', '对', '把', '将', '从', '到', '用'];
    let path = unquoted(named);
    (path != named || !path.starts_with(BEFORE)).then(|| path.to_owned())
}

/// Without one pair of quotation marks around it.
pub(crate) fn unquoted(text: &str) -> &str {
    const PAIRS: [(char, char); 8] = [
        ('"', '"'),
        ('“', '”'),
        ('「', '」'),
        ('『', '』'),
        ('\'', '\''),
        ('‘', '’'),
        ('`', '`'),
        ('《', '》'),
    ];
    let text = text.trim();
    let closed = text.strip_suffix(['。', '.']).unwrap_or(text);
    for candidate in [text, closed] {
        for (open, close) in PAIRS {
            let inner = candidate.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
            if let Some(inner) = inner.filter(|inner| !inner.contains(open) && !inner.contains(close)) {
                return inner;
            }
        }
    }
    text
}
