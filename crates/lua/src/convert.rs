//! Values on their way into a script and out of it.
//!
//! A null in an object is left out, so that `if x.field then` says what it seems to; in a list it is `json.null`.
//! A list stays a list when it is empty: it carries a metatable that says so.

use mlua::{Lua, Table, Value as LuaValue};
use serde_json::{Map, Number, Value};

use crate::limits::{VALUE_BYTES_MAX, VALUE_DEPTH_MAX, VALUE_NODES_MAX};

/// Whole numbers beyond this are no longer exact in a script.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// A value cannot go in or out; the text says why.
pub(crate) type ConvertResult<T> = Result<T, String>;

/// A value as a script sees it.
pub(crate) fn to_lua(lua: &Lua, value: &Value) -> mlua::Result<LuaValue> {
    into(lua, value, VALUE_DEPTH_MAX)
}

fn into(lua: &Lua, value: &Value, depth: usize) -> mlua::Result<LuaValue> {
    if depth == 0 {
        return Err(mlua::Error::runtime(too_deep()));
    }
    Ok(match value {
        Value::Null => LuaValue::NULL,
        Value::Bool(flag) => LuaValue::Boolean(*flag),
        Value::Number(number) => LuaValue::Number(number.as_f64().unwrap_or_default()),
        Value::String(text) => LuaValue::String(lua.create_string(text)?),
        Value::Array(items) => {
            let table = lua.create_table_with_capacity(items.len(), 0)?;
            for (index, item) in items.iter().enumerate() {
                table.raw_set(index + 1, into(lua, item, depth - 1)?)?;
            }
            as_list(lua, &table)?;
            LuaValue::Table(table)
        }
        Value::Object(fields) => {
            let table = lua.create_table()?;
            for (key, field) in fields.iter().filter(|(_, field)| !field.is_null()) {
                table.raw_set(key.as_str(), into(lua, field, depth - 1)?)?;
            }
            LuaValue::Table(table)
        }
    })
}

/// Marks a table as a list.
pub(crate) fn as_list(lua: &Lua, table: &Table) -> mlua::Result<()> {
    table.set_metatable(Some(lua.named_registry_value(LIST)?))
}

/// The name under which the metatable of lists is kept out of scripts' reach.
pub(crate) const LIST: &str = "hearth.list";

/// What a script gives back. Metatables are not asked.
pub(crate) fn from_lua(lua: &Lua, value: LuaValue) -> ConvertResult<Value> {
    let list: Table = lua.named_registry_value(LIST).map_err(|error| error.to_string())?;
    Outward { list, nodes_left: VALUE_NODES_MAX, bytes_left: VALUE_BYTES_MAX }.value(value, VALUE_DEPTH_MAX)
}

struct Outward {
    list: Table,
    nodes_left: usize,
    bytes_left: usize,
}

impl Outward {
    fn value(&mut self, value: LuaValue, depth: usize) -> ConvertResult<Value> {
        self.nodes_left = self.nodes_left.checked_sub(1).ok_or("the value has too many parts")?;
        match value {
            LuaValue::Nil => Ok(Value::Null),
            value if value.is_null() => Ok(Value::Null),
            LuaValue::Boolean(flag) => Ok(Value::Bool(flag)),
            LuaValue::Integer(number) => Ok(number.into()),
            LuaValue::Number(number) => self::number(number),
            LuaValue::String(text) => self.text(&text).map(Value::String),
            LuaValue::Table(_) if depth == 0 => Err(too_deep()),
            LuaValue::Table(table) => self.table(&table, depth - 1),
            other => Err(format!("a {} is no value that can be passed on", other.type_name())),
        }
    }

    fn table(&mut self, table: &Table, depth: usize) -> ConvertResult<Value> {
        let length = table.raw_len();
        if length > 0 || table.metatable().is_some_and(|metatable| metatable == self.list) {
            return self.list(table, length, depth);
        }
        let mut fields = Map::new();
        for pair in table.pairs::<LuaValue, LuaValue>() {
            let (key, field) = pair.map_err(|error| error.to_string())?;
            let LuaValue::String(key) = key else {
                return Err("a table has keys that are neither texts nor 1, 2, 3".to_owned());
            };
            let key = self.text(&key)?;
            let field = self.value(field, depth).map_err(|reason| inside(&key, &reason))?;
            fields.insert(key, field);
        }
        // A script's tables have no order; a request must be the same each time, or no cache would know it.
        fields.sort_keys();
        Ok(Value::Object(fields))
    }

    fn text(&mut self, text: &mlua::LuaString) -> ConvertResult<String> {
        let text = text.to_str().map_err(|_| "a text is not UTF-8".to_owned())?;
        self.bytes_left = self.bytes_left.checked_sub(text.len()).ok_or("the value has too many bytes")?;
        Ok(text.to_owned())
    }

    fn list(&mut self, table: &Table, length: usize, depth: usize) -> ConvertResult<Value> {
        let keys = table.pairs::<LuaValue, LuaValue>().count();
        if keys != length {
            return Err("a table is a list and has names or gaps as well".to_owned());
        }
        let mut items = Vec::new();
        for index in 1..=length {
            let item: LuaValue = table.raw_get(index).map_err(|error| error.to_string())?;
            items.push(self.value(item, depth).map_err(|reason| inside(&index.to_string(), &reason))?);
        }
        Ok(Value::Array(items))
    }
}

fn number(number: f64) -> ConvertResult<Value> {
    if number.fract() == 0.0 && number.abs() <= EXACT_MAX {
        return Ok((number as i64).into());
    }
    Number::from_f64(number).map(Value::Number).ok_or_else(|| "a number is not finite".to_owned())
}

fn too_deep() -> String {
    format!("a value is nested deeper than {VALUE_DEPTH_MAX}, or holds itself")
}

/// Where it is wrong, from the outside in; the way to what is nested very deep is not told.
fn inside(key: &str, reason: &str) -> String {
    if reason.len() > 200 { reason.to_owned() } else { format!("{key}: {reason}") }
}
