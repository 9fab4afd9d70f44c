//! Making, migrating and refusing databases.

use std::path::{Path, PathBuf};

use super::*;

const NEXT: &str = "CREATE TABLE extra (value TEXT NOT NULL) STRICT;
                    INSERT INTO extra SELECT name FROM settings;";

fn in_a_folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("hearth.db");
    (folder, database)
}

fn number(database: &Path, sql: &str) -> i64 {
    let connection = connect::plain(database).unwrap();
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// A database of the first version with one setting, part of it only in the log.
fn of_version_one(database: &Path) {
    prepare(database, &MIGRATIONS[..1]).unwrap();
    let connection = connect::writer(database).unwrap();
    connection.execute("INSERT INTO settings VALUES ('kernel', 'kept', '1', 0)", []).unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_new_database_is_made_in_the_newest_version_and_only_once() {
    let (_folder, database) = in_a_folder();
    prepare(&database, MIGRATIONS).unwrap();
    assert_eq!(number(&database, "PRAGMA user_version"), newest(MIGRATIONS));
    let before = std::fs::read(&database).unwrap();
    prepare(&database, MIGRATIONS).unwrap();
    assert_eq!(std::fs::read(&database).unwrap(), before);
}

#[test]
fn what_a_broken_off_making_or_a_lost_database_has_left_is_not_used() {
    let (folder, database) = in_a_folder();
    of_version_one(&database);
    let log_only = connect::writer(&database).unwrap();
    log_only.execute("INSERT INTO settings VALUES ('kernel', 'stale', '1', 0)", []).unwrap();
    std::fs::copy(files::log_of(&database), folder.path().join("hearth.db.making-wal")).unwrap();
    std::fs::copy(&database, folder.path().join("hearth.db.making")).unwrap();
    drop(log_only);
    std::fs::copy(folder.path().join("hearth.db.making-wal"), files::log_of(&database)).unwrap();
    std::fs::remove_file(&database).unwrap();
    prepare(&database, MIGRATIONS).unwrap();
    assert_eq!(number(&database, "SELECT count(*) FROM settings"), 0);
    assert_eq!(names(folder.path()), ["hearth.db"]);
}

#[cfg(unix)]
#[test]
fn only_its_owner_can_read_a_new_database() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, database) = in_a_folder();
    prepare(&database, MIGRATIONS).unwrap();
    assert_eq!(std::fs::metadata(&database).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_migration_works_on_a_copy_and_keeps_the_old_file_until_the_new_one_has_served() {
    let (folder, database) = in_a_folder();
    of_version_one(&database);
    std::fs::write(files::copy_of(&database), "left by a migration that broke off").unwrap();
    let migrations = [MIGRATIONS[0], NEXT];
    prepare(&database, &migrations).unwrap();
    assert_eq!(number(&database, "PRAGMA user_version"), 2);
    assert_eq!(number(&database, "SELECT count(*) FROM extra WHERE value = 'kept'"), 1);
    assert_eq!(names(folder.path()), ["hearth.db", "hearth.db.before-v2"]);
    let old = folder.path().join("hearth.db.before-v2");
    assert_eq!(number(&old, "PRAGMA user_version"), 1);
    assert_eq!(number(&old, "SELECT count(*) FROM settings"), 1);

    remove_kept(&database, &migrations);
    assert_eq!(names(folder.path()), ["hearth.db"]);
}

#[test]
fn a_migration_that_fails_leaves_the_database_as_it_was() {
    let (_folder, database) = in_a_folder();
    of_version_one(&database);
    let error = prepare(&database, &[MIGRATIONS[0], "CREATE TABLE settings (value TEXT)"]).unwrap_err();
    assert!(error.to_string().contains("settings already exists"), "{error}");
    assert_eq!(number(&database, "PRAGMA user_version"), 1);
    assert_eq!(number(&database, "SELECT count(*) FROM settings"), 1);
    prepare(&database, &MIGRATIONS[..1]).unwrap();
}

#[test]
fn a_newer_database_is_refused_unharmed() {
    let (_folder, database) = in_a_folder();
    prepare(&database, &[MIGRATIONS[0], NEXT]).unwrap();
    let before = std::fs::read(&database).unwrap();
    let error = prepare(&database, &MIGRATIONS[..1]).unwrap_err();
    assert!(matches!(error, OpenError::Newer { found: 2, known: 1, .. }), "{error}");
    assert_eq!(std::fs::read(&database).unwrap(), before);
}

#[test]
fn a_damaged_database_is_refused_unharmed() {
    let (_folder, database) = in_a_folder();
    prepare(&database, MIGRATIONS).unwrap();
    let whole = std::fs::read(&database).unwrap();
    let no_database = b"this is not a database ".repeat(400);
    let cut_short = whole[..whole.len() / 2].to_vec();
    let mut schema_overwritten = whole;
    schema_overwritten[100..4096].fill(0xa5);
    for damaged in [no_database, cut_short, schema_overwritten, Vec::new()] {
        std::fs::write(&database, &damaged).unwrap();
        let error = prepare(&database, MIGRATIONS).unwrap_err();
        assert!(matches!(error, OpenError::Damaged { .. }), "{error}");
        assert!(error.to_string().contains("hearth restore"), "{error}");
        assert_eq!(std::fs::read(&database).unwrap(), damaged);
    }
}

#[test]
fn a_database_of_something_else_is_refused_unharmed() {
    let (_folder, database) = in_a_folder();
    connect::plain(&database).unwrap().execute_batch("CREATE TABLE notes (text TEXT)").unwrap();
    let before = std::fs::read(&database).unwrap();
    let error = prepare(&database, MIGRATIONS).unwrap_err();
    assert!(matches!(error, OpenError::Foreign { .. }), "{error}");
    assert_eq!(std::fs::read(&database).unwrap(), before);
}

#[test]
fn no_database_is_made_beside_one_that_a_restore_has_left() {
    let (folder, database) = in_a_folder();
    std::fs::write(files::copy_of(&database), "x").unwrap();
    let error = prepare(&database, MIGRATIONS).unwrap_err();
    assert!(matches!(error, OpenError::Interrupted { .. }), "{error}");
    assert_eq!(names(folder.path()), ["hearth.db.new"]);
}

#[test]
fn a_folder_that_is_not_there_is_a_clear_error() {
    let (folder, _) = in_a_folder();
    let error = prepare(&folder.path().join("missing/hearth.db"), MIGRATIONS).unwrap_err();
    assert!(matches!(error, OpenError::Unavailable { .. }), "{error}");
}
