//! A network for programs: whatever can make an HTTP request can talk with Hearth. The program posts what people say
//! to `/channels/<name>`, and Hearth posts what it says to the program's address. Both ways are signed.

mod inbound;
mod outbound;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::channel::{
    Channel, ChannelInfo, Outbound, Receipt, ReplyMode, ReplyPolicy, ResendPolicy, SendError, SendLookup,
    WebDoor, WebReply, WebRequest,
};
use hearth_contract::inbox::Inbox;
use hearth_net::{Endpoint, Redactor, Secret};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::entry::{Built, ChannelEntry, ChannelSection, Deps};

pub(crate) const ENTRY: ChannelEntry =
    ChannelEntry { kind: KIND, build, schema: || schemars::schema_for!(Config) };

const KIND: &str = "webhook";

/// The section `[channels.NAME]` with `kind = "webhook"`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Config {
    /// Where Hearth posts what it says.
    url: String,
    /// The key of the signatures, both ways: HMAC-SHA256 of the body in `X-Hearth-Signature`.
    #[serde(default)]
    #[schemars(with = "String")]
    secret: Secret,
    /// A token instead of or beside the signature: `Authorization: Bearer TOKEN`, both ways.
    #[serde(default)]
    #[schemars(with = "String")]
    token: Secret,
    /// Where Hearth asks whether something arrived: GET with `?delivery=ID`; 200 for yes, 404 for no.
    #[serde(default)]
    lookup_url: Option<String>,
    /// What to do when nobody knows whether something arrived.
    #[serde(default)]
    resend: Resend,
    /// Which messages are answered; by the kind of chat if not given.
    #[serde(default)]
    #[schemars(with = "Option<PolicyName>")]
    policy: Option<ReplyPolicy>,
    /// How answers leave.
    #[serde(default)]
    #[schemars(with = "ReplyName")]
    reply: ReplyMode,
    /// Senders who are the owner.
    #[serde(default)]
    owner_ids: Vec<String>,
}

/// What to do when nobody knows whether something arrived.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Resend {
    /// Send it again and say that it may be a duplicate.
    #[default]
    Mark,
    /// Leave it.
    Never,
    /// Send it again: the program takes the same `Idempotency-Key` once.
    Deduplicated,
}

/// The names of [`ReplyPolicy`], for the schema.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
enum PolicyName {
    /// Every message.
    Always,
    /// Those that address Hearth.
    Mention,
    /// None; they are recorded.
    Standby,
}

/// The names of [`ReplyMode`], for the schema.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
enum ReplyName {
    /// The final text is sent.
    Auto,
    /// Only what the model sends by a tool is sent.
    Explicit,
}

fn build(section: ChannelSection, deps: &Deps) -> Built {
    let config: Config = section.parse()?;
    if config.secret.is_empty() && config.token.is_empty() {
        return Err(
            section.wrong("neither `secret` nor `token` is set, so anybody could speak: set one of them")
        );
    }
    for (key, url) in [("url", Some(&config.url)), ("lookup_url", config.lookup_url.as_ref())] {
        let usable = |url: &String| url.starts_with("http") && Endpoint::of(url).is_some();
        if url.is_some_and(|url| !usable(url)) {
            return Err(section.wrong(format!("`{key}` is not an address such as https://host/path")));
        }
    }
    if config.token.header("Bearer ").is_none() {
        return Err(section.wrong("`token` has characters that a header cannot carry"));
    }
    let info = ChannelInfo {
        name: section.name.clone(),
        kind: KIND,
        resend: match config.resend {
            Resend::Mark => ResendPolicy::Marked,
            Resend::Never => ResendPolicy::Never,
            Resend::Deduplicated => ResendPolicy::Deduplicated,
        },
        policy: config.policy,
        reply: config.reply,
    };
    let redactor = Redactor::new([config.secret.clone(), config.token.clone()]);
    Ok(Arc::new(Webhook { info, config, redactor, deps: deps.clone() }))
}

struct Webhook {
    info: ChannelInfo,
    config: Config,
    redactor: Redactor,
    deps: Deps,
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook").field("info", &self.info).finish_non_exhaustive()
    }
}

#[async_trait]
impl Channel for Webhook {
    fn info(&self) -> &ChannelInfo {
        &self.info
    }

    /// Nothing is fetched: what arrives comes through the web door.
    async fn run(&self, _inbox: Arc<dyn Inbox>, shutdown: CancellationToken) {
        shutdown.cancelled().await;
    }

    async fn send(&self, outbound: &Outbound) -> Result<Receipt, SendError> {
        self.post(outbound).await
    }

    fn lookup(&self) -> Option<&dyn SendLookup> {
        self.config.lookup_url.as_ref().map(|_| self as &dyn SendLookup)
    }

    fn web(&self) -> Option<&dyn WebDoor> {
        Some(self)
    }
}

#[async_trait]
impl SendLookup for Webhook {
    async fn lookup(&self, outbound: &Outbound) -> Result<Option<Receipt>, SendError> {
        self.ask(outbound).await
    }
}

#[async_trait]
impl WebDoor for Webhook {
    async fn handle(&self, request: WebRequest, inbox: Arc<dyn Inbox>) -> WebReply {
        self.take(&request, inbox).await
    }
}

#[cfg(test)]
mod tests;
