//! One connected client that speaks the protocol, whatever carries its frames.

use std::sync::Arc;

use async_trait::async_trait;
use hearth_contract::clock::timeout;
use hearth_contract::event::EventKind;
use hearth_contract::id::{MessageId, SessionKey};
use hearth_contract::inbox::Acknowledge;
use hearth_contract::message::{Arrival, InterruptLevel, Segment};
use hearth_contract::store::MessagePage;
use hearth_protocol::{Call, ClientFrame, FRAME_BYTES_MAX, Message, PROTOCOL_VERSION, Problem, ServerFrame};

use crate::frames;
use crate::hub::WatchGuard;
use crate::limits::{PAGE_DEFAULT, PAGE_MAX, WRITE_TIME_MAX};
use crate::problem::{invalid, not_found, of_store, problem};
use crate::queue::{ClientQueue, Entry};
use crate::routes::App;
use crate::say::{Say, say};
use crate::{calls, frames::encode};

/// What a client sent.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A frame.
    Frame(String),
    /// Something that is no frame.
    Bad(Problem),
}

/// Where a client's frames come from. None when it has left or is no longer there.
#[async_trait]
pub(crate) trait Source: Send {
    async fn next(&mut self) -> Option<Incoming>;
}

/// Where frames to a client go.
#[async_trait]
pub(crate) trait Sink: Send {
    /// Sends one frame.
    async fn send(&mut self, json: String) -> std::io::Result<()>;

    /// Sends a sign of life when it is time for one; returns only if the client is gone.
    async fn keep_alive(&mut self) -> std::io::Error;

    /// Says good-bye.
    async fn close(&mut self);
}

/// Talks with a client until it leaves or Hearth stops.
pub(crate) async fn converse(app: Arc<App>, mut source: impl Source, mut sink: impl Sink) {
    let _client = app.calls.hub.connect();
    let queue = Arc::new(ClientQueue::default());
    let mut conversation = Conversation { app: app.clone(), queue: queue.clone(), watching: None };
    // What was asked before Hearth stops is answered: a question may be what it stops for.
    let talk = async {
        conversation.welcome().await;
        while let Some(incoming) = until_stopped(&app, source.next()).await {
            conversation.take(incoming).await;
        }
        queue.finish();
        std::future::pending().await
    };
    tokio::select! {
        () = talk => {}
        written = write(&app, &queue, &mut sink) => {
            if let Err(error) = written {
                tracing::debug!(%error, "a client is gone");
            }
        }
    }
    // silent-ok: a client that does not take the good-bye is gone all the same.
    let _ = timeout(&*app.calls.clock, WRITE_TIME_MAX, sink.close()).await;
}

/// The client's next frame; none once it has left or Hearth stops.
async fn until_stopped(app: &App, next: impl Future<Output = Option<Incoming>>) -> Option<Incoming> {
    tokio::select! {
        biased;
        () = app.tasks.shutdown().cancelled() => None,
        incoming = next => incoming,
    }
}

/// Writes what is queued, until nothing more will be or that fails.
async fn write(app: &App, queue: &ClientQueue, sink: &mut impl Sink) -> std::io::Result<()> {
    loop {
        let entry = tokio::select! {
            entry = queue.next() => entry,
            error = sink.keep_alive() => return Err(error),
        };
        let json = match entry {
            Some(Entry::Live(live)) => live.json.clone(),
            Some(Entry::Answer(json)) => json,
            None => return Ok(()),
        };
        match timeout(&*app.calls.clock, WRITE_TIME_MAX, sink.send(json)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(error),
            Err(_) => {
                return Err(std::io::Error::new(std::io::ErrorKind::TimedOut, "the client does not read"));
            }
        }
    }
}

struct Conversation {
    app: Arc<App>,
    queue: Arc<ClientQueue>,
    watching: Option<WatchGuard>,
}

impl Conversation {
    async fn welcome(&self) {
        let version = self.app.calls.info.version.clone();
        self.queue.answer(&ServerFrame::Welcome { protocol: PROTOCOL_VERSION, version }).await;
    }

    async fn take(&mut self, incoming: Incoming) {
        let parsed = match incoming {
            Incoming::Frame(text) => parse(&text),
            Incoming::Bad(problem) => Err((String::new(), problem)),
        };
        let (id, result) = match parsed {
            Ok(ClientFrame::Watch { session, after }) => (String::new(), self.watch(&session, after).await),
            Ok(ClientFrame::Send { id, session, text, arrival }) => {
                (id.clone(), self.send(id, session, text, arrival).await)
            }
            Ok(ClientFrame::Stop) => (String::new(), self.stop().await),
            Ok(ClientFrame::Call { id, call }) => (id.clone(), self.call(id, call).await),
            Err((id, problem)) => (id, Err(problem)),
        };
        if let Err(error) = result {
            self.queue.answer(&ServerFrame::Failed { id, error }).await;
        }
    }

    /// Subscribes first and reads the ledger then, so that nothing falls between the two.
    async fn watch(&mut self, session: &str, after: Option<String>) -> Result<(), Problem> {
        let session = calls::resolve(&self.app.calls, session).await?;
        let after = after.map(|after| after.parse::<MessageId>()).transpose();
        let after =
            after.map_err(|error| invalid(error.to_string(), "Send the id of the last message you have"))?;
        self.queue.hold();
        self.watching = Some(self.app.calls.hub.watch(&session, &self.queue));
        match self.catch_up(&session, after).await {
            Ok(()) => {
                self.queue.release();
                Ok(())
            }
            Err(problem) => {
                self.watching = None;
                self.queue.deafen();
                Err(problem)
            }
        }
    }

    async fn catch_up(&self, session: &SessionKey, after: Option<MessageId>) -> Result<(), Problem> {
        let last = self.send_missed(session, after).await?;
        self.send_unread(session, last).await;
        let record = self.app.calls.stores.dialogs.get(session).await.map_err(|error| of_store(&error))?;
        let title = record.map(|record| record.title).unwrap_or_default();
        self.queue.answer(&ServerFrame::Watching { session: session.to_string(), title }).await;
        Ok(())
    }

    /// What the ledger has after `after`; returns the last message of it.
    async fn send_missed(
        &self,
        session: &SessionKey,
        after: Option<MessageId>,
    ) -> Result<Option<MessageId>, Problem> {
        let mut last = after;
        loop {
            let (page, limit) = match last {
                Some(after) => (MessagePage::After(after), PAGE_MAX),
                None => (MessagePage::Newest, PAGE_DEFAULT),
            };
            let records = self.app.calls.stores.messages.page(session, page, limit).await;
            let records = records.map_err(|error| of_store(&error))?;
            for record in &records {
                self.send_once(record.id, frames::of_record(record)).await;
                last = Some(record.id);
            }
            if page == MessagePage::Newest || records.len() < limit {
                return Ok(last);
            }
        }
    }

    /// Messages of which was told already but which the ledger's readers do not see yet.
    async fn send_unread(&self, session: &SessionKey, last: Option<MessageId>) {
        let hub = &self.app.calls.hub;
        hub.catch_up();
        let unread = hub.ring.select(|event| {
            let (EventKind::MessageAccepted { message, .. } | EventKind::MessageSent { message, .. }) =
                event.kind
            else {
                return None;
            };
            let wanted = event.session.as_ref() == Some(session) && Some(message) > last;
            wanted.then(|| Some((message, frames::message_of_event(event)?))).flatten()
        });
        for (id, message) in unread {
            self.send_once(id, message).await;
        }
    }

    async fn send_once(&self, id: MessageId, message: Message) {
        self.queue.remember(id);
        self.queue.answer(&frames::fitting(message)).await;
    }

    async fn send(
        &self,
        id: String,
        session: Option<String>,
        text: String,
        arrival: hearth_protocol::Arrival,
    ) -> Result<(), Problem> {
        let (chat, dialog) = match session {
            Some(session) => calls::place(&session)?,
            None => {
                let watched = self.watched()?;
                (watched.chat.clone(), Some(watched.dialog.clone()))
            }
        };
        let arrival = match arrival {
            hearth_protocol::Arrival::Enqueue => Arrival::Enqueue,
            hearth_protocol::Arrival::Steer => Arrival::Steer,
            hearth_protocol::Arrival::Interrupt(level) => {
                Arrival::Interrupt(InterruptLevel::from_outside(level))
            }
        };
        let segments = vec![Segment::text(text)];
        let wanted = Say { chat, dialog, id: Some(id.clone()), person: None, segments, arrival };
        let accepted =
            say(&self.app, wanted, Acknowledge::WhenDurable).await.map_err(|failure| failure.problem)?;
        let frame = ServerFrame::Accepted {
            id,
            message: accepted.message.to_string(),
            session: accepted.session.to_string(),
            duplicate: accepted.duplicate,
        };
        self.queue.answer(&frame).await;
        Ok(())
    }

    async fn stop(&self) -> Result<(), Problem> {
        let session = self.watched()?;
        if self.app.calls.control.stop(session, &session.chat.chat).await {
            return Ok(());
        }
        Err(not_found(format!("nothing is running in {session}"), ""))
    }

    async fn call(&self, id: String, call: Call) -> Result<(), Problem> {
        let value = calls::answer(&self.app.calls, call).await?;
        let frame = ServerFrame::Result { id, value };
        if encode(&frame).len() > FRAME_BYTES_MAX {
            let text = format!("the answer is longer than a frame of {FRAME_BYTES_MAX} bytes");
            return Err(problem("too_large", text, "Ask with a smaller limit"));
        }
        self.queue.answer(&frame).await;
        Ok(())
    }

    fn watched(&self) -> Result<&SessionKey, Problem> {
        let watched = self.watching.as_ref().map(WatchGuard::session);
        watched.ok_or_else(|| {
            invalid("no session is watched", "Send a `watch` frame first, or name the session")
        })
    }
}

/// Reads a frame; on failure also its id, so that the client knows what failed.
fn parse(text: &str) -> Result<ClientFrame, (String, Problem)> {
    serde_json::from_str(text).map_err(|error| {
        let value: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
        let id = value.get("id").and_then(|id| id.as_str()).unwrap_or_default().to_owned();
        (id, invalid(format!("the frame cannot be read: {error}"), "See docs/protocol.schema.json"))
    })
}
