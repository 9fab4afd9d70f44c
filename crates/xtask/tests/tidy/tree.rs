//! The files of the project.

use std::path::{Path, PathBuf};

/// A file of the project.
#[derive(Debug)]
pub(crate) struct SourceFile {
    /// From the root of the project, with `/`.
    pub(crate) path: String,
    /// What is in it.
    pub(crate) text: String,
}

/// The root of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("crates/xtask is two levels down")
        .to_owned()
}

/// Every file with one of these endings under these folders of the project.
pub(crate) fn files(folders: &[&str], endings: &[&str]) -> Vec<SourceFile> {
    let root = root();
    let mut found = Vec::new();
    for folder in folders {
        collect(&root.join(folder), endings, &mut found);
    }
    found.sort();
    let read = |path: PathBuf| {
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let path = path.strip_prefix(&root).expect("is under the root").to_string_lossy().replace('\\', "/");
        SourceFile { path, text }
    };
    found.into_iter().map(read).collect()
}

fn collect(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("a folder can be listed").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && name != "node_modules" && !name.starts_with('.') {
                collect(&path, endings, found);
            }
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
}

/// Fails with every complaint, or when nothing was looked at.
pub(crate) fn assert_tidy(rule: &str, looked_at: usize, complaints: &[String]) {
    assert!(looked_at > 0, "{rule}: looked at nothing");
    assert!(complaints.is_empty(), "{rule}:\n  {}", complaints.join("\n  "));
}
