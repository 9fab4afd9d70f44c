//! A model that says what it is told to, and holds its answer back until it is told.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use hearth_contract::provider::{
    CapabilityCard, Chunk, ChunkSink, Completion, CompletionRequest, FinishReason, Provider, ProviderError,
    RequestedCall, SourceInfo, Usage,
};
use tokio_util::sync::CancellationToken;

use crate::seen::{Log, Seen};

/// The name of a model that is asked as a sub-agent.
pub const CHILD: &str = "child";

/// What a model does when it is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// What it streams before anything else.
    pub chunks: Vec<String>,
    /// What it answers in the end, or how it fails.
    pub result: Result<Said, ProviderError>,
    /// It panics instead.
    pub breaks: bool,
    /// The reply in the words of its script.
    pub script: String,
}

/// Words and calls.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Said {
    /// The words.
    pub text: String,
    /// The calls.
    pub calls: Vec<RequestedCall>,
}

impl Reply {
    /// Words, streamed in one piece.
    pub fn text(text: &str) -> Self {
        let said = Said { text: text.to_owned(), calls: Vec::new() };
        Self { chunks: vec![text.to_owned()], result: Ok(said), breaks: false, script: text.to_owned() }
    }

    /// Calls of tools, with words beside them.
    pub fn calls(text: &str, calls: Vec<RequestedCall>) -> Self {
        let said = Said { text: text.to_owned(), calls };
        Self { chunks: Vec::new(), result: Ok(said), breaks: false, script: text.to_owned() }
    }

    /// A failure.
    pub fn error(error: ProviderError) -> Self {
        Self { chunks: Vec::new(), script: error.code().to_owned(), result: Err(error), breaks: false }
    }
}

/// A model with a queue of replies. A request that finds it empty is held until there is a reply.
#[derive(Debug)]
pub struct ScriptedModel {
    info: SourceInfo,
    usage: Usage,
    log: Log,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    replies: VecDeque<Reply>,
    /// What it says as a sub-agent.
    child_replies: VecDeque<Reply>,
    requests: Vec<Arc<CompletionRequest>>,
}

impl ScriptedModel {
    /// A source of this name with a large window.
    pub fn new(name: &str, log: Log) -> Self {
        let info = SourceInfo {
            name: name.to_owned(),
            kind: "scripted",
            model: format!("{name}-1"),
            window_tokens: 100_000,
            output_tokens_max: 1_000,
        };
        let usage = Usage { prompt_tokens: 100, cached_tokens: 0, completion_tokens: 10 };
        Self { info, usage, log, state: Mutex::default() }
    }

    /// The same with a window of this size.
    #[must_use]
    pub fn with_window(mut self, window_tokens: u32) -> Self {
        self.info.window_tokens = window_tokens;
        self
    }

    /// The next reply that is not given yet.
    pub fn push(&self, reply: Reply) {
        self.lock().replies.push_back(reply);
        self.log.stir();
    }

    /// The next reply to a sub-agent's request that is not given yet.
    pub fn push_child(&self, reply: Reply) {
        self.lock().child_replies.push_back(reply);
        self.log.stir();
    }

    /// Every request so far, also those that were broken off.
    pub fn requests(&self) -> Vec<Arc<CompletionRequest>> {
        self.lock().requests.clone()
    }

    /// How many replies nobody has asked for.
    pub fn unasked(&self) -> usize {
        let state = self.lock();
        state.replies.len() + state.child_replies.len()
    }

    async fn next_reply(&self, speaker: &str) -> Reply {
        let held = self.log.hold(speaker);
        let take = || {
            let mut state = self.lock();
            if speaker == CHILD { state.child_replies.pop_front() } else { state.replies.pop_front() }
        };
        loop {
            if let Some(reply) = take() {
                drop(held);
                return reply;
            }
            self.log.until(|| !self.is_silent(speaker)).await;
        }
    }

    /// Whether there is no reply for this speaker.
    fn is_silent(&self, speaker: &str) -> bool {
        let state = self.lock();
        if speaker == CHILD { state.child_replies.is_empty() } else { state.replies.is_empty() }
    }

    /// As whom it is asked: a sub-agent has a prompt of its own.
    fn speaker(&self, request: &CompletionRequest) -> String {
        let of_child =
            ["You are a sub-agent", "你是子代理"].iter().any(|begin| request.system.starts_with(begin));
        if of_child { CHILD.to_owned() } else { self.info.name.clone() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Provider for ScriptedModel {
    fn info(&self) -> &SourceInfo {
        &self.info
    }

    async fn complete(
        &self,
        request: &CompletionRequest,
        sink: &dyn ChunkSink,
        cancel: &CancellationToken,
    ) -> Result<Completion, ProviderError> {
        let request = Arc::new(request.clone());
        self.lock().requests.push(request.clone());
        let speaker = self.speaker(&request);
        let reply = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ProviderError::Cancelled),
            reply = self.next_reply(&speaker) => reply,
        };
        self.log.push(Seen::Asked { source: speaker, request, reply: reply.script });
        for chunk in reply.chunks {
            sink.push(Chunk::Text(chunk));
        }
        assert!(!reply.breaks, "a model that breaks");
        let Said { text, calls } = reply.result?;
        let finish = if calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCalls };
        Ok(Completion {
            text,
            reasoning: Vec::new(),
            calls,
            finish,
            usage: self.usage,
            source: self.info.name.clone(),
            model: self.info.model.clone(),
        })
    }

    async fn probe(&self, _cancel: &CancellationToken) -> Result<CapabilityCard, ProviderError> {
        Ok(CapabilityCard {
            source: self.info.name.clone(),
            model: self.info.model.clone(),
            streaming: true,
            tools: true,
            reasoning: false,
            usage: true,
            models: vec![self.info.model.clone()],
            first_chunk_ms: 0,
        })
    }
}
