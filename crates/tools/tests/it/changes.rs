//! What calls change is recorded and put back.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use hearth_contract::changes::{CallChanges, ChangeLog, ChangesState, PathChange, UndoError};
use hearth_contract::id::{CallId, TurnId};
use hearth_contract::language::Language;
use hearth_tools::Changes;
use serde_json::{Value, json};

use crate::fixture::Fixture;

/// More than is kept of one file, in bytes: see `KEPT_FILE_BYTES_MAX`.
const TOO_LARGE_BYTES: u64 = 16 * 1024 * 1024 + 1;

/// Everything below a folder: path, permissions, and content or target.
fn tree(folder: &Path) -> Vec<(String, u32, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in std::fs::read_dir(inner).unwrap() {
            let path = entry.unwrap().path();
            let metadata = std::fs::symlink_metadata(&path).unwrap();
            let content = if metadata.is_symlink() {
                format!("-> {}", std::fs::read_link(&path).unwrap().display())
            } else if metadata.is_dir() {
                folders.push(path.clone());
                "folder".to_owned()
            } else {
                String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned()
            };
            let shown = path.strip_prefix(folder).unwrap().display().to_string();
            found.push((shown, metadata.permissions().mode() & 0o7777, content));
        }
    }
    found.sort();
    found
}

/// Calls a tool under an id of its own, and returns the id.
async fn call(fixture: &mut Fixture, tool: &str, arguments: Value) -> String {
    fixture.context.call = CallId::at(TurnId::new(), 0, 0);
    fixture.text(tool, arguments).await;
    fixture.context.call.as_str().to_owned()
}

async fn undo(changes: &Changes, call: &str) -> Result<CallChanges, UndoError> {
    changes.undo(call, "me", Language::En).await
}

async fn newest(changes: &Changes) -> CallChanges {
    changes.list(1).await.unwrap().remove(0)
}

#[tokio::test]
async fn what_a_file_tool_changed_is_put_back_and_that_too() {
    let mut fixture = Fixture::new();
    let (changes, workspace) = (fixture.changes.clone(), fixture.workspace());
    let empty = tree(&workspace);
    let made =
        call(&mut fixture, "write_file", json!({"path": "notes/tea/list.md", "content": "乌龙茶"})).await;
    let written = tree(&workspace);
    let edited =
        call(&mut fixture, "edit_file", json!({"path": "notes/tea/list.md", "old": "乌龙", "new": "红"}))
            .await;
    let after = tree(&workspace);
    let record = newest(&changes).await;
    assert_eq!((record.call.as_str(), record.tool.as_str()), (edited.as_str(), "edit_file"));
    assert_eq!(
        (record.paths[0].path.as_str(), record.paths[0].change),
        ("notes/tea/list.md", PathChange::Changed)
    );

    let error = undo(&changes, &made).await.unwrap_err();
    assert!(
        matches!(&error, UndoError::Refused { what, .. } if what.contains("notes/tea/list.md")),
        "{error:?}"
    );
    assert_eq!(tree(&workspace), after, "a refusal changes nothing");

    let first = undo(&changes, &edited).await.unwrap();
    assert_eq!(tree(&workspace), written);
    assert_eq!((first.undoes.as_deref(), first.paths_total), (Some(edited.as_str()), 1));
    let again = undo(&changes, &edited).await.unwrap_err();
    assert!(again.to_string().contains(&format!("undone already, by {}", first.call)), "{again}");
    undo(&changes, &first.call).await.unwrap();
    assert_eq!(tree(&workspace), after, "undoing the undoing brings it back");
    undo(&changes, &edited).await.unwrap();
    // Without `call_`, and not whole.
    let short = &made["call_".len()..made.len() - 4];
    undo(&changes, short).await.unwrap();
    assert_eq!(tree(&workspace), empty, "the folders on the way are gone as well");
}

#[tokio::test]
async fn what_a_program_changed_is_put_back_whatever_it_was() {
    let mut fixture = Fixture::new();
    let (changes, workspace) = (fixture.changes.clone(), fixture.workspace());
    std::fs::create_dir_all(workspace.join("old/deep")).unwrap();
    for (path, text) in [("kept", "k"), ("changed", "one"), ("gone", "g"), ("old/deep/file", "d"), ("~", "t")]
    {
        std::fs::write(workspace.join(path), text).unwrap();
    }
    std::fs::write(workspace.join("script"), "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(workspace.join("script"), std::fs::Permissions::from_mode(0o750)).unwrap();
    std::fs::set_permissions(workspace.join("old"), std::fs::Permissions::from_mode(0o711)).unwrap();
    symlink("kept", workspace.join("link")).unwrap();
    let before = tree(&workspace);
    let command = "echo two > changed; rm gone '~'; rm -r old; echo now a file > old; chmod 600 script; \
        rm link; ln -s /etc/passwd link; mkdir -p new/a/b; echo x > new/a/b/c; ln -s ../kept new/link; mv kept moved";
    let ran = call(&mut fixture, "run_shell", json!({ "command": command })).await;
    let after = tree(&workspace);
    assert_ne!(before, after);
    let undone = undo(&changes, &ran).await.unwrap();
    assert_eq!(tree(&workspace), before);
    undo(&changes, &undone.call).await.unwrap();
    assert_eq!(tree(&workspace), after);
    undo(&changes, &ran).await.unwrap();
    assert_eq!(tree(&workspace), before);
}

#[tokio::test]
async fn a_call_that_changes_nothing_leaves_no_record() {
    let mut fixture = Fixture::new();
    call(&mut fixture, "run_shell", json!({"command": "ls -l"})).await;
    fixture.error("write_file", json!({"path": "../out", "content": "x"})).await;
    assert_eq!(fixture.changes.list(10).await.unwrap(), Vec::new());
    let error = undo(&fixture.changes, "call_0").await.unwrap_err();
    assert!(matches!(error, UndoError::NotFound { .. }), "{error:?}");
}

#[tokio::test]
async fn what_was_added_to_a_new_folder_since_is_not_removed() {
    let mut fixture = Fixture::new();
    let ran = call(&mut fixture, "run_shell", json!({"command": "mkdir site; echo a > site/a"})).await;
    std::fs::write(fixture.workspace().join("site/by hand"), "mine").unwrap();
    let error = undo(&fixture.changes, &ran).await.unwrap_err();
    assert!(matches!(&error, UndoError::Refused { what, .. } if what.contains("site/by hand")), "{error:?}");
    assert_eq!(tree(&fixture.workspace()).len(), 3);
    assert_eq!(fixture.changes.list(10).await.unwrap().len(), 1, "a refusal leaves no record");
}

#[tokio::test]
async fn a_file_that_was_too_large_to_be_kept_is_named() {
    let mut fixture = Fixture::new();
    let (changes, workspace) = (fixture.changes.clone(), fixture.workspace());
    std::fs::File::create(workspace.join("film")).unwrap().set_len(TOO_LARGE_BYTES).unwrap();
    std::fs::write(workspace.join("small"), "s").unwrap();
    let ran = call(&mut fixture, "run_shell", json!({"command": "rm film small"})).await;
    let record = newest(&changes).await;
    let kept: Vec<_> = record.paths.iter().map(|path| (path.path.as_str(), path.kept)).collect();
    assert_eq!(kept, [("film", false), ("small", true)]);
    let error = undo(&changes, &ran).await.unwrap_err();
    assert!(error.to_string().contains("too large to be kept: film"), "{error}");
    assert_eq!(tree(&workspace), Vec::new(), "nothing was put back");
    // A large file that a call has made can go again, and its permissions come back without its content.
    let made = call(&mut fixture, "run_shell", json!({"command": "truncate -s 20M film"})).await;
    let mode = call(&mut fixture, "run_shell", json!({"command": "chmod 600 film"})).await;
    undo(&changes, &mode).await.unwrap();
    assert_eq!(tree(&workspace)[0].1, 0o644);
    undo(&changes, &made).await.unwrap();
    assert_eq!(tree(&workspace), Vec::new());
}

#[tokio::test]
async fn a_record_that_a_crash_left_open_is_settled_by_comparing() {
    let mut fixture = Fixture::new();
    let workspace = fixture.workspace();
    std::fs::write(workspace.join("list"), "one").unwrap();
    call(&mut fixture, "run_shell", json!({"command": "echo two > list"})).await;
    // The record as it is while the call runs: what a killed Hearth leaves.
    let records = fixture.home.path().join("changes/records");
    let path = std::fs::read_dir(records).unwrap().next().unwrap().unwrap().path();
    let mut record: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let before = record["state"]["settled"]["changes"][0]["before"].clone();
    record["state"] = json!({"open": {"before": {"list": before}}});
    std::fs::write(&path, record.to_string()).unwrap();

    let again = Changes::new(
        workspace.clone(),
        fixture.home.path().join("changes"),
        std::sync::Arc::new(fixture.clock.clone()),
    );
    let open = newest(&again).await;
    assert_eq!(open.state, ChangesState::Open);
    let error = undo(&again, &open.call).await.unwrap_err();
    assert!(error.to_string().contains("under way"), "{error}");
    assert_eq!(again.settle_left().unwrap(), 1);
    assert_eq!(again.settle_left().unwrap(), 0);
    undo(&again, &open.call).await.unwrap();
    assert_eq!(std::fs::read_to_string(workspace.join("list")).unwrap(), "one");
}

#[tokio::test]
async fn a_hundred_calls_are_kept_for_thirty_days() {
    let mut fixture = Fixture::new();
    let changes = fixture.changes.clone();
    let contents = fixture.home.path().join("changes/contents");
    let mut calls = Vec::new();
    for number in 0..105 {
        fixture.clock.advance(Duration::from_millis(1)).await;
        let arguments = json!({"path": "a", "mode": "overwrite", "content": number.to_string()});
        calls.push(call(&mut fixture, "write_file", arguments).await);
    }
    let kept: Vec<String> = changes.list(1000).await.unwrap().into_iter().map(|record| record.call).collect();
    assert_eq!(kept, calls[5..].iter().rev().cloned().collect::<Vec<_>>());
    assert!(std::fs::read_dir(&contents).unwrap().count() <= 101, "what no record needs is gone");
    fixture.clock.advance(Duration::from_secs(30 * 24 * 3600 + 1)).await;
    let last = call(&mut fixture, "write_file", json!({"path": "b", "content": "x"})).await;
    let kept = changes.list(1000).await.unwrap();
    assert_eq!(kept.iter().map(|record| record.call.as_str()).collect::<Vec<_>>(), [last.as_str()]);
    assert_eq!(std::fs::read_dir(&contents).unwrap().count(), 0);
}
