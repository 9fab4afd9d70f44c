//! Tests of what needs no process of its own.

use super::*;

fn plan(network: NetworkAccess) -> Plan {
    Plan {
        workspace: "/home/me/工作".into(),
        home: "/home/me".into(),
        temporary: "/tmp/x".into(),
        parent: Pid::from_raw(42).unwrap(),
        network,
        program: ["sh", "-c", "echo -- --network"].map(OsString::from).to_vec(),
    }
}

#[test]
fn a_plan_survives_the_command_line() {
    for network in [NetworkAccess::Refused, NetworkAccess::Granted] {
        let plan = plan(network);
        let mut arguments = plan.arguments();
        assert_eq!(arguments.remove(0), SUBCOMMAND);
        assert_eq!(Plan::parse(arguments).unwrap(), plan);
    }
}

#[test]
fn a_command_line_that_lacks_something_is_refused_by_name() {
    let whole: Vec<OsString> = plan(NetworkAccess::Refused).arguments().split_off(1);
    for (dropped, part) in
        [(0..2, "--workspace"), (2..4, "--home"), (4..6, "--temporary"), (6..8, "--parent")]
    {
        let mut arguments = whole.clone();
        arguments.drain(dropped);
        assert!(Plan::parse(arguments).unwrap_err().contains(part));
    }
    assert!(Plan::parse(whole[..9].to_vec()).unwrap_err().contains("the program"));
    assert!(Plan::parse(["--x".into()]).unwrap_err().contains("--x"));
}
