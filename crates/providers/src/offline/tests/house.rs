//! A house for the offline model to live in: requests, and tools that do as the real ones do, in memory.

use std::sync::{Arc, Mutex};

use hearth_contract::clock::UnixMs;
use hearth_contract::id::{CallId, TurnId};
use hearth_contract::provider::{Chunk, ChunkSink, CompletionRequest, ContextBlock, RequestedCall};
use hearth_contract::rights::{Risk, Role};
use hearth_contract::tool::{EffectClass, ToolSpec};
use hearth_contract::transcript::{
    Round, ToolArguments, ToolCall, ToolExchange, ToolResult, ToolStatus, TurnTranscript, UserInput,
};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::offline::matching::{content_words, coverage};
use crate::offline::text::image_of;

/// A Monday evening.
pub(super) const NOW: &str = "2026-11-30T19:12:03+08:00[Asia/Shanghai] Monday";

const TOOLS: &[&str] = &[
    "memory_store",
    "memory_recall",
    "memory_forget",
    "timer_set",
    "timer_list",
    "timer_cancel",
    "now",
    "read_file",
    "write_file",
    "edit_file",
    "delete_file",
    "list_dir",
    "search_files",
    "http_get",
    "run_shell",
    "output_send",
    "knowledge_search",
];

pub(super) fn input(text: &str) -> UserInput {
    UserInput { text: text.to_owned(), at: UnixMs(1_796_037_123_000) }
}

pub(super) fn specs(names: &[&str]) -> Arc<[ToolSpec]> {
    let spec = |name: &&str| ToolSpec {
        name: (*name).to_owned(),
        description: String::new(),
        parameters: json!({ "type": "object" }),
        risk: Risk::Read,
        role: Role::Member,
        effect: EffectClass::Pure,
        timeout_ms: 1_000,
    };
    names.iter().map(spec).collect()
}

/// A request with these inputs and every tool.
pub(super) fn request(inputs: &[&str]) -> CompletionRequest {
    CompletionRequest {
        system: "".into(),
        history: Vec::new(),
        context: vec![ContextBlock { name: "now".into(), text: NOW.into() }],
        current: TurnTranscript {
            turn: TurnId::new(),
            inputs: inputs.iter().map(|text| input(text)).collect(),
            rounds: Vec::new(),
        },
        tools: specs(TOOLS),
        output_tokens_max: 1_000,
    }
}

/// Collects a stream.
#[derive(Default)]
pub(super) struct Collected(pub(super) Mutex<Vec<String>>);

impl ChunkSink for Collected {
    fn push(&self, chunk: Chunk) {
        if let Chunk::Text(text) = chunk {
            self.0.lock().unwrap().push(text);
        }
    }
}

/// What the tools keep.
#[derive(Debug, Default)]
pub(super) struct House {
    pub(super) facts: Vec<(Option<String>, String)>,
    pub(super) timers: Vec<(String, String, String)>,
    pub(super) files: Vec<(String, String)>,
    pub(super) history: Vec<Arc<TurnTranscript>>,
    /// Tools that are not there.
    pub(super) without: Vec<&'static str>,
    pub(super) rounds_max: usize,
}

impl House {
    pub(super) fn new() -> Self {
        Self { rounds_max: 10, ..Self::default() }
    }

    /// One whole turn: model, tools, model … until it speaks.
    pub(super) fn turn(&mut self, inputs: &[&str]) -> String {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let provider = crate::offline::offline("offline");
        let offered: Vec<&str> = TOOLS.iter().copied().filter(|tool| !self.without.contains(tool)).collect();
        let mut asked =
            CompletionRequest { history: self.history.clone(), tools: specs(&offered), ..request(inputs) };
        loop {
            if asked.current.rounds.len() >= self.rounds_max {
                asked.tools = Arc::from([]);
            }
            let sink = Collected::default();
            let completion =
                runtime.block_on(provider.complete(&asked, &sink, &CancellationToken::new())).unwrap();
            assert_eq!(sink.0.lock().unwrap().concat(), completion.text);
            let calls: Vec<ToolExchange> = completion.calls.iter().map(|call| self.exchange(call)).collect();
            let finished = calls.is_empty();
            asked.current.rounds.push(Round {
                text: completion.text.clone(),
                reasoning: Vec::new(),
                source: completion.source,
                calls,
                joined: Vec::new(),
            });
            if finished {
                self.history.push(Arc::new(asked.current));
                return completion.text;
            }
        }
    }

    fn exchange(&mut self, requested: &RequestedCall) -> ToolExchange {
        let ToolArguments::Object(arguments) = &requested.arguments else { panic!("malformed arguments") };
        let (status, text) = match self.run(&requested.name, arguments) {
            Ok(text) => (ToolStatus::Done, text),
            Err(text) => (ToolStatus::Failed, text),
        };
        ToolExchange {
            call: ToolCall {
                id: CallId::from_text("call"),
                name: requested.name.clone(),
                arguments: requested.arguments.clone(),
            },
            result: ToolResult { status, text },
        }
    }

    fn run(&mut self, tool: &str, arguments: &Map<String, Value>) -> Result<String, String> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        match tool {
            "memory_store" => {
                let key = arguments.get("key").and_then(Value::as_str).map(str::to_owned);
                self.facts.retain(|(known, _)| known.is_none() || *known != key);
                self.facts.push((key, text("text")));
                Ok("{\"status\":\"stored\"}".into())
            }
            "memory_recall" => Ok(self.recall(&text("query"))),
            "memory_forget" => {
                let at: usize = text("id").parse().map_err(|_| "no such fact".to_owned())?;
                Ok(self.facts.remove(at).1)
            }
            "timer_set" => {
                let id = format!("t{}", self.timers.len() + 1);
                let due = if text("at").is_empty() { "2026-11-30T20:00:00".into() } else { text("at") };
                self.timers.push((id.clone(), text("text"), format!("{due}+08:00[Asia/Shanghai]")));
                Ok(json!({ "status": "set", "id": id, "due": due }).to_string())
            }
            "timer_list" => {
                let timers: Vec<Value> = self
                    .timers
                    .iter()
                    .map(|(id, text, due)| json!({ "id": id, "text": text, "due": due }))
                    .collect();
                Ok(json!({ "timers": timers }).to_string())
            }
            "timer_cancel" => {
                self.timers.retain(|(id, ..)| *id != text("id"));
                Ok("cancelled".into())
            }
            "now" => Ok("2026-11-30T20:12:03+09:00[Asia/Tokyo] Monday".into()),
            "write_file" => self.write(&text("path"), &text("content"), &text("mode")),
            "read_file" => self.file(&text("path")).map(|at| self.files[at].1.clone()),
            "edit_file" => {
                let at = self.file(&text("path"))?;
                let edited = self.files[at].1.replace(&text("old"), &text("new"));
                self.files[at].1 = edited;
                Ok("edited".into())
            }
            "delete_file" => {
                let at = self.file(&text("path"))?;
                self.files.remove(at);
                Ok("removed".into())
            }
            "list_dir" => Ok(self.files.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join("\n")),
            "search_files" => {
                let query = text("query");
                let hits = self.files.iter().filter(|(_, content)| content.contains(&query));
                Ok(hits.map(|(name, content)| format!("{name}:1: {content}")).collect::<Vec<_>>().join("\n"))
            }
            "run_shell" => Ok(format!("ran {}", text("command"))),
            "http_get" => Ok("<html>hello</html>".into()),
            other => Err(format!("no tool {other}")),
        }
    }

    /// As the plain memory does: what shares enough of the question's words; the newest for an empty question.
    fn recall(&self, query: &str) -> String {
        let words = content_words(&image_of(query));
        let hits = self
            .facts
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, (_, text))| query.is_empty() || coverage(&words, &image_of(text)) >= 0.34);
        let facts: Vec<Value> = hits
            .map(|(at, (_, text))| json!({ "id": at.to_string(), "text": text, "since": format!("2026-11-{:02}", at + 1), "score": 0.5 }))
            .collect();
        json!({ "facts": facts }).to_string()
    }

    fn file(&self, path: &str) -> Result<usize, String> {
        self.files.iter().position(|(name, _)| name == path).ok_or_else(|| format!("there is no file {path}"))
    }

    fn write(&mut self, path: &str, content: &str, mode: &str) -> Result<String, String> {
        match (self.file(path), mode) {
            (Ok(_), "create") => return Err(format!("{path} is there already")),
            (Ok(at), "append") => self.files[at].1.push_str(content),
            (Ok(at), _) => content.clone_into(&mut self.files[at].1),
            (Err(_), _) => self.files.push((path.to_owned(), content.to_owned())),
        }
        Ok("written".into())
    }
}
