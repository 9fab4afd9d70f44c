//! `now`: what time it is.

use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::clock::Clock;
use hearth_contract::rights::{Risk, Role};
use hearth_contract::tool::{EffectClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::json;

use crate::arguments::invalid;
use crate::frame::{TypedTool, framed};
use crate::{ToolDeps, moment};

pub(crate) const NAME: &str = "now";

#[derive(Debug)]
struct Now {
    clock: Arc<dyn Clock>,
    zone: TimeZone,
}

#[derive(Deserialize)]
struct Arguments {
    zone: Option<String>,
}

pub(crate) fn build(deps: &ToolDeps) -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description: "Tells the date, the time and the day of the week (现在几点、今天几号、星期几). \
            Use it before anything that depends on today's date."
            .into(),
        parameters: json!({
            "type": "object",
            "properties": {
                "zone": {
                    "type": "string",
                    "description": "IANA time zone such as Asia/Shanghai or Europe/Berlin; without it, the local zone"
                }
            },
            "additionalProperties": false
        }),
        risk: Risk::Read,
        role: Role::Member,
        effect: EffectClass::Pure,
        timeout_ms: 5_000,
    };
    framed(spec, Now { clock: deps.clock.clone(), zone: deps.zone.clone() })
}

#[async_trait]
impl TypedTool for Now {
    type Arguments = Arguments;

    async fn call(&self, _context: &ToolContext, arguments: Arguments) -> Result<ToolOutput, ToolError> {
        let zone = match arguments.zone.as_deref().map(str::trim) {
            None | Some("") => self.zone.clone(),
            Some(name) => TimeZone::get(name).map_err(|_| {
                invalid(format!(
                    "`zone` is `{name}`, which is no IANA time zone; write it like Asia/Shanghai, Europe/Berlin or UTC"
                ))
            })?,
        };
        Ok(ToolOutput::text(moment::show(self.clock.now(), &zone)))
    }
}
