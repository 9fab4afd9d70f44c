//! Every scenario of `scenarios/`. `UPDATE_EXPECT=1` rewrites them; `SCENARIO=part-of-name` runs some.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many scenarios run at the same time; most of their time is spent waiting for the disk.
const AT_A_TIME: usize = 4;

#[test]
#[allow(clippy::disallowed_methods, reason = "a switch for the person who runs the test")]
fn scenarios_go_as_they_are_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let wanted = std::env::var("SCENARIO").unwrap_or_default();
    let update = std::env::var("UPDATE_EXPECT").is_ok_and(|value| value == "1");
    let found = hearth_testkit::scenario::find(&folder).unwrap();
    assert!(!found.is_empty(), "there are no scenarios in {}", folder.display());
    let chosen: Vec<&PathBuf> =
        found.iter().filter(|path| path.to_string_lossy().contains(&wanted)).collect();
    assert!(!chosen.is_empty(), "no scenario is called `{wanted}`");
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                while let Some(path) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = check(path, update) {
                        wrong.lock().unwrap().push(format!("{}:\n{why}", path.display()));
                    }
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    let count = chosen.len();
    assert!(
        wrong.is_empty(),
        "{} of {count} scenarios went otherwise:\n\n{}",
        wrong.len(),
        wrong.join("\n\n")
    );
}

/// Runs one, and rewrites it if that is wanted.
fn check(path: &Path, update: bool) -> Result<(), String> {
    let source = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let ran = std::panic::catch_unwind(|| hearth_testkit::scenario::run(&source));
    match ran.unwrap_or_else(|_| Err(anyhow::anyhow!("the runner panicked"))) {
        Ok(actual) if actual == source => Ok(()),
        Ok(actual) if update => std::fs::write(path, actual).map_err(|error| error.to_string()),
        Ok(actual) => Err(difference(&source, &actual)),
        Err(error) => Err(format!("{error:#}")),
    }
}

/// The lines that differ, with the file's marked `-` and the run's marked `+`.
fn difference(expected: &str, actual: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), actual.lines().collect());
    let same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let same_end = old[same_start..]
        .iter()
        .rev()
        .zip(new[same_start..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let before = same_start.saturating_sub(3);
    let mut lines: Vec<String> = old[before..same_start].iter().map(|line| format!("  {line}")).collect();
    lines.extend(old[same_start..old.len() - same_end].iter().map(|line| format!("- {line}")));
    lines.extend(new[same_start..new.len() - same_end].iter().map(|line| format!("+ {line}")));
    lines.join("\n")
}
