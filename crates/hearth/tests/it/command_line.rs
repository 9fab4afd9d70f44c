//! Exit codes, and what is printed where.

use crate::support::TestHome;

#[test]
fn help_and_version_are_answers() {
    let home = TestHome::new();
    let help = home.run(&["--help"]);
    assert_eq!((help.code, help.err.as_str()), (0, ""));
    assert!(help.out.contains("Usage: hearth") && help.out.contains("Say one message"), "{}", help.out);
    assert!(!help.out.contains("__sandbox"), "{}", help.out);
    let help = home.run_zh(&["session", "--help"]);
    assert!(help.out.contains("用法：hearth session") && help.out.contains("归档对话"), "{}", help.out);
    assert!(home.run(&["--version"]).out.starts_with("hearth 0."));
    assert!(!home.path().exists(), "asking for help makes no home");
}

#[test]
fn misuse_is_code_two() {
    let home = TestHome::new();
    home.run(&[]).assert_failed(2, "a command is missing", "--help");
    home.run(&["stauts"]).assert_failed(2, "no command stauts", "did you mean status?");
    home.run(&["status", "--jsno"]).assert_failed(2, "--jsno", "did you mean --json?");
    home.run(&["say", "hello", "--session", "me"]).assert_failed(
        2,
        "\"me\" is not a session",
        "cli:me:default",
    );
    home.run(&["say", " "]).assert_failed(2, "nothing to say", "hearth say TEXT");
    home.run(&["usage", "--since", "soon"]).assert_failed(2, "soon", "--help");
    home.run(&["provider", "probe", "nobody"]).assert_failed(2, "no source nobody", "[sources.nobody]");
    home.run(&["init"]).assert_failed(2, "no terminal", "init --yes");
}

#[test]
fn the_language_follows_the_locale() {
    let home = TestHome::new();
    let ran = home.run_zh(&["sya"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("错误：没有命令 sya") && ran.err.contains("怎么办："), "{ran:?}");
}

#[test]
fn without_a_daemon_questions_are_answered_from_the_ledger() {
    let home = TestHome::offline();
    let status = home.run(&["status", "--json"]);
    assert_eq!((status.code, status.json()["running"].as_bool()), (1, Some(false)));
    let proof = home.run(&["prove", "--json"]);
    assert_eq!(proof.code, 0, "{proof:?}");
    assert_eq!((proof.json()["accepted"].as_u64(), proof.json()["unexplained"].as_u64()), (Some(0), Some(0)));
    for arguments in [
        &["session", "list", "--json"][..],
        &["session", "show", "--json"],
        &["usage", "--json", "--since", "7d"],
        &["schedule", "list", "--json"],
    ] {
        let ran = home.run(arguments);
        assert_eq!((ran.code, ran.out.trim()), (0, "[]"), "{arguments:?} {ran:?}");
    }
    home.run(&["why", "0123abcd"]).assert_failed(1, "0123abcd", "");
    home.run(&["session", "show", "cli:me:other"]).assert_failed(
        1,
        "no session cli:me:other",
        "session list",
    );
}

#[test]
fn an_answer_into_a_closed_pipe_is_no_error() {
    let home = TestHome::new();
    let mut child = home.command(&["config", "schema"]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}
