//! Server-sent events from bytes (WHATWG HTML §9.2), or lines of JSON as such, with a bound on each event.

use std::collections::VecDeque;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// Its type; empty when the server gave none.
    pub event: String,
    /// Its data, lines joined with `\n`.
    pub data: String,
    /// False for what was left when the connection ended in the middle of an event.
    pub complete: bool,
}

/// An event is longer than its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event is longer than {limit_bytes} bytes")]
pub struct SseOverflow {
    /// The limit, in bytes.
    pub limit_bytes: usize,
}

/// Turns bytes, cut anywhere, into events. Comments, `id` and `retry` are dropped: we do not reconnect.
#[derive(Debug)]
pub struct SseParser {
    limit_bytes: usize,
    line: Vec<u8>,
    event: String,
    data: String,
    data_lines: usize,
    after_cr: bool,
    first_line: bool,
    each_line: bool,
    ready: VecDeque<SseEvent>,
}

impl SseParser {
    /// A parser for one connection; an event may have at most `limit_bytes`.
    pub fn new(limit_bytes: usize) -> Self {
        Self {
            limit_bytes,
            line: Vec::new(),
            event: String::new(),
            data: String::new(),
            data_lines: 0,
            after_cr: false,
            first_line: true,
            each_line: false,
            ready: VecDeque::new(),
        }
    }

    /// A parser that takes each line that is not empty for the data of an event.
    pub fn of_lines(limit_bytes: usize) -> Self {
        Self { each_line: true, ..Self::new(limit_bytes) }
    }

    /// Takes more bytes. After an error the parser is not used again.
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<(), SseOverflow> {
        while !bytes.is_empty() {
            if std::mem::take(&mut self.after_cr) && bytes[0] == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let piece = &bytes[..end.unwrap_or(bytes.len())];
            if self.line.len() + piece.len() + self.data.len() + self.event.len() > self.limit_bytes {
                return Err(SseOverflow { limit_bytes: self.limit_bytes });
            }
            self.line.extend_from_slice(piece);
            let Some(end) = end else { return Ok(()) };
            self.after_cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            self.end_line();
        }
        Ok(())
    }

    /// The next whole event.
    pub fn next_event(&mut self) -> Option<SseEvent> {
        self.ready.pop_front()
    }

    /// Says that the connection ended; what is left of an unfinished event follows as an incomplete one.
    pub fn finish(&mut self) {
        // `[DONE]` as the very last bytes, without a line end, is common and means the same.
        let cut_line = !self.line.is_empty();
        if cut_line {
            self.end_line();
        }
        self.dispatch(!cut_line);
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let mut line = String::from_utf8_lossy(&line).into_owned();
        if std::mem::take(&mut self.first_line) && line.starts_with('\u{feff}') {
            line.remove(0);
        }
        if self.each_line {
            if !line.trim().is_empty() {
                self.ready.push_back(SseEvent { event: String::new(), data: line, complete: true });
            }
            return;
        }
        if line.is_empty() {
            self.dispatch(true);
            return;
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.data_lines > 0 {
                    self.data.push('\n');
                }
                self.data.push_str(value);
                self.data_lines += 1;
            }
            "event" => value.clone_into(&mut self.event),
            _ => {}
        }
    }

    fn dispatch(&mut self, complete: bool) {
        let event = std::mem::take(&mut self.event);
        let data = std::mem::take(&mut self.data);
        if std::mem::take(&mut self.data_lines) > 0 {
            self.ready.push_back(SseEvent { event, data, complete });
        }
    }
}

#[cfg(test)]
mod tests;
