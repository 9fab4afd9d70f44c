//! The `config` block of a scenario.

use std::time::Duration;

use anyhow::Context;
use hearth_contract::channel::{ReplyMode, ReplyPolicy, ResendPolicy};
use hearth_kernel::Limits;
use hearth_kernel::config::{AgentConfig, RightsConfig};
use serde::Deserialize;

/// How the world of a scenario is set up. The defaults: one source `model`, the tool `now`, the networks `private` and
/// `group` as they are by default.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Setup {
    /// The tools: built-in ones, and `pure`, `idempotent`, `probeable`, `irreversible` of the testkit.
    pub tools: Vec<String>,
    /// The hooks, as [`crate::hooks::FakeHook::parse`] reads them.
    pub hooks: Vec<String>,
    /// The sources in the order they are asked.
    pub sources: Vec<String>,
    /// The window of each source.
    pub window_tokens: u32,
    /// The network with chats between two.
    pub private: NetworkSetup,
    /// The network with groups.
    pub group: NetworkSetup,
    /// `[agent]` of the kernel.
    pub agent: AgentConfig,
    /// `[rights]` of the kernel.
    pub rights: RightsConfig,
    /// Bounds that differ from the default.
    pub limits: LimitsSetup,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            tools: vec!["now".into()],
            hooks: Vec::new(),
            sources: vec!["model".into()],
            window_tokens: 100_000,
            private: NetworkSetup::default(),
            group: NetworkSetup::default(),
            agent: AgentConfig::default(),
            rights: RightsConfig::default(),
            limits: LimitsSetup::default(),
        }
    }
}

impl Setup {
    /// Whether something goes on while a model is held up.
    pub(super) fn has_background(&self) -> bool {
        self.tools.iter().any(|tool| ["spawn_child", "job"].contains(&tool.as_str()))
    }

    /// Reads the block; an empty one is the default.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        toml::from_str(text).context("the config block")
    }
}

/// One network.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkSetup {
    /// Which messages are answered.
    pub policy: Option<ReplyPolicy>,
    /// How answers leave.
    pub reply: ReplyMode,
    /// `deduplicated`, `marked` or `never`.
    pub resend: Resend,
    /// Whether it can be asked what arrived.
    pub lookup: bool,
    /// Whether it shows drafts.
    pub drafts: bool,
}

impl Default for NetworkSetup {
    fn default() -> Self {
        Self { policy: None, reply: ReplyMode::Auto, resend: Resend::Marked, lookup: false, drafts: false }
    }
}

/// [`ResendPolicy`] as a config says it.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resend {
    /// Again, and the receiver recognises it.
    Deduplicated,
    /// Again, marked.
    Marked,
    /// Not again.
    Never,
}

impl From<Resend> for ResendPolicy {
    fn from(resend: Resend) -> Self {
        match resend {
            Resend::Deduplicated => Self::Deduplicated,
            Resend::Marked => Self::Marked,
            Resend::Never => Self::Never,
        }
    }
}

/// Bounds of the kernel; what is not given stays as it is by default.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsSetup {
    delivery_attempts_max: Option<u32>,
    tool_calls_per_round_max: Option<usize>,
    tool_result_chars_max: Option<usize>,
    message_chars_max: Option<usize>,
    background_max: Option<usize>,
    model_attempts_max: Option<u32>,
    model_backoff_ms: Option<u64>,
    hook_failures_max: Option<u32>,
    tasks_open_max: Option<usize>,
    tasks_running_max: Option<usize>,
}

impl LimitsSetup {
    /// The bounds.
    pub fn limits(&self) -> Limits {
        let usual = Limits::default();
        Limits {
            delivery_attempts_max: self.delivery_attempts_max.unwrap_or(usual.delivery_attempts_max),
            tool_calls_per_round_max: self.tool_calls_per_round_max.unwrap_or(usual.tool_calls_per_round_max),
            tool_result_chars_max: self.tool_result_chars_max.unwrap_or(usual.tool_result_chars_max),
            message_chars_max: self.message_chars_max.unwrap_or(usual.message_chars_max),
            background_max: self.background_max.unwrap_or(usual.background_max),
            model_attempts_max: self.model_attempts_max.unwrap_or(usual.model_attempts_max),
            model_backoff: self.model_backoff_ms.map_or(usual.model_backoff, Duration::from_millis),
            hook_failures_max: self.hook_failures_max.unwrap_or(usual.hook_failures_max),
            tasks_open_max: self.tasks_open_max.unwrap_or(usual.tasks_open_max),
            tasks_running_max: self.tasks_running_max.unwrap_or(usual.tasks_running_max),
            ..usual
        }
    }
}
