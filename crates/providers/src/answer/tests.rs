//! Answers read without a connection, for the tests of the decoders.

use std::sync::Mutex;

use hearth_net::{Redactor, SseParser};

use super::*;

#[derive(Default)]
struct Seen(Mutex<(String, String)>);

impl ChunkSink for Seen {
    fn push(&self, chunk: Chunk) {
        let mut seen = self.0.lock().unwrap();
        match chunk {
            Chunk::Text(text) => seen.0.push_str(&text),
            Chunk::Reasoning(text) => seen.1.push_str(&text),
            Chunk::Restart => panic!("a provider makes one attempt"),
        }
    }
}

pub(crate) fn errors() -> Classifier {
    Classifier::new(Redactor::default())
}

/// Reads a stream.
pub(crate) fn streamed(mut decoder: impl Decode, stream: &[u8]) -> Result<Completion, ProviderError> {
    let sink = Seen::default();
    let mut parser = SseParser::new(1_000_000);
    parser.push(stream).unwrap();
    parser.finish();
    while let Some(event) = parser.next_event() {
        if decoder.event(&event, &sink)?.is_break() {
            break;
        }
    }
    completed(decoder, sink)
}

/// Reads an answer that came at once.
pub(crate) fn at_once(mut decoder: impl Decode, answer: &Value) -> Result<Completion, ProviderError> {
    let sink = Seen::default();
    whole(&mut decoder, answer.to_string().as_bytes(), &errors(), &sink)?;
    completed(decoder, sink)
}

fn completed(decoder: impl Decode, sink: Seen) -> Result<Completion, ProviderError> {
    let info = SourceInfo {
        name: "mine".into(),
        kind: "any",
        model: "asked".into(),
        window_tokens: 1_000,
        output_tokens_max: 100,
    };
    let completion = complete(decoder.finish(&sink)?, &info, &errors(), Silence::IsAnError)?;
    // What was shown while it came is what is kept.
    let seen = sink.0.into_inner().unwrap();
    assert_eq!(seen.0, completion.text);
    assert_eq!(seen.1, completion.reasoning.iter().map(|thought| thought.text.as_str()).collect::<String>());
    Ok(completion)
}
