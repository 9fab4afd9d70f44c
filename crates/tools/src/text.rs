//! Keeps what tools say within bounds, without ever cutting a character in two.

/// Bytes of text a tool hands to the model at most, unless it says otherwise.
pub(crate) const OUTPUT_BYTES_MAX: usize = 32 * 1024;

/// The whole text, or its head and its tail with a line between them that says how much is missing. The result is at
/// most `bytes_max` bytes and that line long.
pub(crate) fn head_and_tail(text: &str, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let head = head(text, bytes_max / 2);
    let tail = tail(text, bytes_max - bytes_max / 2);
    format!("{head}\n[… {} bytes cut …]\n{tail}", text.len() - head.len() - tail.len())
}

/// The longest beginning of at most `bytes_max` bytes.
pub(crate) fn head(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}

/// The longest end of at most `bytes_max` bytes.
pub(crate) fn tail(text: &str, bytes_max: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(bytes_max))..]
}

#[cfg(test)]
mod tests;
