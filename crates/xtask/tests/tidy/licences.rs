//! Every dependency has a licence that `deny.toml` allows.

use std::collections::BTreeSet;
use std::process::Command;

use crate::tree;

/// The licences that `deny.toml` lists under `allow`.
fn allowed() -> Vec<String> {
    let text = std::fs::read_to_string(tree::root().join("deny.toml")).expect("deny.toml is there");
    let list =
        text.split("allow = [").nth(1).and_then(|rest| rest.split(']').next()).expect("deny.toml has a list");
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Whether an SPDX expression can be met with these licences. `/` is the old way to write `OR`.
fn is_met(expression: &str, allowed: &[String]) -> bool {
    let text = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut parser = Parser { words: &words, at: 0, allowed };
    let met = parser.any();
    met && parser.at == words.len()
}

struct Parser<'a> {
    words: &'a [&'a str],
    at: usize,
    allowed: &'a [String],
}

impl Parser<'_> {
    fn takes(&mut self, word: &str) -> bool {
        let is_next = self.words.get(self.at) == Some(&word);
        self.at += usize::from(is_next);
        is_next
    }

    fn any(&mut self) -> bool {
        let mut met = self.all();
        while self.takes("OR") {
            met |= self.all();
        }
        met
    }

    fn all(&mut self) -> bool {
        let mut met = self.one();
        while self.takes("AND") {
            met &= self.one();
        }
        met
    }

    fn one(&mut self) -> bool {
        if self.takes("(") {
            let met = self.any();
            return self.takes(")") && met;
        }
        let mut name = self.words.get(self.at).copied().unwrap_or_default().to_owned();
        self.at += 1;
        if self.takes("WITH") {
            name = format!("{name} WITH {}", self.words.get(self.at).copied().unwrap_or_default());
            self.at += 1;
        }
        self.allowed.contains(&name)
    }
}

#[test]
fn every_dependency_has_an_allowed_licence() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["tree", "--workspace", "--offline", "--edges", "normal,build,dev"])
        .args(["--prefix", "none", "--format", "{p}|{l}"])
        .current_dir(tree::root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).expect("cargo prints UTF-8");
    let packages: BTreeSet<(&str, &str)> = lines.lines().filter_map(|line| line.split_once('|')).collect();
    let allowed = allowed();
    // A package shown before is marked so behind its licence.
    let licence = |text: &str| text.trim_end_matches("(*)").trim().to_owned();
    let wrong = packages.iter().filter(|(_, text)| !is_met(&licence(text), &allowed));
    let complaints: Vec<String> = wrong.map(|(package, licence)| format!("{package}: {licence}")).collect();
    tree::assert_tidy("licences", packages.len(), &complaints);
}

#[test]
fn an_expression_is_met_or_not() {
    let allowed: Vec<String> =
        ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned).to_vec();
    for (expression, met) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("MIT OR GPL-3.0", true),
        ("MIT/GPL-3.0", true),
        ("MIT AND GPL-3.0", false),
        ("(MIT OR GPL-3.0) AND Apache-2.0", true),
        ("(MIT OR Apache-2.0) AND GPL-3.0", false),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("GPL-3.0 WITH LLVM-exception", false),
        ("none named", false),
        ("", false),
    ] {
        assert_eq!(is_met(expression, &allowed), met, "{expression}");
    }
}
