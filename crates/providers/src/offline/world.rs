//! What the offline model can see besides the inputs: the time, what memory brought up, the tools on offer.

use std::sync::Arc;

use hearth_contract::provider::CompletionRequest;
use hearth_contract::tool::ToolSpec;
use jiff::civil::DateTime;

use super::pattern::Pattern;
use super::text::Text;

/// What surrounds a turn.
#[derive(Debug, Clone)]
pub(crate) struct World {
    /// The local time, if a context block tells it.
    pub(crate) now: Option<DateTime>,
    /// The facts that came up by themselves.
    pub(crate) memory: Vec<String>,
    /// Why a timer is late, if it is.
    pub(crate) late: Option<String>,
    tools: Arc<[ToolSpec]>,
}

impl World {
    pub(crate) fn of(request: &CompletionRequest) -> Self {
        Self {
            now: blocks(request, "now").find_map(local_time),
            memory: blocks(request, "memory").flat_map(str::lines).filter_map(fact_line).collect(),
            late: blocks(request, "timer").next().map(str::to_owned),
            tools: request.tools.clone(),
        }
    }

    pub(crate) fn offers(&self, tool: &str) -> bool {
        self.tools.iter().any(|spec| spec.name == tool)
    }

    pub(crate) fn has_no_tools(&self) -> bool {
        self.tools.is_empty()
    }
}

fn blocks<'r>(request: &'r CompletionRequest, name: &'static str) -> impl Iterator<Item = &'r str> {
    request.context.iter().filter(move |block| block.name == name).map(|block| block.text.as_str())
}

/// The local date and time in a text as the tool `now` writes it.
pub(crate) fn local_time(text: &str) -> Option<DateTime> {
    let text = Text::new(text);
    TIMESTAMP.find(&text)?.image("time")?.to_uppercase().parse().ok()
}

/// A fact of a `- text (2026-11-30)` line.
fn fact_line(line: &str) -> Option<String> {
    let line = line.trim();
    let fact = line.strip_prefix("- ").or_else(|| line.strip_prefix("• ")).unwrap_or(line);
    let text = Text::new(fact);
    let fact = DATED
        .find(&text)
        .and_then(|found| found.get("fact").map(str::to_owned))
        .unwrap_or_else(|| fact.to_owned());
    (!fact.is_empty()).then_some(fact)
}

static TIMESTAMP: Pattern = Pattern::new(r"(?P<time>\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}(?::\d{2})?)");
static DATED: Pattern =
    Pattern::new(r"^(?P<fact>.*\S)\s*[(\[]\s*(?:since |自 ?)?\d{4}-\d{2}-\d{2}[^)\]]*[)\]]$");
