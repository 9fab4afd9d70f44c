//! Shows an answer while it is written.

use std::sync::Arc;

use hearth_contract::channel::{Channel, LiveReply};
use hearth_contract::id::{SessionKey, TurnId};
use hearth_contract::provider::{Chunk, ChunkSink};

/// Shows a draft where the network can, unless a guard must see the whole first.
pub(crate) struct DraftSink {
    pub(crate) channel: Option<Arc<dyn Channel>>,
    pub(crate) session: SessionKey,
    pub(crate) turn: TurnId,
}

impl ChunkSink for DraftSink {
    fn push(&self, chunk: Chunk) {
        let live: Option<&dyn LiveReply> = self.channel.as_ref().and_then(|channel| channel.live());
        if let Some(live) = live {
            live.push(&self.session, self.turn, chunk);
        }
    }
}
