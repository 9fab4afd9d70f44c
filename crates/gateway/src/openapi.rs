//! The description of the HTTP routes (OpenAPI 3.1), made from the same table as the router.

use axum::Json;
use axum::routing::get;
use hearth_protocol::Problem;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::routes::{Access, Reply, Route, SchemaOf, all, schema};

pub(crate) const ROUTES: &[Route] =
    &[Route::get("/api/openapi.json", Reply::Media("application/json"), || {
        get(|| async { Json(document()) })
    })
    .says("This description")];

/// The whole description.
pub fn document() -> Value {
    let settings = SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = "/components/schemas".into());
    let mut generator = settings.into_generator();
    let mut paths = Map::new();
    for route in all() {
        let operations = paths.entry(route.path.replace("{*rest}", "{rest}")).or_insert_with(|| json!({}));
        operations[route.method] = operation(route, &mut generator);
    }
    let schemas = generator.take_definitions(true);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Hearth",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "A personal agent that is always on. Errors are a Problem: what happened and what to do.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
    })
}

fn operation(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let problem = schema::<Problem>(generator);
    let (status, good) = match route.reply {
        Reply::Json(of) => {
            ("200", json!({ "description": "Done", "content": content("application/json", of(generator)) }))
        }
        Reply::Media(kind) => ("200", json!({ "description": "Done", "content": { kind: {} } })),
        Reply::Upgrade => ("101", json!({ "description": "Frames follow, see docs/protocol.schema.json" })),
    };
    let bad = json!({ "description": "It did not work", "content": content("application/json", problem) });
    let mut operation = json!({
        "summary": route.summary,
        "responses": { status: good, "default": bad },
    });
    let parameters = parameters(route);
    if !parameters.is_empty() {
        operation["parameters"] = parameters.into();
    }
    if let Some(of) = route.body {
        operation["requestBody"] =
            json!({ "required": true, "content": content("application/json", of(generator)) });
    }
    if matches!(route.access, Access::Token | Access::Metrics) {
        operation["security"] = json!([{ "token": [] }]);
    }
    operation
}

fn content(kind: &str, schema: Schema) -> Value {
    json!({ kind: { "schema": schema } })
}

fn parameters(route: &Route) -> Vec<Value> {
    let in_path = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut parameters: Vec<Value> = in_path
        .map(|name| {
            let name = name.trim_start_matches('*');
            json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } })
        })
        .collect();
    if let Some(of) = route.query {
        parameters.extend(query_parameters(of));
    }
    parameters
}

/// The fields of a query, each as a parameter.
fn query_parameters(of: SchemaOf) -> Vec<Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = of(&mut settings.into_generator()).to_value();
    let fields = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    fields
        .into_iter()
        .map(|(name, mut schema)| {
            let text = schema.as_object_mut().and_then(|schema| schema.remove("description"));
            json!({ "name": name, "in": "query", "required": false, "description": text, "schema": schema })
        })
        .collect()
}
