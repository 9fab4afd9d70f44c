//! Scenarios: a chat as a Markdown file, run by the real kernel, memory and store. The transcript is the assertion.
//!
//! Prose is for people. A block ```` ```config ```` sets the world up (see [`config::Setup`]). Lines that begin with
//! four spaces are the chat, in order:
//!
//! ```text
//! alice@group:1 > @bot hello      somebody says something; `@bot` addresses the agent; `#7 >` gives the platform id;
//!                                 `>>` waits for its own turn, `>!` interrupts, `>!2` and `>!3` at that level
//! model < [tool {"a":1}] text     the next reply of the source `model`
//! child < text                    the next reply of the first source to a sub-agent
//! model ! rate_limit 2s           its next failure; `network after TEXT` breaks off after TEXT
//! clock > +10s                    time passes
//! daemon > restart | kill | kill at once | kill +700s
//! network < retry 2s | unknown arrived | unknown lost | refuse: WHY | hang      what happens to the next sending
//! tasks < list | cancel           lists the background tasks; cancels the last one that has not ended
//! why < en | zh                   asks why the last message heard ended as it did
//! ```
//!
//! All other lines are what came of it, and are written by the runner: `agent@… >` arrived, `draft@… >` was shown,
//! `model >` was newly told to the model, `alice@… ~` ended otherwise than answered, `why >`. With `UPDATE_EXPECT=1`
//! the runner rewrites the file. A model with no reply left holds its answer back until the file gives it one; that
//! is how a line can come "while the model thinks".

mod config;
mod line;
mod told;
mod world;

pub use config::Setup;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use tokio::time::timeout;

use self::line::{Line, ScriptLine};
use self::world::World;

/// A scenario that is stuck for this long (by the machine's clock) fails with what there is of its transcript.
const STUCK_AFTER: Duration = Duration::from_secs(20);

/// Every scenario below a folder, sorted.
pub fn find(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Runs one and returns the file as it should be. An error has the transcript so far in it.
pub fn run(source: &str) -> anyhow::Result<String> {
    let file = line::parse(source)?;
    let mut out = Transcript::new(source, &file);
    let result = play(&file, &mut out);
    let text = out.finish();
    result.with_context(|| format!("the transcript so far:\n{text}"))?;
    Ok(text)
}

fn play(file: &[ScriptLine], out: &mut Transcript) -> anyhow::Result<()> {
    let setup = Setup::parse(&out.config)?;
    let mut world = World::start(setup)?;
    for (place, script) in file.iter().enumerate() {
        out.go_to(script.number);
        let next = file.get(place + 1).map(|script| &script.line);
        let done =
            world.run(timed(|| format!("line {}: {}", script.number, script.text)), &script.line, next);
        if !matches!(script.line, Line::Reply { .. }) {
            out.push(script.text.clone());
        }
        out.extend(world.flush()?);
        done?;
    }
    out.extend(world.end(timed(|| "the end of the file".into()))?);
    Ok(())
}

/// What bounds each step of a scenario, and what it is called when it is stuck.
struct Guard<F>(F);

fn timed<F: Fn() -> String>(name: F) -> Guard<F> {
    Guard(name)
}

impl<F: Fn() -> String> Guard<F> {
    async fn bound<T>(&self, state: impl Fn() -> String, step: impl Future<Output = T>) -> anyhow::Result<T> {
        match timeout(STUCK_AFTER, step).await {
            Ok(done) => Ok(done),
            Err(_) => bail!("stuck at {} ({})", (self.0)(), state()),
        }
    }
}

/// The file as it comes to be: the prose as it was, the chat as it went.
struct Transcript {
    config: String,
    source: Vec<String>,
    /// For each line of the source, what stands in its place.
    lines: Vec<Vec<String>>,
    place: usize,
}

impl Transcript {
    fn new(source: &str, _file: &[ScriptLine]) -> Self {
        let source: Vec<String> = source.lines().map(str::to_owned).collect();
        let (mut config, mut in_config, mut in_fence) = (String::new(), false, false);
        let mut lines = Vec::new();
        for line in &source {
            if line.starts_with("```") {
                in_config = !in_fence && line.trim_end() == "```config";
                in_fence = !in_fence;
            } else if in_config {
                config.push_str(line);
                config.push('\n');
            }
            let is_chat = !in_fence && line::is_chat(line);
            lines.push(if is_chat { Vec::new() } else { vec![line.clone()] });
        }
        Self { config, source, lines, place: 0 }
    }

    /// What follows stands at this line of the source (from 1).
    fn go_to(&mut self, number: usize) {
        self.place = number - 1;
    }

    fn push(&mut self, line: String) {
        if let Some(lines) = self.lines.get_mut(self.place) {
            lines.push(format!("    {line}"));
        }
    }

    fn extend(&mut self, lines: Vec<String>) {
        lines.into_iter().for_each(|line| self.push(line));
    }

    fn finish(self) -> String {
        debug_assert_eq!(self.source.len(), self.lines.len());
        let mut text = self.lines.concat().join("\n");
        text.push('\n');
        text
    }
}
