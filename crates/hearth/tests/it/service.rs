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
