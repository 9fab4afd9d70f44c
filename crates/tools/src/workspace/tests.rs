//! Tests of the confinement: each way out is tried by name, by both ways of opening.

use std::os::unix::fs::symlink;

use super::*;

/// A workspace beside a secret.
struct Fixture {
    workspace: Workspace,
    outer: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let outer = tempfile::tempdir().unwrap();
        let inner = outer.path().join("workspace");
        std::fs::create_dir_all(inner.join("folder")).unwrap();
        std::fs::write(outer.path().join("secret.txt"), "secret").unwrap();
        std::fs::write(inner.join("folder/购物清单.md"), "乌龙茶").unwrap();
        Self { workspace: Workspace::open(&inner).unwrap(), outer }
    }

    fn inner(&self) -> PathBuf {
        self.outer.path().join("workspace")
    }

    fn read(&self, path: &str) -> Result<String, String> {
        let read = |path: &str| {
            let path = self.workspace.inside(path)?;
            read_text(self.workspace.file(&path)?, &path, 1000)
        };
        read(path).map_err(|error| error.to_string())
    }

    fn write(&self, path: &str) -> Result<(), String> {
        let write = |path: &str| {
            let path = self.workspace.inside(path)?;
            self.workspace.write(&path, b"written", Existing::Replace, "call_1")
        };
        write(path).map_err(|error| error.to_string())
    }

    /// Nothing outside has changed and nothing is left over inside.
    fn assert_untouched(&self) {
        assert_eq!(std::fs::read_to_string(self.outer.path().join("secret.txt")).unwrap(), "secret");
        let mut names: Vec<_> =
            std::fs::read_dir(self.outer.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["secret.txt", "workspace"]);
    }
}

#[test]
fn paths_inside_are_read_in_every_way_of_writing_them() {
    let fixture = Fixture::new();
    let absolute = fixture.inner().join("folder/购物清单.md");
    for path in ["folder/购物清单.md", "./folder//./购物清单.md", absolute.to_str().unwrap()] {
        assert_eq!(fixture.read(path).unwrap(), "乌龙茶", "{path}");
    }
    symlink("folder/购物清单.md", fixture.inner().join("link inside")).unwrap();
    assert_eq!(fixture.read("link inside").unwrap(), "乌龙茶");
}

#[test]
fn every_way_out_is_refused_by_name() {
    let fixture = Fixture::new();
    let inner = fixture.inner();
    let secret = fixture.outer.path().join("secret.txt");
    symlink("../secret.txt", inner.join("relative link")).unwrap();
    symlink(&secret, inner.join("absolute link")).unwrap();
    symlink("..", inner.join("folder link")).unwrap();
    symlink("folder link", inner.join("link to link")).unwrap();
    symlink("/proc/self/root", inner.join("root link")).unwrap();
    symlink("/proc/self/cwd", inner.join("cwd link")).unwrap();
    symlink("loop b", inner.join("loop a")).unwrap();
    symlink("loop a", inner.join("loop b")).unwrap();
    let absolute = secret.to_str().unwrap();
    let root_link = format!("root link{absolute}");
    let dotted = format!("{}/../secret.txt", inner.display());
    let look_alike = format!("{}-other/secret.txt", inner.display());
    for path in [
        "..",
        "../secret.txt",
        "folder/../../secret.txt",
        "folder/../folder/购物清单.md",
        absolute,
        "/etc/passwd",
        "/proc/self/root/etc/passwd",
        "~/secret.txt",
        &dotted,
        &look_alike,
        "relative link",
        "absolute link",
        "folder link/secret.txt",
        "link to link/secret.txt",
        &root_link,
        "cwd link/Cargo.toml",
        "loop a",
    ] {
        let error = fixture.read(path).unwrap_err();
        assert!(error.contains("not allowed") || error.contains("workspace"), "{path}: {error}");
        let error = fixture.write(path).unwrap_err();
        assert!(error.contains("not allowed") || error.contains("workspace"), "{path}: {error}");
    }
    fixture.assert_untouched();
}

#[test]
fn without_openat2_no_link_is_followed_at_all() {
    let fixture = Fixture::new();
    let inner = fixture.inner();
    symlink("folder", inner.join("folder link")).unwrap();
    symlink("../secret.txt", inner.join("file link")).unwrap();
    let walk = |path: &str| fixture.workspace.walk(Path::new(path), OFlags::RDONLY | OFlags::CLOEXEC);
    assert!(walk("folder/购物清单.md").is_ok());
    assert!(walk("").is_ok());
    for path in ["folder link/购物清单.md", "file link"] {
        assert!(matches!(walk(path), Err(Errno::LOOP | Errno::NOTDIR)), "{path}");
    }
}

#[test]
fn a_folder_that_is_swapped_for_a_link_while_it_is_used_leads_nowhere() {
    let fixture = Fixture::new();
    let inner = fixture.inner();
    std::fs::write(inner.join("folder/secret.txt"), "harmless").unwrap();
    symlink("..", inner.join("spare")).unwrap();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // The folder and the link out trade their names, over and over.
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let folder =
                    rustix::fs::open(&inner, OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).unwrap();
                rustix::fs::renameat_with(&folder, "folder", &folder, "spare", RenameFlags::EXCHANGE)
                    .unwrap();
            }
        });
        let mut answers = std::collections::BTreeMap::new();
        while answers.len() < 2 || answers.values().sum::<u32>() < 2_000 {
            let kind = match fixture.read("folder/secret.txt") {
                Ok(text) => {
                    assert_eq!(text, "harmless");
                    "read"
                }
                Err(_) => "refused",
            };
            *answers.entry(kind).or_insert(0u32) += 1;
            let _ = fixture.write("folder/secret.txt.new");
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    fixture.assert_untouched();
}

#[test]
fn only_regular_files_are_read_or_replaced() {
    let fixture = Fixture::new();
    let inner = fixture.inner();
    let pipe = rustix::fs::CWD;
    rustix::fs::mknodat(pipe, inner.join("pipe"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    std::fs::write(inner.join("binary"), b"\x7fELF\0\0").unwrap();
    std::fs::write(inner.join("gbk"), b"\xce\xda\xc1\xfa\xb2\xe8").unwrap();
    symlink("binary", inner.join("link")).unwrap();
    for (path, part) in [
        ("pipe", "no regular file"),
        ("binary", "binary file"),
        ("gbk", "GB18030"),
        ("folder", "is a folder"),
        ("missing", "does not exist"),
        ("binary/x", "not a folder"),
        (".", "is a folder"),
    ] {
        assert!(fixture.read(path).unwrap_err().contains(part), "{path}: {:?}", fixture.read(path));
    }
    for (path, part) in [
        ("pipe", "no regular file"),
        ("folder", "is a folder"),
        ("link", "symbolic link"),
        (".", "workspace itself"),
        ("binary/x", "not a folder"),
    ] {
        assert!(fixture.write(path).unwrap_err().contains(part), "{path}: {:?}", fixture.write(path));
    }
}

#[test]
fn writing_makes_folders_keeps_permissions_and_leaves_nothing_over() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new();
    fixture.write("新/深/文件.txt").unwrap();
    assert_eq!(fixture.read("新/深/文件.txt").unwrap(), "written");
    let script = fixture.inner().join("run.sh");
    std::fs::write(&script, "old").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o750)).unwrap();
    // What a Hearth that was killed while it wrote has left.
    std::fs::write(fixture.inner().join(".hearth-call_1.tmp"), "half").unwrap();
    fixture.write("run.sh").unwrap();
    assert_eq!(std::fs::metadata(&script).unwrap().permissions().mode() & 0o777, 0o750);
    let names: Vec<_> = std::fs::read_dir(fixture.inner()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
fn an_existing_file_is_refused_where_it_must_be_new() {
    let fixture = Fixture::new();
    let path = fixture.workspace.inside("folder/购物清单.md").unwrap();
    let error = fixture.workspace.write(&path, b"new", Existing::Refuse, "call_2").unwrap_err().to_string();
    assert!(error.contains("is there already") && error.contains("overwrite"), "{error}");
    assert_eq!(fixture.read("folder/购物清单.md").unwrap(), "乌龙茶");
    assert_eq!(std::fs::read_dir(fixture.inner().join("folder")).unwrap().count(), 1);
}
