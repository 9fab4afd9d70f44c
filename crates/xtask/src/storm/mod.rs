//! The storm: the real binary between fake networks and a scripted model, killed at random moments and at its commits,
//! and started again, until everything that was said has been answered. Then the books are compared.

mod check;
mod world;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::json;

use crate::daemon::{self, Daemon};
use crate::http::Connection;
use crate::model::VERBS;
use world::World;

/// The chats that people talk in, half of them on a network that takes a delivery only once, half on one that cannot
/// tell.
const CHATS: usize = 6;
/// How long the work may take after the last kill.
const SETTLE_WITHIN: Duration = Duration::from_secs(120);

/// What to storm with.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Everything random comes from it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How often the daemon is killed
    #[arg(long, default_value_t = 20)]
    kills: u32,
    /// Messages said between two kills, about
    #[arg(long, default_value_t = 12)]
    messages: u32,
    /// `power` or `process`
    #[arg(long, default_value = "process")]
    durability: String,
    /// The binary; built (dev profile) if not given
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Keep the home folder and say where it is
    #[arg(long)]
    keep: bool,
}

pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let binary = match &arguments.binary {
        Some(binary) => std::path::absolute(binary)?,
        None => daemon::build("dev").await?,
    };
    let began = Instant::now();
    let home = tempfile::tempdir()?;
    let world = World::start(arguments.seed).await?;
    std::fs::write(home.path().join("config.toml"), config(&world, &arguments.durability))?;
    let result = storm(&arguments, &binary, home.path(), &world).await;
    let report = check::report(&binary, home.path(), &world).await;
    if arguments.keep {
        println!("home: {}", home.keep().display());
    }
    let kills = result?;
    let report = report?;
    println!(
        "seed {} durability {} kills {} (at commits {}) in {} s\n{report}",
        arguments.seed,
        arguments.durability,
        kills.all,
        kills.at_commits,
        began.elapsed().as_secs()
    );
    report.judge()
}

fn config(world: &World, durability: &str) -> String {
    let address = &world.address;
    let network = |name: &str, resend: &str| {
        format!(
            "[channels.{name}]\nkind = \"webhook\"\nurl = \"http://{address}/net/{name}\"\ntoken = \"storm\"\n\
             resend = \"{resend}\"\nowner_ids = [\"owner\"]\n"
        )
    };
    format!(
        "[sources.script]\nkind = \"openai\"\nbase_url = \"http://{address}/v1\"\napi_key = \"x\"\nmodel = \"script\"\n\
         [purposes]\nchat = [\"script\"]\n[storage]\ndurability = \"{durability}\"\n[agent]\nstale_after_s = 3600\nturn_attempts_max = 1000\ntool_rounds_max = 0\n{}{}",
        network("once", "deduplicated"),
        network("marked", "mark"),
    )
}

/// How often it was killed.
struct Kills {
    all: u32,
    at_commits: u32,
}

async fn storm(
    arguments: &Arguments,
    binary: &std::path::Path,
    home: &std::path::Path,
    world: &Arc<World>,
) -> anyhow::Result<Kills> {
    let mut random = StdRng::seed_from_u64(arguments.seed);
    let listen = format!("127.0.0.1:{}", free_port().await?);
    let mut kills = Kills { all: 0, at_commits: 0 };
    let mut speakers = Vec::new();
    let messages_a_chat = arguments.kills * arguments.messages / CHATS as u32 + 2;
    for chat in 0..CHATS {
        let speaker = Speaker { chat, listen: listen.clone(), world: world.clone(), seed: arguments.seed };
        speakers.push(tokio::spawn(speaker.talk(messages_a_chat)));
    }
    while kills.all < arguments.kills {
        let fault = match random.random_range(0..3) {
            0 => Some(format!("abort_before:{}", random.random_range(1..120))),
            1 => Some(format!("abort_after:{}", random.random_range(1..120))),
            _ => None,
        };
        // A daemon may die at a commit of its start.
        let Ok(mut daemon) = Daemon::start(binary, home, &listen, fault.as_deref()).await else {
            kills.all += 1;
            kills.at_commits += 1;
            continue;
        };
        let lives_until = Instant::now() + Duration::from_millis(random.random_range(20..700));
        while Instant::now() < lives_until && !daemon.is_dead() {
            tokio::time::sleep(Duration::from_millis(3)).await;
        }
        kills.all += 1;
        kills.at_commits += u32::from(daemon.is_dead());
        daemon.kill().await?;
    }
    world.calm_down();
    let daemon = Daemon::start(binary, home, &listen, None).await?;
    for speaker in speakers {
        speaker.await??;
    }
    let settled = world.settled(SETTLE_WITHIN).await;
    daemon.stop().await?;
    settled?;
    Ok(kills)
}

async fn free_port() -> anyhow::Result<u16> {
    Ok(tokio::net::TcpListener::bind("127.0.0.1:0").await?.local_addr()?.port())
}

/// Somebody who says one thing after the other, and says it again until it is acknowledged, as a network does.
struct Speaker {
    chat: usize,
    listen: String,
    world: Arc<World>,
    seed: u64,
}

impl Speaker {
    async fn talk(self, messages: u32) -> anyhow::Result<()> {
        let mut random = StdRng::seed_from_u64(self.seed ^ ((self.chat as u64 + 1) << 32));
        let network = if self.chat.is_multiple_of(2) { "once" } else { "marked" };
        for number in 0..messages {
            let token = format!("m{}x", self.chat as u32 * 100_000 + number);
            let verb = VERBS[random.random_range(0..VERBS.len())];
            let chat = format!("c{}", self.chat);
            self.world.expect(&chat, verb, &token);
            let message = json!({
                "id": token, "chat": chat, "sender": { "id": "owner", "name": "Owner" }, "text": format!("{verb} {token}"),
            });
            let mut tries = 0;
            while !self.acknowledged(network, &message).await {
                tries += 1;
                anyhow::ensure!(tries < 20_000, "{token} was never acknowledged");
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            if random.random_bool(0.1) {
                // Networks send again what they believe was not acknowledged.
                self.acknowledged(network, &message).await;
            }
            tokio::time::sleep(Duration::from_millis(random.random_range(0..120))).await;
        }
        Ok(())
    }

    async fn acknowledged(&self, network: &str, message: &serde_json::Value) -> bool {
        let post = async {
            let mut connection = Connection::open(&self.listen, "storm").await?;
            connection.post(&format!("/channels/{network}"), message).await
        };
        let answered = tokio::time::timeout(Duration::from_secs(5), post).await.context("too slow");
        matches!(answered, Ok(Ok((200, _))))
    }
}
