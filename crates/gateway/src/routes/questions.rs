//! The questions of the protocol as routes: each makes a [`Call`] and answers with what it returns.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::routing::{delete, get, post, put};
use hearth_protocol::{
    Call, Changes, Dialog, Explanation, Language, Message, Schedule, ScheduleAdd, Setting, Status, Task,
    UsageRow,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{App, Reply, Route, schema};
use crate::body::{JsonBody, PathArg, QueryArgs};
use crate::calls;
use crate::problem::{Failure, not_found};

pub(crate) const ROUTES: &[Route] = &[
    Route::get("/api/status", Reply::Json(schema::<Status>), || get(status)).says("The state of the daemon"),
    Route::get("/api/sessions", Reply::Json(schema::<Vec<Dialog>>), || get(list_sessions))
        .query(schema::<SessionsQuery>)
        .says("Dialogs, the last active first"),
    Route::post("/api/sessions", Reply::Json(schema::<Dialog>), || post(new_session))
        .body(schema::<NewSession>)
        .says("Makes a dialog in a chat and goes to it"),
    Route::get("/api/sessions/{session}/messages", Reply::Json(schema::<Vec<Message>>), || {
        get(list_messages)
    })
    .query(schema::<MessagesQuery>)
    .says("Messages of a dialog, oldest first"),
    Route::post("/api/sessions/{session}/switch", Reply::Json(schema::<Dialog>), || post(switch))
        .says("Makes it the chat's current dialog"),
    Route::post("/api/sessions/{session}/rename", Reply::Json(schema::<Dialog>), || post(rename))
        .body(schema::<Rename>)
        .says("Gives it a title"),
    Route::post("/api/sessions/{session}/archive", Reply::Json(schema::<Dialog>), || post(archive))
        .says("Hides it"),
    Route::post("/api/sessions/{session}/restore", Reply::Json(schema::<Dialog>), || post(restore))
        .says("Brings it back from the archive or from deletion"),
    Route::post("/api/sessions/{session}/stop", Reply::Json(schema::<Nothing>), || post(stop))
        .says("Stops the turn that runs in it"),
    Route::delete("/api/sessions/{session}", Reply::Json(schema::<Dialog>), || delete(delete_session))
        .says("Deletes it; it can be restored for 30 days"),
    Route::get("/api/why/{id}", Reply::Json(schema::<Explanation>), || get(why))
        .query(schema::<LanguageQuery>)
        .says("Why a message was answered as it was, or not; by message, turn or delivery"),
    Route::get("/api/prove", Reply::Json(schema::<Counts>), || get(prove))
        .query(schema::<ProveQuery>)
        .says("The counts of what was accepted, by end"),
    Route::get("/api/usage", Reply::Json(schema::<Vec<UsageRow>>), || get(usage))
        .query(schema::<UsageQuery>)
        .says("Tokens by day, source and model"),
    Route::get("/api/schedules", Reply::Json(schema::<Vec<Schedule>>), || get(list_schedules))
        .query(schema::<SchedulesQuery>)
        .says("Active schedules, the soonest first"),
    Route::get("/api/schedules/next", Reply::Json(schema::<Vec<Schedule>>), || get(next_occurrences))
        .query(schema::<OccurrencesQuery>)
        .says("The next occurrences of schedules, the soonest first"),
    Route::post("/api/schedules", Reply::Json(schema::<Schedule>), || post(add_schedule))
        .body(schema::<ScheduleAdd>)
        .says("Makes a schedule that fires in a session, once or again and again"),
    Route::post("/api/schedules/{id}/run", Reply::Json(schema::<Nothing>), || post(run_schedule))
        .says("Does now what a schedule is for; its next time stays"),
    Route::delete("/api/schedules/{id}", Reply::Json(schema::<Nothing>), || delete(cancel_schedule))
        .says("Cancels a schedule"),
    Route::get("/api/tasks", Reply::Json(schema::<Vec<Task>>), || get(list_tasks))
        .query(schema::<TasksQuery>)
        .says("Background tasks, the newest first"),
    Route::delete("/api/tasks/{id}", Reply::Json(schema::<Nothing>), || delete(cancel_task))
        .says("Cancels a background task that has not ended"),
    Route::get("/api/changes", Reply::Json(schema::<Vec<Changes>>), || get(list_changes))
        .query(schema::<ChangesQuery>)
        .says("What tool calls changed in the workspace, the newest first"),
    Route::post("/api/changes/{call}/undo", Reply::Json(schema::<Changes>), || post(undo))
        .query(schema::<LanguageQuery>)
        .says(
            "Puts back what a call changed; answers with the record of doing so, which can be undone in turn",
        ),
    Route::get("/api/settings", Reply::Json(schema::<Vec<Setting>>), || get(list_settings))
        .query(schema::<LanguageQuery>)
        .says("Every key of the config: what it means, what holds, and where that comes from"),
    Route::put("/api/settings/{key}", Reply::Json(schema::<Nothing>), || put(set_setting))
        .query(schema::<LanguageQuery>)
        .body(schema::<SettingValue>)
        .says("Sets one, over the config file"),
    Route::delete("/api/settings/{key}", Reply::Json(schema::<Nothing>), || delete(unset_setting))
        .query(schema::<LanguageQuery>)
        .says("Takes back what was set"),
];

type Answer = Result<Json<Value>, Failure>;

/// An empty object.
#[derive(Debug, Serialize, JsonSchema)]
struct Nothing {}

/// Counts by name, as `hearth prove --json` prints them.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
struct Counts(serde_json::Map<String, Value>);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SessionsQuery {
    /// Of this chat (`channel:chat`) only.
    chat: Option<String>,
    /// At most this many; 10 if none.
    limit: Option<usize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MessagesQuery {
    /// Only those before this message.
    before: Option<String>,
    /// Only those after this message.
    after: Option<String>,
    /// At most this many; 50 if none, never more than 500.
    limit: Option<usize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LanguageQuery {
    /// `en` or `zh`.
    #[serde(default)]
    language: Language,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SettingValue {
    /// Its value. The text of a value that is no text is read as JSON.
    value: Value,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ProveQuery {
    /// Since then, in milliseconds since 1970 UTC.
    since_ms: Option<i64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UsageQuery {
    /// Since then, in milliseconds since 1970 UTC.
    since_ms: Option<i64>,
    /// Of this session only.
    session: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SchedulesQuery {
    /// Of this chat (`channel:chat`) only.
    chat: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OccurrencesQuery {
    /// Of this schedule only.
    id: Option<String>,
    /// At most this many; 10 if none.
    limit: Option<usize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TasksQuery {
    /// Of this chat (`channel:chat`) only.
    chat: Option<String>,
    /// At most this many; 20 if none.
    limit: Option<usize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ChangesQuery {
    /// At most this many; 20 if none.
    limit: Option<usize>,
}

/// A dialog to be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewSession {
    /// `channel:chat`.
    chat: String,
    /// Its title; empty for none yet.
    #[serde(default)]
    title: String,
}

/// A new title.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Rename {
    /// The title.
    title: String,
}

async fn answer(app: &App, call: Call) -> Answer {
    Ok(Json(calls::answer(&app.calls, call).await?))
}

async fn status(State(app): State<Arc<App>>) -> Answer {
    answer(&app, Call::Status).await
}

async fn list_sessions(State(app): State<Arc<App>>, QueryArgs(query): QueryArgs<SessionsQuery>) -> Answer {
    answer(&app, Call::SessionList { chat: query.chat, limit: query.limit }).await
}

async fn new_session(State(app): State<Arc<App>>, JsonBody(body): JsonBody<NewSession>) -> Answer {
    answer(&app, Call::SessionNew { chat: body.chat, title: body.title }).await
}

async fn list_messages(
    State(app): State<Arc<App>>,
    PathArg(session): PathArg,
    QueryArgs(query): QueryArgs<MessagesQuery>,
) -> Answer {
    let MessagesQuery { before, after, limit } = query;
    answer(&app, Call::SessionMessages { session, before, after, limit }).await
}

async fn switch(State(app): State<Arc<App>>, PathArg(session): PathArg) -> Answer {
    answer(&app, Call::SessionSwitch { session }).await
}

async fn rename(
    State(app): State<Arc<App>>,
    PathArg(session): PathArg,
    JsonBody(body): JsonBody<Rename>,
) -> Answer {
    answer(&app, Call::SessionRename { session, title: body.title }).await
}

async fn archive(State(app): State<Arc<App>>, PathArg(session): PathArg) -> Answer {
    answer(&app, Call::SessionArchive { session }).await
}

async fn restore(State(app): State<Arc<App>>, PathArg(session): PathArg) -> Answer {
    answer(&app, Call::SessionRestore { session }).await
}

async fn delete_session(State(app): State<Arc<App>>, PathArg(session): PathArg) -> Answer {
    answer(&app, Call::SessionDelete { session }).await
}

async fn stop(State(app): State<Arc<App>>, PathArg(session): PathArg) -> Answer {
    let session = calls::resolve(&app.calls, &session).await?;
    if app.calls.control.stop(&session, &session.chat.chat).await {
        return Ok(Json(Value::Object(serde_json::Map::new())));
    }
    Err(not_found(format!("nothing is running in {session}"), "").into())
}

async fn why(
    State(app): State<Arc<App>>,
    PathArg(id): PathArg,
    QueryArgs(query): QueryArgs<LanguageQuery>,
) -> Answer {
    answer(&app, Call::Why { id, language: query.language }).await
}

async fn prove(State(app): State<Arc<App>>, QueryArgs(query): QueryArgs<ProveQuery>) -> Answer {
    answer(&app, Call::Prove { since_ms: query.since_ms }).await
}

async fn usage(State(app): State<Arc<App>>, QueryArgs(query): QueryArgs<UsageQuery>) -> Answer {
    answer(&app, Call::Usage { since_ms: query.since_ms, session: query.session }).await
}

async fn list_schedules(State(app): State<Arc<App>>, QueryArgs(query): QueryArgs<SchedulesQuery>) -> Answer {
    answer(&app, Call::ScheduleList { chat: query.chat }).await
}

async fn next_occurrences(
    State(app): State<Arc<App>>,
    QueryArgs(query): QueryArgs<OccurrencesQuery>,
) -> Answer {
    answer(&app, Call::ScheduleNext { id: query.id, limit: query.limit }).await
}

async fn add_schedule(State(app): State<Arc<App>>, JsonBody(body): JsonBody<ScheduleAdd>) -> Answer {
    answer(&app, Call::ScheduleAdd(body)).await
}

async fn run_schedule(State(app): State<Arc<App>>, PathArg(id): PathArg) -> Answer {
    answer(&app, Call::ScheduleRun { id }).await
}

async fn list_tasks(State(app): State<Arc<App>>, QueryArgs(query): QueryArgs<TasksQuery>) -> Answer {
    answer(&app, Call::TaskList { chat: query.chat, limit: query.limit }).await
}

async fn cancel_task(State(app): State<Arc<App>>, PathArg(id): PathArg) -> Answer {
    answer(&app, Call::TaskCancel { id }).await
}

async fn list_changes(State(app): State<Arc<App>>, QueryArgs(query): QueryArgs<ChangesQuery>) -> Answer {
    answer(&app, Call::ChangeList { limit: query.limit }).await
}

async fn undo(
    State(app): State<Arc<App>>,
    PathArg(call): PathArg,
    QueryArgs(query): QueryArgs<LanguageQuery>,
) -> Answer {
    answer(&app, Call::ChangeUndo { call, language: query.language }).await
}

async fn list_settings(State(app): State<Arc<App>>, QueryArgs(query): QueryArgs<LanguageQuery>) -> Answer {
    answer(&app, Call::SettingList { language: query.language }).await
}

async fn set_setting(
    State(app): State<Arc<App>>,
    PathArg(key): PathArg,
    QueryArgs(query): QueryArgs<LanguageQuery>,
    JsonBody(body): JsonBody<SettingValue>,
) -> Answer {
    answer(&app, Call::SettingSet { key, value: body.value, language: query.language }).await
}

async fn unset_setting(
    State(app): State<Arc<App>>,
    PathArg(key): PathArg,
    QueryArgs(query): QueryArgs<LanguageQuery>,
) -> Answer {
    answer(&app, Call::SettingUnset { key, language: query.language }).await
}

async fn cancel_schedule(State(app): State<Arc<App>>, PathArg(id): PathArg) -> Answer {
    answer(&app, Call::ScheduleCancel { id }).await
}
