//! Where vendors of the same protocol differ in what they must be told.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A switch of the config.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Thinking {
    /// What is best with this vendor.
    #[default]
    Auto,
    /// Yes.
    On,
    /// No.
    Off,
}

/// The vendor, as far as it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    OpenAi,
    DeepSeek,
    /// Vendors that switch thinking as DeepSeek does: Kimi, GLM.
    LikeDeepSeek,
    /// Alibaba's model studio (Qwen).
    DashScope,
    OpenRouter,
    /// A server of one's own: llama.cpp, vLLM, SGLang, Ollama, a gateway.
    Other,
}

/// Whether the model's thoughts are sent back with its tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Echo {
    /// Never.
    No,
    /// The thoughts of the turn that is going on, where there are any.
    CurrentTurn,
    /// With every message that has calls, in earlier turns too, an empty one where there is none. DeepSeek refuses a
    /// request in its thinking mode in which one is missing (its guide "thinking mode", section on tool calls).
    EveryCall,
}

/// Hosts by the end of their names.
const HOSTS: &[(&str, Dialect)] = &[
    ("api.openai.com", Dialect::OpenAi),
    ("deepseek.com", Dialect::DeepSeek),
    ("moonshot.cn", Dialect::LikeDeepSeek),
    ("moonshot.ai", Dialect::LikeDeepSeek),
    ("bigmodel.cn", Dialect::LikeDeepSeek),
    ("z.ai", Dialect::LikeDeepSeek),
    ("aliyuncs.com", Dialect::DashScope),
    ("openrouter.ai", Dialect::OpenRouter),
];

/// Models that think best when they see their earlier thoughts within a turn.
const ECHO_MODELS: &[&str] = &["kimi", "glm", "qwen", "minimax", "gpt-oss"];

impl Dialect {
    pub(crate) fn of(base_url: &str) -> Self {
        let host = base_url.split("://").nth(1).unwrap_or_default();
        let host = host.split(['/', ':']).next().unwrap_or_default().to_ascii_lowercase();
        let fits = |known: &str| host == known || host.ends_with(&format!(".{known}"));
        HOSTS.iter().find(|(known, _)| fits(known)).map_or(Self::Other, |(_, dialect)| *dialect)
    }

    /// Adds the fields that switch thinking on or off.
    pub(crate) fn set_thinking(self, body: &mut Map<String, Value>, thinking: Thinking) {
        let on = match (self, thinking) {
            (_, Thinking::On) => true,
            (_, Thinking::Off) | (Self::DeepSeek, Thinking::Auto) => false,
            (_, Thinking::Auto) => return,
        };
        let (field, value) = match self {
            Self::DeepSeek | Self::LikeDeepSeek => {
                ("thinking", json!({"type": if on { "enabled" } else { "disabled" }}))
            }
            Self::DashScope => ("enable_thinking", on.into()),
            Self::OpenRouter => ("reasoning", json!({"enabled": on})),
            Self::Other => ("chat_template_kwargs", json!({"enable_thinking": on})),
            // OpenAI's models have no switch; `reasoning_effort` is their word.
            Self::OpenAi => return,
        };
        body.insert(field.to_owned(), value);
    }

    /// Whether thoughts are sent back.
    pub(crate) fn echo(self, wanted: Thinking, model: &str) -> Echo {
        let model = model.to_ascii_lowercase();
        let is_deepseek = self == Self::DeepSeek || model.contains("deepseek");
        match wanted {
            Thinking::Off => Echo::No,
            _ if is_deepseek => Echo::EveryCall,
            Thinking::On => Echo::CurrentTurn,
            Thinking::Auto if ECHO_MODELS.iter().any(|name| model.contains(name)) => Echo::CurrentTurn,
            Thinking::Auto => Echo::No,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vendors_are_known_by_their_hosts() {
        assert_eq!(Dialect::of("https://api.deepseek.com"), Dialect::DeepSeek);
        assert_eq!(Dialect::of("https://dashscope.aliyuncs.com/compatible-mode/v1"), Dialect::DashScope);
        assert_eq!(Dialect::of("http://127.0.0.1:8080/v1"), Dialect::Other);
        assert_eq!(Dialect::of("https://notdeepseek.com.evil.example/v1"), Dialect::Other);
    }

    #[test]
    fn thinking_is_off_with_deepseek_unless_wanted() {
        let field = |dialect: Dialect, thinking| {
            let mut body = Map::new();
            dialect.set_thinking(&mut body, thinking);
            Value::Object(body)
        };
        assert_eq!(field(Dialect::DeepSeek, Thinking::Auto), json!({"thinking": {"type": "disabled"}}));
        assert_eq!(field(Dialect::DeepSeek, Thinking::On), json!({"thinking": {"type": "enabled"}}));
        assert_eq!(field(Dialect::DashScope, Thinking::Off), json!({"enable_thinking": false}));
        assert_eq!(field(Dialect::Other, Thinking::Auto), json!({}));
    }

    #[test]
    fn thoughts_go_back_where_vendors_want_them() {
        assert_eq!(Dialect::DeepSeek.echo(Thinking::Auto, "deepseek-v4-flash"), Echo::EveryCall);
        assert_eq!(Dialect::OpenRouter.echo(Thinking::Auto, "deepseek/deepseek-v4"), Echo::EveryCall);
        assert_eq!(Dialect::LikeDeepSeek.echo(Thinking::Auto, "kimi-k2-thinking"), Echo::CurrentTurn);
        assert_eq!(Dialect::OpenAi.echo(Thinking::Auto, "gpt-5"), Echo::No);
        assert_eq!(Dialect::DeepSeek.echo(Thinking::Off, "deepseek-v4-flash"), Echo::No);
    }
}
