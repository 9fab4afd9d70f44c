//! `hearth serve`: the daemon.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use hearth_contract::clock::{Clock, SystemClock};
use hearth_contract::inbox::{Control, Load};
use hearth_contract::store::StoreError;
use hearth_protocol::Warning;
use hearth_storage::{CommitFault, OpenOptions, Opened};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::Context;
use crate::config::{self, Config};
use crate::failure::{Exit, Failure, Outcome};
use crate::home::HomeLock;
use crate::logs::Log;
use crate::output;
use crate::starts::{SafeMode, Starts};
use crate::supervisor::Supervisor;
use crate::watch::ConfigWatch;
use crate::wiring::{self, Hearth};
use crate::words::{Words, words};

/// How long a stopping daemon waits for its tasks.
const STOP_TIME_MAX: Duration = Duration::from_secs(10);
/// How long a stopping daemon waits for what is being sent.
const SEND_WAIT_MAX: Duration = Duration::from_secs(3);
/// How long a reload waits for running turns; what still runs then is taken up again afterwards.
const RELOAD_WAIT_MAX: Duration = Duration::from_secs(30);

/// How to serve.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Where to answer HTTP: ADDR:PORT, or `auto` for the configured address if it is free [default: 127.0.0.1:8420]
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// End after this many seconds without clients, work and schedules
    #[arg(long, value_name = "SECONDS")]
    exit_when_idle: Option<u64>,
    /// Safe mode: do without telemetry
    #[arg(long)]
    safe: bool,
}

/// Why a running Hearth stops.
enum Told {
    Stop,
    Reload(Box<Config>),
}

pub(super) async fn run(arguments: Arguments, context: &Context) -> Outcome {
    let home = &context.home;
    home.create()?;
    let _lock = HomeLock::acquire(home)?;
    let log = Log::start(home, &context.environment)?;
    let now = SystemClock.now();
    let mut starts = Starts::of(home);
    let safe_mode = if arguments.safe { SafeMode::Asked } else { starts.mode(now) };
    starts.begin(now);
    let outcome = rounds(&arguments, context, &log, &mut starts, safe_mode).await;
    // With or without a failure, it did not die.
    starts.end();
    outcome
}

/// From config to config, until the end.
async fn rounds(
    arguments: &Arguments,
    context: &Context,
    log: &Log,
    starts: &mut Starts,
    mut safe_mode: SafeMode,
) -> Outcome {
    let home = &context.home;
    let mut config = super::config::load(context)?;
    hearth_tools::reap_orphans(&wiring::home_id(home.root()));
    let mut signals = Signals::new()?;
    let mut last_good: Option<Config> = None;
    let mut refused: Option<Warning> = None;
    loop {
        let opened = open(context, &config)?;
        let held = crate::settings::laid_over(&config, &opened.stores).await.map_err(ledger_failure)?;
        log.hide(config::secrets(&held.document));
        let served = serve(arguments, context, &held, &opened, &mut signals, refused.take(), safe_mode).await;
        let closed = opened.handle.close().await;
        let told = match (served, last_good.take()) {
            (Ok(told), _) => told,
            (Err(failure), Some(before)) => {
                tracing::error!("the new config does not work, the one before is used: {}", failure.what.en);
                refused = Some(config_refused(&failure));
                Told::Reload(Box::new(before))
            }
            (Err(failure), None) => return Err(failure),
        };
        match told {
            Told::Reload(new) => {
                last_good = Some(std::mem::replace(&mut config, *new));
                starts.forget_deaths();
                safe_mode = SafeMode::Off;
            }
            Told::Stop => {
                closed.map_err(ledger_failure)?;
                tracing::info!("stopped");
                return Ok(Exit::Done);
            }
        }
    }
}

/// From the opened ledger to the end of one config's time.
async fn serve(
    arguments: &Arguments,
    context: &Context,
    config: &Config,
    opened: &Opened,
    signals: &mut Signals,
    refused: Option<Warning>,
    safe_mode: SafeMode,
) -> Result<Told, Failure> {
    let (listen, no_http) = listen_address(arguments, config).await?;
    let hearth = wiring::build(context, config, opened.stores.clone(), safe_mode).await?;
    for warning in refused.into_iter().chain(no_http) {
        tracing::warn!("{}", warning.en);
        hearth.hub.warn(warning);
    }
    hearth.kernel.start().await.map_err(ledger_failure)?;
    let gateway = hearth.open_doors(&context.home, config, listen).await?;
    let ready = match gateway.address() {
        Some(address) => format!("ready http://{address}"),
        None => format!("ready unix:{}", context.home.socket().display()),
    };
    output::line(&ready)?;
    let supervisor = Arc::new(Supervisor::of(&context.environment));
    supervisor.ready();
    if let Some(why) = safe_mode.told() {
        tracing::warn!("{}", why.en);
        hearth.notice(why.in_language(context.language)).await;
    }
    watch_over(&hearth, &supervisor);
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "{ready}");
    let watch = ConfigWatch::start(&context.home, config)
        .inspect_err(|error| tracing::warn!(%error, "the config is not watched; SIGHUP reads it again"))
        .ok();
    let told = until_told(arguments, context, &hearth, signals, watch.as_ref()).await;
    if matches!(told, Told::Stop) {
        supervisor.stopping();
    }
    // A sending that is cut off may have arrived and would have to be marked. silent-ok: the next start deals with it.
    let _ = tokio::time::timeout(SEND_WAIT_MAX, hearth.kernel.delivered()).await;
    if tokio::time::timeout(STOP_TIME_MAX, hearth.tasks.stop()).await.is_err() {
        tracing::warn!("some tasks did not stop in time; what they left is taken up at the next start");
    }
    Ok(told)
}

/// Tells the service manager again and again that the kernel answers.
fn watch_over(hearth: &Hearth, supervisor: &Arc<Supervisor>) {
    let (answering, supervisor) = (hearth.answering(), supervisor.clone());
    let shutdown = hearth.tasks.shutdown().clone();
    hearth.tasks.spawn("watchdog", async move { supervisor.watch(&answering, &shutdown).await });
}

fn ledger_failure(error: StoreError) -> Failure {
    Failure::new(Words::same(error.to_string()), Words::default())
}

/// The address for HTTP. A port that is taken is told before anything is started; with `auto` it is done without, and
/// warned of.
async fn listen_address(
    arguments: &Arguments,
    config: &Config,
) -> Result<(Option<String>, Option<Warning>), Failure> {
    let configured = config.gateway.listen.to_string();
    match arguments.listen.as_deref() {
        Some("auto") => match tokio::net::TcpListener::bind(&configured).await {
            Ok(_) => Ok((Some(configured), None)),
            Err(error) => Ok((None, Some(no_http(&configured, &error)))),
        },
        named => {
            let address = named.unwrap_or(&configured).to_owned();
            match tokio::net::TcpListener::bind(&address).await {
                Ok(_) => Ok((Some(address), None)),
                Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => Err(Failure::misuse(
                    words!("`{address}` is no address to listen on", "`{address}` 不是可监听的地址"),
                    words!("write ADDR:PORT, such as 127.0.0.1:8420", "请写 地址:端口，例如 127.0.0.1:8420"),
                )),
                Err(error) => Err(Failure::new(
                    words!("cannot listen on {address}: {error}", "无法监听 {address}：{error}"),
                    words!(
                        "choose another address with --listen or [gateway] listen, or stop what uses it",
                        "请用 --listen 或 [gateway] listen 换一个地址，或停止占用它的程序"
                    ),
                )),
            }
        }
    }
}

fn no_http(address: &str, error: &std::io::Error) -> Warning {
    let text = words!(
        "HTTP is not answered: {address} cannot be listened to ({error}). Set another address in [gateway] listen, or \
         stop what uses it and start Hearth again",
        "没有提供 HTTP 服务：无法监听 {address}（{error}）。请在 [gateway] listen 换一个地址，或停止占用它的程序后重新启动 Hearth"
    );
    Warning { code: "http".to_owned(), en: text.en, zh: text.zh }
}

/// The config that was saved is not used.
fn config_refused(failure: &Failure) -> Warning {
    let Failure { what, hint, .. } = failure;
    let between = |hint: &str| if hint.is_empty() { "" } else { " — " };
    Warning {
        code: "config".to_owned(),
        en: format!(
            "the saved config is not used, the one before still is: {}{}{}",
            what.en,
            between(&hint.en),
            hint.en
        ),
        zh: format!("保存的配置没有生效，仍使用之前的：{}{}{}", what.zh, between(&hint.zh), hint.zh),
    }
}

fn open(context: &Context, config: &Config) -> Result<Opened, Failure> {
    let fault = match context.environment.filled("HEARTH_COMMIT_FAULT") {
        None => None,
        Some(text) => Some(text.parse::<CommitFault>().map_err(|error| {
            Failure::misuse(Words::same(format!("HEARTH_COMMIT_FAULT: {error}")), Words::default())
        })?),
    };
    let options = OpenOptions { commit_fault: fault, ..OpenOptions::default() };
    Ok(hearth_storage::open_with(&config.storage, context.home.root(), &options)?)
}

/// Waits for a signal, or for having nothing to do for as long as was asked.
async fn until_told(
    arguments: &Arguments,
    context: &Context,
    hearth: &Hearth,
    signals: &mut Signals,
    watch: Option<&ConfigWatch>,
) -> Told {
    let idle = async {
        match arguments.exit_when_idle {
            Some(seconds) if !hearth.has_networks() => idle_for(hearth, Duration::from_secs(seconds)).await,
            _ => std::future::pending().await,
        }
    };
    let mut idle = std::pin::pin!(idle);
    loop {
        tokio::select! {
            () = &mut idle => return Told::Stop,
            _ = signals.terminate.recv() => return Told::Stop,
            _ = signals.interrupt.recv() => return Told::Stop,
            _ = signals.hang_up.recv() => {}
            () = saved(watch) => {}
            () = hearth.settings.changed() => {}
        }
        match super::config::load(context) {
            Ok(config) => {
                tracing::info!("the config is read again");
                // silent-ok: what still runs after the wait is taken up again afterwards.
                let _ = tokio::time::timeout(RELOAD_WAIT_MAX, hearth.kernel.idle()).await;
                return Told::Reload(Box::new(config));
            }
            Err(failure) => {
                tracing::error!("the config stays as it was: {}", failure.what.en);
                hearth.hub.warn(config_refused(&failure));
            }
        }
    }
}

async fn saved(watch: Option<&ConfigWatch>) {
    match watch {
        Some(watch) => watch.saved().await,
        None => std::future::pending().await,
    }
}

/// Returns when for this long there was no client, no work and nothing scheduled.
async fn idle_for(hearth: &Hearth, wanted: Duration) {
    let look_every = (wanted / 10).max(Duration::from_millis(100));
    let mut idle = Duration::ZERO;
    while idle < wanted {
        tokio::time::sleep(look_every).await;
        let nothing_due = hearth.has_nothing_to_come().await;
        let unused = hearth.hub.clients() == 0 && hearth.kernel.load() == Load::default() && nothing_due;
        idle = if unused { idle + look_every } else { Duration::ZERO };
    }
}

struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    fn new() -> Result<Self, Failure> {
        let listen = |kind| {
            signal(kind).map_err(|error| {
                Failure::new(
                    words!("cannot listen to signals: {error}", "无法接收信号：{error}"),
                    Words::default(),
                )
            })
        };
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }
}
