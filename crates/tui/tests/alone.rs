//! The terminal client on its own, against the socket named by the arguments: SOCKET SESSION en|zh.

use hearth_protocol::Language;
use hearth_tui::{Options, run};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut next =
        |what: &str| arguments.next().ok_or_else(|| anyhow::anyhow!("missing {what}: SOCKET SESSION en|zh"));
    let (socket, session, language) = (next("SOCKET")?, next("SESSION")?, next("language")?);
    let language = if language == "zh" { Language::Zh } else { Language::En };
    run(Options { socket: socket.into(), session, language, starter: None }).await
}
