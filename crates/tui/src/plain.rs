//! The conversation without a terminal: lines in, answers out, tools to the side. For pipes and scripts.

use std::collections::HashMap;
use std::io::{IsTerminal, Write};

use anyhow::Result;
use hearth_protocol::{Message, ServerFrame};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, BufReader};

use crate::clean::{clean, one_line};
use crate::client::link::{Link, LinkEvent, Patience};
use crate::client::say::{Outcome, say};
use crate::terminal::Options;
use crate::text::Words;

/// After so many failed attempts to connect in a row, about a minute, there is no daemon.
const ATTEMPTS_MAX: u32 = 16;

/// Says each line of the standard input and prints what is answered, until the input ends and the last answer is
/// there. Answers go to the standard output, all else to the standard error.
///
/// # Errors
/// There is no daemon, it refuses a line, or the output is closed.
pub async fn run_plain(options: Options) -> Result<()> {
    let link = Link::new(&options.socket, options.starter, Patience::Attempts(ATTEMPTS_MAX));
    let mut link = link.speaking(options.language);
    let for_terminal = std::io::stdout().is_terminal();
    let words = Words::of(options.language);
    let mut printer = Printer::new(std::io::stdout(), std::io::stderr(), words, for_terminal);
    converse(&mut link, &options.session, BufReader::new(tokio::io::stdin()), &mut printer).await
}

/// The conversation over any input and output.
async fn converse<O: Write, E: Write>(
    link: &mut Link,
    session: &str,
    input: impl AsyncBufRead + Unpin,
    printer: &mut Printer<O, E>,
) -> Result<()> {
    let mut lines = input.lines();
    link.watch(session, None);
    loop {
        let line = tokio::select! {
            line = lines.next_line() => line?,
            event = link.next() => {
                printer.event(&event)?;
                continue;
            }
        };
        let Some(line) = line else { return Ok(()) };
        if line.trim().is_empty() {
            continue;
        }
        let mut printed = Ok(());
        let outcome = say(link, session, line.trim(), |frame| {
            if printed.is_ok() {
                printed = printer.frame(frame);
            }
        })
        .await?;
        printed?;
        printer.outcome(&outcome)?;
    }
}

/// Prints frames: each message once, and of a streamed one only what is not there yet.
struct Printer<O, E> {
    out: O,
    side: E,
    words: &'static Words,
    for_terminal: bool,
    /// The newest message that was there before us or was printed; ids rise.
    newest: Option<String>,
    /// What was there before has been passed over.
    has_begun: bool,
    /// What has been printed of the answers that are being written, by turn.
    streamed: HashMap<String, String>,
}

impl<O: Write, E: Write> Printer<O, E> {
    fn new(out: O, side: E, words: &'static Words, for_terminal: bool) -> Self {
        Self { out, side, words, for_terminal, newest: None, has_begun: false, streamed: HashMap::new() }
    }

    fn event(&mut self, event: &LinkEvent) -> Result<()> {
        match event {
            LinkEvent::Frame(frame) => self.frame(frame),
            LinkEvent::Gone { reason } => anyhow::bail!("{reason}"),
            LinkEvent::Down { reason, .. } => self.aside(&format!("{} {reason}", self.words.reconnecting)),
            LinkEvent::Up { .. } => Ok(()),
        }
    }

    fn frame(&mut self, frame: &ServerFrame) -> Result<()> {
        match frame {
            ServerFrame::Watching { .. } => self.has_begun = true,
            ServerFrame::Message(message) => self.message(message)?,
            ServerFrame::TurnStarted { turn, .. } | ServerFrame::DraftRestart { turn } => {
                self.restart(turn)?
            }
            ServerFrame::Draft { turn, text } => {
                self.streamed.entry(turn.clone()).or_default().push_str(text);
                self.write(text)?;
            }
            ServerFrame::ToolStarted { tool, arguments, .. } => {
                self.aside(&format!("⚙ {tool} {}", one_line(arguments)))?;
            }
            ServerFrame::ToolEnded { tool, status, result, duration_ms, .. } => {
                let time = format!("{}.{} s", duration_ms / 1_000, duration_ms % 1_000 / 100);
                let line = match status.as_str() {
                    "done" => format!("✓ {tool} {time}"),
                    other => format!("✗ {tool} {} {}", self.words.tool_end(other), one_line(result)),
                };
                self.aside(line.trim_end())?;
            }
            ServerFrame::Elsewhere(message) => {
                self.aside(&format!("[{}] {}", message.session, one_line(&message.text)))?;
            }
            ServerFrame::Warned(warning) => {
                self.aside(&format!("! {}", one_line(warning.in_language(self.words.language))))?;
            }
            ServerFrame::Notice { text, .. } => self.aside(&format!("! {}", one_line(text)))?,
            _ => {}
        }
        Ok(())
    }

    fn message(&mut self, message: &Message) -> Result<()> {
        if self.newest.as_ref().is_some_and(|newest| *newest >= message.id) {
            return Ok(());
        }
        if !self.has_begun {
            self.newest = Some(message.id.clone());
        } else if message.direction == "out" {
            self.newest = Some(message.id.clone());
            let streamed =
                message.turn.as_ref().and_then(|turn| self.streamed.remove(turn)).unwrap_or_default();
            match message.text.strip_prefix(streamed.as_str()) {
                Some(rest) => self.write(&format!("{rest}\n"))?,
                // It was changed before it was sent: what counts is the whole.
                None => self.write(&format!("\n{}\n", message.text))?,
            }
        }
        Ok(())
    }

    fn restart(&mut self, turn: &str) -> Result<()> {
        if self.streamed.remove(turn).is_some_and(|streamed| !streamed.is_empty()) {
            self.write("\n")?;
        }
        Ok(())
    }

    /// What is left to tell when a message has ended.
    fn outcome(&mut self, outcome: &Outcome) -> Result<()> {
        let streamed = outcome.turn.as_ref().and_then(|turn| self.streamed.remove(turn)).unwrap_or_default();
        if !streamed.is_empty() && outcome.reply.is_empty() {
            self.write("\n")?;
        }
        match self.words.end(&outcome.end) {
            Some(text) => self.aside(&format!("! {text}")),
            None => Ok(()),
        }
    }

    fn write(&mut self, text: &str) -> Result<()> {
        if self.for_terminal {
            self.out.write_all(clean(text).as_bytes())?;
        } else {
            self.out.write_all(text.as_bytes())?;
        }
        Ok(self.out.flush()?)
    }

    fn aside(&mut self, line: &str) -> Result<()> {
        Ok(writeln!(self.side, "{}", one_line(line))?)
    }
}

#[cfg(test)]
mod tests;
