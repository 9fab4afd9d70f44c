//! Facts of memory, and the index of their words.

use async_trait::async_trait;
use hearth_contract::clock::UnixMs;
use hearth_contract::id::{FactId, MessageId};
use hearth_contract::store::{Audience, FactChange, FactHit, FactQuery, FactRecord, Facts, StoreError};
use rusqlite::{Connection, named_params, params};

use super::codec::{Columns, StoredId, execute, first, json, row_limit, rows};
use super::readers::Readers;
use super::trouble::{Trouble, conflict_or};

/// The most words of a question that are looked up; each costs a list to be merged.
const QUERY_WORDS_MAX: usize = 64;

macro_rules! fact_columns {
    () => {
        "f.id, f.text, f.key, f.importance, f.audience, f.sources, f.valid_from, f.valid_to, f.replaced_by"
    };
}

fn decode(columns: &mut Columns<'_, '_>) -> rusqlite::Result<FactRecord> {
    Ok(FactRecord {
        id: columns.id()?,
        text: columns.take()?,
        key: columns.take()?,
        importance: columns.take()?,
        audience: columns.json()?,
        sources: columns.json()?,
        valid_from: columns.time()?,
        valid_to: columns.time_or_none()?,
        replaced_by: columns.id_or_none()?,
    })
}

fn decode_hit(columns: &mut Columns<'_, '_>) -> rusqlite::Result<FactHit> {
    Ok(FactHit { fact: decode(columns)?, score: columns.take()? })
}

/// Applies one change.
pub(super) fn apply(connection: &Connection, change: &FactChange) -> Result<(), Trouble> {
    match change {
        FactChange::Put { fact, words } => {
            put(connection, fact, words).map_err(|error| conflict_or(error, "fact", fact.id))?;
        }
        FactChange::Cite { fact, sources } => cite(connection, *fact, sources)?,
        FactChange::Close { fact, at, replaced_by } => close(connection, *fact, *at, *replaced_by)?,
    }
    Ok(())
}

fn put(connection: &Connection, fact: &FactRecord, words: &str) -> rusqlite::Result<()> {
    execute(
        connection,
        "INSERT INTO facts (id, text, key, importance, audience, sources, valid_from, valid_to, replaced_by)
         VALUES (:id, :text, :key, :importance, :audience, :sources, :valid_from, :valid_to, :replaced_by)",
        named_params! {
            ":id": fact.id.stored(),
            ":text": fact.text,
            ":key": fact.key,
            ":importance": fact.importance,
            ":audience": json(&fact.audience)?,
            ":sources": json(&fact.sources)?,
            ":valid_from": fact.valid_from.0,
            ":valid_to": fact.valid_to.map(|at| at.0),
            ":replaced_by": fact.replaced_by.map(|id| id.stored()),
        },
    )?;
    if fact.valid_to.is_none() {
        let seq = connection.last_insert_rowid();
        execute(connection, "INSERT INTO fact_words (rowid, words) VALUES (?1, ?2)", params![seq, words])?;
    }
    Ok(())
}

fn cite(connection: &Connection, fact: FactId, more: &[MessageId]) -> rusqlite::Result<()> {
    let sql = "SELECT sources FROM facts WHERE id = ?1";
    let stored = first(connection, sql, params![fact.stored()], |columns| columns.json::<Vec<MessageId>>())?;
    let Some(mut sources) = stored else { return Ok(()) };
    for source in more {
        if !sources.contains(source) {
            sources.push(*source);
        }
    }
    execute(
        connection,
        "UPDATE facts SET sources = ?2 WHERE id = ?1",
        params![fact.stored(), json(&sources)?],
    )?;
    Ok(())
}

fn close(
    connection: &Connection,
    fact: FactId,
    at: UnixMs,
    replaced_by: Option<FactId>,
) -> rusqlite::Result<()> {
    let sql =
        "UPDATE facts SET valid_to = ?2, replaced_by = ?3 WHERE id = ?1 AND valid_to IS NULL RETURNING seq";
    let key = params![fact.stored(), at.0, replaced_by.map(|id| id.stored())];
    if let Some(seq) = first(connection, sql, key, |columns| columns.take::<i64>())? {
        execute(connection, "DELETE FROM fact_words WHERE rowid = ?1", params![seq])?;
    }
    Ok(())
}

/// Any of the words, each quoted so that nothing in it is read as an operator; none if there is no word.
fn any_of(words: &[String]) -> Option<String> {
    let quoted: Vec<String> = words
        .iter()
        .map(|word| word.trim().replace('\0', ""))
        .filter(|word| !word.is_empty())
        .take(QUERY_WORDS_MAX)
        .map(|word| format!("\"{}\"", word.replace('"', "\"\"")))
        .collect();
    (!quoted.is_empty()).then(|| quoted.join(" OR "))
}

/// A piece of text as a pattern of `LIKE … ESCAPE '\'`.
fn containing_pattern(piece: &str) -> String {
    let mut pattern = String::with_capacity(piece.len() + 2);
    pattern.push('%');
    for character in piece.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

/// The audiences of a query as a JSON list of what the column holds.
fn audience_list(query: &FactQuery) -> rusqlite::Result<String> {
    let audiences = query.audiences.iter().map(json).collect::<rusqlite::Result<Vec<String>>>()?;
    json(&audiences)
}

fn search(connection: &Connection, query: &FactQuery) -> rusqlite::Result<Vec<FactHit>> {
    let Some(words) = any_of(&query.words) else { return Ok(Vec::new()) };
    let sql = concat!(
        "SELECT ",
        fact_columns!(),
        ", -bm25(fact_words) AS score
         FROM fact_words JOIN facts f ON f.seq = fact_words.rowid
         WHERE fact_words MATCH :words AND f.valid_to IS NULL
             AND f.audience IN (SELECT value FROM json_each(:audiences))
             AND f.valid_from >= :since AND f.valid_from < :until
         ORDER BY score DESC, f.id DESC LIMIT :limit"
    );
    let key = named_params! {
        ":words": words,
        ":audiences": audience_list(query)?,
        ":since": query.since.map_or(i64::MIN, |at| at.0),
        ":until": query.until.map_or(i64::MAX, |at| at.0),
        ":limit": row_limit(query.limit),
    };
    rows(connection, sql, key, decode_hit)
}

fn containing(connection: &Connection, piece: &str, query: &FactQuery) -> rusqlite::Result<Vec<FactHit>> {
    let sql = concat!(
        "SELECT ",
        fact_columns!(),
        ", 0.0 AS score
         FROM facts f
         WHERE f.valid_to IS NULL AND f.text LIKE :piece ESCAPE '\\'
             AND f.audience IN (SELECT value FROM json_each(:audiences))
             AND f.valid_from >= :since AND f.valid_from < :until
         ORDER BY f.valid_from DESC, f.id DESC LIMIT :limit"
    );
    let key = named_params! {
        ":piece": containing_pattern(piece),
        ":audiences": audience_list(query)?,
        ":since": query.since.map_or(i64::MIN, |at| at.0),
        ":until": query.until.map_or(i64::MAX, |at| at.0),
        ":limit": row_limit(query.limit),
    };
    rows(connection, sql, key, decode_hit)
}

#[async_trait]
impl Facts for Readers {
    async fn get(&self, id: FactId) -> Result<Option<FactRecord>, StoreError> {
        self.read(move |connection| {
            let sql = concat!("SELECT ", fact_columns!(), " FROM facts f WHERE f.id = ?1");
            first(connection, sql, params![id.stored()], decode)
        })
        .await
    }

    async fn search(&self, query: &FactQuery) -> Result<Vec<FactHit>, StoreError> {
        let query = query.clone();
        self.read(move |connection| search(connection, &query)).await
    }

    async fn containing(&self, piece: &str, query: &FactQuery) -> Result<Vec<FactHit>, StoreError> {
        let (piece, query) = (piece.to_owned(), query.clone());
        self.read(move |connection| containing(connection, &piece, &query)).await
    }

    async fn by_key(&self, audience: &Audience, key: &str) -> Result<Option<FactRecord>, StoreError> {
        let (audience, key) = (audience.clone(), key.to_owned());
        self.read(move |connection| {
            let sql = concat!(
                "SELECT ",
                fact_columns!(),
                " FROM facts f WHERE f.valid_to IS NULL AND f.audience = ?1 AND f.key = ?2
                  ORDER BY f.valid_from DESC LIMIT 1"
            );
            first(connection, sql, params![json(&audience)?, key], decode)
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_question_cannot_be_operators() {
        let words = |list: &[&str]| any_of(&list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(words(&["tea", "NOT"]).unwrap(), r#""tea" OR "NOT""#);
        assert_eq!(words(&["a\"b"]).unwrap(), r#""a""b""#);
        assert_eq!(words(&["", "  "]), None);
        assert_eq!(any_of(&vec!["w".to_owned(); 500]).unwrap().matches("OR").count(), QUERY_WORDS_MAX - 1);
    }

    #[test]
    fn a_pattern_takes_its_signs_literally() {
        assert_eq!(containing_pattern(r"50%_\"), r"%50\%\_\\%");
    }
}
