//! A daemon for tests: a unix socket that speaks protocol frames, driven by the test.

use std::path::{Path, PathBuf};

use hearth_protocol::{ClientFrame, PROTOCOL_VERSION, ServerFrame};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::UnixListener;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

/// A socket that a test listens at.
pub(crate) struct Fake {
    listener: UnixListener,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

/// A connected client.
pub(crate) struct Peer {
    reader: Lines<BufReader<OwnedReadHalf>>,
    writer: OwnedWriteHalf,
}

impl Fake {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hearth.sock");
        Self { listener: UnixListener::bind(&path).unwrap(), path, _folder: folder }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Takes a client without greeting it.
    pub(crate) async fn accept_silently(&self) -> Peer {
        let (stream, _) = self.listener.accept().await.unwrap();
        let (reader, writer) = stream.into_split();
        Peer { reader: BufReader::new(reader).lines(), writer }
    }

    /// Takes a client and greets it.
    pub(crate) async fn accept(&self) -> Peer {
        let mut peer = self.accept_silently().await;
        peer.send(&ServerFrame::Welcome { protocol: PROTOCOL_VERSION, version: "9.9".to_owned() }).await;
        peer
    }
}

impl Peer {
    pub(crate) async fn send(&mut self, frame: &ServerFrame) {
        self.send_text(&serde_json::to_string(frame).unwrap()).await;
    }

    pub(crate) async fn send_text(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes()).await;
    }

    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.unwrap();
    }

    /// The client's next frame; none when it has gone.
    pub(crate) async fn next(&mut self) -> Option<ClientFrame> {
        let line = self.reader.next_line().await.ok()??;
        Some(serde_json::from_str(&line).unwrap())
    }

    /// The client's next frame, which must be one of these.
    pub(crate) async fn expect<T>(&mut self, wanted: impl Fn(ClientFrame) -> Option<T>) -> T {
        let frame = self.next().await.expect("the client has gone");
        let shown = format!("{frame:?}");
        wanted(frame).unwrap_or_else(|| panic!("another frame was expected than {shown}"))
    }

    pub(crate) async fn expect_watch(&mut self) -> (String, Option<String>) {
        self.expect(|frame| match frame {
            ClientFrame::Watch { session, after } => Some((session, after)),
            _ => None,
        })
        .await
    }

    pub(crate) async fn expect_send(&mut self) -> (String, String) {
        self.expect(|frame| match frame {
            ClientFrame::Send { id, text, .. } => Some((id, text)),
            _ => None,
        })
        .await
    }

    pub(crate) async fn expect_call(&mut self) -> (String, hearth_protocol::Call) {
        self.expect(|frame| match frame {
            ClientFrame::Call { id, call } => Some((id, call)),
            _ => None,
        })
        .await
    }
}
