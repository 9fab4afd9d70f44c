//! The file tools, through their calls.

use hearth_contract::id::CallId;
use hearth_contract::tool::{ToolContext, ToolError};
use serde_json::{Value, json};

use crate::fixture::Fixture;

#[tokio::test]
async fn a_file_is_written_read_changed_and_found() {
    let fixture = Fixture::new();
    let path = "笔记/购物清单.md";
    let wrote = fixture.text("write_file", json!({"path": path, "content": "红茶\n牛奶\n"})).await;
    assert_eq!(wrote, "wrote 14 bytes to 笔记/购物清单.md");
    let added =
        fixture.text("write_file", json!({"path": path, "content": "面包\n", "mode": "append"})).await;
    assert_eq!(added, "added 7 bytes to 笔记/购物清单.md");
    let edited = fixture.text("edit_file", json!({"path": path, "old": "红茶", "new": "乌龙茶"})).await;
    assert_eq!(edited, "edited 笔记/购物清单.md in 1 place");
    assert_eq!(fixture.text("read_file", json!({"path": path})).await, "乌龙茶\n牛奶\n面包\n");
    assert_eq!(fixture.text("list_dir", json!({})).await, "笔记/");
    assert_eq!(fixture.text("list_dir", json!({"path": "笔记"})).await, "购物清单.md (24 bytes)");
    assert_eq!(fixture.text("search_files", json!({"query": "牛奶"})).await, "笔记/购物清单.md:2: 牛奶");
    assert_eq!(fixture.text("search_files", json!({"query": "购物"})).await, "笔记/购物清单.md (name)");
    let error = fixture.error("write_file", json!({"path": path, "content": "x"})).await;
    assert!(error.contains("is there already") && error.contains("overwrite"), "{error}");
    fixture.text("write_file", json!({"path": path, "content": "空", "mode": "overwrite"})).await;
    assert_eq!(fixture.text("read_file", json!({"path": path})).await, "空");
}

#[tokio::test]
async fn a_file_and_an_empty_folder_are_deleted() {
    let fixture = Fixture::new();
    fixture.text("write_file", json!({"path": "a/b.txt", "content": "x"})).await;
    let full = fixture.error("delete_file", json!({"path": "a"})).await;
    assert!(full.contains("a is a folder with something in it"), "{full}");
    assert_eq!(fixture.text("delete_file", json!({"path": "a/b.txt"})).await, "removed a/b.txt");
    assert_eq!(fixture.text("delete_file", json!({"path": "a"})).await, "removed a");
    let gone = fixture.error("delete_file", json!({"path": "a"})).await;
    assert!(gone.contains("a does not exist"), "{gone}");
    std::os::unix::fs::symlink("/etc/hostname", fixture.workspace().join("link")).unwrap();
    assert_eq!(fixture.text("delete_file", json!({"path": "link"})).await, "removed link");
    let outside = fixture.error("delete_file", json!({"path": "../.env"})).await;
    assert!(outside.contains("outside the workspace"), "{outside}");
}

#[tokio::test]
async fn nothing_of_the_home_is_reached_from_the_workspace() {
    let fixture = Fixture::new();
    std::fs::write(fixture.home.path().join(".env"), "KEY=secret").unwrap();
    std::os::unix::fs::symlink("..", fixture.workspace().join("up")).unwrap();
    for path in ["../.env", "up/.env"] {
        for (tool, arguments) in [
            ("read_file", json!({"path": path})),
            ("write_file", json!({"path": path, "content": "x", "mode": "overwrite"})),
            ("edit_file", json!({"path": path, "old": "secret", "new": "x"})),
            ("list_dir", json!({"path": path})),
            ("search_files", json!({"query": "secret", "path": path})),
        ] {
            let error = fixture.call(tool, arguments).await.unwrap_err();
            let ToolError::Denied { reason } = error else { panic!("{tool} {path}: {error}") };
            assert!(reason.contains("outside the workspace"), "{reason}");
        }
    }
    assert!(fixture.text("search_files", json!({"query": "secret"})).await.contains("nothing found"));
    assert_eq!(std::fs::read_to_string(fixture.home.path().join(".env")).unwrap(), "KEY=secret");
}

#[tokio::test]
async fn a_search_is_bounded_and_says_what_it_left_out() {
    let fixture = Fixture::new();
    let workspace = fixture.workspace();
    std::fs::write(workspace.join("many.txt"), "Tea\n".repeat(1000)).unwrap();
    let found = fixture.text("search_files", json!({"query": "tea"})).await;
    assert!(found.lines().count() == 201 && found.contains("there may be more"), "{found}");
    std::fs::remove_file(workspace.join("many.txt")).unwrap();
    std::fs::write(workspace.join("binary"), b"tea\0").unwrap();
    std::fs::write(workspace.join("a.txt"), "one tea\nTEA two\n").unwrap();
    std::fs::create_dir_all(workspace.join("node_modules")).unwrap();
    std::fs::write(workspace.join("node_modules/b.txt"), "tea").unwrap();
    let found = fixture.text("search_files", json!({"query": "tea"})).await;
    assert_eq!(
        found,
        "a.txt:1: one tea\na.txt:2: TEA two\n[1 binary, large or unreadable files were passed over]"
    );
    let found = fixture.text("search_files", json!({"query": "^TEA .wo$", "regex": true})).await;
    assert!(found.starts_with("a.txt:2: TEA two"), "{found}");
    for query in ["", "(", "(a{1000}){1000}"] {
        let error = fixture.error("search_files", json!({"query": query, "regex": true})).await;
        assert!(error.contains("`query`"), "{error}");
    }
}

async fn probe(fixture: &Fixture, tool: &str, arguments: &Value) -> Result<Option<String>, ToolError> {
    let probe = fixture.tool(tool).probe().unwrap();
    probe.probe(&fixture.context, arguments.as_object().unwrap()).await
}

#[tokio::test]
async fn a_probe_tells_whether_a_call_has_written() {
    let mut fixture = Fixture::new();
    let turn = fixture.context.turn;
    let calls: [(&str, Value); 4] = [
        ("write_file", json!({"path": "a", "content": "one"})),
        ("write_file", json!({"path": "a", "content": "one", "mode": "append"})),
        ("edit_file", json!({"path": "a", "old": "oneone", "new": "two"})),
        ("write_file", json!({"path": "a", "content": "two", "mode": "overwrite"})),
    ];
    for (index, (tool, arguments)) in calls.into_iter().enumerate() {
        fixture.context.call = CallId::at(turn, 0, index);
        // The last one would find the very same content, but it was not this call that wrote it.
        assert!(!matches!(probe(&fixture, tool, &arguments).await, Ok(Some(_))), "{tool} {index}");
        fixture.text(tool, arguments.clone()).await;
        assert!(probe(&fixture, tool, &arguments).await.unwrap().unwrap().ends_with(" a"), "{tool} {index}");
    }
}

#[tokio::test]
async fn a_call_is_found_although_others_wrote_after_it() {
    let mut fixture = Fixture::new();
    let (first, append) =
        (fixture.context.call.clone(), |text: &str| json!({"path": "a", "content": text, "mode": "append"}));
    fixture.text("write_file", append("first\n")).await;
    for index in 0..40 {
        fixture.context.call = CallId::at(fixture.context.turn, 1, index);
        fixture.text("write_file", append("later\n")).await;
    }
    fixture.context.call = first;
    assert!(probe(&fixture, "write_file", &append("first\n")).await.unwrap().is_some());
}

#[tokio::test]
async fn what_two_sessions_add_at_the_same_time_is_all_there() {
    let fixture = Fixture::new();
    let calls = (0..30).map(|index| {
        let context =
            ToolContext { call: CallId::at(fixture.context.turn, 1, index), ..fixture.context.clone() };
        let arguments = json!({"path": "a", "content": format!("{index}\n"), "mode": "append"});
        let tool = fixture.tool("write_file");
        async move { tool.call(&context, arguments.as_object().unwrap().clone()).await.unwrap() }
    });
    futures::future::join_all(calls).await;
    assert_eq!(fixture.text("read_file", json!({"path": "a"})).await.lines().count(), 30);
}
