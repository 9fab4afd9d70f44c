//! Finding a model to talk with when the config names none: a key in the environment, else a server on this machine.

use hearth_net::{Http, HttpRequest, ReplyLimits};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::entry::SourceSection;

/// Bounds on the look at this machine: a server here answers at once, and a closed port refuses at once.
const LOOK: ReplyLimits = ReplyLimits { body_bytes_max: 1024 * 1024, total_ms: 250 };
/// Where Ollama listens.
const OLLAMA: &str = "http://127.0.0.1:11434";
/// Where llama.cpp's server listens.
const LLAMA_CPP: &str = "http://127.0.0.1:8080";
/// The window Ollama gives a model that nobody told otherwise, in tokens. It cuts longer prompts without a word.
const OLLAMA_WINDOW_TOKENS: u64 = 4_096;

/// A source that was found.
#[derive(Debug, Clone)]
pub struct DetectedSource {
    /// Its kind.
    pub kind: &'static str,
    /// Its section, as it could stand in the config.
    pub section: SourceSection,
}

/// A vendor known by the variable its key is kept in.
struct KnownVendor {
    name: &'static str,
    kind: &'static str,
    key: &'static str,
    base_url_key: Option<&'static str>,
    model_key: &'static str,
    base_url: &'static str,
    model: &'static str,
}

/// In the order in which they are preferred.
const VENDORS: &[KnownVendor] = &[
    KnownVendor {
        name: "deepseek",
        kind: "openai",
        key: "DEEPSEEK_API_KEY",
        base_url_key: Some("DEEPSEEK_BASE_URL"),
        model_key: "DEEPSEEK_MODEL",
        base_url: "https://api.deepseek.com",
        model: "deepseek-v4-flash",
    },
    KnownVendor {
        name: "openai",
        kind: "openai",
        key: "OPENAI_API_KEY",
        base_url_key: Some("OPENAI_BASE_URL"),
        model_key: "OPENAI_MODEL",
        base_url: "https://api.openai.com/v1",
        model: "gpt-5-mini",
    },
    KnownVendor {
        name: "anthropic",
        kind: "anthropic",
        key: "ANTHROPIC_API_KEY",
        base_url_key: Some("ANTHROPIC_BASE_URL"),
        model_key: "ANTHROPIC_MODEL",
        base_url: "https://api.anthropic.com",
        model: "claude-sonnet-4-5",
    },
    KnownVendor {
        name: "openrouter",
        kind: "openai",
        key: "OPENROUTER_API_KEY",
        base_url_key: None,
        model_key: "OPENROUTER_MODEL",
        base_url: "https://openrouter.ai/api/v1",
        model: "deepseek/deepseek-v4-flash",
    },
    KnownVendor {
        name: "qwen",
        kind: "openai",
        key: "DASHSCOPE_API_KEY",
        base_url_key: Some("DASHSCOPE_BASE_URL"),
        model_key: "DASHSCOPE_MODEL",
        base_url: "https://dashscope.aliyuncs.com/compatible-mode/v1",
        model: "qwen-plus",
    },
    KnownVendor {
        name: "moonshot",
        kind: "openai",
        key: "MOONSHOT_API_KEY",
        base_url_key: Some("MOONSHOT_BASE_URL"),
        model_key: "MOONSHOT_MODEL",
        base_url: "https://api.moonshot.cn/v1",
        model: "kimi-k2-0905-preview",
    },
];

/// The sources that can be used without a config, the best first: every vendor whose key is in the environment, or,
/// when there is none, a model server on this machine. Takes at most about a quarter of a second; with a key, none.
pub async fn detect(env: &(dyn Fn(&str) -> Option<String> + Sync), http: &Http) -> Vec<DetectedSource> {
    let keyed: Vec<DetectedSource> = VENDORS.iter().filter_map(|vendor| vendor.section(env)).collect();
    if !keyed.is_empty() {
        return keyed;
    }
    detect_local(http, OLLAMA, LLAMA_CPP).await
}

/// The look at this machine, with the places to look at.
async fn detect_local(http: &Http, ollama_url: &str, llama_cpp_url: &str) -> Vec<DetectedSource> {
    let (ollama, llama_cpp) = futures::join!(ollama(http, ollama_url), llama_cpp(http, llama_cpp_url));
    [ollama, llama_cpp].into_iter().flatten().collect()
}

impl KnownVendor {
    fn section(&self, env: &(dyn Fn(&str) -> Option<String> + Sync)) -> Option<DetectedSource> {
        let value = |key: &str| env(key).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let key = value(self.key)?;
        let base_url = self.base_url_key.and_then(value).unwrap_or_else(|| self.base_url.to_owned());
        let model = value(self.model_key).unwrap_or_else(|| self.model.to_owned());
        Some(found(self.kind, self.name, json!({"base_url": base_url, "api_key": key, "model": model})))
    }
}

fn found(kind: &'static str, name: &str, values: Value) -> DetectedSource {
    let values: Map<String, Value> = match values {
        Value::Object(values) => values,
        _ => Map::new(),
    };
    DetectedSource { kind, section: SourceSection { name: name.to_owned(), values } }
}

async fn look(http: &Http, url: String) -> Option<Value> {
    let reply = http.send(HttpRequest::get(url), &LOOK, &CancellationToken::new()).await.ok()?;
    serde_json::from_slice(&reply.body).ok()
}

/// Ollama lists what it has under `/api/tags`, and what is loaded, with its window, under `/api/ps`.
async fn ollama(http: &Http, base_url: &str) -> Option<DetectedSource> {
    let list = look(http, format!("{base_url}/api/tags")).await?;
    let model = list.get("models")?.as_array()?.iter().find(|model| is_chat_model(model))?;
    let name = model.get("name")?.as_str()?;
    let loaded = look(http, format!("{base_url}/api/ps")).await;
    let window = loaded.as_ref().and_then(|loaded| loaded.get("models")?.as_array()).and_then(|models| {
        let model = models.iter().find(|model| model.get("name").and_then(Value::as_str) == Some(name))?;
        model.get("context_length")?.as_u64()
    });
    let window_tokens = window.unwrap_or(OLLAMA_WINDOW_TOKENS);
    let values = json!({"base_url": format!("{base_url}/v1"), "model": name, "window_tokens": window_tokens});
    Some(found("openai", "ollama", values))
}

/// Whether a model of Ollama's list answers in words; embedding models do not.
fn is_chat_model(model: &Value) -> bool {
    let text = |pointer: &str| {
        model.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase()
    };
    let is_digest = !text("/digest").is_empty();
    if let Some(list) = model.get("capabilities").and_then(Value::as_array) {
        return list.iter().any(|item| item == "completion");
    }
    is_digest && !text("/name").contains("embed") && !text("/details/family").contains("bert")
}

/// llama.cpp names itself in its list of models, and tells the window under `/props`.
async fn llama_cpp(http: &Http, base_url: &str) -> Option<DetectedSource> {
    let list = look(http, format!("{base_url}/v1/models")).await?;
    let models = list.get("data")?.as_array()?;
    let is_llama = |model: &&Value| model.get("owned_by").and_then(Value::as_str) == Some("llamacpp");
    let model = models.iter().find(is_llama)?;
    let name = model.get("id")?.as_str()?;
    let props = look(http, format!("{base_url}/props")).await;
    let window = props
        .as_ref()
        .and_then(|props| props.pointer("/default_generation_settings/n_ctx")?.as_u64())
        .or_else(|| model.pointer("/meta/n_ctx_train")?.as_u64());
    let mut values = json!({"base_url": format!("{base_url}/v1"), "model": name});
    if let Some(window) = window {
        values["window_tokens"] = window.into();
    }
    Some(found("openai", "llamacpp", values))
}

#[cfg(test)]
mod tests;
