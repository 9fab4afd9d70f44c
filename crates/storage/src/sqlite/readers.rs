//! The readers: a few threads, started and connected when first needed, that share one queue of questions.

use std::collections::VecDeque;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use hearth_contract::store::StoreError;
use rusqlite::Connection;
use tokio::sync::{Semaphore, mpsc, oneshot};

use super::connect;
use super::trouble::unavailable;

/// The most reader threads.
const READERS_MAX: usize = 3;
/// The most questions that wait; beyond it the asking tasks wait for their place.
const QUESTIONS_MAX: usize = 1024;

type Question = Box<dyn FnOnce(rusqlite::Result<&mut Connection>) + Send>;

/// Answers what is asked of the ledger. Every reader port is implemented on it.
pub(crate) struct Readers {
    shared: Arc<Shared>,
    places: Semaphore,
}

struct Shared {
    database: PathBuf,
    state: Mutex<State>,
    wake: Condvar,
}

struct State {
    questions: VecDeque<Question>,
    threads: usize,
    idle: usize,
    /// Each thread holds a clone; when all are gone, every connection is closed. None once closing has begun.
    alive: Option<mpsc::Sender<()>>,
    all_gone: Option<mpsc::Receiver<()>>,
}

impl fmt::Debug for Readers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readers").field("database", &self.shared.database).finish_non_exhaustive()
    }
}

impl Readers {
    /// Readers of this file. Nothing is opened yet.
    pub(crate) fn new(database: PathBuf) -> Self {
        let (alive, all_gone) = mpsc::channel(1);
        let state = State {
            questions: VecDeque::new(),
            threads: 0,
            idle: 0,
            alive: Some(alive),
            all_gone: Some(all_gone),
        };
        let shared = Arc::new(Shared { database, state: Mutex::new(state), wake: Condvar::new() });
        Self { shared, places: Semaphore::new(QUESTIONS_MAX) }
    }

    /// Asks one question of a consistent state of the ledger.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.with_connection(move |connection| {
            let transaction = connection.transaction()?;
            let answer = question(&transaction)?;
            transaction.finish()?;
            Ok(answer)
        })
        .await
    }

    /// Lends a connection that only reads.
    pub(crate) async fn with_connection<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let _place = self.places.acquire().await.map_err(|_| stopped())?;
        let (reply, answer) = oneshot::channel();
        self.ask(Box::new(move |connection| {
            let result = connection.and_then(work).map_err(|error| unavailable(&error));
            // Nobody listens any more when the asking task was dropped; the answer is not needed then.
            let _ = reply.send(result);
        }))?;
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }

    fn ask(&self, question: Question) -> Result<(), StoreError> {
        let mut state = self.shared.lock();
        let Some(alive) = state.alive.clone() else { return Err(stopped()) };
        if state.idle <= state.questions.len() && state.threads < READERS_MAX {
            let shared = Arc::clone(&self.shared);
            let number = state.threads + 1;
            let thread = std::thread::Builder::new().name(format!("reader-{number}"));
            let started = thread.spawn(move || {
                shared.answer_all();
                drop(alive);
            });
            match started {
                Ok(_) => state.threads = number,
                Err(error) if state.threads == 0 => {
                    return Err(StoreError::Unavailable {
                        reason: format!("no reader could be started: {error}"),
                    });
                }
                Err(error) => tracing::warn!(%error, "one more reader could not be started"),
            }
        }
        state.questions.push_back(question);
        drop(state);
        self.shared.wake.notify_one();
        Ok(())
    }

    fn begin_to_close(&self) -> Option<mpsc::Receiver<()>> {
        let mut state = self.shared.lock();
        state.alive = None;
        let all_gone = state.all_gone.take();
        drop(state);
        self.shared.wake.notify_all();
        all_gone
    }

    /// Answers what is queued, refuses what comes later, and returns when all connections are closed.
    pub(crate) async fn close(&self) {
        if let Some(mut all_gone) = self.begin_to_close() {
            // Nothing is ever sent: it returns when the last thread has dropped its end.
            while all_gone.recv().await.is_some() {}
        }
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.begin_to_close();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer_all(&self) {
        let mut connection = None;
        while let Some(question) = self.next() {
            if connection.is_none() {
                match connect::reader(&self.database) {
                    Ok(opened) => connection = Some(opened),
                    Err(error) => {
                        question(Err(error));
                        continue;
                    }
                }
            }
            if let Some(connection) = &mut connection {
                question(Ok(connection));
            }
        }
    }

    fn next(&self) -> Option<Question> {
        let mut state = self.lock();
        loop {
            if let Some(question) = state.questions.pop_front() {
                return Some(question);
            }
            state.alive.as_ref()?;
            state.idle += 1;
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }
}

fn stopped() -> StoreError {
    StoreError::Unavailable { reason: "the ledger is closed".into() }
}
