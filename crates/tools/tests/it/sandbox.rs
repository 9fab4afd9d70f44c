//! What a program cannot do. These tests need a kernel with Landlock, as the product's promise does.

use std::process::Command;

use hearth_tools::NetworkAccess;
use hearth_tools::sandbox::{self, Confinement};
use serde_json::json;
use tokio::net::TcpListener;

use crate::fixture::Fixture;

async fn run(fixture: &Fixture, command: &str) -> String {
    fixture.text("run_shell", json!({ "command": command })).await
}

#[tokio::test]
async fn a_program_works_in_the_workspace_and_its_own_folder_for_temporary_files() {
    assert_eq!(sandbox::available(), Confinement::Files);
    let fixture = Fixture::new();
    let written = run(&fixture, "mkdir a && echo 茶 > a/b && mv a/b c && cat c && ls").await;
    assert_eq!(written, "茶\na\nc");
    let temporary = run(&fixture, "echo x > \"$TMPDIR/x\" && cat \"$TMPDIR/x\" && echo $TMPDIR").await;
    let path = temporary.strip_prefix("x\n").unwrap();
    assert!(path.starts_with('/') && !std::path::Path::new(path).exists(), "{path}");
}

#[tokio::test]
async fn a_program_can_neither_read_nor_write_outside() {
    let fixture = Fixture::new();
    let home = fixture.home.path();
    std::fs::write(home.join(".env"), "KEY=secret").unwrap();
    std::os::unix::fs::symlink(home, fixture.workspace().join("link")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let elsewhere = elsewhere.path().display();
    for command in [
        "cat ../.env",
        "cat link/.env",
        &format!("cat {}/.env", home.display()),
        &format!("cat /proc/self/root{}/.env", home.display()),
        &format!("ls {}", home.display()),
        "echo x > ../x",
        "echo x > link/x",
        "echo x >> ../.env",
        "rm -f ../.env",
        "mv ../.env moved",
        "cat ../changes/index.json",
        "rm -r ../changes",
        "ln ../.env linked && cat linked",
        &format!("echo x > {elsewhere}/x"),
        &format!("mkdir {elsewhere}/x"),
        "echo x > /etc/hearth-test",
        "echo x > /usr/hearth-test",
        "echo x > /dev/shm/hearth-test",
        "cat /etc/shadow",
        "mknod disk b 8 0",
        &format!("cat /proc/{}/environ", std::process::id()),
    ] {
        let said = run(&fixture, command).await;
        assert!(said.contains("[exit status") && !said.contains("secret"), "{command}: {said}");
    }
    assert_eq!(std::fs::read_to_string(home.join(".env")).unwrap(), "KEY=secret");
    let mut names: Vec<_> =
        std::fs::read_dir(home).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [".env", "changes", "workspace"]);
}

#[tokio::test]
async fn a_program_cannot_reach_other_processes_or_change_the_machine() {
    let fixture = Fixture::new();
    let mut other = Command::new("sleep").arg("1000").spawn().unwrap();
    for command in
        [&*format!("kill -9 {}", other.id()), "unshare -r true", "unshare -m true", "mount -t tmpfs x a"]
    {
        let said = run(&fixture, command).await;
        assert!(said.contains("[exit status"), "{command}: {said}");
    }
    assert_eq!(other.try_wait().unwrap(), None);
    other.kill().unwrap();
    other.wait().unwrap();
    assert_eq!(run(&fixture, "ulimit -c").await, "0");
    // As root or not: no power over the machine (capabilities(7)) is left, only that over permissions of files.
    let powers = run(&fixture, "grep CapEff /proc/self/status").await;
    let powers = u64::from_str_radix(powers.strip_prefix("CapEff:\t").unwrap(), 16).unwrap();
    assert_eq!(powers & !0b1_1011, 0, "{powers:x}");
}

#[tokio::test]
async fn a_program_reaches_the_network_only_when_it_is_granted() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let command = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected");
    let refused = run(&Fixture::new(), &command).await;
    assert!(refused.contains("not permitted") && !refused.contains("connected"), "{refused}");
    let granted = Fixture::with(NetworkAccess::Granted, Vec::new());
    let (said, accepted) = tokio::join!(run(&granted, &command), listener.accept());
    assert_eq!(said, "connected");
    accepted.unwrap();
}

#[test]
fn a_sandbox_whose_parent_is_gone_starts_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_sandbox_launcher"))
        .args(["__sandbox", "--parent", "1", "--workspace"])
        .arg(folder.path())
        .arg("--home")
        .arg(folder.path())
        .arg("--temporary")
        .arg(folder.path())
        .args(["--", "touch"])
        .arg(folder.path().join("started"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(126));
    assert!(String::from_utf8_lossy(&output.stderr).contains("has ended"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
