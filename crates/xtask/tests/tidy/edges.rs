//! Which crate may use which. The table is the architecture; `cargo metadata` is the truth.

use std::collections::BTreeMap;
use std::process::Command;

use crate::tree;

/// A crate and the crates of ours that it may use. Anything else is a wrong edge.
const LAYERS: &[(&str, &[&str])] = &[
    ("hearth-contract", &[]),
    ("hearth-protocol", &[]),
    ("hearth-net", &["hearth-contract"]),
    ("hearth-lua", &["hearth-contract"]),
    ("hearth-kernel", &["hearth-contract"]),
    ("hearth-memory", &["hearth-contract"]),
    ("hearth-storage", &["hearth-contract"]),
    ("hearth-channels", &["hearth-contract", "hearth-net"]),
    ("hearth-providers", &["hearth-contract", "hearth-net", "hearth-lua"]),
    ("hearth-tools", &["hearth-contract", "hearth-net"]),
    ("hearth-plugins", &["hearth-contract", "hearth-net"]),
    ("hearth-telemetry", &["hearth-contract", "hearth-net"]),
    ("hearth-gateway", &["hearth-contract", "hearth-protocol"]),
    ("hearth-tui", &["hearth-protocol"]),
    ("hearth", EVERYTHING_BUT_DEV),
    ("hearth-testkit", EVERYTHING_BUT_DEV),
    ("xtask", EVERYTHING),
];

const EVERYTHING_BUT_DEV: &[&str] = &[
    "hearth-contract",
    "hearth-protocol",
    "hearth-net",
    "hearth-lua",
    "hearth-kernel",
    "hearth-memory",
    "hearth-storage",
    "hearth-channels",
    "hearth-providers",
    "hearth-tools",
    "hearth-plugins",
    "hearth-telemetry",
    "hearth-gateway",
    "hearth-tui",
];

const EVERYTHING: &[&str] = &[
    "hearth-contract",
    "hearth-protocol",
    "hearth-net",
    "hearth-lua",
    "hearth-kernel",
    "hearth-memory",
    "hearth-storage",
    "hearth-channels",
    "hearth-providers",
    "hearth-tools",
    "hearth-plugins",
    "hearth-telemetry",
    "hearth-gateway",
    "hearth-tui",
    "hearth-testkit",
];

/// The crate that only tests may use.
const DEV_ONLY: &str = "hearth-testkit";

/// An edge between two of our crates.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Edge {
    from: String,
    to: String,
    is_dev: bool,
}

/// The edges that the table does not allow, in words.
fn wrong(edges: &[Edge]) -> Vec<String> {
    let allowed: BTreeMap<&str, &[&str]> = LAYERS.iter().copied().collect();
    let complaint = |edge: &Edge| {
        let Edge { from, to, is_dev } = edge;
        match allowed.get(from.as_str()) {
            None => Some(format!("{from} is not in LAYERS: say what it may use")),
            Some(_) if *is_dev && to == DEV_ONLY => None,
            Some(allowed) if allowed.contains(&to.as_str()) => None,
            Some(_) => Some(format!("{from} may not use {to}")),
        }
    };
    edges.iter().filter_map(complaint).collect()
}

/// The edges there are, as cargo sees them.
fn edges_of_the_workspace() -> Vec<Edge> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(tree::root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("packages").iter();
    let names: Vec<String> = packages.clone().map(|package| text(&package["name"])).collect();
    let mut edges = Vec::new();
    for package in packages {
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let to = text(&dependency["name"]);
            if names.contains(&to) {
                edges.push(Edge { from: text(&package["name"]), to, is_dev: dependency["kind"] == "dev" });
            }
        }
    }
    edges
}

fn text(value: &serde_json::Value) -> String {
    value.as_str().expect("a text").to_owned()
}

#[test]
fn crates_use_only_what_the_architecture_allows() {
    let edges = edges_of_the_workspace();
    tree::assert_tidy("crate edges", edges.len(), &wrong(&edges));
}

#[test]
fn wrong_edges_are_found() {
    let edge = |from: &str, to: &str, is_dev| Edge { from: from.into(), to: to.into(), is_dev };
    assert_eq!(
        wrong(&[edge("hearth-kernel", "hearth-storage", false)]),
        ["hearth-kernel may not use hearth-storage"]
    );
    assert_eq!(wrong(&[edge("hearth-kernel", "hearth-storage", true)]).len(), 1);
    assert_eq!(wrong(&[edge("hearth", "hearth-testkit", false)]), ["hearth may not use hearth-testkit"]);
    assert_eq!(wrong(&[edge("hearth-new", "hearth-contract", false)]).len(), 1);
    assert_eq!(wrong(&[edge("hearth-kernel", "hearth-testkit", true)]), [""; 0]);
    assert_eq!(wrong(&[edge("hearth-kernel", "hearth-contract", false)]), [""; 0]);
}
