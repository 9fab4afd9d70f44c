//! What is in the workspace at a moment: of some paths, or of all.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;

use hearth_contract::tool::ToolError;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::store::Store;
use crate::workspace::Workspace;

/// Bytes of a file whose content is kept at most.
pub(super) const KEPT_FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Bytes of all files together whose content is kept at most, for one snapshot.
const KEPT_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Files, folders and links of a workspace that is kept at most.
pub(super) const ENTRIES_MAX: usize = 20_000;
/// How deep folders are looked into.
const DEPTH_MAX: usize = 64;
/// A file that changed this short a time before it was read may change again without its times showing it.
const TIMES_ARE_COARSE_NS: i64 = 2_000_000_000;

/// What a call may change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Scope {
    /// These paths, and the folders on the way to them.
    Paths(Vec<String>),
    /// All of the workspace.
    Whole,
}

/// Something in the workspace. Pipes, sockets and devices are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Entry {
    File { mode: u32, content: Content },
    Folder { mode: u32 },
    Link { target: String },
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Content {
    /// It is in the store, by its SHA-256.
    Kept { sha256: String },
    /// It was too large, or could not be read. That it changes is seen by what the file system says.
    NotKept { bytes: u64, mtime_ns: i64, inode: u64 },
}

impl Content {
    /// Its name in the store.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Kept { sha256 } => Some(sha256),
            Self::NotKept { .. } => None,
        }
    }
}

impl Entry {
    pub(super) fn content(&self) -> Option<&Content> {
        match self {
            Self::File { content, .. } => Some(content),
            Self::Folder { .. } | Self::Link { .. } => None,
        }
    }
}

/// By what a file is known to be unchanged without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    bytes: u64,
    mtime_ns: i64,
    ctime_ns: i64,
    inode: u64,
}

impl Stamp {
    /// The length of the file.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    fn of(stat: &Stat) -> Self {
        let nanos = |seconds: i64, nanos: u64| {
            seconds.saturating_mul(1_000_000_000).saturating_add(i64::try_from(nanos).unwrap_or(0))
        };
        Self {
            bytes: u64::try_from(stat.st_size).unwrap_or(0),
            mtime_ns: nanos(stat.st_mtime, stat.st_mtime_nsec),
            ctime_ns: nanos(stat.st_ctime, stat.st_ctime_nsec),
            inode: stat.st_ino,
        }
    }
}

/// The contents of files by path, as they were last seen.
pub(super) type Index = BTreeMap<String, (Stamp, String)>;

/// Why there is no snapshot.
pub(super) enum NoSnapshot {
    /// There is more than can be kept.
    TooMuch,
    /// The workspace or the store does not answer.
    Failed(ToolError),
}

impl From<io::Error> for NoSnapshot {
    fn from(error: io::Error) -> Self {
        Self::Failed(ToolError::Failed { reason: format!("what was there cannot be kept: {error}") })
    }
}

impl From<Errno> for NoSnapshot {
    fn from(errno: Errno) -> Self {
        io::Error::from(errno).into()
    }
}

/// Looks at what is there and keeps the contents of files.
pub(super) fn take(
    workspace: &Workspace,
    scope: &Scope,
    store: &mut Store,
) -> Result<BTreeMap<String, Entry>, NoSnapshot> {
    let now_ns = store.file_time_ns()?;
    let mut camera = Camera { store, seen: BTreeMap::new(), index: Index::new(), kept_bytes: 0, now_ns };
    match scope {
        Scope::Paths(paths) => {
            for path in paths {
                camera.path(workspace, path)?;
            }
        }
        Scope::Whole => {
            let root = workspace.folder(&workspace.root_path()).map_err(NoSnapshot::Failed)?;
            camera.folder(&root, "", 0)?;
        }
    }
    let Camera { seen, index, .. } = camera;
    store.seen((*scope == Scope::Whole).then_some(index))?;
    Ok(seen)
}

struct Camera<'a> {
    store: &'a mut Store,
    seen: BTreeMap<String, Entry>,
    index: Index,
    kept_bytes: u64,
    now_ns: i64,
}

impl Camera<'_> {
    /// A path and the folders on the way to it, as far as they are there.
    fn path(&mut self, workspace: &Workspace, path: &str) -> Result<(), NoSnapshot> {
        // A path that leads out is refused by the tool itself.
        let Ok(inside) = workspace.inside(path) else { return Ok(()) };
        for step in inside.steps() {
            let Ok((parent, name)) = step.split() else { return Ok(()) };
            let Ok(folder) = workspace.folder(&parent) else { return Ok(()) };
            match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT | Errno::NOTDIR) => return Ok(()),
                Err(errno) => return Err(errno.into()),
                Ok(stat) => self.entry(&folder, name, step.show(), &stat)?,
            }
        }
        Ok(())
    }

    fn folder(&mut self, folder: &OwnedFd, prefix: &str, depth: usize) -> Result<(), NoSnapshot> {
        if depth >= DEPTH_MAX {
            return Err(NoSnapshot::TooMuch);
        }
        for found in Dir::read_from(folder)? {
            let found = found?;
            // A name that is no UTF-8 has no path that a record could hold.
            let name = found.file_name().to_str().map_err(|_| NoSnapshot::TooMuch)?.to_owned();
            if name == "." || name == ".." {
                continue;
            }
            let stat = match rustix::fs::statat(folder, name.as_str(), AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => continue,
                other => other?,
            };
            let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
            self.entry(folder, name.as_ref(), path.clone(), &stat)?;
            if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                match rustix::fs::openat(folder, name.as_str(), flags, Mode::empty()) {
                    Ok(inner) => self.folder(&inner, &path, depth + 1)?,
                    // It has gone meanwhile; the comparison afterwards tells.
                    Err(Errno::NOENT) => {}
                    Err(errno) => return Err(errno.into()),
                }
            }
        }
        Ok(())
    }

    fn entry(
        &mut self,
        folder: &OwnedFd,
        name: &std::ffi::OsStr,
        path: String,
        stat: &Stat,
    ) -> Result<(), NoSnapshot> {
        if self.seen.len() >= ENTRIES_MAX {
            return Err(NoSnapshot::TooMuch);
        }
        let mode = stat.st_mode & 0o7777;
        let entry = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Entry::File { mode, content: self.content(folder, name, &path, stat)? },
            FileType::Directory => Entry::Folder { mode },
            FileType::Symlink => {
                let target = rustix::fs::readlinkat(folder, name, Vec::new())?;
                Entry::Link { target: target.into_string().map_err(|_| NoSnapshot::TooMuch)? }
            }
            _ => return Ok(()),
        };
        self.seen.insert(path, entry);
        Ok(())
    }

    fn content(
        &mut self,
        folder: &OwnedFd,
        name: &std::ffi::OsStr,
        path: &str,
        stat: &Stat,
    ) -> Result<Content, NoSnapshot> {
        let stamp = Stamp::of(stat);
        let not_kept = Content::NotKept { bytes: stamp.bytes, mtime_ns: stamp.mtime_ns, inode: stamp.inode };
        if let Some(sha256) = self.store.known(path, &stamp) {
            self.index.insert(path.to_owned(), (stamp, sha256.clone()));
            return Ok(Content::Kept { sha256 });
        }
        if stamp.bytes > KEPT_FILE_BYTES_MAX || self.kept_bytes + stamp.bytes > KEPT_BYTES_MAX {
            return Ok(not_kept);
        }
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Ok(file) = rustix::fs::openat(folder, name, flags, Mode::empty()) else { return Ok(not_kept) };
        let mut bytes = Vec::new();
        let read = File::from(file).take(KEPT_FILE_BYTES_MAX + 1).read_to_end(&mut bytes);
        if read.is_err() || bytes.len() as u64 > KEPT_FILE_BYTES_MAX {
            return Ok(not_kept);
        }
        self.kept_bytes += bytes.len() as u64;
        let sha256 = self.store.keep(&bytes)?;
        if stamp.ctime_ns < self.now_ns - TIMES_ARE_COARSE_NS {
            self.index.insert(path.to_owned(), (stamp, sha256.clone()));
        }
        Ok(Content::Kept { sha256 })
    }
}
