//! Quotation marks around what is meant literally.

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
