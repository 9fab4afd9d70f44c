//! A chat completion in pieces: the drafts of the turn as they come, then what is missing from the final text.

use std::sync::Arc;

use axum::response::Response;
use hearth_contract::clock::UnixMs;
use hearth_contract::id::{MessageId, SessionKey};
use hearth_contract::inbox::{Acknowledge, Ended};
use hearth_protocol::{Problem, ServerFrame};

use super::answer::{Delta, Piece, PieceChoice, completion_id};
use super::said::Said;
use super::{MODEL, Marks, error_body, told};
use crate::frames::Live;
use crate::limits::KEEP_ALIVE;
use crate::problem::Failure;
use crate::queue::{ClientQueue, Entry};
use crate::routes::App;
use crate::say::{Say, problem_of_end, say, wait_for_end};
use crate::sse::{self, Left, Pieces};

/// Says something and opens the stream of its answer. A client that leaves does not stop the turn.
pub(super) async fn open(
    app: Arc<App>,
    wanted: Say,
    session: SessionKey,
    usage: bool,
) -> Result<Response, Failure> {
    // Watched before it is said, so that no piece is missed.
    let queue = Arc::new(ClientQueue::default());
    queue.hold();
    let mut watch = app.calls.hub.watch(&session, &queue);
    let accepted = say(&app, wanted, Acknowledge::WhenTaken).await?;
    if accepted.session != session {
        watch = app.calls.hub.watch(&accepted.session, &queue);
    }
    queue.release();
    let (pieces, mut response) = sse::stream();
    let marks = Marks::of(&accepted);
    marks.put(&mut response);
    let stream = Stream {
        id: completion_id(&marks.message),
        created: app.calls.clock.now(),
        usage,
        pieces,
        message: accepted.message,
        turn: None,
        said: Said::default(),
    };
    app.tasks.clone().spawn("openai stream", async move {
        let _watch = watch;
        let ended = wait_for_end(&app, accepted);
        // silent-ok: the client has left; the answer stays in the session.
        let _ = stream.run(&app, &queue, ended).await;
    });
    Ok(response)
}

struct Stream {
    id: String,
    created: UnixMs,
    usage: bool,
    pieces: Pieces,
    message: MessageId,
    /// The turn that answers the message, once it has begun.
    turn: Option<String>,
    said: Said,
}

impl Stream {
    async fn run(
        mut self,
        app: &App,
        queue: &ClientQueue,
        ended: impl Future<Output = Result<Ended, Problem>>,
    ) -> Result<(), Left> {
        self.send(Delta { role: Some("assistant"), content: Some(String::new()), ..Delta::default() })
            .await?;
        let mut ended = std::pin::pin!(ended);
        let result = loop {
            tokio::select! {
                biased;
                entry = queue.next() => if let Some(Entry::Live(live)) = entry {
                    self.take(&live).await?;
                },
                result = &mut ended => break result,
                () = app.calls.clock.sleep(KEEP_ALIVE) => self.pieces.keep_alive().await?,
                () = self.pieces.left() => return Err(Left),
            }
        };
        self.finish(result).await
    }

    async fn take(&mut self, live: &Live) -> Result<(), Left> {
        match &live.frame {
            ServerFrame::TurnStarted { turn, .. } if live.cause == Some(self.message) => {
                self.turn = Some(turn.clone());
                self.said.restart();
            }
            ServerFrame::Draft { turn, text } if self.is_mine(turn) => {
                let more = self.said.push(text);
                self.content(more).await?;
            }
            ServerFrame::Reasoning { turn, text } if self.is_mine(turn) => {
                self.send(Delta { reasoning_content: Some(text.clone()), ..Delta::default() }).await?;
            }
            ServerFrame::DraftRestart { turn } if self.is_mine(turn) => self.said.restart(),
            ServerFrame::ToolStarted { turn, .. } if self.is_mine(turn) => self.said.next(),
            _ => {}
        }
        Ok(())
    }

    fn is_mine(&self, turn: &str) -> bool {
        self.turn.as_deref() == Some(turn)
    }

    async fn finish(mut self, result: Result<Ended, Problem>) -> Result<(), Left> {
        let problem = match &result {
            Ok(ended) => problem_of_end(ended).map(|problem| told(problem, &ended.reply)),
            Err(problem) => Some(problem.clone()),
        };
        if let Some(problem) = problem {
            self.pieces.send(format!("data: {}\n\n", error_body(&problem))).await?;
        } else if let Ok(ended) = result {
            let more = self.said.finish(&ended.reply);
            self.content(more).await?;
            self.send_choice(Delta::default(), Some("stop")).await?;
            if self.usage {
                let piece = self.piece(Vec::new(), Some(Some(ended.usage.into())));
                self.pieces.send(piece).await?;
            }
        }
        self.pieces.send("data: [DONE]\n\n".to_owned()).await
    }

    async fn content(&self, text: String) -> Result<(), Left> {
        if text.is_empty() {
            return Ok(());
        }
        self.send(Delta { content: Some(text), ..Delta::default() }).await
    }

    async fn send(&self, delta: Delta) -> Result<(), Left> {
        self.send_choice(delta, None).await
    }

    async fn send_choice(&self, delta: Delta, finish_reason: Option<&'static str>) -> Result<(), Left> {
        let choice = PieceChoice { index: 0, delta, logprobs: None, finish_reason };
        // With usage wanted, every piece has the field, and only the last one a value.
        let usage = if self.usage { Some(None) } else { None };
        self.pieces.send(self.piece(vec![choice], usage)).await
    }

    fn piece(&self, choices: Vec<PieceChoice>, usage: Option<Option<super::answer::Tokens>>) -> String {
        let piece = Piece {
            id: &self.id,
            object: "chat.completion.chunk",
            created: self.created.0 / 1000,
            model: MODEL,
            choices,
            usage,
        };
        let json = serde_json::to_string(&piece).unwrap_or_else(|error| {
            tracing::error!(%error, "a piece could not be encoded");
            String::from("{}")
        });
        format!("data: {json}\n\n")
    }
}
