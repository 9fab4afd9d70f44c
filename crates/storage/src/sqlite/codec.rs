//! How values become columns and columns become values. Columns are read in the order in which they are selected.

use hearth_contract::clock::UnixMs;
use hearth_contract::id::{ChatKey, DeliveryId, FactId, MessageId, ScheduleId, SessionKey, TaskId, TurnId};
use hearth_contract::message::Sender;
use hearth_contract::provider::Usage;
use rusqlite::types::{FromSql, Type};
use rusqlite::{Connection, Params, Row};
use serde::de::DeserializeOwned;
use serde::{Serialize, de::value::StrDeserializer};

/// An identifier of sixteen bytes.
pub(super) trait StoredId: Sized {
    /// From its column.
    fn from_stored(bytes: [u8; 16]) -> Self;
    /// For its column.
    fn stored(&self) -> [u8; 16];
}

macro_rules! stored_id {
    ($($name:ident),*) => {
        $(impl StoredId for $name {
            fn from_stored(bytes: [u8; 16]) -> Self {
                Self::from_bytes(bytes)
            }
            fn stored(&self) -> [u8; 16] {
                *self.as_bytes()
            }
        })*
    };
}

stored_id!(MessageId, TurnId, DeliveryId, ScheduleId, TaskId, FactId);

/// A value that cannot be written as it is; only a defect of the contract's types can cause it.
fn unwritable(error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(Box::new(error))
}

/// The stable name of a plain enumeration.
pub(super) fn name<T: Serialize>(value: &T) -> rusqlite::Result<String> {
    match serde_json::to_value(value).map_err(unwritable)? {
        serde_json::Value::String(name) => Ok(name),
        other => Err(rusqlite::Error::ToSqlConversionFailure(format!("`{other}` is not a name").into())),
    }
}

/// A value as JSON text.
pub(super) fn json<T: Serialize>(value: &T) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(unwritable)
}

/// A count as SQLite keeps it; its integers end at 2^63.
pub(super) fn count(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// A limit on rows as SQLite takes it.
pub(super) fn row_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// Reads the columns of a row one after another.
pub(super) struct Columns<'row, 'statement> {
    row: &'row Row<'statement>,
    next: usize,
}

impl<'row, 'statement> Columns<'row, 'statement> {
    /// From the first column on.
    pub(super) fn of(row: &'row Row<'statement>) -> Self {
        Self { row, next: 0 }
    }

    /// The next column as it is.
    pub(super) fn take<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        let value = self.row.get(self.next)?;
        self.next += 1;
        Ok(value)
    }

    /// A time.
    pub(super) fn time(&mut self) -> rusqlite::Result<UnixMs> {
        self.take().map(UnixMs)
    }

    /// A time that may be missing.
    pub(super) fn time_or_none(&mut self) -> rusqlite::Result<Option<UnixMs>> {
        Ok(self.take::<Option<i64>>()?.map(UnixMs))
    }

    /// An identifier.
    pub(super) fn id<T: StoredId>(&mut self) -> rusqlite::Result<T> {
        self.take().map(T::from_stored)
    }

    /// An identifier that may be missing.
    pub(super) fn id_or_none<T: StoredId>(&mut self) -> rusqlite::Result<Option<T>> {
        Ok(self.take::<Option<[u8; 16]>>()?.map(T::from_stored))
    }

    /// A plain enumeration by its stable name.
    pub(super) fn name<T: DeserializeOwned>(&mut self) -> rusqlite::Result<T> {
        let text: String = self.take()?;
        T::deserialize(StrDeserializer::<serde::de::value::Error>::new(&text)).map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(self.next - 1, Type::Text, Box::new(error))
        })
    }

    /// A value kept as JSON.
    pub(super) fn json<T: DeserializeOwned>(&mut self) -> rusqlite::Result<T> {
        let text: String = self.take()?;
        self.parse(&text)
    }

    /// A value kept as JSON that may be missing.
    pub(super) fn json_or_none<T: DeserializeOwned>(&mut self) -> rusqlite::Result<Option<T>> {
        match self.take::<Option<String>>()? {
            Some(text) => self.parse(&text).map(Some),
            None => Ok(None),
        }
    }

    fn parse<T: DeserializeOwned>(&self, text: &str) -> rusqlite::Result<T> {
        serde_json::from_str(text).map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(self.next - 1, Type::Text, Box::new(error))
        })
    }

    /// Two columns: channel, chat.
    pub(super) fn chat(&mut self) -> rusqlite::Result<ChatKey> {
        Ok(ChatKey { channel: self.take()?, chat: self.take()? })
    }

    /// Three columns: channel, chat, dialog.
    pub(super) fn session(&mut self) -> rusqlite::Result<SessionKey> {
        Ok(SessionKey { chat: self.chat()?, dialog: self.take()? })
    }

    /// Three columns: id, name, role.
    pub(super) fn sender(&mut self) -> rusqlite::Result<Sender> {
        Ok(Sender { id: self.take()?, name: self.take()?, role: self.name()? })
    }

    /// A count.
    pub(super) fn count(&mut self) -> rusqlite::Result<u64> {
        Ok(u64::try_from(self.take::<i64>()?).unwrap_or(0))
    }

    /// Three columns: tokens read, of these cached, written.
    pub(super) fn usage(&mut self) -> rusqlite::Result<Usage> {
        Ok(Usage {
            prompt_tokens: self.count()?,
            cached_tokens: self.count()?,
            completion_tokens: self.count()?,
        })
    }
}

/// All rows of a query, decoded by `decode`.
pub(super) fn rows<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    decode: fn(&mut Columns<'_, '_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_map(params, |row| decode(&mut Columns::of(row)))?;
    found.collect()
}

/// The first row of a query, if there is one.
pub(super) fn first<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    decode: fn(&mut Columns<'_, '_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Option<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = statement.query_map(params, |row| decode(&mut Columns::of(row)))?;
    found.next().transpose()
}

/// Runs a statement; how many rows it changed.
pub(super) fn execute(connection: &Connection, sql: &str, params: impl Params) -> rusqlite::Result<usize> {
    connection.prepare_cached(sql)?.execute(params)
}
