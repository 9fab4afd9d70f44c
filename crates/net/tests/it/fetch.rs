//! The guarded client: what it reads, what it refuses, where it stops.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use hearth_contract::clock::{SystemClock, UnixMs};
use hearth_net::{
    Endpoint, FetchError, FetchLimits, FetchRequest, Fetched, GuardSettings, GuardedHttp, Lookup,
};
use hearth_testkit::clock::TurnedClock;
use hearth_testkit::server::{Answer, Server, respond};
use tokio_util::sync::CancellationToken;

/// A name server that gives the answers it was told, one after another, and counts the questions.
#[derive(Default)]
struct FakeNames {
    answers: Mutex<HashMap<&'static str, Vec<&'static str>>>,
    asked: AtomicUsize,
}

impl FakeNames {
    fn new(answers: &[(&'static str, &[&'static str])]) -> Arc<Self> {
        let answers = answers.iter().map(|(host, list)| (*host, list.to_vec())).collect();
        Arc::new(Self { answers: Mutex::new(answers), asked: AtomicUsize::new(0) })
    }
}

#[async_trait]
impl Lookup for FakeNames {
    async fn lookup(&self, host: &str) -> std::io::Result<Vec<SocketAddr>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let mut answers = self.answers.lock().unwrap();
        let list = answers.get_mut(host).filter(|list| !list.is_empty());
        let answer = list.map(|list| list.remove(0)).ok_or_else(|| std::io::Error::other("no such name"))?;
        Ok(answer.split(' ').map(|address| SocketAddr::new(address.parse().unwrap(), 0)).collect())
    }
}

fn client(names: &Arc<FakeNames>, allowed: &[(&str, u16)]) -> GuardedHttp {
    let allowed = allowed.iter().map(|(host, port)| Endpoint { host: (*host).into(), port: *port }).collect();
    let settings = GuardSettings { allowed, ..GuardSettings::default() };
    GuardedHttp::new(&settings, Arc::clone(names) as Arc<dyn Lookup>, Arc::new(SystemClock)).unwrap()
}

async fn get(client: &GuardedHttp, url: &str) -> Result<Fetched, FetchError> {
    let limits = FetchLimits { body_bytes_max: 10, redirects_max: 2, total_ms: 20_000 };
    let headers = [("authorization", "Bearer abc"), ("x-kept", "1")];
    let headers =
        headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
    client.fetch(&FetchRequest { url: url.into(), headers, limits }, &CancellationToken::new()).await
}

fn refused(result: Result<Fetched, FetchError>, part: &str) {
    match result {
        Err(FetchError::Refused { reason }) => assert!(reason.contains(part), "{reason}"),
        other => panic!("expected a refusal, got {other:?}"),
    }
}

#[tokio::test]
async fn an_address_on_the_local_network_is_never_connected_to() {
    let server = Server::start(|_| respond("200 OK", "", "secret")).await;
    let client = client(&FakeNames::new(&[]), &[]);
    refused(get(&client, &server.url("/")).await, "loopback");
    refused(get(&client, &format!("http://2130706433:{}/", server.port)).await, "loopback");
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn a_name_that_leads_to_the_local_network_is_refused() {
    let server = Server::start(|_| respond("200 OK", "", "secret")).await;
    let names = FakeNames::new(&[
        ("evil.example", &["127.0.0.1"]),
        ("mapped.example", &["::ffff:127.0.0.1"]),
        ("meta.example", &["169.254.169.254 10.0.0.1"]),
    ]);
    let client = client(&names, &[]);
    for (name, kind) in [("evil", "loopback"), ("mapped", "IPv4"), ("meta", "private")] {
        refused(get(&client, &format!("http://{name}.example:{}/", server.port)).await, kind);
    }
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn a_name_that_changes_between_check_and_use_gains_nothing() {
    let server = Server::start(|_| respond("200 OK", "", "secret")).await;
    // The first answer passes. Were the name asked again for the connection, it would lead to the server.
    let names = FakeNames::new(&[("rebind.example", &["192.0.2.1 127.0.0.1", "127.0.0.1"])]);
    let client = client(&names, &[]);
    refused(get(&client, &format!("http://rebind.example:{}/", server.port)).await, "only public");
    assert_eq!(names.asked.load(Ordering::SeqCst), 1);
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn an_allowed_endpoint_is_read_and_its_body_cut() {
    let server =
        Server::start(|_| respond("404 Not Found", "content-type: text/plain\r\n", "0123456789abc")).await;
    let client = client(&FakeNames::new(&[]), &[("127.0.0.1", server.port)]);
    let fetched = get(&client, &server.url("/x")).await.unwrap();
    assert_eq!((fetched.status.as_u16(), fetched.content_type.as_str()), (404, "text/plain"));
    assert_eq!((fetched.body.as_slice(), fetched.truncated), (b"0123456789".as_slice(), true));
}

#[tokio::test]
async fn each_redirect_is_checked() {
    let inner = Server::start(|_| respond("200 OK", "", "secret")).await;
    let target = inner.url("/inner");
    let outer = Server::start(move |_| respond("302 Found", &format!("location: {target}\r\n"), "")).await;
    let client = client(&FakeNames::new(&[]), &[("127.0.0.1", outer.port)]);
    refused(get(&client, &outer.url("/")).await, "loopback");
    assert!(inner.seen().is_empty());
}

#[tokio::test]
async fn who_we_are_does_not_follow_to_another_host() {
    let inner = Server::start(|_| respond("200 OK", "", "hi")).await;
    let target = inner.url("/inner");
    let outer =
        Server::start(move |_| respond("307 Temporary Redirect", &format!("location: {target}\r\n"), ""))
            .await;
    let client = client(&FakeNames::new(&[]), &[("127.0.0.1", outer.port), ("127.0.0.1", inner.port)]);
    let fetched = get(&client, &outer.url("/")).await.unwrap();
    assert_eq!((fetched.body.as_slice(), fetched.truncated), (b"hi".as_slice(), false));
    assert!(fetched.url.ends_with("/inner"));
    assert!(outer.seen()[0].contains("Bearer abc"));
    assert!(!inner.seen()[0].contains("Bearer abc"));
    assert!(inner.seen()[0].contains("x-kept: 1"));
}

#[tokio::test]
async fn redirects_end() {
    let server = Server::start(|_| respond("301 Moved", "location: /again\r\n", "")).await;
    let client = client(&FakeNames::new(&[]), &[("127.0.0.1", server.port)]);
    assert_eq!(get(&client, &server.url("/")).await.unwrap_err(), FetchError::TooManyRedirects { max: 2 });
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn a_silent_server_is_left_when_the_time_is_up() {
    let server = Server::start(|_| Answer::Hold(Vec::new())).await;
    let clock = Arc::new(TurnedClock::new(UnixMs(0)));
    let settings = GuardSettings {
        allowed: vec![Endpoint { host: "127.0.0.1".into(), port: server.port }],
        ..Default::default()
    };
    let client = GuardedHttp::new(&settings, FakeNames::new(&[]), clock.clone()).unwrap();
    let url = server.url("/");
    let request = FetchRequest { url, headers: Default::default(), limits: FetchLimits::default() };
    let cancel = CancellationToken::new();
    let turn = async {
        server.asked(1).await;
        clock.sleeper_within(Duration::from_secs(20), 0).await;
        clock.advance(Duration::from_secs(20)).await;
    };
    let (result, ()) = tokio::join!(client.fetch(&request, &cancel), turn);
    assert_eq!(result.unwrap_err(), FetchError::TimedOut { limit_ms: 20_000 });
    server.left(1).await;
}

#[tokio::test]
async fn a_stop_ends_a_reading() {
    let client = client(&FakeNames::new(&[]), &[]);
    let cancel = CancellationToken::new();
    cancel.cancel();
    let request = FetchRequest {
        url: "http://example.com/".into(),
        headers: Default::default(),
        limits: FetchLimits::default(),
    };
    assert_eq!(client.fetch(&request, &cancel).await.unwrap_err(), FetchError::Cancelled);
}
