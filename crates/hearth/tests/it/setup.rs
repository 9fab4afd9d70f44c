//! Home, config, init, doctor, token, backup.

use std::os::unix::fs::PermissionsExt;

use crate::support::TestHome;

#[test]
fn init_writes_what_can_be_used_and_keeps_what_is_there() {
    let home = TestHome::new();
    let first = home.run(&["init", "--yes", "--json"]);
    assert_eq!(first.json()["written"], serde_json::json!(["config.toml", "persona.md"]));
    assert_eq!(home.run(&["config", "check"]).code, 0);
    home.write("persona.md", "mine");
    let second = home.run(&["init", "--yes", "--json"]);
    assert_eq!(second.json()["kept"], serde_json::json!(["config.toml", "persona.md"]));
    assert_eq!(std::fs::read_to_string(home.path().join("persona.md")).unwrap(), "mine");
}

#[test]
fn a_bad_config_is_one_line_what_and_one_line_what_to_do() {
    for (text, what, hint) in [
        (
            "[agent]\npersna = 1\n",
            "config.toml line 2: unknown key `agent.persna`",
            "did you mean `persona`?",
        ),
        ("[agent]\npersona = \"${NOPE}\"\n", "line 2: `agent.persona` needs the variable NOPE", ".env"),
        ("[agent]\npersona = \"x\n", "config.toml line 2: column ", "TOML"),
        (
            "[sources.a]\nkind = \"opneai\"\n",
            "line 2: `sources.a.kind` cannot be \"opneai\"",
            "did you mean \"openai\"?",
        ),
        ("[sources.a]\nmodel = \"m\"\n", "line 1: [sources.a] has no `kind`", "kind = "),
        ("[channels.cli]\nkind = \"webhook\"\n", "line 1: ", ""),
    ] {
        let home = TestHome::new();
        home.write("config.toml", text);
        home.run(&["config", "check"]).assert_failed(1, what, hint);
        let ran = home.run(&["config", "check", "--json"]);
        assert_eq!((ran.code, ran.json()["ok"].as_bool()), (1, Some(false)));
        assert_eq!(home.run(&["doctor"]).code, 1, "the main job cannot run");
    }
}

#[test]
fn the_key_in_dot_env_is_used_and_never_shown() {
    let home = TestHome::new();
    home.write(".env", "KEY=sk-very-secret\n");
    home.write("config.toml", "[sources.main]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:9\"\napi_key = \"${KEY}\"\nmodel = \"m\"\n");
    assert_eq!(home.run(&["config", "check"]).code, 0);
    for arguments in [&["config", "show"][..], &["config", "show", "--json"], &["provider", "list"]] {
        let ran = home.run(arguments);
        assert!(ran.code == 0 && !ran.out.contains("sk-very"), "{ran:?}");
    }
    assert!(home.run(&["config", "show"]).out.contains("config.toml:4 ${KEY} from .env"));
}

#[test]
fn the_schema_is_one_for_editors() {
    let schema = TestHome::new().run(&["config", "schema"]).json();
    assert_eq!(schema["additionalProperties"], false);
    assert!(schema["properties"]["agent"]["properties"]["persona"]["description"].is_string());
    assert!(!schema.to_string().contains("$ref"));
}

#[test]
fn the_token_is_made_once_for_its_user_only() {
    let home = TestHome::new();
    let token = home.run(&["token"]).out;
    assert_eq!((token.trim().len(), home.run(&["token"]).out), (64, token));
    let mode = |name: &str| std::fs::metadata(home.path().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("token"), mode("")), (0o600, 0o700));
}

#[test]
fn a_home_that_cannot_be_is_told() {
    let home = TestHome::new();
    home.write("file", "");
    let inside = home.path().join("file/home");
    home.run(&["--home", inside.to_str().unwrap(), "token"]).assert_failed(
        1,
        "file/home",
        "a file is where a folder should be",
    );
}

#[test]
fn doctor_says_what_works() {
    let home = TestHome::new();
    home.write("config.toml", "[gateway]\nlisten = \"127.0.0.1:0\"\n");
    let ran = home.run(&["doctor", "--json"]);
    assert_eq!((ran.code, ran.json()["ok"].as_bool()), (0, Some(true)), "{ran:?}");
    let names: Vec<String> = ran.json()["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| check["name"].as_str().unwrap().to_owned())
        .collect();
    for name in [
        "clock", "home", "disk", "logs", "daemon", "starts", "sandbox", "config", "database", "port",
        "persona", "model",
    ] {
        assert!(names.iter().any(|known| known == name), "{name} is not in {names:?}");
    }
}

#[test]
fn a_damaged_ledger_is_told_and_left_as_it_is() {
    let home = TestHome::offline();
    assert_eq!(home.run(&["prove"]).code, 0);
    let damaged = b"this is no database at all, but it was one before the disk broke".repeat(100);
    std::fs::write(home.path().join("hearth.db"), &damaged).unwrap();
    let ran = home.run(&["prove"]);
    assert_eq!((ran.code, ran.err.lines().count()), (1, 2), "{ran:?}");
    assert!(ran.err.contains("hearth.db"), "{ran:?}");
    assert_eq!(home.run(&["doctor"]).code, 1);
    assert_eq!(std::fs::read(home.path().join("hearth.db")).unwrap(), damaged);
}

#[test]
fn a_backup_is_checked_overwrites_nothing_and_comes_back() {
    let home = TestHome::offline();
    assert_eq!(home.run(&["prove"]).code, 0);
    let file = home.path().join("copy.db");
    let file = file.to_str().unwrap();
    let backup = home.run(&["backup", file, "--json"]);
    assert_eq!((backup.code, backup.json()["messages"].as_u64()), (0, Some(0)), "{backup:?}");
    home.run(&["backup", file]).assert_failed(1, "exists already", "another name");
    let restored = home.run(&["restore", file, "--json"]);
    assert_eq!(restored.code, 0, "{restored:?}");
    assert!(std::path::Path::new(restored.json()["kept"].as_str().unwrap()).exists());
    home.write("nothing.db", "nothing");
    let nothing = home.path().join("nothing.db");
    assert_eq!(home.run(&["restore", nothing.to_str().unwrap()]).code, 1);
    assert_eq!(home.run(&["prove"]).code, 0, "a restore that failed changed nothing");
}
