//! The folder tools work in, which file tools never leave.
//!
//! Every path is opened relative to a handle of the folder, and the kernel itself refuses whatever leads out of it
//! (`openat2` with `RESOLVE_BENEATH`, Linux 5.6): there is no moment between a check and a use in which a link could
//! be swapped. Where `openat2` is missing, a walk by single components follows no link at all.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use hearth_contract::tool::ToolError;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags, ResolveFlags};
use rustix::io::Errno;

use crate::arguments::invalid;

/// How deep below the workspace a path may go.
const PATH_DEPTH_MAX: usize = 64;
/// How often an interrupted resolution is tried again (`openat2` answers EAGAIN when a folder is moved meanwhile).
const RESOLVE_TRIES_MAX: usize = 16;

mod restore;

pub(crate) use restore::Removed;

/// An open workspace.
#[derive(Debug)]
pub(crate) struct Workspace {
    root: OwnedFd,
    path: PathBuf,
}

/// A path inside the workspace, relative to it and without `..`. Empty for the workspace itself. That it leads out by
/// a link is found when it is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InsidePath(PathBuf);

impl InsidePath {
    /// As the model reads it.
    pub(crate) fn show(&self) -> String {
        if self.0.as_os_str().is_empty() { ".".to_owned() } else { self.0.display().to_string() }
    }

    /// The folder and the name in it; an error for the workspace itself.
    pub(crate) fn split(&self) -> Result<(InsidePath, &std::ffi::OsStr), ToolError> {
        match (self.0.parent(), self.0.file_name()) {
            (Some(parent), Some(name)) => Ok((InsidePath(parent.to_owned()), name)),
            _ => Err(invalid("`path` is the workspace itself; give the path of a file in it")),
        }
    }
}

impl InsidePath {
    /// The folders on the way, from the top, and then the path itself.
    pub(crate) fn steps(&self) -> Vec<InsidePath> {
        let steps = self.0.ancestors().filter(|path| !path.as_os_str().is_empty());
        let mut steps: Vec<InsidePath> = steps.map(|path| InsidePath(path.to_owned())).collect();
        steps.reverse();
        steps
    }
}

/// Whether a file may be there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    /// It must not be.
    Refuse,
    /// Its content is replaced.
    Replace,
}

impl Workspace {
    /// Opens it.
    pub(crate) fn open(path: &Path) -> Result<Self, ToolError> {
        let failed = |error: io::Error| ToolError::Failed {
            reason: format!("the workspace {} cannot be opened: {error}", path.display()),
        };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open(path, flags, Mode::empty()).map_err(|errno| failed(errno.into()))?;
        Ok(Self { root, path: path.to_owned() })
    }

    /// Reads a path as a model writes it: relative, or absolute inside the workspace.
    pub(crate) fn inside(&self, text: &str) -> Result<InsidePath, ToolError> {
        if text.contains('\0') {
            return Err(invalid("`path` holds a zero character"));
        }
        let given = Path::new(text);
        let relative = if given.is_absolute() {
            let real = std::fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
            let inside = given.strip_prefix(&self.path).or_else(|_| given.strip_prefix(&real));
            inside.map_err(|_| outside(text, "it is absolute"))?
        } else {
            given
        };
        if text == "~" || text.starts_with("~/") {
            return Err(outside(text, "it begins at a home folder"));
        }
        let mut clean = PathBuf::new();
        for component in relative.components() {
            match component {
                Component::Normal(name) => clean.push(name),
                Component::CurDir => {}
                Component::ParentDir => return Err(outside(text, "it contains `..`")),
                Component::RootDir | Component::Prefix(_) => return Err(outside(text, "it is absolute")),
            }
        }
        if clean.components().count() > PATH_DEPTH_MAX {
            return Err(invalid(format!("`path` is deeper than {PATH_DEPTH_MAX} folders")));
        }
        Ok(InsidePath(clean))
    }

    /// Opens a regular file for reading.
    pub(crate) fn file(&self, path: &InsidePath) -> Result<File, ToolError> {
        self.file_if_there(path)?.ok_or_else(|| trouble(path, Errno::NOENT))
    }

    /// Opens a regular file for reading; none if there is nothing of this name.
    pub(crate) fn file_if_there(&self, path: &InsidePath) -> Result<Option<File>, ToolError> {
        // Without NONBLOCK opening a named pipe would wait for its other end.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = match self.resolve(path, flags) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(trouble(path, errno)),
        };
        match file_type(&file).map_err(|errno| trouble(path, errno))? {
            FileType::RegularFile => Ok(Some(File::from(file))),
            FileType::Directory => {
                Err(failed(format!("{} is a folder; list_dir shows what is in it", path.show())))
            }
            _ => Err(denied(format!("{} is no regular file", path.show()))),
        }
    }

    /// Opens a folder.
    pub(crate) fn folder(&self, path: &InsidePath) -> Result<OwnedFd, ToolError> {
        self.resolve(path, OFlags::RDONLY | OFlags::DIRECTORY).map_err(|errno| trouble(path, errno))
    }

    /// Writes a file whole: into a new one beside it, which then takes its name, so that nobody ever sees half of it.
    /// Missing folders are made. `mark` is put on the file (see [`Workspace::has_mark`]); it must be unique.
    pub(crate) fn write(
        &self,
        path: &InsidePath,
        content: &[u8],
        existing: Existing,
        mark: &str,
    ) -> Result<(), ToolError> {
        let (parent, name) = path.split()?;
        let folder = self.make_folders(&parent)?;
        let mode = self.mode_to_keep(&folder, name, path)?;
        let temporary = format!(".hearth-{mark}.tmp");
        let trouble = |errno| trouble(path, errno);
        // One may be left from a Hearth that was killed while it wrote.
        let _ = rustix::fs::unlinkat(&folder, temporary.as_str(), AtFlags::empty());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&folder, temporary.as_str(), flags, mode).map_err(trouble)?;
        let marks = with_mark(self.marks(path).unwrap_or_default(), mark);
        let written = fill(file, content, mode, &marks)
            .and_then(|()| Ok(take_name(&folder, &temporary, name, existing)?))
            .and_then(|()| Ok(rustix::fs::fsync(&folder)?));
        written.map_err(|error| {
            let _ = rustix::fs::unlinkat(&folder, temporary.as_str(), AtFlags::empty());
            match Errno::from_io_error(&error) {
                Some(Errno::EXIST) if existing == Existing::Refuse => failed(format!(
                    "{} is there already; use mode overwrite to replace it, append to add to it, or edit_file",
                    path.show()
                )),
                Some(errno) => trouble(errno),
                None => failed(format!("{}: {error}", path.show())),
            }
        })
    }

    /// Whether the file was written under this mark, one of the newest [`MARKS_MAX`]. None if the file system keeps
    /// no marks or there is no file.
    pub(crate) fn has_mark(&self, path: &InsidePath, mark: &str) -> Option<bool> {
        self.marks(path).map(|marks| marks.split(' ').any(|one| one == mark))
    }

    /// The marks of a file, separated by blanks, oldest first. None if there is no file or it can have none.
    fn marks(&self, path: &InsidePath) -> Option<String> {
        let file = self.file(path).ok()?;
        let mut value = [0u8; MARKS_BYTES_MAX];
        match rustix::fs::fgetxattr(&file, MARK_ATTRIBUTE, &mut value) {
            Ok(length) => Some(String::from_utf8_lossy(value.get(..length)?).into_owned()),
            Err(Errno::NODATA) => Some(String::new()),
            Err(_) => None,
        }
    }

    /// The permissions of the file that is replaced; an error if something else than a file bears the name.
    fn mode_to_keep(
        &self,
        folder: &OwnedFd,
        name: &std::ffi::OsStr,
        path: &InsidePath,
    ) -> Result<Mode, ToolError> {
        match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => Ok(Mode::from_raw_mode(0o644)),
            Err(errno) => Err(trouble(path, errno)),
            Ok(stat) => match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => Ok(Mode::from_raw_mode(stat.st_mode) & Mode::from_raw_mode(0o777)),
                FileType::Directory => Err(failed(format!("{} is a folder", path.show()))),
                FileType::Symlink => Err(denied(format!(
                    "{} is a symbolic link; write to the file it points at, by its own path",
                    path.show()
                ))),
                _ => Err(denied(format!("{} is no regular file", path.show()))),
            },
        }
    }

    /// Opens a folder, making it and those above it where they are missing.
    fn make_folders(&self, path: &InsidePath) -> Result<OwnedFd, ToolError> {
        let mut reached = InsidePath(PathBuf::new());
        let mut folder = self.folder(&reached)?;
        for component in path.0.components() {
            reached.0.push(component);
            match rustix::fs::mkdirat(&folder, component.as_os_str(), Mode::from_raw_mode(0o755)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(trouble(&reached, errno)),
            }
            folder = self.folder(&reached)?;
        }
        Ok(folder)
    }

    fn resolve(&self, path: &InsidePath, flags: OFlags) -> Result<OwnedFd, Errno> {
        let flags = flags | OFlags::CLOEXEC;
        let target = if path.0.as_os_str().is_empty() { Path::new(".") } else { path.0.as_path() };
        let rules = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        for _ in 0..RESOLVE_TRIES_MAX {
            match rustix::fs::openat2(&self.root, target, flags, Mode::empty(), rules) {
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(Errno::NOSYS) => return self.walk(&path.0, flags),
                other => return other,
            }
        }
        Err(Errno::AGAIN)
    }

    /// Opens a path by single components, following no link.
    fn walk(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        let step = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut folder = rustix::fs::openat(&self.root, ".", step, Mode::empty())?;
        let mut components = path.components().peekable();
        if components.peek().is_none() {
            return rustix::fs::openat(&folder, ".", flags, Mode::empty());
        }
        while let Some(component) = components.next() {
            let last = components.peek().is_none();
            let flags = if last { flags | OFlags::NOFOLLOW } else { step };
            folder = rustix::fs::openat(&folder, component.as_os_str(), flags, Mode::empty())?;
        }
        Ok(folder)
    }
}

/// How many marks a file keeps: between a crash and the next start of one session, others write to the same file.
const MARKS_MAX: usize = 48;
/// What the file systems of Linux keep in one extended attribute at least.
const MARKS_BYTES_MAX: usize = 4000;

/// The marks of a file after one more writing.
fn with_mark(marks: String, mark: &str) -> String {
    let mut kept: Vec<&str> = marks.split(' ').filter(|one| !one.is_empty()).chain([mark]).collect();
    let too_many = kept.len().saturating_sub(MARKS_MAX);
    kept.drain(..too_many);
    kept.join(" ")
}

/// The extended attribute that holds the marks of the calls that wrote a file.
const MARK_ATTRIBUTE: &str = "user.hearth.call";

fn fill(file: OwnedFd, content: &[u8], mode: Mode, marks: &str) -> io::Result<()> {
    // The process's umask must not take away what the file had.
    rustix::fs::fchmod(&file, mode)?;
    // Not every file system keeps marks; a probe then looks at the content.
    let _ = rustix::fs::fsetxattr(&file, MARK_ATTRIBUTE, marks.as_bytes(), rustix::fs::XattrFlags::empty());
    let mut file = File::from(file);
    file.write_all(content)?;
    file.sync_all()
}

fn take_name(
    folder: &OwnedFd,
    temporary: &str,
    name: &std::ffi::OsStr,
    existing: Existing,
) -> Result<(), Errno> {
    match existing {
        Existing::Replace => rustix::fs::renameat(folder, temporary, folder, name),
        Existing::Refuse => {
            match rustix::fs::renameat_with(folder, temporary, folder, name, RenameFlags::NOREPLACE) {
                // File systems without that flag: a second name is refused just the same if the first is taken.
                Err(Errno::INVAL | Errno::NOSYS) => {
                    rustix::fs::linkat(folder, temporary, folder, name, AtFlags::empty())?;
                    rustix::fs::unlinkat(folder, temporary, AtFlags::empty())
                }
                other => other,
            }
        }
    }
}

/// Reads a file that must be text; at most `bytes_max`.
pub(crate) fn read_text(mut file: File, path: &InsidePath, bytes_max: u64) -> Result<String, ToolError> {
    let mut bytes = Vec::new();
    let read = Read::by_ref(&mut file).take(bytes_max + 1).read_to_end(&mut bytes);
    read.map_err(|error| failed(format!("{} cannot be read: {error}", path.show())))?;
    if bytes.len() as u64 > bytes_max {
        return Err(failed(format!(
            "{} is larger than {bytes_max} bytes; use search_files, or run_shell with head, tail or sed",
            path.show()
        )));
    }
    if bytes.contains(&0) {
        return Err(failed(format!("{} is a binary file ({} bytes)", path.show(), bytes.len())));
    }
    String::from_utf8(bytes).map_err(|_| {
        failed(format!(
            "{} is no UTF-8 text; if it is Chinese in GBK, convert it with run_shell: iconv -f GB18030 -t UTF-8",
            path.show()
        ))
    })
}

pub(crate) fn file_type(file: impl AsFd) -> Result<FileType, Errno> {
    Ok(FileType::from_raw_mode(rustix::fs::fstat(file)?.st_mode))
}

fn outside(text: &str, why: &str) -> ToolError {
    denied(format!("`{text}` is outside the workspace: {why}. Give a path relative to the workspace"))
}

fn denied(reason: String) -> ToolError {
    ToolError::Denied { reason }
}

pub(crate) fn failed(reason: String) -> ToolError {
    ToolError::Failed { reason }
}

/// What a system error means for the model.
pub(crate) fn trouble(path: &InsidePath, errno: Errno) -> ToolError {
    let path = path.show();
    match errno {
        Errno::XDEV => denied(format!("`{path}` is outside the workspace: a symbolic link in it leads out")),
        Errno::LOOP => {
            denied(format!("`{path}` cannot be followed: a symbolic link in it is not allowed or endless"))
        }
        Errno::NOENT => failed(format!("{path} does not exist; list_dir shows what is there")),
        Errno::NOTDIR => failed(format!("{path}: a part of the path is a file, not a folder")),
        Errno::ACCESS | Errno::PERM => failed(format!("{path}: the system does not permit it")),
        Errno::NOTEMPTY => failed(format!("{path} is a folder with something in it; remove that first")),
        Errno::NOSPC | Errno::DQUOT => failed(format!("{path}: the disk is full")),
        Errno::NAMETOOLONG => invalid("`path` has a name longer than the file system takes"),
        other => failed(format!("{path}: {}", io::Error::from(other))),
    }
}

#[cfg(test)]
mod tests;
