//! The frames as a JSON schema, for clients in other languages.

use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::{
    Changes, ClientFrame, Dialog, Explanation, Message, Schedule, ServerFrame, Setting, Status, Task,
    UsageRow,
};

/// JSON Schema 2020-12 of both kinds of frames, and of what calls return. Checked in as `docs/protocol.schema.json`.
pub fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let client = generator.subschema_for::<ClientFrame>();
    let server = generator.subschema_for::<ServerFrame>();
    // What calls return is not part of a frame's type, so it is named here.
    let results = json!({
        "status": generator.subschema_for::<Status>(),
        "session_list": generator.subschema_for::<Vec<Dialog>>(),
        "session_messages": generator.subschema_for::<Vec<Message>>(),
        "session_new": generator.subschema_for::<Dialog>(),
        "session_switch": generator.subschema_for::<Dialog>(),
        "session_rename": generator.subschema_for::<Dialog>(),
        "session_archive": generator.subschema_for::<Dialog>(),
        "session_delete": generator.subschema_for::<Dialog>(),
        "session_restore": generator.subschema_for::<Dialog>(),
        "why": generator.subschema_for::<Explanation>(),
        "prove": { "type": "object" },
        "usage": generator.subschema_for::<Vec<UsageRow>>(),
        "schedule_list": generator.subschema_for::<Vec<Schedule>>(),
        "schedule_next": generator.subschema_for::<Vec<Schedule>>(),
        "schedule_add": generator.subschema_for::<Schedule>(),
        "schedule_run": { "type": "object" },
        "schedule_cancel": { "type": "object" },
        "task_list": generator.subschema_for::<Vec<Task>>(),
        "task_cancel": { "type": "object" },
        "change_list": generator.subschema_for::<Vec<Changes>>(),
        "change_undo": generator.subschema_for::<Changes>(),
        "setting_list": generator.subschema_for::<Vec<Setting>>(),
        "setting_set": { "type": "object" },
        "setting_unset": { "type": "object" },
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Hearth client protocol",
        "description": "A connection carries ClientFrame one way and ServerFrame the other.",
        "anyOf": [client, server],
        "x-protocol-version": crate::PROTOCOL_VERSION,
        "x-results": results,
        "$defs": generator.take_definitions(true),
    })
}

#[cfg(test)]
mod tests;
