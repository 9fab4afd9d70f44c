//! Keeps the head and the tail of what a program says, however much that is.

use std::collections::VecDeque;

use tokio::io::{AsyncRead, AsyncReadExt};

/// Bytes of the head, and of the tail, that are kept.
const HEAD_BYTES: usize = 8 * 1024;
const TAIL_BYTES: usize = 8 * 1024;
/// Bytes taken at a time.
const CHUNK_BYTES: usize = 16 * 1024;

/// The head and the tail of a stream.
#[derive(Debug, Default)]
pub(crate) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    cut_bytes: u64,
}

impl Capture {
    fn push(&mut self, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(bytes.len().min(HEAD_BYTES - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let surplus = self.tail.len().saturating_sub(TAIL_BYTES);
        self.tail.drain(..surplus);
        self.cut_bytes += surplus as u64;
    }

    /// As text, with a line that says how much is missing in the middle.
    pub(crate) fn text(&self) -> String {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        if self.cut_bytes == 0 {
            return String::from_utf8_lossy(&[self.head.as_slice(), &tail].concat()).into_owned();
        }
        let (head, tail) = (whole_end(&self.head), whole_start(&tail));
        let missing = self.cut_bytes + (self.head.len() - head.len() + self.tail.len() - tail.len()) as u64;
        format!(
            "{}\n[… {missing} bytes cut …]\n{}",
            String::from_utf8_lossy(head),
            String::from_utf8_lossy(tail)
        )
    }
}

/// Without a character at the end that was cut in two.
fn whole_end(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => bytes,
    }
}

/// Without the rest of a character that was cut in two; a character has at most three bytes after its first.
fn whole_start(bytes: &[u8]) -> &[u8] {
    let rest = bytes.iter().take(3).take_while(|byte| *byte & 0b1100_0000 == 0b1000_0000).count();
    &bytes[rest..]
}

/// Takes what comes until the stream ends. Dropping it loses nothing that was taken.
pub(super) async fn pump(stream: &mut Option<impl AsyncRead + Unpin>, capture: &mut Capture) {
    let Some(open) = stream else { return };
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match open.read(&mut chunk).await {
            Ok(count) if count > 0 => capture.push(&chunk[..count]),
            _ => break,
        }
    }
    *stream = None;
}

#[cfg(test)]
mod tests;
