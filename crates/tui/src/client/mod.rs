//! A connection to the daemon: one JSON frame a line over its unix socket.

pub mod broken;
pub mod link;
pub mod say;

use std::collections::VecDeque;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use hearth_protocol::{Call, ClientFrame, FRAME_BYTES_MAX, PROTOCOL_VERSION, Problem, ServerFrame};
use serde::de::IgnoredAny;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use broken::Broken;

/// How long the daemon may take to greet.
pub const WELCOME_WAIT_MAX: Duration = Duration::from_secs(5);

/// How much may wait to be written, in bytes. More means that the daemon does not read.
pub const OUTGOING_BYTES_MAX: usize = 4 * FRAME_BYTES_MAX;

/// How many frames are kept aside while the answer to a call is awaited.
pub const ASIDE_FRAMES_MAX: usize = 10_000;

/// A connection. Nothing is written before [`Client::next`], [`Client::call`] or [`Client::flush`] is awaited.
#[derive(Debug)]
pub struct Client {
    reader: OwnedReadHalf,
    writer: OwnedWriteHalf,
    incoming: Vec<u8>,
    /// Up to here `incoming` has been searched for the end of a line.
    searched: usize,
    outgoing: VecDeque<u8>,
    aside: VecDeque<ServerFrame>,
    version: String,
}

impl Client {
    /// Connects and waits for the greeting.
    ///
    /// # Errors
    /// A [`Broken`]: nobody listens, nobody greets within [`WELCOME_WAIT_MAX`], or the daemon speaks another protocol.
    pub async fn connect(socket: &Path) -> Result<Self> {
        let stream = UnixStream::connect(socket).await;
        let stream = stream.map_err(|_| Broken::NobodyThere { socket: socket.to_owned() })?;
        let (reader, writer) = stream.into_split();
        let mut client = Self {
            reader,
            writer,
            incoming: Vec::new(),
            searched: 0,
            outgoing: VecDeque::new(),
            aside: VecDeque::new(),
            version: String::new(),
        };
        let first = tokio::time::timeout(WELCOME_WAIT_MAX, client.next())
            .await
            .map_err(|_| Broken::NoGreeting { socket: socket.to_owned() })??;
        let ServerFrame::Welcome { protocol, version } = first else {
            return Err(Broken::NotHearth { socket: socket.to_owned() }.into());
        };
        if protocol != PROTOCOL_VERSION {
            return Err(Broken::OtherProtocol { version, protocol }.into());
        }
        client.version = version;
        Ok(client)
    }

    /// The daemon's version.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Puts a frame in line to be written.
    ///
    /// # Errors
    /// The frame is longer than [`FRAME_BYTES_MAX`], or more than [`OUTGOING_BYTES_MAX`] waits.
    pub fn send(&mut self, frame: &ClientFrame) -> Result<()> {
        let line = serde_json::to_vec(frame)?;
        if line.len() > FRAME_BYTES_MAX {
            bail!("this is too long to send ({} bytes, at most {FRAME_BYTES_MAX}); shorten it", line.len());
        }
        if self.outgoing.len() + line.len() > OUTGOING_BYTES_MAX {
            bail!("the daemon does not read what is sent to it; restart it");
        }
        self.outgoing.extend(line);
        self.outgoing.push_back(b'\n');
        Ok(())
    }

    /// The next frame; frames that this version does not know are skipped. Dropping the future loses nothing.
    ///
    /// # Errors
    /// The connection is broken or closed, or the daemon sends what is no frame.
    pub async fn next(&mut self) -> Result<ServerFrame> {
        match self.aside.pop_front() {
            Some(frame) => Ok(frame),
            None => self.next_from_daemon().await,
        }
    }

    /// Asks something and waits for the answer. Other frames that arrive meanwhile are returned by the next
    /// [`Client::next`], in order.
    ///
    /// # Errors
    /// What the daemon answers, or `unavailable` if the connection breaks.
    pub async fn call(&mut self, call: Call) -> Result<serde_json::Value, Problem> {
        let asked = new_id();
        self.send(&ClientFrame::Call { id: asked.clone(), call }).map_err(unavailable)?;
        loop {
            match self.next_from_daemon().await.map_err(unavailable)? {
                ServerFrame::Result { id, value } if id == asked => return Ok(value),
                ServerFrame::Failed { id, error } if id == asked => return Err(error),
                _ if self.aside.len() >= ASIDE_FRAMES_MAX => {
                    return Err(unavailable("the daemon does not answer what it is asked"));
                }
                other => self.aside.push_back(other),
            }
        }
    }

    /// Writes all that waits.
    ///
    /// # Errors
    /// The connection is broken.
    pub async fn flush(&mut self) -> Result<()> {
        while !self.outgoing.is_empty() {
            let written = self.writer.write(self.outgoing.as_slices().0).await?;
            self.outgoing.drain(..written);
        }
        Ok(())
    }

    async fn next_from_daemon(&mut self) -> Result<ServerFrame> {
        loop {
            while let Some(line) = self.take_line()? {
                if let Some(frame) = parse(&line)? {
                    return Ok(frame);
                }
            }
            tokio::select! {
                read = self.reader.read_buf(&mut self.incoming) => {
                    if read? == 0 {
                        return Err(Broken::Closed.into());
                    }
                }
                written = self.writer.write(self.outgoing.as_slices().0), if !self.outgoing.is_empty() => {
                    let written = written?;
                    self.outgoing.drain(..written);
                }
            }
        }
    }

    fn take_line(&mut self) -> Result<Option<Vec<u8>>> {
        let Some(at) = self.incoming[self.searched..].iter().position(|byte| *byte == b'\n') else {
            self.searched = self.incoming.len();
            if self.incoming.len() > FRAME_BYTES_MAX {
                bail!("the daemon sends a frame longer than {FRAME_BYTES_MAX} bytes");
            }
            return Ok(None);
        };
        let mut line: Vec<u8> = self.incoming.drain(..=self.searched + at).collect();
        line.pop();
        self.searched = 0;
        Ok(Some(line))
    }
}

/// An id for a message or a call: never made twice.
pub fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// A problem that says that the daemon cannot be asked now.
pub(crate) fn unavailable(reason: impl std::fmt::Display) -> Problem {
    Problem { code: "unavailable".to_owned(), text: reason.to_string(), hint: String::new() }
}

fn parse(line: &[u8]) -> Result<Option<ServerFrame>> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    match serde_json::from_slice(line) {
        Ok(frame) => Ok(Some(frame)),
        // A newer daemon may send frames that this version has no word for; the protocol says to skip them.
        Err(_) if serde_json::from_slice::<IgnoredAny>(line).is_ok() => Ok(None),
        Err(error) => Err(error).context("the daemon sends what is no frame"),
    }
}

#[cfg(test)]
mod tests;
