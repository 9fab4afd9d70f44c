//! What a turn works with: all that its person may have done, or what a sub-agent was given.

use std::sync::Arc;
use std::time::Duration;

use hearth_contract::rights::Role;
use hearth_contract::tool::ToolSpec;

use crate::kernel::Inner;

/// The terms of one turn.
#[derive(Debug, Clone)]
pub(crate) struct Terms {
    /// The stable prompt.
    pub(crate) system: Arc<str>,
    /// What it may call.
    pub(crate) tools: Arc<[ToolSpec]>,
    /// Facts put into its prompt unasked.
    pub(crate) recall_max: usize,
    /// How often it may go back to the model after tools; 0: as often as time and tokens allow.
    pub(crate) rounds_max: u32,
    /// How long it may work.
    pub(crate) time_max: Duration,
    /// How many tokens it may use.
    pub(crate) tokens_max: u64,
    /// What its model calls are booked as.
    pub(crate) purpose: &'static str,
}

impl Terms {
    /// Those of a turn that answers a person of this role.
    pub(crate) fn of_person(kernel: &Inner, role: Role) -> Self {
        let agent = &kernel.config.agent;
        Self {
            system: kernel.system.clone(),
            tools: kernel.tools.offered(role),
            recall_max: kernel.limits.recall_max,
            rounds_max: agent.tool_rounds_max,
            time_max: agent.turn_time_max(),
            tokens_max: agent.turn_tokens_max,
            purpose: "chat",
        }
    }

    /// Whether it may call this tool.
    pub(crate) fn allow(&self, tool: &str) -> bool {
        self.tools.iter().any(|spec| spec.name == tool)
    }
}
