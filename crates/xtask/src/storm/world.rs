//! Everything outside the daemon: the networks it talks on, the model it asks, and the book of what was said.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures::StreamExt;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::Value;

use crate::model;

/// Something that was said to the daemon.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) chat: String,
    pub(crate) verb: String,
    pub(crate) token: String,
}

/// Something that reached a network.
#[derive(Debug, Clone)]
pub(crate) struct Arrived {
    pub(crate) network: String,
    pub(crate) chat: String,
    pub(crate) delivery: String,
    pub(crate) text: String,
    pub(crate) may_be_duplicate: bool,
}

/// The outside.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) address: String,
    asked: Mutex<Vec<Asked>>,
    arrived: Mutex<Vec<Arrived>>,
    random: Mutex<StdRng>,
    calm: AtomicBool,
    /// Requests that were seen before are served, so that no turn fails for good.
    requests_seen: Mutex<HashSet<String>>,
    pub(crate) model_calls: AtomicUsize,
    pub(crate) faults: AtomicUsize,
}

/// What goes wrong with a request.
enum Weather {
    Fine,
    /// Refused before anything happened.
    Busy,
    /// It happened, and the answer never comes.
    Lost,
}

impl World {
    pub(crate) async fn start(seed: u64) -> anyhow::Result<Arc<Self>> {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let world = Arc::new(Self {
            address: listener.local_addr()?.to_string(),
            asked: Mutex::default(),
            arrived: Mutex::default(),
            random: Mutex::new(StdRng::seed_from_u64(!seed)),
            calm: AtomicBool::new(false),
            requests_seen: Mutex::default(),
            model_calls: AtomicUsize::new(0),
            faults: AtomicUsize::new(0),
        });
        let router = Router::new()
            .route("/net/{network}", post(deliver))
            .route("/v1/chat/completions", post(complete))
            .with_state(world.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(world)
    }

    /// From now on nothing goes wrong by itself.
    pub(crate) fn calm_down(&self) {
        self.calm.store(true, Ordering::SeqCst);
    }

    pub(crate) fn expect(&self, chat: &str, verb: &str, token: &str) {
        let asked = Asked { chat: chat.to_owned(), verb: verb.to_owned(), token: token.to_owned() };
        lock(&self.asked).push(asked);
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        lock(&self.asked).clone()
    }

    pub(crate) fn arrived(&self) -> Vec<Arrived> {
        lock(&self.arrived).clone()
    }

    /// Returns when everything that was asked for has been said.
    pub(crate) async fn settled(&self, within: Duration) -> anyhow::Result<()> {
        let until = Instant::now() + within;
        loop {
            let missing = self.missing();
            if missing.is_empty() {
                // What follows an answer (a receipt, a late duplicate) has a moment to come.
                tokio::time::sleep(Duration::from_millis(1500)).await;
                return Ok(());
            }
            anyhow::ensure!(Instant::now() < until, "never said: {}", missing.join(", "));
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// What should have been said and was not, so far.
    pub(crate) fn missing(&self) -> Vec<String> {
        let mut said: BTreeMap<String, String> = BTreeMap::new();
        for one in lock(&self.arrived).iter() {
            said.entry(one.chat.clone()).or_default().push_str(&format!("{}\n", one.text));
        }
        let mut missing = Vec::new();
        for Asked { chat, verb, token } in lock(&self.asked).iter() {
            let text = said.get(chat).map_or("", String::as_str);
            let wanted = match verb.as_str() {
                "timer" => vec![token.clone(), format!("due {token}")],
                "also" => vec![token.clone(), format!("also {token}")],
                _ => vec![token.clone()],
            };
            missing.extend(wanted.into_iter().filter(|wanted| !text.contains(wanted.as_str())));
        }
        missing
    }

    fn weather(&self, busy: f64, lost: f64) -> Weather {
        if self.calm.load(Ordering::SeqCst) {
            return Weather::Fine;
        }
        let mut random = lock(&self.random);
        let roll: f64 = random.random();
        if roll < busy + lost {
            self.faults.fetch_add(1, Ordering::SeqCst);
        }
        match roll {
            roll if roll < busy => Weather::Busy,
            roll if roll < busy + lost => Weather::Lost,
            _ => Weather::Fine,
        }
    }

    fn pause(&self) -> Duration {
        let millis =
            if self.calm.load(Ordering::SeqCst) { 0 } else { lock(&self.random).random_range(0..40) };
        Duration::from_millis(millis)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A network takes something that is said.
async fn deliver(State(world): State<Arc<World>>, Path(network): Path<String>, body: String) -> Response {
    let weather = world.weather(0.05, 0.05);
    if let Weather::Busy = weather {
        return (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "0")]).into_response();
    }
    tokio::time::sleep(world.pause()).await;
    let body: Value = serde_json::from_str(&body).unwrap_or_default();
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    let arrived = Arrived {
        chat: text("chat"),
        delivery: text("delivery"),
        text: text("text"),
        may_be_duplicate: body["may_be_duplicate"].as_bool().unwrap_or_default(),
        network,
    };
    lock(&world.arrived).push(arrived);
    tokio::time::sleep(world.pause()).await;
    match weather {
        Weather::Lost => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        Weather::Fine | Weather::Busy => StatusCode::OK.into_response(),
    }
}

/// The model answers.
async fn complete(State(world): State<Arc<World>>, _headers: HeaderMap, body: String) -> Response {
    world.model_calls.fetch_add(1, Ordering::SeqCst);
    let weather = match lock(&world.requests_seen).insert(body.clone()) {
        true => world.weather(0.05, 0.05),
        false => Weather::Fine,
    };
    if let Weather::Busy = weather {
        return (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "0")]).into_response();
    }
    let request: Value = serde_json::from_str(&body).unwrap_or_default();
    let mut pieces = model::stream(&model::next(&request));
    if let Weather::Lost = weather {
        // The connection breaks off in the middle of the answer.
        pieces.truncate(pieces.len() / 2);
    }
    let pause = world.pause();
    let stream = futures::stream::iter(pieces).then(move |piece| async move {
        tokio::time::sleep(pause / 4).await;
        Ok::<_, std::convert::Infallible>(piece)
    });
    ([("content-type", "text/event-stream")], Body::from_stream(stream)).into_response()
}
