//! The frame around every tool: its spec, and arguments that are read before the tool sees them.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::tool::{EffectClass, EffectProbe, Tool, ToolContext, ToolError, ToolOutput, ToolSpec};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::arguments::parse;

/// What a tool does with arguments that fit its spec.
#[async_trait]
pub(crate) trait TypedTool: fmt::Debug + Send + Sync + 'static {
    type Arguments: DeserializeOwned + Send;

    /// Does it.
    async fn call(&self, context: &ToolContext, arguments: Self::Arguments) -> Result<ToolOutput, ToolError>;

    /// Only of [`EffectClass::Probeable`]: the text for the model if the call happened, none if it did not.
    async fn probe(
        &self,
        _context: &ToolContext,
        _arguments: Self::Arguments,
    ) -> Result<Option<String>, ToolError> {
        Err(ToolError::Failed { reason: "there is no way to find out whether it happened".into() })
    }
}

#[derive(Debug)]
struct Framed<T> {
    spec: ToolSpec,
    tool: T,
}

/// A tool as the kernel calls it.
pub(crate) fn framed<T: TypedTool>(spec: ToolSpec, tool: T) -> Arc<dyn Tool> {
    Arc::new(Framed { spec, tool })
}

#[async_trait]
impl<T: TypedTool> Tool for Framed<T> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(
        &self,
        context: &ToolContext,
        arguments: Map<String, Value>,
    ) -> Result<ToolOutput, ToolError> {
        self.tool.call(context, parse(&self.spec, arguments)?).await
    }

    fn probe(&self) -> Option<&dyn EffectProbe> {
        (self.spec.effect == EffectClass::Probeable).then_some(self)
    }
}

#[async_trait]
impl<T: TypedTool> EffectProbe for Framed<T> {
    async fn probe(
        &self,
        context: &ToolContext,
        arguments: &Map<String, Value>,
    ) -> Result<Option<String>, ToolError> {
        self.tool.probe(context, parse(&self.spec, arguments.clone())?).await
    }
}
