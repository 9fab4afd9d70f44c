//! The protocol over the unix socket: one frame a line. Who may open the file may come in.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::clock::Clock;
use hearth_protocol::FRAME_BYTES_MAX;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;

use crate::conversation::{Incoming, Sink, Source, converse};
use crate::limits::SOCKET_CONNECTIONS_MAX;
use crate::problem::problem;
use crate::routes::App;
use crate::serve::{GatewayError, pause_after};

/// Opens the socket. A file that nobody listens at any more is replaced; one that somebody does is left alone.
pub(crate) async fn bind(path: &Path) -> Result<UnixListener, GatewayError> {
    if UnixStream::connect(path).await.is_ok() {
        return Err(GatewayError::SocketTaken { path: path.to_owned() });
    }
    let failed =
        |error: std::io::Error| GatewayError::Socket { path: path.to_owned(), reason: error.to_string() };
    // Made under another name and moved, so that there is no moment in which others may open it.
    let fresh = fresh_name(path);
    match std::fs::remove_file(&fresh) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let listener = UnixListener::bind(&fresh).map_err(failed)?;
    std::fs::set_permissions(&fresh, std::fs::Permissions::from_mode(0o600)).map_err(failed)?;
    std::fs::rename(&fresh, path).map_err(failed)?;
    Ok(listener)
}

fn fresh_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("~");
    PathBuf::from(name)
}

/// Serves clients of the socket until Hearth stops, and takes the file away then.
pub(crate) async fn serve(app: Arc<App>, listener: UnixListener, path: PathBuf) {
    let places = Arc::new(Semaphore::new(SOCKET_CONNECTIONS_MAX));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = app.tasks.shutdown().cancelled() => break,
        };
        match accepted {
            Ok((stream, _)) => match places.clone().try_acquire_owned() {
                Ok(place) => {
                    let app = app.clone();
                    app.tasks.clone().spawn("socket client", async move {
                        let (source, sink) = stream.into_split();
                        converse(app, LineSource(BufReader::new(source)), LineSink(sink)).await;
                        drop(place);
                    });
                }
                Err(_) => {
                    tracing::warn!(limit = SOCKET_CONNECTIONS_MAX, "too many clients on the unix socket")
                }
            },
            Err(error) => pause_after(&*app.calls.clock as &dyn Clock, &error).await,
        }
    }
    drop(listener);
    // silent-ok: the file may be gone with its folder, and the next start replaces a stale one.
    let _ = std::fs::remove_file(&path);
}

struct LineSource(BufReader<OwnedReadHalf>);

#[async_trait]
impl Source for LineSource {
    async fn next(&mut self) -> Option<Incoming> {
        let mut line = Vec::new();
        let limit = FRAME_BYTES_MAX as u64 + 1;
        // silent-ok: a line that broke off is no frame, and the client is gone.
        let read = (&mut self.0).take(limit).read_until(b'\n', &mut line).await.ok()?;
        if read == 0 {
            return None;
        }
        if line.last() != Some(&b'\n') {
            if read as u64 == limit {
                self.skip_line().await?;
                let text = format!("a frame is longer than {FRAME_BYTES_MAX} bytes");
                return Some(Incoming::Bad(problem("too_large", text, "Send less, or several frames")));
            }
            return None;
        }
        Some(Incoming::Frame(String::from_utf8_lossy(&line).into_owned()))
    }
}

impl LineSource {
    /// Reads to the end of a line and throws it away.
    async fn skip_line(&mut self) -> Option<()> {
        loop {
            let buffered = self.0.fill_buf().await.ok()?;
            if buffered.is_empty() {
                return None;
            }
            match buffered.iter().position(|byte| *byte == b'\n') {
                Some(end) => {
                    self.0.consume(end + 1);
                    return Some(());
                }
                None => {
                    let length = buffered.len();
                    self.0.consume(length);
                }
            }
        }
    }
}

struct LineSink(OwnedWriteHalf);

#[async_trait]
impl Sink for LineSink {
    async fn send(&mut self, mut json: String) -> std::io::Result<()> {
        json.push('\n');
        self.0.write_all(json.as_bytes()).await
    }

    /// The machine tells when the client of a unix socket is gone.
    async fn keep_alive(&mut self) -> std::io::Error {
        std::future::pending().await
    }

    async fn close(&mut self) {
        // silent-ok: who does not hear the good-bye is gone all the same.
        let _ = self.0.shutdown().await;
    }
}
