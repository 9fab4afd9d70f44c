//! Finding out what a model can do, by asking it.

use std::sync::{Arc, Mutex, PoisonError};

use hearth_contract::clock::{Clock, UnixMs};
use hearth_contract::id::TurnId;
use hearth_contract::provider::{
    CapabilityCard, Chunk, ChunkSink, Completion, CompletionRequest, Provider, ProviderError,
};
use hearth_contract::rights::{Risk, Role};
use hearth_contract::tool::{EffectClass, ToolSpec};
use hearth_contract::transcript::{TurnTranscript, UserInput};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// The most a probed model is asked to write, in tokens. Enough for one that thinks first.
const PROBE_OUTPUT_TOKENS_MAX: u32 = 1_024;

/// Asks two small questions: one to be answered in words, one that wants a tool.
pub(crate) async fn probe(
    provider: &dyn Provider,
    clock: &dyn Clock,
    models: Vec<String>,
    cancel: &CancellationToken,
) -> Result<CapabilityCard, ProviderError> {
    let pieces = Pieces { clock, seen: Mutex::new(Seen { begun: clock.now(), first: None, count: 0 }) };
    let question = "Count from one to twenty in English words, separated by commas. Nothing else.";
    let answer = provider.complete(&request(question, &[]), &pieces, cancel).await?;
    let seen = pieces.seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    let tools = calls_a_tool(provider, clock, cancel).await?;
    Ok(CapabilityCard {
        source: provider.info().name.clone(),
        model: answer.model.clone(),
        streaming: seen.count > 1,
        tools,
        reasoning: !answer.reasoning.is_empty(),
        usage: answer.usage.completion_tokens > 0,
        models,
        first_chunk_ms: seen
            .first
            .map_or(0, |first| u64::try_from(first.since(seen.begun).as_millis()).unwrap_or(u64::MAX)),
    })
}

/// Whether it calls a tool when it is told to. A server that refuses tools altogether cannot.
async fn calls_a_tool(
    provider: &dyn Provider,
    clock: &dyn Clock,
    cancel: &CancellationToken,
) -> Result<bool, ProviderError> {
    let tool = ToolSpec {
        name: "add_numbers".to_owned(),
        description: "Adds two whole numbers and returns their sum.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
        }),
        risk: Risk::Read,
        role: Role::Member,
        effect: EffectClass::Pure,
        timeout_ms: 1_000,
    };
    let question = "Use the tool add_numbers to add 17 and 25. Call the tool; do not answer in words.";
    let sink = Pieces { clock, seen: Mutex::new(Seen { begun: clock.now(), first: None, count: 0 }) };
    match provider.complete(&request(question, &[tool]), &sink, cancel).await {
        Ok(Completion { calls, .. }) => Ok(calls.iter().any(|call| call.name == "add_numbers")),
        Err(ProviderError::NextSource {
            code: hearth_contract::provider::ProviderErrorCode::Invalid,
            ..
        }) => Ok(false),
        Err(error) => Err(error),
    }
}

fn request(question: &str, tools: &[ToolSpec]) -> CompletionRequest {
    CompletionRequest {
        system: Arc::from("You answer briefly and exactly."),
        history: Vec::new(),
        context: Vec::new(),
        current: TurnTranscript {
            turn: TurnId::new(),
            inputs: vec![UserInput { text: question.to_owned(), at: UnixMs(0) }],
            rounds: Vec::new(),
        },
        tools: tools.into(),
        output_tokens_max: PROBE_OUTPUT_TOKENS_MAX,
    }
}

/// Counts the pieces of an answer and notes when the first came.
struct Pieces<'a> {
    clock: &'a dyn Clock,
    seen: Mutex<Seen>,
}

struct Seen {
    begun: UnixMs,
    first: Option<UnixMs>,
    count: usize,
}

impl ChunkSink for Pieces<'_> {
    fn push(&self, _chunk: Chunk) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.count += 1;
        seen.first.get_or_insert_with(|| self.clock.now());
    }
}
