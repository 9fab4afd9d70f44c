//! The token that lets a client in: made once, readable by its user only.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::{Home, protect};
use crate::failure::Failure;
use crate::words::words;

/// Random bytes of a token; it is written with two hexadecimal digits a byte.
const TOKEN_BYTES: usize = 32;

fn path(home: &Home) -> PathBuf {
    home.root().join("token")
}

/// The token of this home, if it has one.
pub(crate) fn read(home: &Home) -> Result<Option<String>, Failure> {
    let path = path(home);
    match std::fs::read_to_string(&path) {
        Ok(text) => checked(&path, text.trim()).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::of_file(&path, &error)),
    }
}

/// The token of this home, made if it has none. Of two processes that make it at once, one wins and both get that.
pub(crate) fn read_or_create(home: &Home) -> Result<String, Failure> {
    if let Some(token) = read(home)? {
        return Ok(token);
    }
    let path = path(home);
    let draft = home.root().join(format!(".token.{}", std::process::id()));
    let linked = write_draft(&draft).and_then(|()| std::fs::hard_link(&draft, &path));
    let removed = std::fs::remove_file(&draft);
    match linked {
        Ok(()) => removed.map_err(|error| Failure::of_file(&draft, &error))?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(Failure::of_file(&path, &error)),
    }
    read(home)?.ok_or_else(|| Failure::of_file(&path, &ErrorKind::NotFound.into()))
}

fn write_draft(draft: &Path) -> std::io::Result<()> {
    let bytes: [u8; TOKEN_BYTES] = rand::random();
    let token: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(draft)?;
    protect(&file)?;
    writeln!(file, "{token}")?;
    file.sync_all()
}

fn checked(path: &Path, token: &str) -> Result<String, Failure> {
    let right = token.len() == TOKEN_BYTES * 2 && token.bytes().all(|byte| byte.is_ascii_hexdigit());
    if right {
        return Ok(token.to_owned());
    }
    let path = path.display();
    Err(Failure::new(
        words!("{path} does not hold a token", "{path} 里不是有效的令牌"),
        words!(
            "remove the file; a new token is made at the next start",
            "请删除该文件，下次启动会生成新的令牌"
        ),
    ))
}
