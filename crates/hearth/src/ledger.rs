//! The ledger without a daemon: for questions while none runs.

use std::sync::Arc;

use hearth_contract::clock::{Clock, SystemClock};
use hearth_contract::store::Stores;
use hearth_contract::task::Tasks;
use hearth_gateway::{CallParts, DaemonInfo, Hub, calls};
use hearth_kernel::{Kernel, KernelConfig, Limits, Parts, TaskQueue};
use hearth_memory::PlainMemory;
use hearth_protocol::{Call, Problem};
use hearth_storage::{OpenError, UpkeepError};
use hearth_tools::Changes;
use serde_json::Value;

use crate::command::Context;
use crate::config::Config;
use crate::failure::Failure;
use crate::home::HomeLock;
use crate::settings::Settings;
use crate::wiring;
use crate::words::{Words, words};

/// Answers a question from the ledger itself. What changes something takes the home for as long as it lasts.
pub(crate) async fn answer(context: &Context, config: &Config, call: Call) -> Result<Value, Failure> {
    if matches!(call, Call::ScheduleRun { .. }) {
        return Err(Failure::new(
            words!("Hearth does not run, so nothing can be done now", "Hearth 没有运行，现在做不了"),
            words!("start it with hearth serve", "用 hearth serve 启动"),
        ));
    }
    if is_reading(&call) {
        refuse_missing(context)?;
        match hearth_storage::open_read_only(&config.storage, context.home.root()) {
            Ok(stores) => return ask(stores, context, call).await,
            // A home that has not been used yet has an empty ledger, and an older one is brought up.
            Err(OpenError::Missing { .. } | OpenError::Older { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    context.home.create()?;
    let _lock = HomeLock::acquire(&context.home)?;
    let opened = hearth_storage::open(&config.storage, context.home.root())?;
    let answered = ask(opened.stores, context, call).await;
    let closed = opened.handle.close().await;
    let answered = answered?;
    closed.map_err(|error| Failure::new(Words::same(error.to_string()), disk_hint()))?;
    Ok(answered)
}

/// Who only asks makes no home: the folder was probably misspelled.
fn refuse_missing(context: &Context) -> Result<(), Failure> {
    let root = context.home.root();
    if root.exists() {
        return Ok(());
    }
    let root = root.display();
    Err(Failure::new(
        words!("there is no home folder {root}", "没有主目录 {root}"),
        words!(
            "name another one with --home, or make it with hearth init or hearth chat",
            "请用 --home 指定其他目录，或用 hearth init、hearth chat 建立它"
        ),
    ))
}

fn is_reading(call: &Call) -> bool {
    match call {
        Call::Status
        | Call::SessionList { .. }
        | Call::SessionMessages { .. }
        | Call::Why { .. }
        | Call::Prove { .. }
        | Call::Usage { .. }
        | Call::ScheduleList { .. }
        | Call::ScheduleNext { .. }
        | Call::TaskList { .. }
        | Call::ChangeList { .. }
        | Call::SettingList { .. } => true,
        Call::SessionNew { .. }
        | Call::SessionSwitch { .. }
        | Call::SessionRename { .. }
        | Call::SessionArchive { .. }
        | Call::SessionDelete { .. }
        | Call::SessionRestore { .. }
        | Call::ScheduleAdd(_)
        | Call::ScheduleRun { .. }
        | Call::ScheduleCancel { .. }
        | Call::TaskCancel { .. }
        | Call::ChangeUndo { .. }
        | Call::SettingSet { .. }
        | Call::SettingUnset { .. } => false,
    }
}

/// Asks a kernel that is not started: it answers questions and runs nothing.
async fn ask(stores: Stores, context: &Context, call: Call) -> Result<Value, Failure> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let changes = Arc::new(Changes::new(context.home.workspace(), context.home.changes(), clock.clone()));
    if matches!(call, Call::ChangeUndo { .. }) {
        // The home is ours while this lasts, so what is open was left by a daemon that was killed.
        hearth_tools::reap_orphans(&wiring::home_id(context.home.root()));
        changes.settle_left().map_err(|error| Failure::new(Words::same(error.to_string()), disk_hint()))?;
    }
    let kernel = Kernel::new(Parts {
        memory: Arc::new(PlainMemory::new(stores.facts.clone())),
        stores: stores.clone(),
        providers: Vec::new(),
        tools: Vec::new(),
        changes: changes.clone(),
        hooks: Vec::new(),
        channels: Vec::new(),
        clock: clock.clone(),
        zone: jiff::tz::TimeZone::system(),
        tasks: Tasks::default(),
        config: KernelConfig::default(),
        limits: Limits::default(),
        task_queue: TaskQueue::new(stores.clone(), clock.clone(), Limits::default(), Vec::new()),
        persona: String::new(),
        workspace: context.home.workspace(),
        lease_owner: String::new(),
    });
    let parts = CallParts {
        control: Arc::new(kernel),
        settings: Settings::new(context, stores.clone(), clock.clone()),
        stores,
        changes,
        hub: Hub::new(clock.clone()),
        info: DaemonInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            started_at: clock.now(),
            address: String::new(),
            home: context.home.root().display().to_string(),
            channels: Vec::new(),
            safe_mode: String::new(),
        },
        clock,
    };
    calls::answer(&parts, call).await.map_err(Failure::from)
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        let failure = Self::new(Words::same(problem.text), Words::same(problem.hint));
        match problem.code.as_str() {
            "invalid" => Self { exit: crate::failure::Exit::Misuse, ..failure },
            _ => failure,
        }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        let hint = open_hint(&error);
        let text = error.to_string();
        // The error says in English, after a semicolon, what the hint says in both languages.
        let what = text.split(';').next().unwrap_or_default().trim_end();
        Self::new(Words::same(what), hint)
    }
}

fn open_hint(error: &OpenError) -> Words {
    match error {
        OpenError::UnknownBackend { .. } => {
            words!("write url = \"sqlite\" in [storage]", "请在 [storage] 中写 url = \"sqlite\"")
        }
        OpenError::Newer { .. } => {
            words!("use a newer Hearth, or restore an older backup", "请使用更新的 Hearth，或恢复较旧的备份")
        }
        OpenError::Older { .. } | OpenError::Missing { .. } => {
            words!("start hearth serve or hearth chat once", "请先运行一次 hearth serve 或 hearth chat")
        }
        OpenError::Damaged { .. } => words!(
            "it was left as it is; restore a backup with hearth restore FILE",
            "文件未被改动；请用 hearth restore FILE 恢复备份",
        ),
        OpenError::Foreign { .. } => {
            words!("move it away, or choose another folder with --home", "请把它移开，或用 --home 换一个目录")
        }
        OpenError::Interrupted { .. } => {
            words!("run hearth restore FILE again", "请再次运行 hearth restore FILE")
        }
        OpenError::Unavailable { .. } => disk_hint(),
    }
}

fn disk_hint() -> Words {
    words!(
        "check the disk and the rights of the home folder (hearth doctor)",
        "请检查磁盘和主目录的权限（hearth doctor）"
    )
}

impl From<UpkeepError> for Failure {
    fn from(error: UpkeepError) -> Self {
        match error {
            UpkeepError::Open(error) => error.into(),
            UpkeepError::Exists { path } => {
                let path = path.display();
                Self::new(
                    words!("{path} exists already; nothing was overwritten", "{path} 已存在，未覆盖"),
                    words!("choose another name", "请换一个文件名"),
                )
            }
            UpkeepError::Unavailable { path, reason } => {
                let path = path.display();
                Self::new(
                    words!("{path} cannot be written: {reason}", "{path} 无法写入：{reason}"),
                    words!("check the disk and the rights of the folder", "请检查磁盘和目录权限"),
                )
            }
        }
    }
}
