//! Tools of every effect class that do nothing but count, and that can be told to hang or to fail.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use hearth_contract::clock::Clock;
use hearth_contract::id::CallId;
use hearth_contract::rights::{Risk, Role};
use hearth_contract::tool::{EffectClass, EffectProbe, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use serde_json::{Map, Value, json};

use crate::seen::Log;

/// What all fake tools of one test share, over restarts: the world they change.
#[derive(Debug)]
pub struct World {
    log: Log,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    runs: BTreeMap<String, u32>,
    hung: HashSet<CallId>,
    happened: HashMap<CallId, u32>,
}

impl World {
    /// A world in which nothing has happened.
    pub fn new(log: Log, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { log, clock, state: Mutex::default() })
    }

    /// How often a tool was run.
    pub fn runs(&self, tool: &str) -> u32 {
        self.lock().runs.get(tool).copied().unwrap_or(0)
    }

    /// The fake tool of this name: `pure`, `idempotent`, `probeable`, `irreversible`.
    pub fn tool(self: &Arc<Self>, name: &str) -> Option<Arc<dyn Tool>> {
        let effect = match name {
            "pure" => EffectClass::Pure,
            "idempotent" => EffectClass::Idempotent,
            "probeable" => EffectClass::Probeable,
            "irreversible" => EffectClass::Irreversible,
            _ => return None,
        };
        let spec = ToolSpec {
            name: name.to_owned(),
            description: "Counts how often it was run.".into(),
            parameters: json!({"type": "object"}),
            risk: if effect == EffectClass::Pure { Risk::Read } else { Risk::Exec },
            role: Role::Member,
            effect,
            timeout_ms: 30_000,
        };
        Some(Arc::new(FakeTool { spec, world: self.clone() }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A tool whose argument `do` says what it does: `hang_before` and `hang_after` hang, once for each call, before or
/// after the world has changed; `sleep` sleeps for `ms`; `fail` fails; `panic` panics; `long` says `chars` characters.
#[derive(Debug)]
struct FakeTool {
    spec: ToolSpec,
    world: Arc<World>,
}

impl FakeTool {
    async fn hang_once(&self, call: &CallId) {
        if self.world.lock().hung.insert(call.clone()) {
            let _held = self.world.log.hold("tool");
            std::future::pending::<()>().await;
        }
    }

    fn happen(&self, call: &CallId) -> u32 {
        let mut state = self.world.lock();
        let runs = state.runs.entry(self.spec.name.clone()).or_default();
        *runs += 1;
        let runs = *runs;
        state.happened.insert(call.clone(), runs);
        runs
    }
}

#[async_trait]
impl Tool for FakeTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(
        &self,
        context: &ToolContext,
        arguments: Map<String, Value>,
    ) -> Result<ToolOutput, ToolError> {
        let what = arguments.get("do").and_then(Value::as_str).unwrap_or_default();
        let number = |name: &str| arguments.get(name).and_then(Value::as_u64).unwrap_or_default();
        match what {
            "hang_before" => self.hang_once(&context.call).await,
            "sleep" => self.world.clock.sleep(Duration::from_millis(number("ms"))).await,
            "fail" => return Err(ToolError::Failed { reason: "it did not work".into() }),
            "panic" => panic!("a tool that breaks"),
            _ => {}
        }
        let runs = self.happen(&context.call);
        if what == "hang_after" {
            self.hang_once(&context.call).await;
        }
        if what == "long" {
            return Ok(ToolOutput::text("x".repeat(usize::try_from(number("chars")).unwrap_or_default())));
        }
        Ok(ToolOutput::text(format!("run {runs}")))
    }

    fn probe(&self) -> Option<&dyn EffectProbe> {
        (self.spec.effect == EffectClass::Probeable).then_some(self as &dyn EffectProbe)
    }
}

#[async_trait]
impl EffectProbe for FakeTool {
    async fn probe(
        &self,
        context: &ToolContext,
        arguments: &Map<String, Value>,
    ) -> Result<Option<String>, ToolError> {
        if arguments.get("probe").is_some() {
            return Err(ToolError::Failed { reason: "nobody can tell".into() });
        }
        Ok(self.world.lock().happened.get(&context.call).map(|run| format!("run {run} (found by its probe)")))
    }
}
