//! What tools are built with: the ports they use and the settings of the shell.

use std::path::PathBuf;
use std::sync::Arc;

use hearth_contract::clock::Clock;
use hearth_contract::memory::Memory;
use hearth_contract::store::{Messages, Schedules};
use hearth_net::GuardedHttp;
use jiff::tz::TimeZone;

use crate::changes::Changes;

/// Everything tools need from outside. Cloning gives other handles of the same things.
#[derive(Debug, Clone)]
pub struct ToolDeps {
    /// What is known from earlier.
    pub memory: Arc<dyn Memory>,
    /// Reads timers; they are made and cancelled by changes of the ledger.
    pub schedules: Arc<dyn Schedules>,
    /// Reads the message a turn answers: its account and its sender's name go into what a tool makes.
    pub messages: Arc<dyn Messages>,
    /// Reads pages of the public internet, behind the connection guard.
    pub http: GuardedHttp,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// The zone in which people of this Hearth live: times without a zone are meant in it.
    pub zone: TimeZone,
    /// How programs are run.
    pub shell: ShellSettings,
    /// Where it is recorded what tools change in the workspace.
    pub changes: Changes,
}

/// How programs are run.
#[derive(Debug, Clone)]
pub struct ShellSettings {
    /// The program that enters the sandbox when its first argument is `__sandbox`: our own binary.
    pub launcher: PathBuf,
    /// Hearth's home: programs see nothing of it but the workspace.
    pub home: PathBuf,
    /// A name of this home that stays the same over restarts; by it `reap_orphans` finds programs that a
    /// Hearth which was killed has left behind.
    pub home_id: String,
    /// The `PATH` of the programs.
    pub path: String,
    /// Whether programs may use the network.
    pub network: NetworkAccess,
}

impl ShellSettings {
    /// A `PATH` that finds the programs of every usual system.
    pub const DEFAULT_PATH: &'static str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
}

/// Whether programs may use the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NetworkAccess {
    /// They may not.
    #[default]
    Refused,
    /// They may.
    Granted,
}
