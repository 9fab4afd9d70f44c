//! Opening the doors and closing them again.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hearth_contract::channel::Channel;
use hearth_contract::clock::{Clock, timeout};
use hearth_contract::event::Event;
use hearth_contract::inbox::Inbox;
use hearth_contract::task::Tasks;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, broadcast};

use crate::auth::Token;
use crate::calls::CallParts;
use crate::limits::{CONNECTIONS_MAX, HEAD_TIME_MAX, STOP_TIME_MAX};
use crate::routes::{self, App};
use crate::unix;

/// What stands behind the doors.
pub struct GatewayParts {
    /// Where messages go.
    pub inbox: Arc<dyn Inbox>,
    /// What questions are answered from.
    pub calls: CallParts,
    /// What happens, from now on.
    pub events: broadcast::Receiver<Arc<Event>>,
    /// Channels; those with a web door are reached at `/channels/<name>`.
    pub channels: Vec<Arc<dyn Channel>>,
    /// Where tasks run.
    pub tasks: Tasks,
}

/// Which doors, and for whom.
#[derive(Debug, Clone)]
pub struct Doors {
    /// Where HTTP is answered (`127.0.0.1:8420`; port 0 takes a free one); none for not at all.
    pub listen: Option<String>,
    /// Where the unix socket is; none for not at all.
    pub socket: Option<PathBuf>,
    /// What opens them.
    pub token: Token,
    /// Who may read `/metrics`.
    pub metrics: MetricsAccess,
    /// Names besides those of this machine by which a browser may call us while we listen on loopback only.
    pub hosts: Vec<String>,
}

/// Who may read `/metrics`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MetricsAccess {
    /// Who has the token.
    #[default]
    Token,
    /// Everybody who can reach it.
    Open,
}

/// A door could not be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GatewayError {
    /// The address is not free or not ours.
    #[error("cannot listen on {address}: {reason}")]
    Listen {
        /// Where.
        address: String,
        /// Why not.
        reason: String,
    },
    /// Another Hearth listens at the socket.
    #[error("another Hearth is running: it answers at {}", path.display())]
    SocketTaken {
        /// The socket.
        path: PathBuf,
    },
    /// The socket could not be made.
    #[error("cannot make the socket {}: {reason}", path.display())]
    Socket {
        /// The socket.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
}

impl GatewayError {
    /// What to do, in a line.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Listen { .. } => "Choose another address with --listen, or stop what uses it",
            Self::SocketTaken { .. } => "Talk to it with `hearth chat`, or use another --home",
            Self::Socket { .. } => {
                "Check the rights of the home folder and that its path is under 100 bytes long"
            }
        }
    }
}

/// Open doors. They close when the tasks are stopped.
#[derive(Debug)]
pub struct Gateway {
    address: Option<SocketAddr>,
}

impl Gateway {
    /// Where HTTP is answered.
    pub fn address(&self) -> Option<SocketAddr> {
        self.address
    }
}

/// Opens the doors; returns when they can be used.
pub async fn open(parts: GatewayParts, doors: Doors) -> Result<Gateway, GatewayError> {
    let listener = match &doors.listen {
        Some(address) => Some(listen(address).await?),
        None => None,
    };
    let socket = match &doors.socket {
        Some(path) => Some((unix::bind(path).await?, path.clone())),
        None => None,
    };
    let address = listener.as_ref().map(|(_, address)| *address);
    let app = Arc::new(App::new(parts.inbox, parts.calls, parts.channels, parts.tasks, &doors, address));
    let hub = app.calls.hub.clone();
    let shutdown = app.tasks.shutdown().clone();
    app.tasks.spawn("gateway events", async move { hub.follow(parts.events, shutdown).await });
    if let Some((listener, _)) = listener {
        let router = routes::router(app.clone(), doors.metrics);
        app.tasks.spawn("gateway http", serve_http(app.clone(), listener, router));
    }
    if let Some((listener, path)) = socket {
        app.tasks.spawn("gateway socket", unix::serve(app.clone(), listener, path));
    }
    Ok(Gateway { address })
}

async fn listen(address: &str) -> Result<(TcpListener, SocketAddr), GatewayError> {
    let failed = |error: std::io::Error| GatewayError::Listen {
        address: address.to_owned(),
        reason: error.to_string(),
    };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    Ok((listener, bound))
}

async fn serve_http(app: Arc<App>, listener: TcpListener, router: Router) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = app.tasks.shutdown().cancelled() => return,
        };
        match accepted {
            Ok((stream, _)) => match places.clone().try_acquire_owned() {
                Ok(place) => {
                    let (app, router) = (app.clone(), router.clone());
                    app.tasks.clone().spawn("http connection", async move {
                        serve_connection(&app, stream, router).await;
                        drop(place);
                    });
                }
                Err(_) => turn_away(stream).await,
            },
            Err(error) => pause_after(&*app.calls.clock, &error).await,
        }
    }
}

/// Keeps the loop from spinning while no connection can be taken (no file descriptors left).
pub(crate) async fn pause_after(clock: &dyn Clock, error: &std::io::Error) {
    tracing::warn!(%error, "a connection could not be taken");
    clock.sleep(Duration::from_millis(100)).await;
}

async fn turn_away(mut stream: TcpStream) {
    tracing::warn!(limit = CONNECTIONS_MAX, "too many connections");
    let head = "HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    // silent-ok: it is turned away either way.
    let _ = stream.write_all(head.as_bytes()).await;
}

async fn serve_connection(app: &App, stream: TcpStream, router: Router) {
    // Small frames must not wait for each other (Nagle's algorithm). silent-ok: it only makes things slower.
    let _ = stream.set_nodelay(true);
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME_MAX)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = app.tasks.shutdown().cancelled() => {
            connection.as_mut().graceful_shutdown();
            timeout(&*app.calls.clock, STOP_TIME_MAX, connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke off");
    }
}
