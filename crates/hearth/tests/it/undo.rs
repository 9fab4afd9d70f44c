//! What tools change is put back, also when Hearth was killed in the middle.

use std::process::Stdio;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::support::TestHome;

fn file(home: &TestHome, name: &str) -> Option<String> {
    std::fs::read_to_string(home.path().join("workspace").join(name)).ok()
}

#[test]
fn what_a_program_changed_before_a_kill_is_put_back() {
    let home = TestHome::offline();
    assert_eq!(home.run(&["undo", "--json"]).out.trim(), "[]");
    let said = home.run(&["say", "run `echo one > list.txt`"]);
    assert_eq!((said.code, file(&home, "list.txt").as_deref()), (0, Some("one\n")), "{said:?}");
    let listed = home.run_zh(&["undo"]);
    assert!(listed.out.contains("run_shell") && listed.out.contains("新建 list.txt"), "{listed:?}");

    // A program that says through a pipe when it has changed the file, and then does not end.
    let pipe = home.path().join("workspace/ready");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let command = "run `echo two > list.txt; mkdir new; echo x > new/file; echo ready > ready; sleep 1000`";
    let mut saying = home.command(&["say", command]).stdout(Stdio::null()).spawn().unwrap();
    assert_eq!(std::fs::read_to_string(&pipe).unwrap(), "ready\n");
    let under_way = home.run(&["undo", "--json"]).json()[0].clone();
    assert_eq!(under_way["state"], "open", "{under_way}");
    let call = under_way["call"].as_str().unwrap().to_owned();
    home.run(&["undo", &call]).assert_failed(1, "still under way", "wait");
    saying.kill().unwrap();
    saying.wait().unwrap();
    home.kill_daemon();

    let undone = home.run(&["undo", &call]);
    assert!(undone.code == 0 && undone.out.contains("changed list.txt"), "{undone:?}");
    assert_eq!((file(&home, "list.txt").as_deref(), file(&home, "new/file")), (Some("one\n"), None));
    assert!(!home.path().join("workspace/new").exists());
    // With the daemon, which finds what another process has recorded.
    assert_eq!(home.run(&["say", "hello"]).code, 0);
    let again = home.run(&["undo", "undo_", "--json"]);
    assert_eq!((again.code, file(&home, "list.txt").as_deref()), (0, Some("two\n")), "{again:?}");
    let own = again.json()["call"].as_str().unwrap().to_owned();
    std::fs::write(home.path().join("workspace/list.txt"), "three").unwrap();
    home.run(&["undo", &own]).assert_failed(1, "changed since that call: list.txt", "nothing was put back");
    assert_eq!(file(&home, "list.txt").as_deref(), Some("three"));
    home.run(&["undo", "nobody"]).assert_failed(1, "no record of a change by the call `nobody`", "undo");
}
