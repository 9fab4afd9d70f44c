//! Asks the configured sources for an answer: repeats what may pass, goes on to the next source when it does not.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hearth_contract::clock::{Clock, UnixMs};
use hearth_contract::event::EventKind;
use hearth_contract::id::{SessionKey, TurnId};
use hearth_contract::provider::{
    Chunk, ChunkSink, Completion, CompletionRequest, Provider, ProviderError, ProviderErrorCode, SourceInfo,
    Usage,
};
use tokio_util::sync::CancellationToken;

use crate::events::Events;
use crate::limits::Limits;

/// The sources of one purpose, in the order they are asked.
#[derive(Debug)]
pub(crate) struct Models {
    sources: Vec<Source>,
    clock: Arc<dyn Clock>,
    events: Arc<Events>,
    limits: Arc<Limits>,
}

#[derive(Debug)]
struct Source {
    provider: Arc<dyn Provider>,
    health: Mutex<Health>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Health {
    last_error: &'static str,
    not_before: UnixMs,
}

/// For which call a model is asked.
pub(crate) struct CallPlace<'a> {
    pub(crate) session: &'a SessionKey,
    pub(crate) turn: TurnId,
    pub(crate) round: u32,
}

/// An answer, and what happened on the way to it.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) completion: Completion,
    /// Retries and fail-overs, in words, for `why`.
    pub(crate) notes: Vec<String>,
    /// The preferred source and the code of its error, when another one answered.
    pub(crate) fallen_back: Option<(String, &'static str)>,
}

/// No answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ModelsError {
    /// We stopped it ourselves.
    Cancelled,
    /// The prompt must be shortened.
    ContextTooLong { reason: String },
    /// No source answered; the code is that of the first one asked.
    NoAnswer { code: &'static str, reason: String },
}

impl Models {
    pub(crate) fn new(
        providers: Vec<Arc<dyn Provider>>,
        clock: Arc<dyn Clock>,
        events: Arc<Events>,
        limits: Arc<Limits>,
    ) -> Self {
        let sources =
            providers.into_iter().map(|provider| Source { provider, health: Mutex::default() }).collect();
        Self { sources, clock, events, limits }
    }

    /// The source that is asked first.
    pub(crate) fn preferred(&self) -> Option<&SourceInfo> {
        self.sources.first().map(|source| source.provider.info())
    }

    /// All sources with the code of their last error; empty where the last answer was good.
    pub(crate) fn list(&self) -> Vec<(SourceInfo, String)> {
        let state = |source: &Source| (source.provider.info().clone(), source.health().last_error.to_owned());
        self.sources.iter().map(state).collect()
    }

    /// Asks until somebody answers.
    pub(crate) async fn complete(
        &self,
        place: &CallPlace<'_>,
        request: &CompletionRequest,
        sink: &dyn ChunkSink,
        cancel: &CancellationToken,
    ) -> Result<Answered, ModelsError> {
        let mut notes = Vec::new();
        let mut first_failure: Option<(String, &'static str)> = None;
        for source in self.order() {
            let name = source.provider.info().name.clone();
            match self.ask_source(source, place, request, sink, cancel, &mut notes).await {
                Ok(completion) => {
                    source.set_health(Health::default());
                    let fallen_back = first_failure.or_else(|| self.resting(&name));
                    return Ok(Answered { completion, notes, fallen_back });
                }
                Err(ProviderError::Cancelled) => return Err(ModelsError::Cancelled),
                Err(ProviderError::ContextTooLong { reason }) => {
                    return Err(ModelsError::ContextTooLong { reason });
                }
                Err(error @ (ProviderError::Retry { .. } | ProviderError::NextSource { .. })) => {
                    self.rest(source, &error);
                    sink.push(Chunk::Restart);
                    notes.push(format!("{name} failed: {error}"));
                    first_failure.get_or_insert((name, error.code()));
                }
            }
        }
        let code = first_failure.map_or("no_source", |(_, code)| code);
        Err(ModelsError::NoAnswer { code, reason: notes.join("; ") })
    }

    /// Those that may be asked now, in order; all of them when none may.
    fn order(&self) -> Vec<&Source> {
        let now = self.clock.now();
        let ready: Vec<&Source> =
            self.sources.iter().filter(|source| source.health().not_before <= now).collect();
        if ready.is_empty() { self.sources.iter().collect() } else { ready }
    }

    /// The preferred source, if it rests while `answered` speaks for it.
    fn resting(&self, answered: &str) -> Option<(String, &'static str)> {
        let preferred = self.sources.first()?;
        let name = &preferred.provider.info().name;
        (name != answered).then(|| (name.clone(), preferred.health().last_error))
    }

    async fn ask_source(
        &self,
        source: &Source,
        place: &CallPlace<'_>,
        request: &CompletionRequest,
        sink: &dyn ChunkSink,
        cancel: &CancellationToken,
        notes: &mut Vec<String>,
    ) -> Result<Completion, ProviderError> {
        let mut attempt = 1;
        loop {
            let result = self.ask_once(source, place, request, sink, cancel).await;
            let Err(ProviderError::Retry { code, retry_after_ms, reason }) = result else { return result };
            let wait = self.wait_before(place, attempt, retry_after_ms);
            if attempt >= self.limits.model_attempts_max || wait > self.limits.model_backoff_max {
                return Err(ProviderError::Retry { code, retry_after_ms, reason });
            }
            notes.push(format!(
                "{}: {code}: {reason}; asked again after {} ms",
                source.provider.info().name,
                wait.as_millis()
            ));
            sink.push(Chunk::Restart);
            tokio::select! {
                () = self.clock.sleep(wait) => {}
                () = cancel.cancelled() => return Err(ProviderError::Cancelled),
            }
            attempt += 1;
        }
    }

    async fn ask_once(
        &self,
        source: &Source,
        place: &CallPlace<'_>,
        request: &CompletionRequest,
        sink: &dyn ChunkSink,
        cancel: &CancellationToken,
    ) -> Result<Completion, ProviderError> {
        let began = self.clock.now();
        let result = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(ProviderError::Cancelled),
            result = source.provider.complete(request, sink, cancel) => result,
        };
        let info = source.provider.info();
        let (usage, error) = match &result {
            Ok(completion) => (completion.usage, ""),
            Err(error) => (Usage::default(), error.code()),
        };
        self.events.emit(
            Some(place.session),
            EventKind::ModelCalled {
                turn: place.turn,
                round: place.round,
                source: info.name.clone(),
                model: info.model.clone(),
                duration_ms: u64::try_from(self.clock.now().since(began).as_millis()).unwrap_or(u64::MAX),
                usage,
                error: error.to_owned(),
            },
        );
        result
    }

    /// What the vendor asks for, else a doubling wait; spread by the turn's id so that many turns do not come at once.
    fn wait_before(&self, place: &CallPlace<'_>, attempt: u32, retry_after_ms: Option<u64>) -> Duration {
        if let Some(wait_ms) = retry_after_ms {
            return Duration::from_millis(wait_ms);
        }
        let doubled = self.limits.model_backoff * 2u32.saturating_pow(attempt - 1);
        let spread = f64::from(place.turn.as_bytes()[15]) / 255.0;
        doubled.mul_f64(0.75 + 0.5 * spread).min(self.limits.model_backoff_max)
    }

    /// A source that failed is left alone for a while, unless the fault was in this one request.
    fn rest(&self, source: &Source, error: &ProviderError) {
        let only_this_request = matches!(
            error,
            ProviderError::NextSource {
                code: ProviderErrorCode::ContentFilter | ProviderErrorCode::Invalid,
                ..
            }
        );
        let pause = if only_this_request { Duration::ZERO } else { self.limits.source_cooldown };
        source.set_health(Health { last_error: error.code(), not_before: self.clock.now().plus(pause) });
    }
}

impl Source {
    fn health(&self) -> Health {
        *self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_health(&self, health: Health) {
        *self.health.lock().unwrap_or_else(PoisonError::into_inner) = health;
    }
}
