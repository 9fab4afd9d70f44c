//! Tests of what `init` writes.

use super::*;
use crate::config;
use crate::environment::Environment;
use crate::home::Home;

fn home() -> (tempfile::TempDir, Home) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::locate(Some(&folder.path().join("home")), &Environment::default()).unwrap();
    home.create().unwrap();
    (folder, home)
}

/// The config with every comment that is a line of TOML made one.
fn uncommented(text: &str) -> String {
    let is_toml = |line: &str| line.contains(" = ") || line.starts_with('[');
    let lines = text.lines().map(|line| match line.strip_prefix("# ") {
        Some(rest) if is_toml(rest) => rest,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_key_of_the_first_config_is_right() {
    let (_folder, home) = home();
    for choice in [
        Choice::Offline,
        Choice::Source {
            kind: "openai",
            base_url: "http://localhost:1/\"v1\"".into(),
            model: "m".into(),
            key: Some(("DEEPSEEK_API_KEY", None)),
        },
    ] {
        let environment = Environment::of(&[("DEEPSEEK_API_KEY", "k")]);
        let text = uncommented(&CONFIG.replace(SOURCES_MARK, &choice.section()));
        std::fs::write(home.config(), &text).unwrap();
        let config =
            config::load(&home, &environment).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
        assert_eq!(config.sources.keys().collect::<Vec<_>>(), ["main"]);
        assert!(text.contains("\ntool_rounds_max = 10\n"), "{text}");
    }
}

#[test]
fn a_file_that_is_there_stays() {
    let (_folder, home) = home();
    std::fs::write(home.config(), "mine").unwrap();
    assert_eq!(write(&home.config(), "new", &mut |_| Ok(false)).unwrap(), Written::Kept);
    assert_eq!(std::fs::read_to_string(home.config()).unwrap(), "mine");
    assert_eq!(write(&home.config(), "new", &mut |_| Ok(true)).unwrap(), Written::New);
    assert_eq!(std::fs::read_to_string(home.config()).unwrap(), "new");
}

#[test]
fn a_key_is_kept_so_that_it_is_read_again() {
    let (_folder, home) = home();
    append_variable(&home.dot_env(), "KEY", "first").unwrap();
    append_variable(&home.dot_env(), "KEY", "a\"b\\c #d").unwrap();
    let environment = Environment::default().with_file(&home.dot_env()).unwrap();
    assert_eq!(environment.filled("KEY"), Some("a\"b\\c #d"));
}
