//! Speed and size of the real release binary, from outside, as one table. Wall times on a shared machine drift: compare
//! rows of one table, and ratios between tables.

mod measure;
mod table;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use crate::daemon::{self, Daemon};
use crate::http::Connection;
use measure::{Spread, context_switches, cpu_time, resident_kib};
use table::Table;

/// What to measure.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The binary; built (release profile) if not given
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Messages for the overhead rows
    #[arg(long, default_value_t = 1000)]
    messages: usize,
    /// Messages in one session before the last overhead row
    #[arg(long, default_value_t = 10_000)]
    grown: usize,
    /// Write the table to this file too
    #[arg(long)]
    out: Option<PathBuf>,
}

/// The words that the built-in model answers at once, without a tool.
const GREETING: &str = "hello";
/// How long idleness is watched.
const IDLE_WATCHED: Duration = Duration::from_secs(10);
/// How many starts are timed.
const STARTS: usize = 15;

pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let binary = match &arguments.binary {
        Some(binary) => std::path::absolute(binary)?,
        None => daemon::build("release").await?,
    };
    let mut table = Table::default();
    table.row("binary size", format!("{:.1} MiB", std::fs::metadata(&binary)?.len() as f64 / 1_048_576.0));
    disk(&mut table)?;
    starts(&binary, &mut table).await?;
    for durability in ["process", "power"] {
        load(&binary, durability, &arguments, &mut table).await?;
    }
    let text = table.render();
    println!("{text}");
    if let Some(out) = &arguments.out {
        std::fs::write(out, text)?;
    }
    Ok(())
}

fn home(durability: &str) -> anyhow::Result<tempfile::TempDir> {
    let home = tempfile::tempdir()?;
    let config = format!("[purposes]\nchat = [\"offline\"]\n[storage]\ndurability = \"{durability}\"\n");
    std::fs::write(home.path().join("config.toml"), config)?;
    Ok(home)
}

/// What one sync of the disk costs here: the floor of `power` rows.
fn disk(table: &mut Table) -> anyhow::Result<()> {
    use std::io::Write;
    let mut file = tempfile::tempfile()?;
    let mut times = Vec::new();
    for _ in 0..200 {
        let began = Instant::now();
        file.write_all(&[7; 4096])?;
        file.sync_data()?;
        times.push(began.elapsed());
    }
    table.row("one write and sync of 4 KiB, p50 / p99", Spread::of(times).p50_p99());
    Ok(())
}

async fn starts(binary: &Path, table: &mut Table) -> anyhow::Result<()> {
    let home = home("power")?;
    Daemon::start(binary, home.path(), "127.0.0.1:0", None).await?.stop().await?;
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let daemon = Daemon::start(binary, home.path(), "127.0.0.1:0", None).await?;
        times.push(daemon.ready_after);
        daemon.stop().await?;
    }
    table.row("launch to `ready`, p50 / max", Spread::of(times).p50_max());
    let daemon = Daemon::start(binary, home.path(), "127.0.0.1:0", None).await?;
    let mut says = Vec::new();
    for _ in 0..STARTS {
        let began = Instant::now();
        let said = daemon::command(binary, home.path()).args(["say", GREETING]).output().await?;
        anyhow::ensure!(said.status.success(), "say: {}", String::from_utf8_lossy(&said.stderr));
        says.push(began.elapsed());
    }
    table.row("`hearth say` with a running daemon, p50 / max", Spread::of(says).p50_max());
    daemon.stop().await?;
    let fresh = self::home("power")?;
    let began = Instant::now();
    let daemon = Daemon::start(binary, fresh.path(), "127.0.0.1:0", None).await?;
    let mut connection = Connection::open(&daemon.address, &token(fresh.path())?).await?;
    say(&mut connection, "cli:first:default").await?;
    table.row(
        "launch on an empty home to the first answer",
        format!("{:.1} ms", began.elapsed().as_secs_f64() * 1e3),
    );
    tokio::time::sleep(Duration::from_secs(2)).await;
    table.row("idle memory after one message (RSS)", mib(resident_kib(daemon.pid())?));
    let (switches, cpu) = (context_switches(daemon.pid())?, cpu_time(daemon.pid())?);
    tokio::time::sleep(IDLE_WATCHED).await;
    let woken = context_switches(daemon.pid())? - switches;
    table.row("wake-ups in 10 s of idleness", woken.to_string());
    table.row(
        "CPU in 10 s of idleness",
        format!("{:.0} ms", (cpu_time(daemon.pid())? - cpu).as_secs_f64() * 1e3),
    );
    daemon.stop().await
}

async fn load(
    binary: &Path,
    durability: &str,
    arguments: &Arguments,
    table: &mut Table,
) -> anyhow::Result<()> {
    let home = home(durability)?;
    let daemon = Daemon::start(binary, home.path(), "127.0.0.1:0", None).await?;
    let token = token(home.path())?;
    let mut connection = Connection::open(&daemon.address, &token).await?;
    let few = one_after_the_other(&mut connection, "cli:seq:default", arguments.messages).await?;
    table.row(&format!("{durability}: message to answer, one session, p50 / p99"), few.p50_p99());
    for sessions in [32, 1000] {
        let each = if sessions == 32 { 100 } else { 5 };
        let cpu = cpu_time(daemon.pid())?;
        let began = Instant::now();
        let all = at_once(&daemon.address, &token, sessions, each).await?;
        let rate = (sessions * each) as f64 / began.elapsed().as_secs_f64();
        let cpu = (cpu_time(daemon.pid())? - cpu).as_secs_f64() * 1e3 / (sessions * each) as f64;
        table.row(
            &format!("{durability}: {sessions} sessions at once"),
            format!("{rate:.0} messages/s, {} , {cpu:.2} ms CPU a message", all.p50_p99()),
        );
    }
    if durability == "process" {
        one_after_the_other(&mut connection, "cli:grown:default", arguments.grown).await?;
        let grown = one_after_the_other(&mut connection, "cli:grown:default", arguments.messages).await?;
        table.row(
            &format!("{durability}: the same after {} messages in the session, p50 / p99", arguments.grown),
            grown.p50_p99(),
        );
        table.row("memory after all that (RSS)", mib(resident_kib(daemon.pid())?));
        let ledger: u64 = ["hearth.db", "hearth.db-wal"]
            .iter()
            .filter_map(|file| std::fs::metadata(home.path().join(file)).ok())
            .map(|file| file.len())
            .sum();
        table.row("the ledger after all that", format!("{:.1} MiB", ledger as f64 / 1_048_576.0));
    }
    daemon.stop().await
}

fn token(home: &Path) -> anyhow::Result<String> {
    Ok(std::fs::read_to_string(home.join("token"))?.trim().to_owned())
}

async fn say(connection: &mut Connection, session: &str) -> anyhow::Result<Duration> {
    let began = Instant::now();
    let (status, answer) =
        connection.post("/api/messages", &json!({ "session": session, "text": GREETING })).await?;
    anyhow::ensure!(
        status == 200 && answer["reply"].as_str().is_some_and(|reply| !reply.is_empty()),
        "{status}: {answer}"
    );
    Ok(began.elapsed())
}

async fn one_after_the_other(
    connection: &mut Connection,
    session: &str,
    messages: usize,
) -> anyhow::Result<Spread> {
    let mut times = Vec::with_capacity(messages);
    for _ in 0..messages {
        times.push(say(connection, session).await?);
    }
    Ok(Spread::of(times))
}

async fn at_once(address: &str, token: &str, sessions: usize, each: usize) -> anyhow::Result<Spread> {
    let mut talking = Vec::new();
    for number in 0..sessions {
        let (address, token) = (address.to_owned(), token.to_owned());
        talking.push(tokio::spawn(async move {
            let mut connection = Connection::open(&address, &token).await?;
            let session = format!("cli:s{number}:default");
            let mut times = Vec::new();
            for _ in 0..each {
                times.push(say(&mut connection, &session).await?);
            }
            anyhow::Ok(times)
        }));
    }
    let mut times = Vec::new();
    for one in talking {
        times.extend(one.await??);
    }
    Ok(Spread::of(times))
}

fn mib(kib: u64) -> String {
    format!("{:.1} MiB", kib as f64 / 1024.0)
}
