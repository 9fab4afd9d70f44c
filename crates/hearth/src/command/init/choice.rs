//! Which model a first config names.

use super::ask::Terminal;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::words::words;

/// A vendor that is offered.
#[derive(Debug, PartialEq, Eq)]
struct Vendor {
    label: &'static str,
    kind: &'static str,
    base_url: &'static str,
    model: &'static str,
    /// The variable that holds its key.
    variable: &'static str,
}

const VENDORS: &[Vendor] = &[
    Vendor {
        label: "DeepSeek",
        kind: "openai",
        base_url: "https://api.deepseek.com",
        model: "deepseek-v4-flash",
        variable: "DEEPSEEK_API_KEY",
    },
    Vendor {
        label: "OpenAI",
        kind: "openai",
        base_url: "https://api.openai.com/v1",
        model: "gpt-5-mini",
        variable: "OPENAI_API_KEY",
    },
    Vendor {
        label: "Anthropic",
        kind: "anthropic",
        base_url: "https://api.anthropic.com",
        model: "claude-sonnet-4-5",
        variable: "ANTHROPIC_API_KEY",
    },
    Vendor {
        label: "Ollama / llama.cpp / …",
        kind: "openai",
        base_url: "http://127.0.0.1:11434/v1",
        model: "qwen3",
        variable: "",
    },
];

/// The model of a first config.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The built-in one.
    Offline,
    /// One behind a wire.
    Source {
        /// Which kind of wire.
        kind: &'static str,
        /// Where.
        base_url: String,
        /// Which model.
        model: String,
        /// The variable of its key, and the key if it is not set already.
        key: Option<(&'static str, Option<String>)>,
    },
}

impl Choice {
    /// Its section of the config.
    pub(super) fn section(&self) -> String {
        match self {
            Self::Offline => example_section(),
            Self::Source { kind, base_url, model, key } => {
                let key = match key {
                    Some((variable, _)) => format!("api_key = \"${{{variable}}}\"\n"),
                    None => String::new(),
                };
                let (base_url, model) =
                    (toml::Value::from(base_url.as_str()), toml::Value::from(model.as_str()));
                format!("[sources.main]\nkind = \"{kind}\"\nbase_url = {base_url}\n{key}model = {model}\n")
            }
        }
    }

    /// The variable to be kept in `.env`.
    pub(super) fn variable(&self) -> Option<(&'static str, &str)> {
        match self {
            Self::Source { key: Some((name, Some(value))), .. } => Some((name, value)),
            Self::Offline | Self::Source { .. } => None,
        }
    }
}

/// The first vendor, as a comment.
fn example_section() -> String {
    let Vendor { kind, base_url, model, variable, .. } = &VENDORS[0];
    format!(
        "# [sources.main]\n# kind = \"{kind}\"\n# base_url = \"{base_url}\"\n# api_key = \"${{{variable}}}\"\n# model = \"{model}\"\n"
    )
}

/// Asks which one.
pub(super) fn ask(terminal: &mut Terminal, environment: &Environment) -> Result<Choice, Failure> {
    terminal.say(&words!("Which model shall Hearth use?", "Hearth 用哪个模型？"))?;
    terminal.say(&words!(
        "  1  the built-in offline model: no key, small",
        "  1  内置离线模型：无需密钥，能力有限"
    ))?;
    for (index, vendor) in VENDORS.iter().enumerate() {
        let (number, label) = (index + 2, vendor.label);
        terminal.say(&words!("  {number}  {label}", "  {number}  {label}"))?;
    }
    let most = VENDORS.len() + 1;
    let vendor = loop {
        let answer = terminal.ask(&words!("1 to {most}:", "1 到 {most}："), "1")?;
        match answer.parse::<usize>() {
            Ok(1) => return Ok(Choice::Offline),
            Ok(number) if (2..=most).contains(&number) => break &VENDORS[number - 2],
            _ => terminal.say(&words!("type a number from 1 to {most}", "请输入 1 到 {most} 的数字"))?,
        }
    };
    let base_url = terminal.ask(&words!("Address:", "地址："), vendor.base_url)?;
    let model = terminal.ask(&words!("Model:", "模型："), vendor.model)?;
    let key = ask_key(terminal, environment, vendor.variable)?;
    Ok(Choice::Source { kind: vendor.kind, base_url, model, key })
}

fn ask_key(
    terminal: &mut Terminal,
    environment: &Environment,
    variable: &'static str,
) -> Result<Option<(&'static str, Option<String>)>, Failure> {
    if variable.is_empty() {
        return Ok(None);
    }
    if environment.filled(variable).is_some() {
        terminal.say(&words!("The key is taken from {variable}.", "密钥取自环境变量 {variable}。"))?;
        return Ok(Some((variable, None)));
    }
    let key =
        terminal.ask_secret(&words!("Key (kept in .env, not shown):", "密钥（保存在 .env 中，不显示）："))?;
    Ok(Some((variable, Some(key))))
}
