//! Tests of the home folder, its lock and its token.

use std::os::unix::fs::PermissionsExt;

use super::*;

fn home() -> (tempfile::TempDir, Home) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home { root: folder.path().join("home") };
    home.create().unwrap();
    (folder, home)
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn the_command_line_wins_over_the_environment_and_that_over_the_default() {
    let both = Environment::of(&[("HEARTH_HOME", "/env"), ("HOME", "/user")]);
    let user = Environment::of(&[("HOME", "/user"), ("HEARTH_HOME", "")]);
    assert_eq!(Home::locate(Some(Path::new("/named")), &both).unwrap().root(), Path::new("/named"));
    assert_eq!(Home::locate(None, &both).unwrap().root(), Path::new("/env"));
    assert_eq!(Home::locate(None, &user).unwrap().root(), Path::new("/user/.hearth"));
    assert!(Home::locate(None, &Environment::of(&[])).unwrap_err().hint.en.contains("--home"));
}

#[test]
fn only_its_user_can_read_a_new_home() {
    let (_folder, home) = home();
    assert_eq!(mode(home.root()), 0o700);
    assert_eq!(mode(&home.workspace()), 0o700);
    home.create().expect("making it again changes nothing");
}

#[test]
fn a_home_that_cannot_be_made_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let failure = Home { root: file.join("home") }.create().unwrap_err();
    assert!(failure.hint.en.contains("a file is where a folder should be"), "{failure:?}");
}

#[test]
fn a_second_lock_names_the_process_that_has_the_first() {
    let (_folder, home) = home();
    assert_eq!(holder(&home), None);
    let lock = HomeLock::acquire(&home).unwrap();
    let pid = std::process::id();
    assert_eq!(holder(&home), Some(pid));
    let failure = HomeLock::acquire(&home).unwrap_err();
    assert!(failure.what.en.contains(&format!("process {pid}")), "{failure:?}");
    assert!(failure.hint.zh.contains("--home"), "{failure:?}");
    drop(lock);
    assert_eq!(holder(&home), None);
    HomeLock::acquire(&home).expect("free again");
}

#[test]
fn the_token_is_made_once_and_kept_from_others() {
    let (_folder, home) = home();
    assert_eq!(super::token::read(&home).unwrap(), None);
    let first = token(&home).unwrap();
    assert_eq!(first.len(), 64);
    assert_eq!(token(&home).unwrap(), first);
    assert_eq!(mode(&home.root().join("token")), 0o600);
    let left: Vec<_> =
        std::fs::read_dir(home.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with(".token")), "{left:?}");
}

#[test]
fn a_broken_token_file_is_not_taken_for_a_token() {
    let (_folder, home) = home();
    std::fs::write(home.root().join("token"), "short").unwrap();
    assert!(token(&home).unwrap_err().what.en.contains("does not hold a token"));
}
