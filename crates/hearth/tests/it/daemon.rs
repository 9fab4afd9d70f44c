//! The daemon: started when needed, killed at any moment, one a home.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::support::TestHome;

#[test]
fn say_starts_a_daemon_and_prints_its_answer() {
    let home = TestHome::offline();
    let said = home.run(&["say", "hello", "--json"]);
    assert_eq!((said.code, said.json()["end"].as_str()), (0, Some("answered")), "{said:?}");
    assert!(!said.json()["reply"].as_str().unwrap().is_empty());
    let daemon = home.daemon().expect("it stays");
    let again = home.run(&["say", "你好"]);
    assert!(again.code == 0 && !again.out.trim().is_empty(), "{again:?}");
    assert_eq!(home.daemon(), Some(daemon), "the same one answers");
    let status = home.run(&["status", "--json"]).json();
    assert_eq!(status["pid"].as_i64(), Some(i64::from(daemon.as_raw_nonzero().get())));
}

#[test]
fn what_was_said_survives_a_kill() {
    let home = TestHome::offline();
    let said = home.run(&["say", "记住我最喜欢乌龙茶", "--json"]);
    assert_eq!(said.json()["end"], "answered", "{said:?}");
    home.kill_daemon();
    let proof = home.run(&["prove", "--json"]);
    assert_eq!((proof.code, proof.json()["answered"].as_u64()), (0, Some(1)), "{proof:?}");
    let recalled = home.run(&["say", "--new", "我喜欢喝什么？"]);
    assert!(recalled.out.contains("乌龙茶"), "{recalled:?}");
    let message = said.json()["message"].as_str().unwrap().to_owned();
    let why = home.run(&["why", &message]);
    assert!(why.code == 0 && why.out.contains("乌龙茶"), "{why:?}");
}

#[test]
fn those_who_start_it_at_once_share_one() {
    let home = TestHome::offline();
    let children: Vec<_> = (0..4)
        .map(|number| {
            let text = format!("hello {number}");
            home.command(&["say", &text, "--session", &format!("cli:{number}")])
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && !output.stdout.is_empty(), "{output:?}");
    }
    let proof = home.run(&["prove", "--json"]).json();
    assert_eq!((proof["accepted"].as_u64(), proof["answered"].as_u64()), (Some(4), Some(4)), "{proof}");
}

#[test]
fn a_second_daemon_names_the_first() {
    let home = TestHome::offline();
    assert_eq!(home.run(&["say", "hello"]).code, 0);
    let pid = home.daemon().unwrap().as_raw_nonzero().to_string();
    home.run(&["serve"]).assert_failed(
        1,
        &format!("in use by another Hearth (process {pid})"),
        &format!("kill {pid}"),
    );
    let backup = home.path().join("b.db");
    assert_eq!(home.run(&["backup", backup.to_str().unwrap()]).code, 0, "a backup needs no rest");
    home.run(&["restore", backup.to_str().unwrap()]).assert_failed(1, "in use", "stop it");
}

#[test]
fn serve_says_when_it_is_ready_and_stops_when_told() {
    let home = TestHome::offline();
    let mut child = home.command(&["serve"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("ready http://127.0.0.1:"), "{line}");
    assert_eq!(home.run(&["say", "hello"]).code, 0);
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(home.daemon(), None);
    assert_eq!(home.run(&["status"]).code, 1);
}

#[test]
fn a_taken_port_is_told() {
    let home = TestHome::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    home.run(&["serve", "--listen", &address]).assert_failed(
        1,
        &format!("cannot listen on {address}"),
        "--listen",
    );
}

#[test]
fn a_dialog_that_is_not_there_is_not_begun_unseen() {
    let home = TestHome::offline();
    assert_eq!(home.run(&["say", "hello", "--session", "cli:me:default"]).code, 0);
    let ran = home.run(&["say", "hello", "--session", "cli:me:nope"]);
    ran.assert_failed(1, "there is no dialog cli:me:nope", "hearth say --new --session cli:me");
    let listed = home.run(&["session", "list", "--json"]).json();
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
    let begun = home.run(&["say", "hello", "--new", "--json"]).json();
    let named = begun["session"].as_str().unwrap();
    assert_eq!(home.run(&["say", "again", "--session", named]).code, 0);
}

#[test]
fn who_only_asks_makes_no_home() {
    let home = TestHome::new();
    for question in ["prove", "usage"] {
        home.run(&[question]).assert_failed(1, "there is no home folder", "--home");
        assert!(!home.path().exists(), "{question}");
    }
}

#[test]
fn an_address_that_is_none_is_misuse() {
    TestHome::new().run(&["serve", "--listen", "foo"]).assert_failed(2, "`foo` is no address", "ADDR:PORT");
}

#[test]
fn a_daemon_without_http_says_so_everywhere() {
    let home = TestHome::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    home.write(
        "config.toml",
        &format!("[purposes]\nchat = [\"offline\"]\n[gateway]\nlisten = \"{address}\"\n"),
    );
    assert_eq!(home.run(&["say", "hello"]).code, 0);
    let status = home.run(&["status"]);
    assert!(status.out.contains(&format!("HTTP is not answered: {address}")), "{status:?}");
    let doctor = home.run_zh(&["doctor"]);
    assert!(doctor.out.contains("守护进程没有提供 HTTP 服务"), "{doctor:?}");
    assert!(doctor.out.contains(&format!("没有提供 HTTP 服务：无法监听 {address}")), "{doctor:?}");
}

#[test]
fn a_wrong_config_that_is_saved_while_it_runs_is_told_by_status_and_to_those_who_chat() {
    let home = TestHome::offline();
    assert_eq!(home.run(&["say", "hello"]).code, 0);
    let mut chat = home
        .command(&["chat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = chat.stdin.take().unwrap();
    let mut output = BufReader::new(chat.stdout.take().unwrap());
    let mut line = String::new();
    std::io::Write::write_all(&mut input, b"hello\n").unwrap();
    output.read_line(&mut line).unwrap();
    assert!(!line.trim().is_empty(), "it is connected");
    home.write("config.toml", "[agent]\nnonsense = 1\n");
    let told = BufReader::new(chat.stderr.take().unwrap())
        .lines()
        .map_while(Result::ok)
        .find(|line| line.contains("the saved config is not used"));
    let told = told.expect("it is told");
    assert!(told.contains("nonsense"), "{told}");
    drop(input);
    chat.wait().unwrap();
    let status = home.run(&["status", "--json"]).json();
    assert_eq!(status["warnings"][0]["code"], "config", "{status}");
}

#[test]
fn what_keeps_the_daemon_from_starting_is_told_by_the_client() {
    let home = TestHome::new();
    home.write("config.toml", "[agent]\nnonsense = 1\n");
    home.run(&["say", "hello"]).assert_failed(1, "config.toml line 2: unknown key", "possible here");
    home.write("config.toml", "[purposes]\nchat = [\"offline\"]\n[gateway]\nlisten = \"127.0.0.1:0\"\n");
    home.write("hearth.db", &"this is not a database".repeat(100));
    let ran = home.run(&["say", "hello"]);
    assert_eq!((ran.code, ran.err.lines().count()), (1, 2), "{ran:?}");
    assert!(ran.err.contains("the daemon could not start: ") && ran.err.contains("hearth.db"), "{ran:?}");
}

#[test]
fn a_bad_config_does_not_stop_a_running_daemon() {
    let home = TestHome::offline();
    assert_eq!(home.run(&["say", "hello"]).code, 0);
    let daemon = home.daemon().unwrap();
    home.write("config.toml", "nonsense = 1\n");
    kill_process(daemon, Signal::HUP).unwrap();
    assert_eq!(home.run(&["say", "hello again"]).code, 0);
    assert_eq!(home.daemon(), Some(daemon));
}

/// How often something is tried that holds a moment later.
const TRIES_MAX: usize = 500;

#[test]
fn what_is_set_wins_over_the_file_and_holds_over_a_kill() {
    let home = TestHome::offline();
    let answers = |home: &TestHome, wanted: &str| {
        (0..TRIES_MAX).any(|_| home.run(&["say", "!help"]).out.contains(wanted))
    };
    assert!(answers(&home, "I cannot do that"));
    let ran = home.run(&["config", "set", "agent.command_prefixes", r#"["!"]"#]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "set: agent.command_prefixes\n"), "{ran:?}");
    assert!(answers(&home, "!help"), "the running daemon takes it over");
    home.kill_daemon();
    assert!(answers(&home, "!help"), "it holds after a kill");
    let shown = home.run(&["config", "show", "agent.command", "--json"]).json();
    assert_eq!((&shown[0]["value"], &shown[0]["from"]), (&json!(["!"]), &json!("setting")), "{shown}");
    assert_eq!(home.run(&["config", "unset", "agent.command_prefixes"]).code, 0);
    assert!(answers(&home, "I cannot do that"), "the default holds again");
}

#[test]
fn what_cannot_be_set_is_told() {
    let home = TestHome::offline();
    for (key, value, what, hint) in [
        (
            "agent.tool_rounds_mx",
            "3",
            "unknown key `agent.tool_rounds_mx`",
            "did you mean `tool_rounds_max`?",
        ),
        ("agent.tool_rounds_max", "many", "`agent.tool_rounds_max` must be a whole number", ""),
        ("agent.tool_rounds_max", "-1", "`agent.tool_rounds_max` is -1, which is too small", "0 or more"),
        ("rights.exec", "maybe", "maybe", "allow"),
        ("storage.durability", "process", "[storage] is set in config.toml only", "there"),
        ("agent", "{}", "`agent` is no setting", "agent.tool_rounds_max"),
        ("sources.a.api_key", "sk-1", "never kept in clear", "${NAME}"),
    ] {
        let ran = home.run(&["config", "set", key, value]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains(what) && ran.err.contains(hint), "{key}: wanted {what}, {hint}: {ran:?}");
    }
    let ran = home.run_zh(&["config", "unset", "agent.persona"]);
    assert!(ran.code == 2 && ran.err.contains("没有在运行时设置过"), "{ran:?}");
    // A setting that a change of the file has made impossible does not keep Hearth from starting.
    assert_eq!(home.run(&["config", "set", "sources.a", r#"{"kind": "offline"}"#]).code, 0);
    let set = home.run(&["config", "set", "purposes.chat", r#"["a"]"#]);
    assert_eq!(set.code, 0, "{set:?}");
    assert_eq!(home.run(&["config", "unset", "sources.a"]).code, 0);
    assert_eq!(home.run(&["say", "hello"]).code, 0);
}

#[test]
fn chat_without_a_terminal_says_lines_and_prints_answers() {
    use std::io::Write;
    let home = TestHome::offline();
    let mut child = home.command(&["chat"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all("hello\n你好\n".as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stdout.len() > 2, "{output:?}");
    let proof = home.run(&["prove", "--json"]).json();
    assert_eq!(proof["answered"].as_u64(), Some(2), "{proof}");
}
