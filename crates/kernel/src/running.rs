//! A turn under way in its session: it runs, or stands still for a more urgent one.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use hearth_contract::id::TurnId;
use hearth_contract::message::MessageRecord;

use crate::control::TurnControl;
use crate::kernel::Inner;
use crate::session::Session;
use crate::turn::{Turn, run_turn};

/// How a turn under way is reached.
#[derive(Debug, Clone)]
pub(crate) struct TurnHandle {
    /// A turn more urgent than this one suspends it.
    pub(crate) urgency: u8,
    pub(crate) control: Arc<TurnControl>,
}

/// A turn under way.
pub(crate) struct Running {
    pub(crate) id: TurnId,
    /// What it answers.
    pub(crate) cause: MessageRecord,
    pub(crate) handle: TurnHandle,
    /// Its work; an error when something in it has panicked.
    work: BoxFuture<'static, Result<(), Broken>>,
}

/// Something in a turn has panicked.
#[derive(Debug)]
pub(crate) struct Broken;

/// How a turn left the floor.
pub(crate) enum Left {
    Ended,
    Broke,
    /// It stands still.
    Stands,
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("id", &self.id).field("handle", &self.handle).finish_non_exhaustive()
    }
}

impl Running {
    /// A turn that begins, or is taken up again.
    pub(crate) fn new(kernel: Arc<Inner>, session: Arc<Session>, turn: Turn) -> Self {
        let control = Arc::<TurnControl>::default();
        let (id, cause, held) = (turn.id, turn.cause.clone(), control.clone());
        let urgency = cause.arrival.urgency();
        let work = async move { run_turn(&kernel, &session, turn, &held).await };
        let work = AssertUnwindSafe(work).catch_unwind().map(|ran| ran.map_err(|_| Broken)).boxed();
        Self { id, cause, handle: TurnHandle { urgency, control }, work }
    }

    /// Works on until it has ended or stands still.
    pub(crate) async fn work(&mut self) -> Left {
        tokio::select! {
            biased;
            ran = &mut self.work => match ran {
                Ok(()) => Left::Ended,
                Err(Broken) => Left::Broke,
            },
            () = self.handle.control.stands() => Left::Stands,
        }
    }
}
