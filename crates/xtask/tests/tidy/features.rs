//! `docs/features.md`: every capability names the test that proves it, and that test exists.
//!
//! A row is `| capability | proof |`. A proof is one or more of, separated by commas:
//! `crate::path::test_name` (a test function in that crate; the path between may be left out), or a file of the
//! project such as `scenarios/steer.md`.

use crate::tree::{self, SourceFile};

const FEATURES: &str = "docs/features.md";

/// The rows of the table: line number, capability, proofs.
fn rows(text: &str) -> Vec<(usize, String, Vec<String>)> {
    let row = |(index, line): (usize, &str)| {
        let cells: Vec<&str> =
            line.trim().strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim).collect();
        let [capability, proofs] = cells.as_slice() else {
            return Some((index + 1, line.to_owned(), Vec::new()));
        };
        let is_heading = proofs.starts_with("---") || *proofs == "proof";
        let proofs = proofs.split(',').map(|proof| proof.trim().trim_matches('`').to_owned());
        (!is_heading)
            .then(|| (index + 1, (*capability).to_owned(), proofs.filter(|p| !p.is_empty()).collect()))
    };
    text.lines().enumerate().filter_map(row).collect()
}

fn complaints(text: &str, sources: &[SourceFile]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (line, capability, proofs) in rows(text) {
        if proofs.is_empty() {
            complaints.push(format!("{FEATURES}:{line}: `{capability}` names no proof"));
        }
        for proof in proofs.iter().filter(|proof| !exists(proof, sources)) {
            complaints.push(format!("{FEATURES}:{line}: there is no {proof}"));
        }
    }
    complaints
}

fn exists(proof: &str, sources: &[SourceFile]) -> bool {
    let Some((path, test)) = proof.rsplit_once("::") else {
        return proof.contains('/') && tree::root().join(proof).is_file();
    };
    let name = path.split("::").next().unwrap_or_default();
    let folder = format!("crates/{}/", name.strip_prefix("hearth-").unwrap_or(name));
    let head = format!("fn {test}(");
    sources
        .iter()
        .filter(|file| file.path.starts_with(&folder))
        .any(|file| file.text.contains(&head) && is_test_file(&file.text))
}

fn is_test_file(text: &str) -> bool {
    text.contains("#[test]") || text.contains("#[tokio::test") || text.contains("proptest!")
}

#[test]
fn every_capability_has_a_proof_that_exists() {
    let text = std::fs::read_to_string(tree::root().join(FEATURES)).expect("docs/features.md is there");
    let sources = tree::files(&["crates"], &[".rs"]);
    tree::assert_tidy("features", rows(&text).len(), &complaints(&text, &sources));
}

#[test]
fn a_proof_that_is_not_there_is_found() {
    let sources = [SourceFile {
        path: "crates/kernel/src/turn/tests.rs".into(),
        text: "#[test]\nfn a_turn_ends() {}\n".into(),
    }];
    let found = |row: &str| complaints(row, &sources).len();
    assert_eq!(found("| turns end | `kernel::turn::a_turn_ends` |"), 0);
    assert_eq!(found("| turns end | `kernel::a_turn_ends`, `Cargo.toml` |"), 1);
    assert_eq!(found("| turns end | `kernel::a_turn_never_ends` |"), 1);
    assert_eq!(found("| turns end | `tools::a_turn_ends` |"), 1);
    assert_eq!(found("| turns end | |"), 1);
    assert_eq!(found("| only one cell |"), 1);
    assert_eq!(found("| scenario | `docs/features.md` |"), 0);
    assert_eq!(rows("| capability | proof |\n|---|---|\n| --- | --- |\n").len(), 0);
}
