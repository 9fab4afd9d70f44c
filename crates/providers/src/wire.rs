//! What all sources behind HTTP have in common: their config, their client, their errors.

use std::collections::BTreeMap;

use hearth_contract::clock::Clock;
use hearth_contract::provider::{ProviderError, ProviderErrorCode, SourceInfo};
use hearth_net::{
    Http, HttpError, HttpReply, HttpRequest, Redactor, ReplyLimits, Secret, StreamLimits, StreamReply,
};
use http::{HeaderMap, HeaderName};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

use crate::entry::{BuildError, Deps};
use crate::errors::Classifier;
use crate::models;

/// Bounds on a list of models.
const LIST_LIMITS: ReplyLimits = ReplyLimits { body_bytes_max: 4 * 1024 * 1024, total_ms: 15_000 };
/// The most models of a list that are kept.
const LISTED_MODELS_MAX: usize = 500;

/// The part of a source's section that all kinds behind HTTP share.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct CommonConfig {
    /// The key. Empty for servers that want none.
    #[serde(default)]
    #[schemars(with = "String")]
    pub(crate) api_key: Secret,
    /// The model that is asked.
    pub(crate) model: String,
    /// The model's window in tokens, prompt and answer together. Known for many models; otherwise 128000.
    #[serde(default)]
    pub(crate) window_tokens: Option<u32>,
    /// The most tokens it is asked to write. Default 8192, or a quarter of a small window.
    #[serde(default)]
    pub(crate) output_tokens_max: Option<u32>,
    /// More headers.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, String>")]
    pub(crate) headers: BTreeMap<String, Secret>,
    /// The longest wait for the beginning of an answer, in seconds. Default 120.
    #[serde(default)]
    pub(crate) answer_timeout_s: Option<u32>,
    /// The longest silence inside an answer, in seconds. Default 60.
    #[serde(default)]
    pub(crate) idle_timeout_s: Option<u32>,
    /// More fields of each request; they win over ours.
    #[serde(default)]
    extra_body: Map<String, Value>,
}

/// A source's connection to its vendor.
#[derive(Debug, Clone)]
pub(crate) struct Wire {
    http: Http,
    clock: Arc<dyn Clock>,
    headers: HeaderMap,
    limits: StreamLimits,
    extra_body: Map<String, Value>,
    pub(crate) info: SourceInfo,
    pub(crate) errors: Classifier,
}

impl Wire {
    /// Builds it. `key_header` is how the vendor wants the key: the header's name and what stands before the key.
    pub(crate) fn new(
        kind: &'static str,
        name: &str,
        config: &CommonConfig,
        key_header: (HeaderName, &str),
        deps: &Deps,
    ) -> Result<Self, BuildError> {
        let wrong = |reason: String| BuildError { source_name: name.to_owned(), reason };
        if config.model.trim().is_empty() {
            return Err(wrong("`model` is empty: name the model to ask".to_owned()));
        }
        let mut headers = HeaderMap::new();
        if !config.api_key.is_empty() {
            let value = config.api_key.header(key_header.1);
            let value = value.ok_or_else(|| wrong("`api_key` has characters that no key has".to_owned()))?;
            headers.insert(key_header.0, value);
        }
        for (key, value) in &config.headers {
            let parsed = (HeaderName::try_from(key).ok(), value.header(""));
            let (Some(key), Some(value)) = parsed else {
                return Err(wrong(format!("`headers.{key}` is not a header")));
            };
            headers.insert(key, value);
        }
        let window_tokens = config.window_tokens.unwrap_or_else(|| models::window_tokens(&config.model));
        let output_tokens_max =
            config.output_tokens_max.unwrap_or_else(|| models::OUTPUT_TOKENS_MAX.min(window_tokens / 4));
        if output_tokens_max == 0 || output_tokens_max >= window_tokens {
            return Err(wrong(format!(
                "`output_tokens_max` ({output_tokens_max}) must be at least 1 and below `window_tokens` ({window_tokens})"
            )));
        }
        let defaults = StreamLimits::default();
        let ms = |seconds: Option<u32>, default: u64| seconds.map_or(default, |s| u64::from(s) * 1_000);
        let secrets = config.headers.values().chain([&config.api_key]).cloned();
        Ok(Self {
            http: deps.http.clone(),
            clock: Arc::clone(&deps.clock),
            headers,
            limits: StreamLimits {
                answer_ms: ms(config.answer_timeout_s, defaults.answer_ms),
                idle_ms: ms(config.idle_timeout_s, defaults.idle_ms),
                ..defaults
            },
            extra_body: config.extra_body.clone(),
            info: SourceInfo {
                name: name.to_owned(),
                kind,
                model: config.model.clone(),
                window_tokens,
                output_tokens_max,
            },
            errors: Classifier::new(Redactor::new(secrets)),
        })
    }

    /// Sets a header that the config did not set.
    pub(crate) fn default_header(&mut self, name: HeaderName, value: http::HeaderValue) {
        self.headers.entry(name).or_insert(value);
    }

    /// A request as it is sent, with what the config adds. A debug build does not send what breaks the vendor's rules.
    pub(crate) fn body(
        &self,
        mut body: Map<String, Value>,
        validate: fn(&Value) -> Result<(), String>,
    ) -> Result<Value, ProviderError> {
        body.extend(self.extra_body.clone());
        let body = Value::Object(body);
        if cfg!(any(test, debug_assertions))
            && let Err(broken) = validate(&body)
        {
            let reason = format!("a request against the vendor's rules was not sent: {broken}");
            return Err(self.errors.next(ProviderErrorCode::Invalid, &reason));
        }
        Ok(body)
    }

    /// Asks for a stream.
    pub(crate) async fn post(
        &self,
        url: &str,
        body: &Value,
        cancel: &CancellationToken,
    ) -> Result<StreamReply, HttpError> {
        self.post_with(url, HeaderMap::new(), body, cancel).await
    }

    /// As [`Self::post`], with headers of this request; those of the config win.
    pub(crate) async fn post_with(
        &self,
        url: &str,
        headers: HeaderMap,
        body: &Value,
        cancel: &CancellationToken,
    ) -> Result<StreamReply, HttpError> {
        let mut request = HttpRequest::post_json(url, body);
        request.headers.extend(headers);
        request.headers.extend(self.headers.clone());
        self.http.post_json_stream(request, &self.limits, cancel).await
    }

    /// The models an endpoint lists (`{"data": [{"id": …}]}`); none when it has no list.
    pub(crate) async fn models(
        &self,
        url: &str,
        cancel: &CancellationToken,
    ) -> Result<Vec<String>, ProviderError> {
        let mut request = HttpRequest::get(url);
        request.headers.extend(self.headers.clone());
        match self.http.send(request, &LIST_LIMITS, cancel).await {
            Ok(reply) => Ok(listed_models(&reply)),
            Err(error) => match self.error(&error) {
                // Some servers have no list; what is wrong with the key or the line shows in the first question too.
                ProviderError::Cancelled => Err(ProviderError::Cancelled),
                _ => Ok(Vec::new()),
            },
        }
    }

    /// What a failed request means.
    pub(crate) fn error(&self, error: &HttpError) -> ProviderError {
        self.errors.http(error, self.clock.now())
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }
}

fn listed_models(reply: &HttpReply) -> Vec<String> {
    let Ok(list) = serde_json::from_slice::<Value>(&reply.body) else { return Vec::new() };
    let list = list.get("data").and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(|item| Some(item.get("id")?.as_str()?.to_owned()))
        .take(LISTED_MODELS_MAX)
        .collect()
}

/// The base of a vendor's addresses as people write it, made plain: no slash at its end, no path of a request.
pub(crate) fn plain_base_url(name: &str, base_url: &str, request_path: &str) -> Result<String, BuildError> {
    let base = base_url.trim().trim_end_matches('/');
    let base = base.strip_suffix(request_path).unwrap_or(base).trim_end_matches('/');
    let rest = base.strip_prefix("https://").or_else(|| base.strip_prefix("http://"));
    if rest.is_none_or(str::is_empty) {
        let reason = "`base_url` must begin with http:// or https:// and name a host".to_owned();
        return Err(BuildError { source_name: name.to_owned(), reason });
    }
    Ok(base.to_owned())
}
