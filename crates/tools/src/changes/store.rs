//! The folder of records and of the contents they need.
//!
//! `records/NUMBER-TIME-CALL.json` is a record, `contents/SHA256` the content of a file, `index.json` what the contents of the
//! workspace's files were when they were last seen, so that an unchanged file is not read again.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use hearth_contract::clock::UnixMs;
use sha2::{Digest, Sha256};

use super::record::{Record, State};
use super::snapshot::{Index, KEPT_FILE_BYTES_MAX, Stamp};

/// Records kept at most.
pub(super) const RECORDS_MAX: usize = 100;
/// How long a record is kept, in milliseconds: 30 days.
pub(super) const RECORD_AGE_MAX_MS: i64 = 30 * 24 * 3_600_000;
/// Bytes of contents for which records are kept; beyond that the oldest go early.
const CONTENTS_BYTES_MAX: u64 = 2 * 1024 * 1024 * 1024;

/// Contents of one snapshot that are synced one by one. The first look at a large workspace writes more; the rest may be
/// lost by a power cut in the following seconds, which is found out by their length or their hash.
const SYNCED_CONTENTS_MAX: usize = 64;

#[derive(Debug)]
pub(super) struct Store {
    root: PathBuf,
    index: Option<Index>,
    /// How many contents the snapshot under way has written.
    written: usize,
}

impl Store {
    pub(super) fn new(root: PathBuf) -> Self {
        Self { root, index: None, written: 0 }
    }

    fn records(&self) -> PathBuf {
        self.root.join("records")
    }

    fn contents(&self) -> PathBuf {
        self.root.join("contents")
    }

    fn create(&self) -> io::Result<()> {
        for folder in [self.records(), self.contents()] {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        Ok(())
    }

    /// What time it is for the files: the clock of the file system, not ours.
    pub(super) fn file_time_ns(&self) -> io::Result<i64> {
        self.create()?;
        let path = self.root.join("now");
        fs::write(&path, b"")?;
        let stat = fs::metadata(&path)?;
        Ok(stat.mtime().saturating_mul(1_000_000_000).saturating_add(stat.mtime_nsec()))
    }

    /// The name of a file's content, if the file is known to be unchanged and its content is kept.
    pub(super) fn known(&mut self, path: &str, stamp: &Stamp) -> Option<String> {
        let contents = self.contents();
        let index = self.index.get_or_insert_with(|| {
            // An index that cannot be read only costs reading the files again.
            let text = fs::read(self.root.join("index.json")).unwrap_or_default();
            serde_json::from_slice(&text).unwrap_or_default()
        });
        let (known, sha256) = index.get(path)?;
        // A power cut can leave the name of a content without the content.
        let is_kept = fs::metadata(contents.join(sha256)).is_ok_and(|kept| kept.len() == stamp.bytes());
        (known == stamp && is_kept).then(|| sha256.clone())
    }

    /// Keeps a content. Its name.
    pub(super) fn keep(&mut self, bytes: &[u8]) -> io::Result<String> {
        let sha256 = format!("{:x}", Sha256::digest(bytes));
        let path = self.contents().join(&sha256);
        if !fs::metadata(&path).is_ok_and(|kept| kept.len() == bytes.len() as u64) {
            let temporary = self.contents().join("new");
            let mut file = File::create(&temporary)?;
            file.write_all(bytes)?;
            if self.written < SYNCED_CONTENTS_MAX {
                file.sync_all()?;
            }
            fs::rename(temporary, path)?;
            self.written += 1;
        }
        Ok(sha256)
    }

    /// A content by its name; none if it is gone or damaged.
    pub(super) fn content(&self, sha256: &str) -> Option<Vec<u8>> {
        let path = self.contents().join(sha256);
        let length = fs::metadata(&path).ok()?.len();
        let bytes = (length <= KEPT_FILE_BYTES_MAX).then(|| fs::read(path).ok()).flatten()?;
        (format!("{:x}", Sha256::digest(&bytes)) == sha256).then_some(bytes)
    }

    /// A snapshot was taken: the names of its contents are made safe, and if it was of the whole workspace, its files are known from
    /// now on.
    pub(super) fn seen(&mut self, whole: Option<Index>) -> io::Result<()> {
        if std::mem::take(&mut self.written) > 0 {
            File::open(self.contents())?.sync_all()?;
        }
        if let Some(index) = whole {
            write_whole(&self.root.join("index.json"), &serde_json::to_vec(&index)?)?;
            self.index = Some(index);
        }
        Ok(())
    }

    fn path_of(&self, record: &Record) -> PathBuf {
        let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
        let call: String = record.call.chars().take(64).map(letter).collect();
        self.records().join(format!("{:010}-{:015}-{call}.json", record.number, record.at_ms))
    }

    /// Writes a record; it is safe when this returns. One that changed nothing goes.
    pub(super) fn put(&self, record: &Record) -> io::Result<()> {
        self.create()?;
        let path = self.path_of(record);
        if matches!(&record.state, State::Settled { changes } if changes.is_empty()) {
            return match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        write_whole(&path, &serde_json::to_vec(record)?)
    }

    /// The files of the records, the oldest first.
    fn record_files(&self) -> io::Result<Vec<PathBuf>> {
        let found = match fs::read_dir(self.records()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        let mut paths: Vec<PathBuf> = found.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        paths.sort();
        Ok(paths)
    }

    /// The number of the record that comes next: they rise in the order in which calls begin.
    pub(super) fn next_number(&self) -> io::Result<i64> {
        Ok(self.record_files()?.last().and_then(|path| field(path, 0)).map_or(0, |number| number + 1))
    }

    /// Every record, the oldest first.
    pub(super) fn all(&self) -> io::Result<Vec<Record>> {
        let record = |path: PathBuf| {
            let read = fs::read(&path).and_then(|text| Ok(serde_json::from_slice(&text)?));
            let path = path.display();
            read.inspect_err(|error| tracing::warn!(%path, %error, "a record of changes cannot be read")).ok()
        };
        Ok(self.record_files()?.into_iter().filter_map(record).collect())
    }

    /// Lets go of records that are too old or too many, and of the contents that nothing needs any more.
    pub(super) fn prune(&mut self, now: UnixMs) -> io::Result<()> {
        let mut files = self.record_files()?;
        let too_many = files.len().saturating_sub(RECORDS_MAX);
        let oldest_ms = now.0 - RECORD_AGE_MAX_MS;
        let is_old = |path: &Path| field(path, 1).is_some_and(|at_ms| at_ms < oldest_ms);
        let gone = files.iter().take_while(|path| is_old(path)).count().max(too_many);
        for path in files.drain(..gone) {
            fs::remove_file(path)?;
        }
        let mut bytes = match gone {
            0 => self.contents_bytes()?,
            _ => self.sweep()?,
        };
        for path in files {
            if bytes <= CONTENTS_BYTES_MAX {
                break;
            }
            fs::remove_file(path)?;
            bytes = self.sweep()?;
        }
        Ok(())
    }

    fn contents_bytes(&self) -> io::Result<u64> {
        fs::read_dir(self.contents())?.map(|entry| Ok(entry?.metadata()?.len())).sum()
    }

    /// Removes the contents that nothing needs. How many bytes are left.
    fn sweep(&mut self) -> io::Result<u64> {
        let records = self.all()?;
        let mut needed: HashSet<&str> = records.iter().flat_map(Record::contents).collect();
        needed.extend(self.index.iter().flatten().map(|(_, (_, sha256))| sha256.as_str()));
        for entry in fs::read_dir(self.contents())? {
            let entry = entry?;
            if !entry.file_name().to_str().is_some_and(|name| needed.contains(name)) {
                fs::remove_file(entry.path())?;
            }
        }
        self.contents_bytes()
    }
}

/// A number in the name of a record's file.
fn field(path: &Path, place: usize) -> Option<i64> {
    path.file_name()?.to_str()?.split('-').nth(place)?.parse().ok()
}

/// Writes a file so that after a crash it is whole, or as before.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension("tmp");
    let mut file = File::create(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}
