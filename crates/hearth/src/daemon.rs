//! The daemon from its clients' side: finding the one that runs, starting one when none does.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hearth_tui::{Client, Starter};

use crate::command::Context;
use crate::config;
use crate::failure::Failure;
use crate::home::{self, Home};
use crate::output;
use crate::words::{Words, words};

/// A daemon that a client started ends after this time without clients and work, in seconds.
const EXIT_WHEN_IDLE_S: u64 = 600;

/// How often a starting daemon is looked for, and how often at the most.
const LOOK_EVERY: Duration = Duration::from_millis(20);
const LOOKS_MAX: u32 = 1_500;

/// How long a client waits for another's daemon after its own has given way to it, in looks.
const LOOKS_FOR_ANOTHER_MAX: u32 = 100;

/// How much of what a dying daemon said is shown, in bytes and lines.
const LAST_WORDS_BYTES_MAX: u64 = 4096;
const LAST_WORDS_LINES_MAX: usize = 5;

/// A connection to the daemon of this home, if one runs and answers.
pub(crate) async fn running(home: &Home) -> Result<Option<Client>, Failure> {
    // A socket that nobody listens at is what a killed daemon leaves behind.
    if tokio::net::UnixStream::connect(home.socket()).await.is_err() {
        return match home::holder(home) {
            None => Ok(None),
            Some(pid) => wait_for(home, pid).await,
        };
    }
    match Client::connect(&home.socket()).await {
        Ok(client) => Ok(Some(client)),
        // It died between the two connections.
        Err(_) if home::holder(home).is_none() => Ok(None),
        Err(error) => Err(Failure::new(
            Words::same(format!("{error:#}")),
            words!(
                "restart the daemon (hearth doctor says which process it is)",
                "请重启守护进程（hearth doctor 会显示其进程号）"
            ),
        )),
    }
}

/// Waits for a daemon that has the home but does not answer yet: it is starting, or stopping; then there is none.
async fn wait_for(home: &Home, pid: u32) -> Result<Option<Client>, Failure> {
    for _ in 0..LOOKS_MAX {
        if let Ok(client) = Client::connect(&home.socket()).await {
            return Ok(Some(client));
        }
        if home::holder(home).is_none() {
            return Ok(None);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Err(Failure::new(
        words!("process {pid} has the home folder but does not answer", "进程 {pid} 占用主目录但没有响应"),
        words!(
            "look at logs/hearth.log, or stop it (kill {pid})",
            "请查看 logs/hearth.log，或停止它（kill {pid}）"
        ),
    ))
}

/// Makes sure that a daemon answers: the one that runs, or a new one.
pub(crate) async fn ensure(context: &Context) -> Result<(), Failure> {
    if running(&context.home).await?.is_some() {
        return Ok(());
    }
    // What the daemon would only write into its log is told here.
    config::load(&context.home, &context.environment)
        .map_err(|problems| config::summary(problems, &context.home.config()))?;
    start(&context.home).await
}

/// The same for a link, which calls it whenever it finds nobody.
pub(crate) fn starter(context: &Context) -> Starter {
    let context = Arc::new(context.clone());
    Arc::new(move || {
        let context = context.clone();
        Box::pin(async move {
            ensure(&context).await.map_err(|failure| {
                let Failure { what, hint, .. } = failure;
                anyhow::anyhow!(
                    "{}\n{}",
                    what.in_language(context.language),
                    hint.in_language(context.language)
                )
            })
        })
    })
}

/// Starts a daemon in the background and waits until it answers.
async fn start(home: &Home) -> Result<(), Failure> {
    home.create()?;
    let log = Log::open(&home.daemon_log())?;
    let mut child = spawn(home, &log)?;
    for _ in 0..LOOKS_MAX {
        if Client::connect(&home.socket()).await.is_ok() {
            return Ok(());
        }
        match child.try_wait() {
            Ok(None) => tokio::time::sleep(LOOK_EVERY).await,
            Ok(Some(_)) | Err(_) => return another(home, &log).await,
        }
    }
    let pid = child.id();
    Err(Failure::new(
        words!("the daemon (process {pid}) does not get ready", "守护进程（进程 {pid}）迟迟没有就绪"),
        words!("look at logs/hearth.log", "请查看 logs/hearth.log"),
    ))
}

/// Our daemon has ended: either another one was started at the same moment, or ours cannot run.
async fn another(home: &Home, log: &Log) -> Result<(), Failure> {
    for _ in 0..LOOKS_FOR_ANOTHER_MAX {
        if Client::connect(&home.socket()).await.is_ok() {
            return Ok(());
        }
        if home::holder(home).is_none() {
            break;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Err(log.failure())
}

fn spawn(home: &Home, log: &Log) -> Result<Child, Failure> {
    let failure = |error: &std::io::Error| {
        Failure::new(
            words!("the daemon could not be started: {error}", "无法启动守护进程：{error}"),
            words!("start it by hand: hearth serve", "请手动启动：hearth serve"),
        )
    };
    let program = std::env::current_exe().map_err(|error| failure(&error))?;
    let (out, err) = (log.handle()?, log.handle()?);
    Command::new(program)
        .arg("--home")
        .arg(home.root())
        .args(["serve", "--listen", "auto", "--exit-when-idle", &EXIT_WHEN_IDLE_S.to_string()])
        .current_dir(home.root())
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        // A process group of its own: Ctrl-C at the terminal is meant for the client.
        .process_group(0)
        .spawn()
        .map_err(|error| failure(&error))
}

/// What a daemon in the background says on its standard output and error.
struct Log {
    file: File,
    began_at: u64,
}

impl Log {
    fn open(path: &Path) -> Result<Self, Failure> {
        let failure = |error: std::io::Error| Failure::of_file(path, &error);
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .read(true)
            .mode(0o600)
            .open(path)
            .map_err(failure)?;
        let began_at = file.seek(SeekFrom::End(0)).map_err(failure)?;
        Ok(Self { file, began_at })
    }

    fn handle(&self) -> Result<Stdio, Failure> {
        let copy =
            self.file.try_clone().map_err(|error| Failure::of_file(Path::new("daemon.log"), &error))?;
        Ok(Stdio::from(copy))
    }

    /// Why the daemon ended: its last error and hint where it said them, its last words otherwise.
    fn failure(&self) -> Failure {
        let said = self.last_lines();
        let after = |marks: [&str; 2]| {
            said.iter().rev().find_map(|line| marks.iter().find_map(|mark| line.strip_prefix(mark)))
        };
        let doctor = || words!("hearth doctor says what is wrong", "运行 hearth doctor 查看原因");
        let what = after(output::ERROR_MARKS).map(str::to_owned).unwrap_or_else(|| said.join(" / "));
        let hint = after(output::HINT_MARKS).map_or_else(doctor, Words::same);
        match what.as_str() {
            "" => Failure::new(words!("the daemon could not start", "守护进程无法启动"), hint),
            what => {
                Failure::new(words!("the daemon could not start: {what}", "守护进程无法启动：{what}"), hint)
            }
        }
    }

    /// The last lines since it was opened; none where nothing was said or it cannot be read.
    fn last_lines(&self) -> Vec<String> {
        let mut file = &self.file;
        let mut said = Vec::new();
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        let from = self.began_at.max(length.saturating_sub(LAST_WORDS_BYTES_MAX));
        let read = file
            .seek(SeekFrom::Start(from))
            .and_then(|_| file.take(LAST_WORDS_BYTES_MAX).read_to_end(&mut said));
        if read.is_err() {
            return Vec::new();
        }
        let said = String::from_utf8_lossy(&said);
        let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        lines[lines.len().saturating_sub(LAST_WORDS_LINES_MAX)..]
            .iter()
            .map(|line| (*line).to_owned())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::environment::Environment;

    fn home(folder: &Path) -> Home {
        let home = Home::locate(Some(folder), &Environment::default()).unwrap();
        home.create().unwrap();
        home
    }

    #[tokio::test]
    async fn a_socket_that_nobody_listens_at_is_no_daemon() {
        let folder = tempfile::tempdir().unwrap();
        let home = home(folder.path());
        assert!(running(&home).await.unwrap().is_none());
        drop(std::os::unix::net::UnixListener::bind(home.socket()).unwrap());
        assert!(home.socket().exists());
        assert!(running(&home).await.unwrap().is_none());
    }

    #[test]
    fn only_what_was_said_since_the_start_is_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("daemon.log");
        std::fs::write(&path, "an older start\n").unwrap();
        let log = Log::open(&path).unwrap();
        assert_eq!(log.failure().what.en, "the daemon could not start");
        writeln!(&log.file, "some words").unwrap();
        assert_eq!(log.failure().what.en, "the daemon could not start: some words");
        writeln!(&log.file, "error: no\n\nhint: 怎么办").unwrap();
        let failure = log.failure();
        assert_eq!(failure.what.zh, "守护进程无法启动：no");
        assert_eq!(failure.hint.en, "怎么办");
    }
}
