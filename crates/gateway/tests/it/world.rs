//! Open doors before a kernel that does what the test says.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use hearth_contract::channel::Channel;
use hearth_contract::clock::UnixMs;
use hearth_contract::id::SessionKey;
use hearth_contract::task::Tasks;
use hearth_gateway::{CallParts, DaemonInfo, Doors, GatewayParts, MetricsAccess, Token, open};
use tokio::sync::{Mutex, mpsc};

use super::http::{self, Response};
use super::kernel::{FakeChanges, FakeInbox, FakeKernel, FakeSettings, Taken};

pub(crate) const TOKEN: &str = "secret-token";

pub(crate) struct World {
    pub(crate) kernel: Arc<FakeKernel>,
    taken: Mutex<mpsc::UnboundedReceiver<Taken>>,
    pub(crate) address: SocketAddr,
    pub(crate) tasks: Tasks,
    pub(crate) home: tempfile::TempDir,
}

pub(crate) struct Setting {
    pub(crate) channels: Vec<Arc<dyn Channel>>,
    pub(crate) metrics: MetricsAccess,
    pub(crate) hosts: Vec<String>,
    pub(crate) events_max: usize,
}

impl Default for Setting {
    fn default() -> Self {
        Self { channels: Vec::new(), metrics: MetricsAccess::Token, hosts: Vec::new(), events_max: 4096 }
    }
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(Setting::default()).await
    }

    pub(crate) async fn with(setting: Setting) -> Self {
        let (kernel, taken) = FakeKernel::new(setting.events_max);
        let home = tempfile::tempdir().unwrap();
        let tasks = Tasks::default();
        let parts = parts(&kernel, setting.channels, &tasks);
        let doors = Doors {
            listen: Some("127.0.0.1:0".into()),
            socket: Some(home.path().join("hearth.sock")),
            token: Token::new(TOKEN),
            metrics: setting.metrics,
            hosts: setting.hosts,
        };
        let gateway = open(parts, doors).await.unwrap();
        Self { kernel, taken: Mutex::new(taken), address: gateway.address().unwrap(), tasks, home }
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.home.path().join("hearth.sock")
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        self.send("GET", path, "").await
    }

    pub(crate) async fn post(&self, path: &str, body: &str) -> Response {
        self.send("POST", path, body).await
    }

    pub(crate) async fn send(&self, method: &str, path: &str, body: &str) -> Response {
        self.send_with(method, path, &[], body).await
    }

    pub(crate) async fn send_with(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Response {
        let mut all = vec![("authorization", "Bearer secret-token")];
        all.extend(headers);
        http::raw(self.address, &http::request(method, path, &all, body)).await
    }

    /// The next message that the kernel has taken.
    pub(crate) async fn next(&self) -> Taken {
        self.taken.lock().await.recv().await.unwrap()
    }
}

pub(crate) fn parts(
    kernel: &Arc<FakeKernel>,
    channels: Vec<Arc<dyn Channel>>,
    tasks: &Tasks,
) -> GatewayParts {
    let info = DaemonInfo {
        version: "9.9.9".into(),
        pid: 42,
        started_at: UnixMs(1_799_999_990_000),
        address: String::new(),
        home: "/home/of/hearth".into(),
        channels: Vec::new(),
        safe_mode: String::new(),
    };
    let calls = CallParts {
        control: kernel.clone(),
        settings: Arc::new(FakeSettings::new(tasks.clone())),
        changes: Arc::new(FakeChanges),
        stores: kernel.store.stores(),
        clock: kernel.clock.clone(),
        hub: kernel.hub.clone(),
        info,
    };
    GatewayParts {
        inbox: Arc::new(FakeInbox(kernel.clone())),
        calls,
        events: kernel.events.subscribe(),
        channels,
        tasks: tasks.clone(),
    }
}

pub(crate) fn session(name: &str) -> SessionKey {
    name.parse().unwrap()
}
