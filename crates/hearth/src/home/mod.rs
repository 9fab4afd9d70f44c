//! The home folder: where everything of one Hearth lives, and what the files in it are called.

mod lock;
mod token;

use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

pub(crate) use lock::{HomeLock, holder};
pub(crate) use token::read_or_create as token;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::words::words;

/// A home folder, which may not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Home {
    root: PathBuf,
}

impl Home {
    /// The folder named on the command line, else by `HEARTH_HOME`, else `~/.hearth`; always absolute.
    pub(crate) fn locate(named: Option<&Path>, environment: &Environment) -> Result<Self, Failure> {
        let root = match (named, environment.filled("HEARTH_HOME"), environment.filled("HOME")) {
            (Some(named), _, _) => named.to_owned(),
            (None, Some(named), _) => PathBuf::from(named),
            (None, None, Some(user)) => Path::new(user).join(".hearth"),
            (None, None, None) => {
                return Err(Failure::new(
                    words!("no home folder: HOME is not set", "没有主目录：HOME 未设置"),
                    words!("name one with --home DIR", "请用 --home DIR 指定"),
                ));
            }
        };
        let root = std::path::absolute(&root).map_err(|error| Failure::of_file(&root, &error))?;
        Ok(Self { root })
    }

    /// Makes the folder and those in it that are always there, readable by its user only. The folders of a home that
    /// exists keep their permissions.
    pub(crate) fn create(&self) -> Result<(), Failure> {
        for folder in [self.root.clone(), self.workspace(), self.logs()] {
            std::fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(&folder)
                .map_err(|error| Failure::of_file(&folder, &error))?;
        }
        Ok(())
    }

    /// The folder itself.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The config.
    pub(crate) fn config(&self) -> PathBuf {
        self.root.join("config.toml")
    }

    /// Variables for the config.
    pub(crate) fn dot_env(&self) -> PathBuf {
        self.root.join(".env")
    }

    /// Who the agent is, in words.
    pub(crate) fn persona(&self) -> PathBuf {
        self.root.join("persona.md")
    }

    /// The folder tools work in.
    pub(crate) fn workspace(&self) -> PathBuf {
        self.root.join("workspace")
    }

    /// The folder of what tools have changed in the workspace.
    pub(crate) fn changes(&self) -> PathBuf {
        self.root.join("changes")
    }

    /// The folder of logs.
    pub(crate) fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// What a daemon that was started in the background said on its standard output and error.
    pub(crate) fn daemon_log(&self) -> PathBuf {
        self.logs().join("daemon.log")
    }

    /// The socket at which a running daemon answers.
    pub(crate) fn socket(&self) -> PathBuf {
        self.root.join("hearth.sock")
    }
}

/// Makes a file readable by its user only.
fn protect(file: &std::fs::File) -> std::io::Result<()> {
    file.set_permissions(std::fs::Permissions::from_mode(0o600))
}

#[cfg(test)]
mod tests;
