//! Removing things, and putting them back: folders and links as they were.

use std::os::fd::OwnedFd;

use hearth_contract::tool::ToolError;
use rustix::fs::{AtFlags, Dir, Mode, OFlags};
use rustix::io::Errno;

use super::{InsidePath, Workspace, trouble};

/// When something went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Removed {
    /// By this removal.
    Now,
    /// It was gone already.
    Before,
}

impl Workspace {
    /// The workspace itself.
    pub(crate) fn root_path(&self) -> InsidePath {
        InsidePath(std::path::PathBuf::new())
    }

    /// The folder something lies in.
    fn parent<'a>(&self, path: &'a InsidePath) -> Result<(OwnedFd, &'a std::ffi::OsStr), ToolError> {
        let (parent, name) = path.split()?;
        Ok((self.folder(&parent)?, name))
    }

    /// Whether there is anything, a link included.
    pub(crate) fn is_there(&self, path: &InsidePath) -> Result<bool, ToolError> {
        let (parent, name) = match self.parent(path) {
            Ok(found) => found,
            // A folder on the way is gone, and the rest with it.
            Err(ToolError::Failed { .. }) => return Ok(false),
            Err(error) => return Err(error),
        };
        match rustix::fs::statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => Ok(true),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(false),
            Err(errno) => Err(trouble(path, errno)),
        }
    }

    /// Removes a file, a link, or an empty folder.
    pub(crate) fn remove(&self, path: &InsidePath) -> Result<Removed, ToolError> {
        let (parent, name) = self.parent(path)?;
        let removed = match rustix::fs::unlinkat(&parent, name, AtFlags::empty()) {
            // Linux says ISDIR, POSIX says PERM.
            Err(Errno::ISDIR | Errno::PERM) => rustix::fs::unlinkat(&parent, name, AtFlags::REMOVEDIR),
            other => other,
        };
        match removed {
            Ok(()) => Ok(Removed::Now),
            Err(Errno::NOENT) => Ok(Removed::Before),
            Err(errno) => Err(trouble(path, errno)),
        }
    }

    /// Makes a folder whose own folder is there.
    pub(crate) fn make_folder(&self, path: &InsidePath) -> Result<(), ToolError> {
        let (parent, name) = self.parent(path)?;
        rustix::fs::mkdirat(&parent, name, Mode::from_raw_mode(0o700)).map_err(|errno| trouble(path, errno))
    }

    /// Makes a symbolic link. It may point anywhere; no tool follows it out of the workspace.
    pub(crate) fn link(&self, path: &InsidePath, target: &str) -> Result<(), ToolError> {
        let (parent, name) = self.parent(path)?;
        rustix::fs::symlinkat(target, &parent, name).map_err(|errno| trouble(path, errno))
    }

    /// Gives a file or a folder these permissions.
    pub(crate) fn set_mode(&self, path: &InsidePath, mode: u32) -> Result<(), ToolError> {
        let (parent, name) = self.parent(path)?;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let changed = match rustix::fs::openat(&parent, name, flags, Mode::empty()) {
            Ok(opened) => rustix::fs::fchmod(opened, Mode::from_raw_mode(mode)),
            // Its owner may change what even the owner may not read. Nobody but us works here now.
            Err(Errno::ACCESS) => {
                rustix::fs::chmodat(&parent, name, Mode::from_raw_mode(mode), AtFlags::empty())
            }
            Err(errno) => Err(errno),
        };
        changed.map_err(|errno| trouble(path, errno))
    }

    /// The names in a folder.
    pub(crate) fn names(&self, path: &InsidePath) -> Result<Vec<String>, ToolError> {
        let listed = Dir::read_from(self.folder(path)?).map_err(|errno| trouble(path, errno))?;
        let mut names = Vec::new();
        for found in listed {
            let name =
                found.map_err(|errno| trouble(path, errno))?.file_name().to_string_lossy().into_owned();
            if name != "." && name != ".." {
                names.push(name);
            }
        }
        Ok(names)
    }
}
