//! The official OpenAI client for Python talks with the compatible door.
//!
//! Needs `scripts/peers.sh` to have been run once; says so when it has not.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "the helpers of tests fail as tests do")]

#[path = "../it/http.rs"]
#[expect(dead_code, reason = "shared with the tests of the other doors")]
mod http;
#[path = "../it/kernel.rs"]
#[expect(dead_code, reason = "shared with the tests of the other doors")]
mod kernel;
#[path = "../it/store.rs"]
mod store;
#[path = "../it/world.rs"]
#[expect(dead_code, reason = "shared with the tests of the other doors")]
mod world;

use std::path::{Path, PathBuf};

use hearth_contract::message::MessageEnd;
use hearth_contract::store::TurnState;
use serde_json::{Value, json};

use kernel::Taken;
use world::World;

fn python() -> PathBuf {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers/openai-sdk/bin/python");
    assert!(python.exists(), "the OpenAI client is not installed: run scripts/peers.sh");
    python
}

/// Answers by what was said.
async fn answer(taken: Taken) {
    match taken.text().as_str() {
        "streamed" => {
            taken.start();
            for piece in ["春眠", "不觉", "晓"] {
                taken.draft(piece);
            }
            taken.answer("春眠不觉晓。").await;
        }
        text if text.starts_with("broken") => {
            let end = MessageEnd::FailedTold { code: "rate_limited".into() };
            taken.end(end, TurnState::Failed, "The model is busy.");
        }
        _ => taken.answer("hello").await,
    }
}

#[tokio::test]
async fn the_official_client_works() {
    let world = World::new().await;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk/client.py");
    let base = format!("http://{}/v1", world.address);
    let client =
        tokio::process::Command::new(python()).arg(script).args([base.as_str(), world::TOKEN]).output();
    let mut said = Vec::new();
    let work = async {
        loop {
            let taken = world.next().await;
            said.push(format!("{} {}", taken.session, taken.text()));
            answer(taken).await;
        }
    };
    let output = tokio::select! {
        output = client => output.unwrap(),
        () = work => unreachable!("the loop has no end"),
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let seen: Value = serde_json::from_slice(&output.stdout).unwrap();

    assert_eq!((&seen["models"], &seen["model"]), (&json!(["hearth"]), &json!("hearth")));
    assert_eq!(
        seen["whole"],
        json!({
            "object": "chat.completion", "id": "chatcmpl", "role": "assistant", "content": "hello",
            "finish_reason": "stop", "usage": [11, 4, 15], "cached": 5,
        })
    );
    assert_eq!(seen["session"], "cli:me:work");
    assert_eq!(
        seen["streamed"],
        json!({
            "objects": ["chat.completion.chunk"], "ids": 1, "role": "assistant", "text": "春眠不觉晓。",
            "finish_reason": "stop", "usage": 15, "no_usage_before": true,
        })
    );
    assert_eq!(seen["gathered"], "春眠不觉晓。");
    for (name, class, status, code, words) in [
        ("no_model", "NotFoundError", json!(404), "model_not_found", "gpt-4o"),
        ("failed", "InternalServerError", json!(502), "failed", "The model is busy."),
        ("failed_in_stream", "APIError", json!(null), "failed", "The model is busy."),
        ("not_retried", "InternalServerError", json!(502), "failed", "The model is busy."),
        ("bad_request", "BadRequestError", json!(400), "invalid", "`n` must be 1"),
        ("bad_key", "AuthenticationError", json!(401), "invalid_api_key", "token is wrong"),
    ] {
        let error = &seen[name];
        assert_eq!(
            (&error[0], &error[1], &error[2]),
            (&json!(class), &status, &json!(code)),
            "{name}: {error}"
        );
        assert!(error[3].as_str().unwrap().contains(words), "{name}: {error}");
    }
    assert_eq!(
        said,
        [
            "cli:ann:default plain",
            "cli:me:work plain",
            "cli:api:default streamed",
            "cli:api:default streamed",
            "cli:api:default broken",
            "cli:api:default broken",
            "cli:api:default broken once",
        ]
    );
}
