//! What the service manager is told, if one started us: the protocol of sd_notify(3), a datagram a state.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

use hearth_contract::clock::{Clock, SystemClock, timeout};
use tokio_util::sync::CancellationToken;

use crate::environment::Environment;
use crate::wiring::Answering;

/// Where the service manager listens, and how often it wants to hear that all is well.
#[derive(Debug)]
pub(crate) struct Supervisor {
    socket: Option<UnixDatagram>,
    watchdog: Option<Duration>,
}

impl Supervisor {
    /// The one that the environment names; without one nobody is told.
    pub(crate) fn of(environment: &Environment) -> Self {
        let socket = environment.filled("NOTIFY_SOCKET").and_then(|name| {
            let opened = connect(name);
            opened.inspect_err(|error| tracing::warn!(%error, "the service manager cannot be reached")).ok()
        });
        let is_for_us =
            environment.filled("WATCHDOG_PID").is_none_or(|pid| pid.parse() == Ok(std::process::id()));
        let every_us = environment.filled("WATCHDOG_USEC").and_then(|text| text.parse().ok());
        let watchdog = every_us.filter(|every_us| is_for_us && *every_us > 0).map(Duration::from_micros);
        Self { socket, watchdog }
    }

    /// Says that Hearth answers.
    pub(crate) fn ready(&self) {
        self.tell("READY=1");
    }

    /// Says that Hearth is on its way out.
    pub(crate) fn stopping(&self) {
        self.tell("STOPPING=1");
    }

    /// Until the end, says that all is well for as long as the kernel answers; silence makes the service manager
    /// start Hearth anew. Twice as often as is asked for, as sd_watchdog_enabled(3) advises.
    pub(crate) async fn watch(&self, answering: &Answering, shutdown: &CancellationToken) {
        let Some(every) = self.watchdog else { return };
        let clock = SystemClock;
        loop {
            match timeout(&clock, every, answering.check()).await {
                Ok(Ok(())) => self.tell("WATCHDOG=1"),
                Ok(Err(error)) => tracing::error!(%error, "the kernel does not answer as it should"),
                Err(_) => tracing::error!("the kernel does not answer"),
            }
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = clock.sleep(every / 2) => {}
            }
        }
    }

    fn tell(&self, state: &str) {
        let Some(socket) = &self.socket else { return };
        if let Err(error) = socket.send(state.as_bytes()) {
            tracing::warn!(%error, state, "the service manager was not told");
        }
    }
}

/// A name that begins with `@` is in the abstract namespace (unix(7)).
fn connect(name: &str) -> std::io::Result<UnixDatagram> {
    let address = match name.strip_prefix('@') {
        Some(name) => SocketAddr::from_abstract_name(name)?,
        None => SocketAddr::from_pathname(name)?,
    };
    let socket = UnixDatagram::unbound()?;
    socket.connect_addr(&address)?;
    Ok(socket)
}
