//! Vendors with a protocol of their own, which a small Lua script turns into ours and back.

mod neutral;
mod pieces;

use std::path::{Component, Path};
use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::provider::{
    CapabilityCard, ChunkSink, Completion, CompletionRequest, Provider, ProviderError, ProviderErrorCode,
    SourceInfo,
};
use hearth_lua::{Limits, Machine, ScriptError};
use hearth_net::{HttpError, StreamReply};
use http::{HeaderMap, HeaderName, HeaderValue};
use schemars::{JsonSchema, schema_for};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::answer::{self, Silence};
use crate::entry::{BuildError, Deps, ProviderEntry, SourceSection};
use crate::probe;
use crate::wire::{CommonConfig, Wire, plain_base_url};

use pieces::Pieces;

/// The kind `lua`.
pub(crate) const ENTRY: ProviderEntry =
    ProviderEntry { kind: "lua", build, schema: || schema_for!(LuaConfig) };

/// A source behind a Lua adapter.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LuaConfig {
    /// The script: a path below Hearth's home, such as `adapters/acme.lua`.
    adapter: String,
    /// Where the vendor is. The script may ask addresses below it only.
    base_url: String,
    #[serde(flatten)]
    common: CommonConfig,
    /// The header that carries the key; the script never sees it. Default `authorization`.
    #[serde(default = "authorization")]
    key_header: String,
    /// What stands before the key in its header. Default `Bearer ` with a space.
    #[serde(default = "bearer")]
    key_prefix: String,
    /// Whatever the script wants to know; it finds this as `request.options`.
    #[serde(default)]
    options: Map<String, Value>,
}

fn authorization() -> String {
    "authorization".to_owned()
}

fn bearer() -> String {
    "Bearer ".to_owned()
}

fn build(section: SourceSection, deps: &Deps) -> Result<Arc<dyn Provider>, BuildError> {
    let config: LuaConfig = section.parse()?;
    let wrong = |reason: String| BuildError { source_name: section.name.clone(), reason };
    let base_url = plain_base_url(&section.name, &config.base_url, "")?;
    let key_header = HeaderName::try_from(&config.key_header)
        .map_err(|_| wrong(format!("`key_header`: {:?} is not a header", config.key_header)))?;
    let wire = Wire::new("lua", &section.name, &config.common, (key_header, &config.key_prefix), deps)?;
    let script = read_script(&deps.home, &config.adapter).map_err(wrong)?;
    let source = Lua { script: script.into(), base_url, config, wire, clock: Arc::clone(&deps.clock) };
    // Loaded once now, so that a script that is wrong is told before the first question.
    let machine = source.machine().map_err(|error| wrong(format!("`adapter`: {error}")))?;
    for function in ["request", "response"] {
        if !machine.has(function) {
            let adapter = &source.config.adapter;
            return Err(wrong(format!("`adapter`: {adapter} has no function `{function}`")));
        }
    }
    Ok(Arc::new(source))
}

fn read_script(home: &Path, adapter: &str) -> Result<String, String> {
    let path = Path::new(adapter);
    if adapter.is_empty() || !path.components().all(|part| matches!(part, Component::Normal(_))) {
        return Err(format!("`adapter`: {adapter:?} is not a path below Hearth's home"));
    }
    let path = home.join(path);
    let text = std::fs::metadata(&path).and_then(|metadata| {
        if metadata.len() > Limits::default().source_bytes_max as u64 {
            return Err(std::io::Error::other("the script is too long"));
        }
        std::fs::read_to_string(&path)
    });
    text.map_err(|error| format!("`adapter`: {} cannot be read: {error}", path.display()))
}

/// One configured source.
#[derive(Debug)]
struct Lua {
    script: Arc<str>,
    base_url: String,
    config: LuaConfig,
    wire: Wire,
    clock: Arc<dyn hearth_contract::clock::Clock>,
}

/// What the script made of a question.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptRequest {
    url: String,
    #[serde(default)]
    headers: std::collections::BTreeMap<String, String>,
    body: Map<String, Value>,
}

/// What the script says of a refusal.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptRefusal {
    code: String,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    retry_after_ms: Option<u64>,
}

impl Lua {
    /// A machine for one answer: no answer finds what another left behind, and none waits for another.
    fn machine(&self) -> Result<Machine, ScriptError> {
        Machine::load(&self.config.adapter, &self.script, Limits::default(), Arc::clone(&self.clock))
    }

    fn broken(&self, reason: &str) -> ProviderError {
        self.wire.errors.next(ProviderErrorCode::Invalid, &format!("the Lua adapter failed: {reason}"))
    }

    /// Calls the script where it may block.
    async fn call(
        &self,
        machine: &Arc<Machine>,
        function: &'static str,
        arguments: Vec<Value>,
    ) -> Result<Value, ProviderError> {
        let machine = Arc::clone(machine);
        let called = tokio::task::spawn_blocking(move || machine.call(function, &arguments)).await;
        match called {
            Ok(returned) => returned.map_err(|error| self.broken(&error.to_string())),
            Err(error) => Err(self.broken(&error.to_string())),
        }
    }

    async fn ask(
        &self,
        machine: &Arc<Machine>,
        request: &CompletionRequest,
        cancel: &CancellationToken,
    ) -> Result<StreamReply, ProviderError> {
        let neutral = neutral::request(request, &self.wire.info, &self.config.options);
        let made = self.call(machine, "request", vec![neutral]).await?;
        let made: ScriptRequest =
            serde_json::from_value(made).map_err(|error| self.broken(&format!("`request`: {error}")))?;
        let url = self.address(&made.url)?;
        let mut headers = HeaderMap::new();
        for (name, value) in &made.headers {
            let (Ok(key), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) else {
                return Err(self.broken(&format!("`request`: `headers.{name}` is not a header")));
            };
            headers.insert(key, value);
        }
        let body = self.wire.body(made.body, |_| Ok(()))?;
        match self.wire.post_with(&url, headers, &body, cancel).await {
            Ok(reply) => Ok(reply),
            Err(error) => Err(self.refusal(machine, &error).await),
        }
    }

    /// The address that is asked: below the configured one, because the key goes with it.
    fn address(&self, url: &str) -> Result<String, ProviderError> {
        let base = &self.base_url;
        let rest = url.strip_prefix(base.as_str()).unwrap_or(url);
        if !(rest.is_empty() || rest.starts_with(['/', '?'])) || rest.contains("..") {
            return Err(self.broken(&format!("`request`: `url` must be a path, or begin with {base}")));
        }
        Ok(format!("{base}{rest}"))
    }

    /// What the script, or without its word everybody else, makes of a request that brought no answer.
    async fn refusal(&self, machine: &Arc<Machine>, error: &HttpError) -> ProviderError {
        let common = self.wire.error(error);
        let HttpError::Status(status) = error else { return common };
        if !machine.has("error") {
            return common;
        }
        let arguments = vec![status.status.as_u16().into(), status.body.clone().into()];
        match self.call(machine, "error", arguments).await {
            Ok(Value::Null) => common,
            Ok(said) => match serde_json::from_value::<ScriptRefusal>(said) {
                Ok(said) => self.refused(&said),
                Err(error) => self.broken(&format!("`error`: {error}")),
            },
            Err(broken) => broken,
        }
    }

    fn refused(&self, said: &ScriptRefusal) -> ProviderError {
        use ProviderErrorCode::{
            Auth, Balance, ContentFilter, Invalid, Network, Overloaded, RateLimit, Server,
        };
        let reason = if said.reason.is_empty() { "the vendor refused" } else { said.reason.as_str() };
        if said.code == "context_too_long" {
            return ProviderError::ContextTooLong { reason: self.wire.errors.reason(reason) };
        }
        let codes = [Auth, Balance, ContentFilter, Invalid, RateLimit, Overloaded, Server, Network];
        match codes.into_iter().find(|code| code.name() == said.code) {
            Some(code @ (Auth | Balance | ContentFilter | Invalid)) => self.wire.errors.next(code, reason),
            Some(code) => ProviderError::Retry {
                code,
                retry_after_ms: said.retry_after_ms,
                reason: self.wire.errors.reason(reason),
            },
            None => self.broken(&format!("there is no error code {:?}", said.code)),
        }
    }

    /// Takes what the script made of a piece of the answer; true when it was the last.
    fn take(&self, made: Value, pieces: &mut Pieces, sink: &dyn ChunkSink) -> Result<bool, ProviderError> {
        let list = match made {
            Value::Null => Vec::new(),
            Value::Array(list) => list,
            one => vec![one],
        };
        for piece in list {
            let refusal = pieces.take(piece, sink).map_err(|reason| self.broken(&reason))?;
            if let Some(refusal) = refusal {
                return Err(self.refused(&refusal));
            }
        }
        Ok(pieces.is_done())
    }

    async fn read(
        &self,
        machine: &Arc<Machine>,
        reply: StreamReply,
        sink: &dyn ChunkSink,
    ) -> Result<Pieces, ProviderError> {
        let mut pieces = Pieces::new(self.wire.errors.clone());
        match reply {
            StreamReply::Whole(reply) => {
                let headers = headers_of(&reply.headers);
                let body = String::from_utf8_lossy(&reply.body).into_owned();
                let arguments = vec![reply.status.as_u16().into(), headers, body.into()];
                let made = self.call(machine, "response", arguments).await?;
                self.take(made, &mut pieces, sink)?;
                pieces.end();
            }
            StreamReply::Events(_) if !machine.has("chunk") => {
                return Err(self.broken("the vendor streams, and the script has no function `chunk`"));
            }
            StreamReply::Events(mut events) => {
                while let Some(event) = events.next().await.map_err(|error| self.wire.error(&error))? {
                    let data = serde_json::from_str::<Value>(&event.data);
                    let mut told =
                        json!({"name": event.event, "data": event.data, "complete": event.complete});
                    if let Ok(data) = data {
                        told["json"] = data;
                    }
                    let made = self.call(machine, "chunk", vec![told]).await?;
                    if self.take(made, &mut pieces, sink)? {
                        events.close().await;
                        break;
                    }
                }
            }
        }
        Ok(pieces)
    }
}

fn headers_of(headers: &HeaderMap) -> Value {
    let pairs = headers
        .iter()
        .filter_map(|(name, value)| Some((name.as_str().to_owned(), Value::from(value.to_str().ok()?))));
    Value::Object(pairs.collect())
}

#[async_trait]
impl Provider for Lua {
    fn info(&self) -> &SourceInfo {
        &self.wire.info
    }

    async fn complete(
        &self,
        request: &CompletionRequest,
        sink: &dyn ChunkSink,
        cancel: &CancellationToken,
    ) -> Result<Completion, ProviderError> {
        let machine = self.machine().map_err(|error| self.broken(&error.to_string()))?;
        let machine = Arc::new(machine);
        let reply = self.ask(&machine, request, cancel).await?;
        let silence = if request.current.rounds.is_empty() { Silence::IsAnError } else { Silence::IsFine };
        let pieces = self.read(&machine, reply, sink).await?;
        answer::complete(pieces.finish(sink)?, &self.wire.info, &self.wire.errors, silence)
    }

    async fn probe(&self, cancel: &CancellationToken) -> Result<CapabilityCard, ProviderError> {
        probe::probe(self, self.wire.clock(), Vec::new(), cancel).await
    }
}
