//! Logs: a bounded set of files for the daemon, warnings on standard error for everything else. Secrets are masked on
//! the way.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use hearth_net::{Redactor, Secret};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::home::Home;
use crate::words::{Words, words};

/// A log file is put aside when it is longer than this, in bytes.
const FILE_BYTES_MAX: u64 = 8 << 20;

/// Log files that are kept beside the current one.
const OLD_FILES_MAX: u32 = 4;

/// What is logged when `HEARTH_LOG` says nothing.
const DEFAULT_FILTER: &str = "info,hyper=warn,h2=warn,rustls=warn";

/// The log of a daemon. Cloning gives another handle of the same one.
#[derive(Clone)]
pub(crate) struct Log {
    file: Arc<Mutex<RotatingFile>>,
    redactor: Arc<RwLock<Redactor>>,
}

impl Log {
    /// Opens `logs/hearth.log` and sends everything that is traced there from now on.
    pub(crate) fn start(home: &Home, environment: &Environment) -> Result<Self, Failure> {
        let path = home.logs().join("hearth.log");
        let file = RotatingFile::open(path.clone()).map_err(|error| Failure::of_file(&path, &error))?;
        let log = Self { file: Arc::new(Mutex::new(file)), redactor: Arc::default() };
        tracing_subscriber::fmt()
            .with_env_filter(filter(environment, DEFAULT_FILTER)?)
            .with_ansi(false)
            .with_writer(log.clone())
            .init();
        Ok(log)
    }

    /// Masks these secrets from now on; called again when the config is read again.
    pub(crate) fn hide(&self, secrets: impl IntoIterator<Item = String>) {
        let redactor = Redactor::new(secrets.into_iter().map(Secret::new));
        *self.redactor.write().unwrap_or_else(PoisonError::into_inner) = redactor;
    }
}

/// Shows warnings on standard error.
pub(crate) fn to_standard_error(environment: &Environment) -> Result<(), Failure> {
    tracing_subscriber::fmt()
        .with_env_filter(filter(environment, "warn")?)
        .with_writer(io::stderr)
        .without_time()
        .with_target(false)
        .init();
    Ok(())
}

fn filter(environment: &Environment, default: &str) -> Result<EnvFilter, Failure> {
    let wanted = environment.filled("HEARTH_LOG").unwrap_or(default);
    EnvFilter::try_new(wanted).map_err(|error| {
        Failure::misuse(
            Words::same(format!("HEARTH_LOG: {error}")),
            words!(
                "write a level such as debug, or hearth_kernel=debug",
                "请写日志级别，如 debug 或 hearth_kernel=debug"
            ),
        )
    })
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = &'a Log;

    fn make_writer(&'a self) -> &'a Log {
        self
    }
}

impl Write for &Log {
    /// Takes one event: the formatter writes each with one call.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let masked = self.redactor.read().unwrap_or_else(PoisonError::into_inner).redact(&text);
        self.file.lock().unwrap_or_else(PoisonError::into_inner).append(masked.as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that is put aside when it is long: `hearth.log`, `hearth.log.1` (newest) … `hearth.log.4`.
struct RotatingFile {
    path: PathBuf,
    file: File,
    length: u64,
}

impl RotatingFile {
    fn open(path: PathBuf) -> io::Result<Self> {
        let file = open(&path)?;
        let length = file.metadata()?.len();
        Ok(Self { path, file, length })
    }

    fn append(&mut self, text: &[u8]) -> io::Result<()> {
        let more = text.len() as u64;
        if self.length > 0 && self.length + more > FILE_BYTES_MAX {
            self.put_aside()?;
        }
        self.file.write_all(text)?;
        self.length += more;
        Ok(())
    }

    fn put_aside(&mut self) -> io::Result<()> {
        for number in (1..OLD_FILES_MAX).rev() {
            let (newer, older) = (self.numbered(number), self.numbered(number + 1));
            if newer.exists() {
                std::fs::rename(newer, older)?;
            }
        }
        std::fs::rename(&self.path, self.numbered(1))?;
        self.file = open(&self.path)?;
        self.length = 0;
        Ok(())
    }

    fn numbered(&self, number: u32) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(format!(".{number}"));
        path.into()
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logs_are_bounded_and_the_newest_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hearth.log");
        let mut file = RotatingFile::open(path.clone()).unwrap();
        let piece = vec![b'x'; (FILE_BYTES_MAX / 2 + 1) as usize];
        for _ in 0..OLD_FILES_MAX + 3 {
            file.append(&piece).unwrap();
        }
        file.append(b"last").unwrap();
        let files = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(files, OLD_FILES_MAX as usize + 1);
        assert!(std::fs::read(&path).unwrap().ends_with(b"last"));
    }

    #[test]
    fn secrets_do_not_reach_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hearth.log");
        let file = Arc::new(Mutex::new(RotatingFile::open(path.clone()).unwrap()));
        let log = Log { file, redactor: Arc::default() };
        log.hide(["mysecretvalue".to_owned()]);
        (&log).write_all(b"asked with mysecretvalue\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "asked with ***\n");
    }
}
