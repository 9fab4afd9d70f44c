//! Under a service manager, and after crashes.

use std::os::unix::net::UnixDatagram;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::TestHome;

/// The next thing that the service manager is told.
fn told(manager: &UnixDatagram) -> String {
    let mut bytes = [0; 256];
    let length = manager.recv(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes[..length]).into_owned()
}

#[test]
fn the_service_manager_is_told_that_it_is_ready_alive_and_stopping() {
    let home = TestHome::offline();
    let socket = home.path().join("notify");
    let manager = UnixDatagram::bind(&socket).unwrap();
    let mut child = home
        .command(&["serve"])
        .env("NOTIFY_SOCKET", &socket)
        .env("WATCHDOG_USEC", "100000")
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    assert_eq!(told(&manager), "READY=1");
    for _ in 0..3 {
        assert_eq!(told(&manager), "WATCHDOG=1");
    }
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let mut last = told(&manager);
    while last == "WATCHDOG=1" {
        last = told(&manager);
    }
    assert_eq!(last, "STOPPING=1");
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_unit_of_systemd_names_this_program_and_this_home() {
    let home = TestHome::new();
    let unit = home.run(&["service", "install", "--print"]);
    let root = home.path().display().to_string();
    for line in
        ["Type=notify", "Restart=on-failure", "WatchdogSec=60", &format!("/hearth\" --home \"{root}\" serve")]
    {
        assert!(unit.code == 0 && unit.out.contains(line), "{line}: {unit:?}");
    }
    let config = home.path().join("config");
    let config = config.to_str().unwrap();
    let run = |arguments: &[&str]| {
        let output = home.command(arguments).env("XDG_CONFIG_HOME", config).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, status) = run(&["service", "status", "--json"]);
    assert_eq!(code, Some(1));
    assert!(status.contains("\"installed\":false"), "{status}");
    let path = format!("{config}/systemd/user/hearth.service");
    let (code, installed) = run(&["service", "install"]);
    if std::path::Path::new("/run/systemd/system").exists() {
        assert!(code == Some(0) && installed.contains("systemctl --user enable --now"), "{installed}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), unit.out);
        assert_eq!(run(&["service", "uninstall"]).0, Some(0));
    } else {
        home.run(&["service", "install"]).assert_failed(
            1,
            "systemd does not run this machine",
            "hearth serve",
        );
    }
    assert!(!std::path::Path::new(&path).exists());
    assert_eq!(run(&["service", "uninstall"]).0, Some(1));
}

/// How often something is looked at that holds a moment later.
const TRIES_MAX: usize = 500;

fn safe_mode(home: &TestHome) -> String {
    home.run(&["status", "--json"]).json()["safe_mode"].as_str().unwrap().to_owned()
}

#[test]
fn one_that_dies_three_times_starts_in_safe_mode_and_leaves_it() {
    let home = TestHome::offline();
    for _ in 0..3 {
        assert_eq!(home.run(&["say", "hello"]).code, 0);
        assert_eq!(safe_mode(&home), "");
        home.kill_daemon();
    }
    let doctor = home.run(&["doctor"]);
    assert!(doctor.out.contains("died 3 times within 10 minutes"), "{doctor:?}");
    assert_eq!(home.run(&["say", "hello"]).code, 0, "the main job goes on");
    assert_eq!(safe_mode(&home), "crashes");
    let shown = home.run_zh(&["status"]);
    assert!(shown.out.contains("安全模式"), "{shown:?}");
    let chat = home.run(&["session", "show", "cli:me"]);
    assert!(chat.out.contains("Safe mode: Hearth died 3 times"), "{chat:?}");
    let log = std::fs::read_to_string(home.path().join("logs/hearth.log")).unwrap();
    assert!(log.contains("Safe mode: Hearth died 3 times"), "{log}");

    // A change of the config ends it, and the deaths before it count no more.
    home.write(
        "config.toml",
        "[purposes]\nchat = [\"offline\"]\n[gateway]\nlisten = \"127.0.0.1:0\"\n# changed\n",
    );
    kill_process(home.daemon().unwrap(), Signal::HUP).unwrap();
    let left = |_| home.run(&["status", "--json"]).out.contains("\"safe_mode\":\"\"");
    assert!((0..TRIES_MAX).any(left));
    home.kill_daemon();
    assert_eq!(home.run(&["say", "hello"]).code, 0);
    assert_eq!(safe_mode(&home), "");
}

#[test]
fn safe_mode_can_be_asked_for_and_a_restart_ends_it() {
    let home = TestHome::offline();
    let serve = |arguments: &[&str]| {
        let mut child = home.command(arguments).stdout(std::process::Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut line)
            .unwrap();
        assert!(line.starts_with("ready "), "{line}");
        let mode = safe_mode(&home);
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        assert!(child.wait().unwrap().success());
        mode
    };
    assert_eq!(serve(&["serve", "--safe"]), "asked");
    for _ in 0..4 {
        assert_eq!(serve(&["serve"]), "", "an end is no death");
    }
}
