//! What is known of models by their names.

/// The window of a model nobody told us about, in tokens.
const WINDOW_TOKENS: u32 = 128_000;
/// The most tokens a model is asked to write when nothing else is known.
pub(crate) const OUTPUT_TOKENS_MAX: u32 = 8_192;

/// Windows by the beginning of the model's name, in tokens; the first that fits counts.
const WINDOWS: &[(&str, u32)] = &[
    ("deepseek-v4", 1_000_000),
    ("deepseek", 128_000),
    ("gpt-5", 400_000),
    ("gpt-4.1", 1_000_000),
    ("gpt-4o", 128_000),
    ("gpt-3.5", 16_385),
    ("o1", 200_000),
    ("o3", 200_000),
    ("o4", 200_000),
    ("claude", 200_000),
    ("gemini", 1_000_000),
    ("qwen3-max", 256_000),
    ("qwen-plus", 128_000),
    ("kimi-k2", 256_000),
    ("glm-4.5", 128_000),
    ("glm", 200_000),
];

/// The window of a model in tokens, prompt and answer together. A name may have a vendor before it (`openai/gpt-5`).
pub(crate) fn window_tokens(model: &str) -> u32 {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    WINDOWS.iter().find(|(start, _)| name.starts_with(start)).map_or(WINDOW_TOKENS, |(_, tokens)| *tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_known_by_name() {
        assert_eq!(window_tokens("deepseek-v4-flash"), 1_000_000);
        assert_eq!(window_tokens("anthropic/Claude-Sonnet-4"), 200_000);
        assert_eq!(window_tokens("some-model-nobody-knows"), 128_000);
    }
}
