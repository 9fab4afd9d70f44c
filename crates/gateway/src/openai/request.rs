//! What an OpenAI client asks. Fields that tune a model are taken and have no effect, because Hearth chooses its models
//! itself; a field whose promise could not be kept is refused.

use hearth_contract::message::Segment;
use hearth_protocol::Problem;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::problem::invalid;

/// A chat completion request. Fields not listed here are ignored.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ChatRequest {
    /// The talk as the client knows it. Only what its user said since the last answer is new to Hearth.
    #[serde(default)]
    messages: Vec<ChatMessage>,
    /// Any name; the answer comes from the agent.
    #[serde(default)]
    #[expect(dead_code, reason = "part of the described request; every name means the one agent")]
    model: Option<String>,
    /// Whether pieces are sent as they come.
    #[serde(default)]
    stream: Option<bool>,
    /// About the stream.
    #[serde(default)]
    stream_options: Option<StreamOptions>,
    /// The person who speaks; chooses the session `cli:USER:default` unless `X-Hearth-Session` does.
    #[serde(default)]
    pub(crate) user: Option<String>,
    /// How many answers: 1.
    #[serde(default)]
    n: Option<u32>,
    /// Must be empty: the agent has its own tools.
    #[serde(default)]
    tools: Option<Vec<Value>>,
    /// Must be empty: the agent has its own tools.
    #[serde(default)]
    functions: Option<Vec<Value>>,
    /// `{"type": "text"}` if anything.
    #[serde(default)]
    response_format: Option<ResponseFormat>,
}

/// About the stream.
#[derive(Debug, Deserialize, JsonSchema)]
struct StreamOptions {
    /// Whether the last piece tells the tokens.
    #[serde(default)]
    include_usage: Option<bool>,
}

/// The shape of the answer.
#[derive(Debug, Deserialize, JsonSchema)]
struct ResponseFormat {
    /// `text`.
    #[serde(rename = "type")]
    kind: String,
}

/// A message of the talk.
#[derive(Debug, Deserialize, JsonSchema)]
struct ChatMessage {
    /// `system`, `developer`, `user`, `assistant`, `tool`.
    role: String,
    /// What it says.
    #[serde(default)]
    content: Option<Content>,
}

/// What a message says.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Content {
    /// A text.
    Text(String),
    /// Pieces.
    Parts(Vec<Part>),
}

/// A piece of a message.
#[derive(Debug, Deserialize, JsonSchema)]
struct Part {
    /// `text`, `image_url`, …
    #[serde(rename = "type")]
    kind: String,
    /// The text.
    #[serde(default)]
    text: Option<String>,
    /// Everything else.
    #[serde(flatten)]
    rest: serde_json::Map<String, Value>,
}

impl ChatRequest {
    pub(crate) fn streams(&self) -> bool {
        self.stream.unwrap_or(false)
    }

    pub(crate) fn wants_usage(&self) -> bool {
        self.stream_options.as_ref().and_then(|options| options.include_usage).unwrap_or(false)
    }

    /// What is new to Hearth: what the user said since the last answer. A talk without an answer yet has just begun,
    /// and then the client's instructions are new as well.
    pub(crate) fn input(&self) -> Result<Vec<Segment>, Problem> {
        self.check()?;
        let answered = self.messages.iter().rposition(|message| is_answer(&message.role));
        let new = match answered {
            Some(last) => &self.messages[last + 1..],
            None => &self.messages[..],
        };
        let mut segments = Vec::new();
        if answered.is_none() {
            let instructions: Vec<_> =
                new.iter().filter(|message| is_instruction(&message.role)).map(ChatMessage::text).collect();
            let instructions = instructions.join("\n\n");
            if !instructions.trim().is_empty() {
                segments.push(Segment::text(format!(
                    "[Instructions of the client program · 客户端程序的说明]\n{instructions}\n[End · 完]"
                )));
            }
        }
        let users: Vec<_> = new.iter().filter(|message| message.role == "user").collect();
        if users.is_empty() {
            let text = "the last message is not of the user, so there is nothing to answer";
            return Err(invalid(text, "End `messages` with a message of role `user`"));
        }
        for message in users {
            if !segments.is_empty() {
                segments.push(Segment::text("\n\n"));
            }
            message.push_segments(&mut segments);
        }
        Ok(segments)
    }

    fn check(&self) -> Result<(), Problem> {
        if self.messages.is_empty() {
            return Err(invalid(
                "`messages` is missing or empty",
                "Send at least one message of role `user`",
            ));
        }
        let roles = ["system", "developer", "user", "assistant", "tool", "function"];
        if let Some(odd) = self.messages.iter().find(|message| !roles.contains(&message.role.as_str())) {
            return Err(invalid(
                format!("there is no role `{}`", odd.role),
                format!("Roles are {}", roles.join(", ")),
            ));
        }
        if self.n.is_some_and(|n| n != 1) {
            return Err(invalid("`n` must be 1", "Hearth gives one answer"));
        }
        let given = |tools: &Option<Vec<Value>>| tools.as_ref().is_some_and(|tools| !tools.is_empty());
        if given(&self.tools) || given(&self.functions) {
            return Err(invalid(
                "`tools` of the client cannot be called",
                "Leave it out: Hearth uses its own tools",
            ));
        }
        if self.response_format.as_ref().is_some_and(|format| format.kind != "text") {
            return Err(invalid("`response_format` can only be text", "Ask for JSON in words"));
        }
        Ok(())
    }
}

fn is_answer(role: &str) -> bool {
    matches!(role, "assistant" | "tool" | "function")
}

fn is_instruction(role: &str) -> bool {
    matches!(role, "system" | "developer")
}

impl ChatMessage {
    fn text(&self) -> String {
        match &self.content {
            None => String::new(),
            Some(Content::Text(text)) => text.clone(),
            Some(Content::Parts(parts)) => parts.iter().filter_map(|part| part.text.as_deref()).collect(),
        }
    }

    fn push_segments(&self, segments: &mut Vec<Segment>) {
        match &self.content {
            None => {}
            Some(Content::Text(text)) => segments.push(Segment::text(text.clone())),
            Some(Content::Parts(parts)) => segments.extend(parts.iter().map(Part::segment)),
        }
    }
}

impl Part {
    fn segment(&self) -> Segment {
        match &self.text {
            Some(text) if self.kind == "text" => Segment::text(text.clone()),
            _ => Segment::Custom { kind: self.kind.clone(), raw: Value::Object(self.rest.clone()) },
        }
    }
}

#[cfg(test)]
mod tests;
