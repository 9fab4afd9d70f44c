//! Notices when a file that makes up the config is saved (inotify(7)).

use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};
use tokio::io::unix::AsyncFd;

use crate::config::Config;
use crate::home::Home;

/// Editors write a file in several steps; what follows within this time belongs together.
const SETTLE: Duration = Duration::from_millis(200);
/// Room for the events that are read at once.
const BUFFER_BYTES: usize = 4096;

/// The config files of a home, watched.
pub(crate) struct ConfigWatch {
    events: AsyncFd<OwnedFd>,
    names: Vec<String>,
}

impl ConfigWatch {
    /// Watches the folder, because editors replace files by renaming.
    #[allow(
        deprecated,
        reason = "the successor of AsyncFd::new is unsafe; this descriptor is owned and stays open"
    )]
    pub(crate) fn start(home: &Home, config: &Config) -> std::io::Result<Self> {
        let fd = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        inotify::add_watch(&fd, home.root(), WatchFlags::CLOSE_WRITE | WatchFlags::MOVED_TO)?;
        let names = vec!["config.toml".to_owned(), ".env".to_owned(), config.agent.persona.clone()];
        Ok(Self { events: AsyncFd::new(fd)?, names })
    }

    /// Returns when one of the files was saved. Never returns where nothing can be watched any more.
    pub(crate) async fn saved(&self) {
        loop {
            match self.read().await {
                Ok(true) => break,
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(%error, "the config is no longer watched; SIGHUP still reads it again");
                    std::future::pending::<()>().await;
                }
            }
        }
        tokio::time::sleep(SETTLE).await;
    }

    /// Waits for events and reads them all. Whether one was about a file of the config.
    async fn read(&self) -> std::io::Result<bool> {
        let mut ready = self.events.readable().await?;
        let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
        let mut reader = Reader::new(self.events.get_ref(), &mut buffer);
        let mut saved = false;
        loop {
            match reader.next() {
                Ok(event) => {
                    let name = event.file_name().map(|name| name.to_string_lossy());
                    saved |= name.is_some_and(|name| self.names.iter().any(|one| *one == *name));
                }
                Err(rustix::io::Errno::WOULDBLOCK) => break,
                Err(error) => return Err(error.into()),
            }
        }
        ready.clear_ready();
        Ok(saved)
    }
}
