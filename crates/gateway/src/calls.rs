//! Everything a client can ask, answered in one place: for the protocol, for the HTTP routes, and for the binary when
//! no daemon runs.

use std::sync::Arc;

use hearth_contract::changes::{CallChanges, ChangeLog};
use hearth_contract::clock::{Clock, UnixMs};
use hearth_contract::id::{ChatKey, IdError, MessageId, SessionKey, TaskId};
use hearth_contract::inbox::{Control, DialogOp};
use hearth_contract::language::Language;
use hearth_contract::setting::{SettingChanges, SettingRegistry};
use hearth_contract::store::{
    DialogRecord, DialogState, MessagePage, Stores, TaskNotice, TaskRecord, UsageTotal,
};
use hearth_protocol::{
    Call, ChangedPath, Changes, ChannelStatus, Dialog, Explanation, ExplanationLine, Message, Problem,
    Setting, SourceStatus, Status, Task, UsageRow,
};
use serde::Serialize;
use serde_json::Value;

use crate::frames;
use crate::hub::{self, Hub};
use crate::limits::{
    CHANGES_DEFAULT, CHANGES_MAX, DIALOGS_DEFAULT, DIALOGS_MAX, PAGE_DEFAULT, PAGE_MAX, TASKS_DEFAULT,
    TASKS_MAX,
};
use crate::problem::{invalid, not_found, of_control, of_setting, of_store, of_undo, problem};
use crate::schedules;

/// What an answer is made from.
#[derive(Clone)]
pub struct CallParts {
    /// The kernel.
    pub control: Arc<dyn Control>,
    /// The ledger.
    pub stores: Stores,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// The settings.
    pub settings: Arc<dyn SettingRegistry>,
    /// What tools have changed in the workspace.
    pub changes: Arc<dyn ChangeLog>,
    /// Our own clients.
    pub hub: Arc<Hub>,
    /// What does not change while Hearth runs.
    pub info: DaemonInfo,
}

/// What does not change while Hearth runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DaemonInfo {
    /// Its version.
    pub version: String,
    /// Its process id.
    pub pid: u32,
    /// Since when it runs.
    pub started_at: UnixMs,
    /// Where it answers HTTP (`127.0.0.1:8420`); empty if it does not. [`open`](crate::open) fills it in.
    pub address: String,
    /// The folder it lives in.
    pub home: String,
    /// Its channels.
    pub channels: Vec<ChannelStatus>,
    /// Why it is in safe mode (`asked`, `crashes`); empty if it is not.
    pub safe_mode: String,
}

/// Answers one question.
pub async fn answer(parts: &CallParts, call: Call) -> Result<Value, Problem> {
    match call {
        Call::Status => json(&status(parts)),
        Call::SessionList { chat, limit } => json(&session_list(parts, chat, limit).await?),
        Call::SessionMessages { session, before, after, limit } => {
            json(&messages(parts, &session, before, after, limit).await?)
        }
        Call::SessionNew { chat, title } => {
            let chat = chat_key(&chat)?;
            json(&dialog(parts, &chat, DialogOp::Create { title }).await?)
        }
        Call::SessionSwitch { session } => {
            json(&on_session(parts, &session, |dialog| DialogOp::Switch { dialog }).await?)
        }
        Call::SessionRename { session, title } => {
            json(&on_session(parts, &session, |dialog| DialogOp::Rename { dialog, title }).await?)
        }
        Call::SessionArchive { session } => {
            json(&on_session(parts, &session, |dialog| DialogOp::Archive { dialog }).await?)
        }
        Call::SessionDelete { session } => {
            json(&on_session(parts, &session, |dialog| DialogOp::Delete { dialog }).await?)
        }
        Call::SessionRestore { session } => {
            json(&on_session(parts, &session, |dialog| DialogOp::Restore { dialog }).await?)
        }
        Call::Why { id, language } => json(&why(parts, &id, language).await?),
        Call::Prove { since_ms } => {
            let since = UnixMs(since_ms.unwrap_or(0));
            let proof = parts.stores.prover.prove(since, parts.clock.now()).await;
            json(&proof.map_err(|error| of_store(&error))?)
        }
        Call::Usage { since_ms, session } => json(&usage(parts, since_ms, session).await?),
        Call::ScheduleList { chat } => json(&schedules::list(parts, chat).await?),
        Call::ScheduleNext { id, limit } => json(&schedules::next(parts, id, limit).await?),
        Call::ScheduleAdd(wanted) => json(&schedules::add(parts, wanted).await?),
        Call::ScheduleRun { id } => {
            parts.control.run_schedule(schedules::id_of(&id)?).await.map_err(of_control)?;
            Ok(Value::Object(serde_json::Map::new()))
        }
        Call::ScheduleCancel { id } => {
            parts.control.cancel_schedule(schedules::id_of(&id)?).await.map_err(of_control)?;
            Ok(Value::Object(serde_json::Map::new()))
        }
        Call::TaskList { chat, limit } => json(&background_tasks(parts, chat, limit).await?),
        Call::TaskCancel { id } => {
            let id: TaskId = id.parse().map_err(|error| bad_id(&error))?;
            parts.control.cancel_task(id, hub::CHANNEL).await.map_err(of_control)?;
            Ok(Value::Object(serde_json::Map::new()))
        }
        Call::ChangeList { limit } => {
            let limit = limit.unwrap_or(CHANGES_DEFAULT).min(CHANGES_MAX);
            let records = parts.changes.list(limit).await.map_err(of_undo)?;
            json(&records.into_iter().map(of_changes).collect::<Vec<_>>())
        }
        Call::ChangeUndo { call, language } => {
            let done = parts.changes.undo(&call, hub::CHANNEL, of_language(language)).await;
            json(&of_changes(done.map_err(of_undo)?))
        }
        Call::SettingList { language } => json(&settings(parts, language).await?),
        Call::SettingSet { key, value, language } => {
            let set = parts.settings.set(&key, value, of_language(language)).await;
            set.map(|()| Value::Object(serde_json::Map::new())).map_err(of_setting)
        }
        Call::SettingUnset { key, language } => {
            let unset = parts.settings.unset(&key, of_language(language)).await;
            unset.map(|()| Value::Object(serde_json::Map::new())).map_err(of_setting)
        }
    }
}

/// A session by its name: `channel:chat:dialog`, or `channel:chat` for the chat's current dialog.
pub(crate) async fn resolve(parts: &CallParts, name: &str) -> Result<SessionKey, Problem> {
    match place(name)? {
        (chat, Some(dialog)) => Ok(chat.dialog(dialog)),
        (chat, None) => current(parts, &chat).await,
    }
}

/// A chat and, if it was named, a dialog of it.
pub(crate) fn place(name: &str) -> Result<(ChatKey, Option<String>), Problem> {
    if name.split(':').count() == 2 {
        return Ok((chat_key(name)?, None));
    }
    let session: SessionKey = name.parse().map_err(|error| bad_id(&error))?;
    Ok((session.chat, Some(session.dialog)))
}

/// The dialog that the chat's messages go to.
async fn current(parts: &CallParts, chat: &ChatKey) -> Result<SessionKey, Problem> {
    let current = parts.stores.dialogs.current(chat).await.map_err(|error| of_store(&error))?;
    Ok(current.unwrap_or_else(|| chat.dialog(SessionKey::DEFAULT_DIALOG)))
}

pub(crate) fn chat_key(name: &str) -> Result<ChatKey, Problem> {
    let session: Result<SessionKey, _> = format!("{name}:{}", SessionKey::DEFAULT_DIALOG).parse();
    let wrong = || invalid(format!("`{name}` is not a chat (channel:chat)"), "For example `cli:me`");
    session.map(|session| session.chat).map_err(|_| wrong())
}

fn session_key(name: &str) -> Result<SessionKey, Problem> {
    name.parse().map_err(|error| bad_id(&error))
}

fn message_id(text: &str) -> Result<MessageId, Problem> {
    text.parse().map_err(|error| bad_id(&error))
}

pub(crate) fn bad_id(error: &IdError) -> Problem {
    let hint = match error.what {
        what if what.starts_with("session") => "For example `cli:me:default`",
        _ => "Ids are 32 hexadecimal digits",
    };
    invalid(error.to_string(), hint)
}

fn json<T: Serialize>(value: &T) -> Result<Value, Problem> {
    serde_json::to_value(value).map_err(|error| {
        problem("unavailable", format!("the answer cannot be written: {error}"), "This is a fault of Hearth")
    })
}

fn status(parts: &CallParts) -> Status {
    let load = parts.control.load();
    let sources = parts.control.sources().into_iter().map(|(source, error)| SourceStatus {
        state: match error.as_str() {
            "" if parts.hub.meter.was_asked(&source.name) => "ok".to_owned(),
            "" => "untried".to_owned(),
            _ => error,
        },
        name: source.name,
        kind: source.kind.to_owned(),
        model: source.model,
    });
    Status {
        version: parts.info.version.clone(),
        pid: parts.info.pid,
        uptime_ms: u64::try_from(parts.clock.now().since(parts.info.started_at).as_millis())
            .unwrap_or(u64::MAX),
        address: parts.info.address.clone(),
        home: parts.info.home.clone(),
        turns_running: load.turns_running as u64,
        messages_waiting: load.messages_waiting as u64,
        clients: parts.hub.clients() as u64,
        sources: sources.collect(),
        channels: parts.info.channels.clone(),
        warnings: parts.hub.warnings(),
        safe_mode: parts.info.safe_mode.clone(),
    }
}

async fn session_list(
    parts: &CallParts,
    chat: Option<String>,
    limit: Option<usize>,
) -> Result<Vec<Dialog>, Problem> {
    let chat = chat.as_deref().map(chat_key).transpose()?;
    let limit = limit.unwrap_or(DIALOGS_DEFAULT).min(DIALOGS_MAX);
    let records = parts.stores.dialogs.list(chat.as_ref(), limit).await.map_err(|error| of_store(&error))?;
    let mut currents: std::collections::HashMap<ChatKey, SessionKey> = std::collections::HashMap::new();
    let mut dialogs = Vec::with_capacity(records.len());
    for record in records {
        let chat = record.session.chat.clone();
        let current_session = match currents.get(&chat) {
            Some(session) => session.clone(),
            None => current(parts, &chat).await?,
        };
        let is_current = current_session == record.session;
        currents.insert(chat, current_session);
        dialogs.push(of_dialog(record, is_current));
    }
    Ok(dialogs)
}

async fn messages(
    parts: &CallParts,
    session: &str,
    before: Option<String>,
    after: Option<String>,
    limit: Option<usize>,
) -> Result<Vec<Message>, Problem> {
    let session = resolve(parts, session).await?;
    let page = match (before, after) {
        (None, None) => MessagePage::Newest,
        (Some(before), None) => MessagePage::Before(message_id(&before)?),
        (None, Some(after)) => MessagePage::After(message_id(&after)?),
        (Some(_), Some(_)) => {
            return Err(invalid("`before` and `after` were both given", "Give one of them"));
        }
    };
    let limit = limit.unwrap_or(PAGE_DEFAULT).min(PAGE_MAX);
    let records =
        parts.stores.messages.page(&session, page, limit).await.map_err(|error| of_store(&error))?;
    if records.is_empty() {
        exists(parts, &session).await?;
    }
    Ok(records.iter().map(frames::of_record).collect())
}

/// An empty dialog is not an unknown one; the default dialog of a chat is there without being made.
async fn exists(parts: &CallParts, session: &SessionKey) -> Result<(), Problem> {
    let known = parts.stores.dialogs.get(session).await.map_err(|error| of_store(&error))?.is_some();
    if known || session.dialog == SessionKey::DEFAULT_DIALOG {
        return Ok(());
    }
    Err(not_found(
        format!("there is no session {session}"),
        "GET /api/sessions or `hearth session list` shows them",
    ))
}

async fn dialog(parts: &CallParts, chat: &ChatKey, op: DialogOp) -> Result<Dialog, Problem> {
    let record = parts.control.dialog(chat, op).await.map_err(of_control)?;
    let is_current = current(parts, chat).await? == record.session;
    Ok(of_dialog(record, is_current))
}

async fn on_session(
    parts: &CallParts,
    session: &str,
    op: impl FnOnce(String) -> DialogOp,
) -> Result<Dialog, Problem> {
    let session = session_key(session)?;
    dialog(parts, &session.chat, op(session.dialog)).await
}

fn of_language(language: hearth_protocol::Language) -> Language {
    match language {
        hearth_protocol::Language::En => Language::En,
        hearth_protocol::Language::Zh => Language::Zh,
    }
}

async fn settings(parts: &CallParts, language: hearth_protocol::Language) -> Result<Vec<Setting>, Problem> {
    let settings = parts.settings.list(of_language(language)).await.map_err(of_setting)?;
    let one = |setting: hearth_contract::setting::Setting| Setting {
        key: setting.key,
        value: setting.value,
        from: setting.from,
        default: setting.default,
        kind: setting.kind,
        choices: setting.choices,
        description: setting.description,
        at_run_time: setting.changes == SettingChanges::AtRunTime,
    };
    Ok(settings.into_iter().map(one).collect())
}

async fn why(
    parts: &CallParts,
    id: &str,
    language: hearth_protocol::Language,
) -> Result<Explanation, Problem> {
    let lines = parts.control.why(id, of_language(language)).await.map_err(of_control)?;
    let line = |line: hearth_contract::inbox::ExplanationLine| ExplanationLine {
        at_ms: line.at.0,
        kind: line.kind,
        text: line.text,
    };
    Ok(Explanation { lines: lines.into_iter().map(line).collect() })
}

async fn usage(
    parts: &CallParts,
    since_ms: Option<i64>,
    session: Option<String>,
) -> Result<Vec<UsageRow>, Problem> {
    let session = session.as_deref().map(session_key).transpose()?;
    let totals = parts.stores.usage.totals(UnixMs(since_ms.unwrap_or(0)), session.as_ref()).await;
    let row = |total: UsageTotal| UsageRow {
        day: total.day,
        source: total.source,
        model: total.model,
        calls: total.calls,
        prompt_tokens: total.usage.prompt_tokens,
        cached_tokens: total.usage.cached_tokens,
        completion_tokens: total.usage.completion_tokens,
    };
    Ok(totals.map_err(|error| of_store(&error))?.into_iter().map(row).collect())
}

async fn background_tasks(
    parts: &CallParts,
    chat: Option<String>,
    limit: Option<usize>,
) -> Result<Vec<Task>, Problem> {
    let chat = chat.as_deref().map(chat_key).transpose()?;
    let limit = limit.unwrap_or(TASKS_DEFAULT).min(TASKS_MAX);
    let records = parts.stores.tasks.list(chat.as_ref(), limit).await.map_err(|error| of_store(&error))?;
    Ok(records.into_iter().map(of_task).collect())
}

fn of_task(record: TaskRecord) -> Task {
    let notice = match record.notice {
        TaskNotice::Nothing => "nothing",
        TaskNotice::Pending | TaskNotice::Announced { .. } | TaskNotice::Claimed { .. } => "pending",
        TaskNotice::Shown { .. } => "shown",
    };
    Task {
        id: record.id.to_string(),
        kind: record.kind,
        session: record.session.to_string(),
        title: record.title,
        state: record.state.name().to_owned(),
        notice: notice.to_owned(),
        attempts: record.attempts,
        result: record.result,
        created_at_ms: record.created_at.0,
        ended_at_ms: record.ended_at.map(|at| at.0),
    }
}

fn of_changes(call: CallChanges) -> Changes {
    let path = |path: hearth_contract::changes::ChangedPath| ChangedPath {
        path: path.path,
        change: path.change.name().to_owned(),
        kept: path.kept,
    };
    Changes {
        call: call.call,
        tool: call.tool,
        session: call.session,
        caller: call.caller,
        at_ms: call.at.0,
        state: call.state.name().to_owned(),
        paths: call.paths.into_iter().map(path).collect(),
        paths_total: call.paths_total as u64,
        undoes: call.undoes,
        undone_by: call.undone_by,
    }
}

fn of_dialog(record: DialogRecord, current: bool) -> Dialog {
    Dialog {
        session: record.session.to_string(),
        title: record.title,
        state: match record.state {
            DialogState::Active => "active",
            DialogState::Archived => "archived",
            DialogState::Deleted => "deleted",
        }
        .to_owned(),
        current,
        created_at_ms: record.created_at.0,
        active_at_ms: record.active_at.0,
    }
}
