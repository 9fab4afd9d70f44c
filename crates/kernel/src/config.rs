//! The kernel's sections of the config file. What each key means stands here and nowhere else.

use std::time::Duration;

use hearth_contract::rights::Risk;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[agent]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgentConfig {
    /// The file that says who the agent is, relative to the home folder.
    pub persona: String,
    /// How often a turn may go back to the model after tools; then it must answer. 0: as often as time and tokens allow.
    pub tool_rounds_max: u32,
    /// How long a turn may work, in seconds; then it must answer.
    pub turn_time_max_s: u64,
    /// How many tokens a turn may use, prompts and answers together; then it must answer.
    pub turn_tokens_max: u64,
    /// How often a turn is begun that Hearth's stopping breaks off before it comes a step further; then it fails.
    pub turn_attempts_max: u32,
    /// After a stop, messages older than this are read and not answered, in seconds.
    pub stale_after_s: u64,
    /// What begins a command.
    pub command_prefixes: Vec<String>,
}

impl Default for AgentConfig {
    fn default() -> Self {
        Self {
            persona: "persona.md".into(),
            tool_rounds_max: 10,
            turn_time_max_s: 600,
            turn_tokens_max: 1_000_000,
            turn_attempts_max: 5,
            stale_after_s: 600,
            command_prefixes: vec!["/".into(), ".ai ".into(), "。ai".into()],
        }
    }
}

impl AgentConfig {
    /// How long a turn may work.
    pub fn turn_time_max(&self) -> Duration {
        Duration::from_secs(self.turn_time_max_s)
    }

    /// The age after which a message is read and not answered.
    pub fn stale_after(&self) -> Duration {
        Duration::from_secs(self.stale_after_s)
    }
}

/// `[purposes]`: which sources are asked for what, in this order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Purposes {
    /// For talking. Empty: all configured sources by name, then the offline model.
    pub chat: Vec<String>,
}

/// Whether something may be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// It may.
    Allow,
    /// It may not.
    Deny,
}

/// `[rights]`: what the agent may do in the owner's own chats. What others may do is fixed by each tool's role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RightsConfig {
    /// Look at things.
    pub read: Permission,
    /// Change things in the home folder.
    pub write: Permission,
    /// Send messages.
    pub send: Permission,
    /// Run programs.
    pub exec: Permission,
    /// Change Hearth itself.
    pub admin: Permission,
}

impl Default for RightsConfig {
    fn default() -> Self {
        Self {
            read: Permission::Allow,
            write: Permission::Allow,
            send: Permission::Allow,
            exec: Permission::Allow,
            admin: Permission::Allow,
        }
    }
}

impl RightsConfig {
    /// What holds for a risk.
    pub fn of(&self, risk: Risk) -> Permission {
        match risk {
            Risk::Read => self.read,
            Risk::Write => self.write,
            Risk::Send => self.send,
            Risk::Exec => self.exec,
            Risk::Admin => self.admin,
        }
    }
}
