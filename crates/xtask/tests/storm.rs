//! A small storm on the real binary, so that every run of the tests has seen some kills. Larger ones by hand:
//! `cargo xtask storm --kills 200`.

use std::path::Path;
use std::process::Command;

fn storm(seed: &str, durability: &str) -> std::io::Result<()> {
    let xtask = Path::new(env!("CARGO_BIN_EXE_xtask"));
    let hearth = xtask.with_file_name("hearth");
    assert!(hearth.exists(), "{} is not built: run the tests of the whole workspace", hearth.display());
    let arguments = ["storm", "--seed", seed, "--kills", "8", "--messages", "6", "--durability", durability];
    let output = Command::new(xtask).args(arguments).arg("--binary").arg(&hearth).output()?;
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}");
    assert!(said.contains("lost 0, said twice unmarked 0"), "{said}");
    Ok(())
}

#[test]
fn a_storm_loses_nothing_and_says_nothing_twice() -> std::io::Result<()> {
    storm("11", "process")
}

#[test]
fn a_storm_with_every_answer_synced_loses_nothing_either() -> std::io::Result<()> {
    storm("12", "power")
}
