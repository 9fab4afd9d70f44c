//! A tool whose changes of the workspace are recorded.

use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::tool::{EffectProbe, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use serde_json::{Map, Value};

use super::record::Record;
use super::snapshot::Scope;
use super::{Changes, NewRecord};

/// Whether, and where, a tool can change the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolScope {
    /// It cannot.
    Nothing,
    /// Only what this argument names, and folders on the way to it.
    Path(&'static str),
    /// Anything in it.
    Workspace,
}

impl ToolScope {
    fn of(self, arguments: &Map<String, Value>) -> Option<Scope> {
        match self {
            Self::Nothing => None,
            Self::Path(name) => Some(Scope::Paths(vec![arguments.get(name)?.as_str()?.to_owned()])),
            Self::Workspace => Some(Scope::Whole),
        }
    }
}

/// The tool, recorded if it can change the workspace.
pub(crate) fn tracked(tool: Arc<dyn Tool>, scope: ToolScope, changes: &Changes) -> Arc<dyn Tool> {
    match scope {
        ToolScope::Nothing => tool,
        ToolScope::Path(_) | ToolScope::Workspace => {
            Arc::new(Tracked { tool, scope, changes: changes.clone() })
        }
    }
}

#[derive(Debug)]
struct Tracked {
    tool: Arc<dyn Tool>,
    scope: ToolScope,
    changes: Changes,
}

#[async_trait]
impl Tool for Tracked {
    fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    async fn call(
        &self,
        context: &ToolContext,
        arguments: Map<String, Value>,
    ) -> Result<ToolOutput, ToolError> {
        let Some(scope) = self.scope.of(&arguments) else { return self.tool.call(context, arguments).await };
        let new = NewRecord {
            call: context.call.as_str().to_owned(),
            tool: self.spec().name.clone(),
            session: context.session.to_string(),
            caller: context.caller.clone(),
            scope,
            undoes: None,
        };
        let changes = self.changes.clone();
        let under_way = in_background(move || {
            let record = changes.begin(new)?;
            Ok(UnderWay { changes, record: Some(record) })
        })
        .await?;
        let called = self.tool.call(context, arguments).await;
        // What the call came to counts, also if its record could not be settled: the next start does that.
        if let Err(error) = in_background(move || under_way.settle()).await {
            tracing::warn!(%error, "what a call changed could not be recorded");
        }
        called
    }

    fn probe(&self) -> Option<&dyn EffectProbe> {
        self.tool.probe()
    }
}

async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| ToolError::Failed { reason: format!("the record of changes broke off: {error}") })?
}

/// A call that has begun. Its record is settled also when the call is dropped, as one that is stopped is.
struct UnderWay {
    changes: Changes,
    record: Option<Record>,
}

impl UnderWay {
    fn settle(mut self) -> Result<(), ToolError> {
        match self.record.take() {
            Some(record) => self.changes.settle(record),
            None => Ok(()),
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let Some(record) = self.record.take() else { return };
        let changes = self.changes.clone();
        let settle = move || {
            if let Err(error) = changes.settle(record) {
                tracing::warn!(%error, "what a stopped call changed could not be recorded");
            }
        };
        match tokio::runtime::Handle::try_current() {
            // Nobody waits for it: if Hearth ends first, the next start settles it.
            Ok(runtime) => drop(runtime.spawn_blocking(settle)),
            Err(_) => settle(),
        }
    }
}
